// Package hostile is an HTTP/2 client for tests of the limits of a server: it sends frames
// that well-behaved clients never send.
//
//	f, err := hostile.Dial(ctx, address, "", 0) // accepts no bytes of answers
//	id, err := f.Call(method, 1<<20, part, false)
//	statuses, err := f.Statuses(time.Second)
package hostile

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Frames is an HTTP/2 connection. One goroutine uses it.
type Frames struct {
	// Conn is the TCP connection.
	Conn   net.Conn
	framer *http2.Framer
	stream uint32
}

// Dial connects to a TCP address from a local one, empty for any. The window is the
// number of bytes of an answer that the client accepts.
func Dial(ctx context.Context, address, from string, window uint32) (*Frames, error) {
	var d net.Dialer
	if from != "" {
		d.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	c, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	f := &Frames{Conn: c, framer: http2.NewFramer(c, c), stream: 1}
	f.framer.AllowIllegalWrites = true
	_ = c.SetWriteDeadline(time.Now().Add(time.Minute))
	if _, err = c.Write([]byte(http2.ClientPreface)); err == nil {
		err = f.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window})
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return f, nil
}

// Call begins a call and sends the first part of a message whose announced length is
// size. With end set, the client sends nothing more. Call returns the stream number.
func (f *Frames) Call(method string, size int, part []byte, end bool, headers ...hpack.HeaderField) (uint32, error) {
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	for _, h := range append([]hpack.HeaderField{
		{Name: ":method", Value: "POST"},
		{Name: ":scheme", Value: "http"},
		{Name: ":path", Value: method},
		{Name: ":authority", Value: "x"},
		{Name: "content-type", Value: "application/grpc"},
		{Name: "te", Value: "trailers"},
	}, headers...) {
		if err := e.WriteField(h); err != nil {
			return 0, err
		}
	}
	id := f.stream
	f.stream += 2
	if err := f.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block.Bytes(), EndHeaders: true}); err != nil {
		return 0, err
	}
	if err := f.Message(id, size, part, end); err != nil {
		return 0, err
	}
	return id, nil
}

// Message sends the first part of a message of a call, as Call does.
func (f *Frames) Message(id uint32, size int, part []byte, end bool) error {
	data := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(size)), part...)
	for len(data) > 0 {
		n := min(len(data), 16<<10) // a frame
		if err := f.framer.WriteData(id, end && n == len(data), data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// Receive accepts n more bytes of the answers of a call, or of all answers if id is 0. The
// protocol forbids an n of 0.
func (f *Frames) Receive(id, n uint32) error { return f.framer.WriteWindowUpdate(id, n) }

// Statuses reads until the connection ends or is silent for a while, and returns the
// gRPC statuses of calls by stream number.
func (f *Frames) Statuses(silence time.Duration) (map[uint32]string, error) {
	statuses := map[uint32]string{}
	d := hpack.NewDecoder(4096, nil)
	for {
		_ = f.Conn.SetReadDeadline(time.Now().Add(silence))
		frame, err := f.framer.ReadFrame()
		if err != nil {
			return statuses, nil // the end, or silence
		}
		h, ok := frame.(*http2.HeadersFrame)
		if !ok {
			continue
		}
		fields, err := d.DecodeFull(h.HeaderBlockFragment())
		if err != nil {
			return statuses, err
		}
		for _, field := range fields {
			if field.Name == "grpc-status" {
				statuses[h.StreamID] = field.Value
			}
		}
	}
}
