// Package proto holds the gRPC services that sparrowhall offers and uses, one folder
// each below it: the definitions, and the Go code compiled from them. What is
// published is compared with the image in baseline.binpb, so that old clients go
// on working.
package proto

//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.68.0 generate --template ../buf.gen.yaml --output .. ..
