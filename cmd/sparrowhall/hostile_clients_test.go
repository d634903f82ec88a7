package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/proto"

	hostilehttp2 "github.com/sparrowhall/sparrowhall/internal/testkit/hostile"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// hostileClients are the kinds of hostile clients. Each does its harm over one connection
// until the server closes it or ctx ends.
var hostileClients = map[string]func(hostileClient, context.Context) error{
	"closed windows":      hostileClient.closeWindows,
	"unfinished messages": hostileClient.sendParts,
	"bad tokens":          hostileClient.guessTokens,
	"ruleset bombs":       hostileClient.sendBombs,
	"connection churn":    hostileClient.disconnect,
	"health watches":      hostileClient.watchHealth,
	"big opens":           hostileClient.openMany,
	"never reading":       hostileClient.neverRead,
	"silent connections":  hostileClient.stayConnected,
	"junk":                hostileClient.sendJunk,
	"repeated opens":      hostileClient.reopen,
	"long lists":          hostileClient.sendLists,
}

// hostileClient is one connection of a hostile client.
type hostileClient struct {
	*hostilehttp2.Frames
	token hpack.HeaderField
	rng   *rand.Rand
}

// runHostile runs hostile clients, their kinds and addresses in turn, until ctx ends.
// A client connects again whenever the server has closed its connection.
func runHostile(ctx context.Context, address, token string, clients int, from []string) {
	kinds := slices.Sorted(maps.Keys(hostileClients))
	var wg sync.WaitGroup
	for i := range clients {
		kind, from := kinds[i%len(kinds)], from[i/len(kinds)%len(from)]
		window := uint32(1 << 20)
		switch kind {
		case "closed windows":
			window = 0
		case "repeated opens", "long lists":
			window = math.MaxInt32
		}
		c := hostileClient{nil, hpack.HeaderField{Name: "authorization", Value: "Bearer " + token}, rand.New(rand.NewPCG(uint64(i), 0))}
		wg.Go(func() {
			for ctx.Err() == nil {
				var err error
				if c.Frames, err = hostilehttp2.Dial(ctx, address, from, window); err == nil {
					stop := context.AfterFunc(ctx, func() { _ = c.Conn.Close() })
					_ = hostileClients[kind](c, ctx) // until the server closes the connection
					stop()
					_ = c.Conn.Close()
				}
				pause(ctx, 20*time.Millisecond)
			}
		})
	}
	wg.Wait()
}

// pause waits and reports whether ctx goes on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// discard reads what the server sends, so that TCP does not stop it.
func (c hostileClient) discard() { go io.Copy(io.Discard, c.Conn) }

// hostileCalls are the calls that need a token.
var hostileCalls = []string{envv1.EnvService_Play_FullMethodName, envv1.EnvService_Describe_FullMethodName}

func encodeOpen(o *envv1.Open) []byte {
	text, err := proto.Marshal(&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: o}})
	if err != nil {
		panic(err) // every Open can be encoded
	}
	return text
}

func encodeTables(n uint32, seats ...string) []byte {
	return encodeOpen(&envv1.Open{
		Rules: &envv1.Open_Preset{Preset: "ema_2016"}, Tables: n, Observation: "planes", AutoReset: true, Seats: seats,
	})
}

// closeWindows sends requests and accepts no bytes of their answers.
func (c hostileClient) closeWindows(ctx context.Context) error {
	c.discard()
	text := encodeTables(2000)
	for pause(ctx, 50*time.Millisecond) {
		if _, err := c.Call(envv1.EnvService_Play_FullMethodName, len(text), text, true, c.token); err != nil {
			return err
		}
		if _, err := c.Call(envv1.EnvService_Describe_FullMethodName, 0, nil, true, c.token); err != nil {
			return err
		}
	}
	return nil
}

// sendParts announces messages of a megabyte and sends a part of them.
func (c hostileClient) sendParts(ctx context.Context) error {
	c.discard()
	part := make([]byte, 60<<10)
	for i := 0; pause(ctx, 20*time.Millisecond); i++ {
		if _, err := c.Call(hostileCalls[i%2], 1<<20, part, false, c.token); err != nil {
			return err
		}
	}
	return nil
}

// guessTokens tries tokens, with deadlines far away.
func (c hostileClient) guessTokens(ctx context.Context) error {
	c.discard()
	for pause(ctx, time.Millisecond) {
		guess := hpack.HeaderField{Name: "authorization", Value: fmt.Sprintf("Bearer %x", c.rng.Uint64())}
		if _, err := c.Call(hostileCalls[c.rng.IntN(2)], 0, nil, true, guess, hpack.HeaderField{Name: "grpc-timeout", Value: "99999999H"}); err != nil {
			return err
		}
	}
	return nil
}

// sendBombs opens tables under rulesets that are expensive to read.
func (c hostileClient) sendBombs(ctx context.Context) error {
	c.discard()
	var keys strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&keys, "k%d = 1\n", i)
	}
	head := "base = \"ema_2016\"\n"
	texts := []string{ // beyond the limits, and as large as they allow
		head + "[" + strings.Repeat("a.", 400_000) + "a]\n",
		head + "[" + strings.Repeat("a.", 15_000) + "a]\n",
		head + keys.String(),
		head + keys.String()[:5000],
		head + "x = " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "\n",
		head + "kuitan = \"" + strings.Repeat("é", 15_000) + "\"\n",
	}
	for pause(ctx, 5*time.Millisecond) {
		text := encodeOpen(&envv1.Open{Rules: &envv1.Open_Toml{Toml: texts[c.rng.IntN(len(texts))]}, Tables: 8000})
		if _, err := c.Call(envv1.EnvService_Play_FullMethodName, len(text), text, true, c.token); err != nil {
			return err
		}
	}
	return nil
}

// disconnect disconnects soon after a request.
func (c hostileClient) disconnect(ctx context.Context) error {
	text := encodeTables(10)
	if _, err := c.Call(envv1.EnvService_Play_FullMethodName, len(text), text, false, c.token); err != nil {
		return err
	}
	pause(ctx, time.Duration(c.rng.IntN(20))*time.Millisecond)
	return nil
}

// watchHealth watches the server's health many times.
func (c hostileClient) watchHealth(ctx context.Context) error {
	c.discard()
	for pause(ctx, 5*time.Millisecond) {
		if _, err := c.Call(grpc_health_v1.Health_Watch_FullMethodName, 0, nil, true); err != nil {
			return err
		}
	}
	return nil
}

// openMany opens as many tables as allowed, with agents that compute, again and again.
func (c hostileClient) openMany(ctx context.Context) error {
	c.discard()
	text := encodeTables(8192, "value", "value", "value", "external")
	for pause(ctx, 200*time.Millisecond) {
		if _, err := c.Call(envv1.EnvService_Play_FullMethodName, len(text), text, true, c.token); err != nil {
			return err
		}
	}
	return nil
}

// neverRead sends requests and leaves the answers in the kernel.
func (c hostileClient) neverRead(ctx context.Context) error {
	text := encodeTables(1000)
	for pause(ctx, 50*time.Millisecond) {
		if _, err := c.Call(envv1.EnvService_Play_FullMethodName, len(text), text, true, c.token); err != nil {
			return err
		}
	}
	return nil
}

// stayConnected holds a connection.
func (c hostileClient) stayConnected(ctx context.Context) error {
	_, err := c.Statuses(time.Hour)
	return err
}

// sendJunk sends bytes that are not HTTP/2, or not a message.
func (c hostileClient) sendJunk(ctx context.Context) error {
	c.discard()
	data := make([]byte, c.rng.IntN(4000))
	for i := range data {
		data[i] = byte(c.rng.Uint32())
	}
	if c.rng.IntN(2) == 0 {
		_, err := c.Conn.Write(data)
		pause(ctx, 20*time.Millisecond)
		return err
	}
	for pause(ctx, 5*time.Millisecond) {
		if _, err := c.Call(envv1.EnvService_Play_FullMethodName, len(data), data, c.rng.IntN(2) == 0, c.token); err != nil {
			return err
		}
	}
	return nil
}

// reopen opens as many tables as allowed, each time under other rules, as soon as it is answered.
func (c hostileClient) reopen(ctx context.Context) error {
	c.discard()
	if err := c.Receive(0, math.MaxInt32-1<<16); err != nil {
		return err
	}
	var id uint32
	for i := 0; ; i++ {
		text := encodeOpen(&envv1.Open{
			Rules:  &envv1.Open_Toml{Toml: fmt.Sprintf("base = \"ema_2016\"\ndescription = \"%d\"\n", c.rng.Uint64())},
			Tables: 8192, Observation: "planes", AutoReset: true, Seats: []string{"external", "greedy", "greedy", "greedy"},
		})
		var err error
		if i == 0 {
			id, err = c.Call(envv1.EnvService_Play_FullMethodName, len(text), text, false, c.token)
		} else {
			err = c.Message(id, len(text), text, false)
		}
		if err != nil || !pause(ctx, time.Millisecond) {
			return err
		}
	}
}

// sendLists sends messages that take long to decode: half a million empty names.
func (c hostileClient) sendLists(ctx context.Context) error {
	c.discard()
	text := encodeOpen(&envv1.Open{Tables: 1, Seats: make([]string, 500_000)})
	id, err := c.Call(envv1.EnvService_Play_FullMethodName, len(text), text, false, c.token)
	for err == nil && pause(ctx, time.Millisecond) {
		err = c.Message(id, len(text), text, false)
	}
	return err
}
