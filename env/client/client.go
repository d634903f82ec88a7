// Package client plays at the tables of an environment server.
package client

import (
	"context"
	"fmt"
	"math"

	"google.golang.org/grpc"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// External is the entry of Open.Seats that stands for the client.
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
// grpc.WithTransportCredentials(insecure.NewCredentials()) for a plain one. The
// connection is made by the first call.
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

// Sizes of the connection, which let a batch of some thousand rows through
// without a wait.
const (
	windowBytes = 4 << 20
	bufferBytes = 256 << 10
)

// Close ends the connection and all its streams.
func (c *Client) Close() error { return c.conn.Close() }

// Describe returns what the server offers.
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

// Bearer sends a token with every call. The connection may be plain only where
// nobody else can listen.
type Bearer string

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (b Bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (b Bearer) RequireTransportSecurity() bool { return false }

// RefusedError is a request that the server has refused. Nothing has changed, and
// the stream goes on.
type RefusedError struct {
	ID uint64 // of the request
	// Reason has the code, the message, and the row, table and player at fault.
	Reason *envv1.Error
}

// Error returns the code and what the server says.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("client: refused: %s (%s)", e.Reason.Message, e.Reason.Code)
}
