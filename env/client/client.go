// Package client plays at the tables of an environment server. A Client is a connection,
// a Stream the tables that are open on it.
//
//	c, err := client.Dial("127.0.0.1:9000", grpc.WithTransportCredentials(insecure.NewCredentials()))
//	s, err := c.Play(ctx)
//	opened, batch, err := s.Open(&envv1.Open{Rules: &envv1.Open_Preset{Preset: "ema_2016"}, Tables: 64})
//	var answers client.Answers
//	answers.Add(batch, 0, action)
//	batch, err = s.Act(&answers)
package client

import (
	"context"
	"fmt"
	"math"

	"google.golang.org/grpc"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// External is the entry of Open.Seats for the client.
const External = "external"

// MaskSize is the number of bytes of a row's mask: action a is bit a%8 of byte
// a/8.
const MaskSize = 23

// Client is a connection to a server. It is safe for use by any number of
// goroutines.
type Client struct {
	conn *grpc.ClientConn
	env  envv1.EnvServiceClient
}

// Dial returns a client of the server at target, "host:port" or "unix:PATH". The
// options must say how the connection is secured:
// grpc.WithTransportCredentials(insecure.NewCredentials()) for a plain one. It does not
// connect before the first call.
func Dial(target string, options ...grpc.DialOption) (*Client, error) {
	standard := []grpc.DialOption{
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)),
		grpc.WithInitialWindowSize(windowBytes),
		grpc.WithInitialConnWindowSize(windowBytes),
		grpc.WithReadBufferSize(bufferBytes),
		grpc.WithWriteBufferSize(bufferBytes),
	}
	conn, err := grpc.NewClient(target, append(standard, options...)...)
	if err != nil {
		return nil, err
	}
	return &Client{conn, envv1.NewEnvServiceClient(conn)}, nil
}

// Sizes of the connection, enough for a batch of some thousand rows.
const (
	windowBytes = 4 << 20
	bufferBytes = 256 << 10
)

// Close closes the connection and ends its streams.
func (c *Client) Close() error { return c.conn.Close() }

// Describe returns the rulesets, observations, agents and limits of the server.
func (c *Client) Describe(ctx context.Context) (*envv1.DescribeResponse, error) {
	return c.env.Describe(ctx, &envv1.DescribeRequest{})
}

// Play starts a stream, which lasts as long as ctx.
func (c *Client) Play(ctx context.Context) (*Stream, error) {
	s, err := c.env.Play(ctx, grpc.ForceCodecV2(newCodec()))
	if err != nil {
		return nil, err
	}
	return NewStream(s), nil
}

// Bearer sends a token with every call. Use it over a plain connection only if no other
// machine can listen.
type Bearer string

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (b Bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (b Bearer) RequireTransportSecurity() bool { return false }

// RefusedError is the refusal of a request. The request has changed nothing, and the
// stream goes on.
type RefusedError struct {
	ID uint64 // of the request
	// Reason has the code, the message, and the row, table and player at fault.
	Reason *envv1.Error
}

// Error returns the message of the server and the code.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("client: refused: %s (%s)", e.Reason.Message, e.Reason.Code)
}
