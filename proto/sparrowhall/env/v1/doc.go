// Package envv1 is the protocol of the environment, compiled from env.proto.
package envv1
