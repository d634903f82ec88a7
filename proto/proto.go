// Package proto holds the gRPC services that sparrowhall offers and uses, one folder
// each below it: the definitions, and the Go code compiled from them. What is
// published is compared with the image in baseline.binpb, so that old clients go
// on working.
//
// After a change of a definition, .ci/protocol compiles it and checks the change.
package proto
