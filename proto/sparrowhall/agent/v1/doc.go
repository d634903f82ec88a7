// Package agentv1 is the protocol of outside policies, compiled from agent.proto.
package agentv1
