package hostile

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/proto"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// Target is a server and what a client needs there.
type Target struct {
	// Address is host and port.
	Address string
	Token   string // empty if none is wanted
}

// Kinds names what clients do.
var Kinds = []string{
	"closed windows", "unfinished messages", "bad tokens", "ruleset bombs", "connection churn",
	"health watches", "big opens", "never reading", "silent connections", "junk", "opening anew", "long lists",
}

// Client does one kind of harm from a local address until ctx ends, beginning anew
// whenever the server has parted with it.
func Client(ctx context.Context, t Target, kind, from string, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	harm := map[string]func(context.Context, *Frames, hpack.HeaderField, *rand.Rand) error{
		"closed windows":      closedWindows,
		"unfinished messages": unfinished,
		"bad tokens":          badTokens,
		"ruleset bombs":       bombs,
		"connection churn":    churn,
		"health watches":      watches,
		"big opens":           bigOpens,
		"never reading":       neverReading,
		"silent connections":  silent,
		"junk":                junk,
		"opening anew":        openingAnew,
		"long lists":          longLists,
	}[kind]
	if harm == nil {
		return fmt.Errorf("hostile: no client is called %q; there are %s", kind, strings.Join(Kinds, ", "))
	}
	token := hpack.HeaderField{Name: "authorization", Value: "Bearer " + t.Token}
	for ctx.Err() == nil {
		window := uint32(1 << 20)
		switch kind {
		case "closed windows":
			window = 0
		case "opening anew", "long lists":
			window = math.MaxInt32
		}
		f, err := Dial(ctx, t.Address, from, window)
		if err == nil {
			stop := context.AfterFunc(ctx, func() { _ = f.Conn.Close() })
			_ = harm(ctx, f, token, rng) // ends when the server has had enough
			stop()
			_ = f.Conn.Close()
		}
		pause(ctx, 20*time.Millisecond)
	}
	return nil
}

// Run runs so many clients, of all kinds by turns, until ctx ends. They come from
// the addresses by turns.
func Run(ctx context.Context, t Target, clients int, addresses []string) error {
	errs := make(chan error, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			errs <- Client(ctx, t, Kinds[i%len(Kinds)], addresses[i/len(Kinds)%len(addresses)], uint64(i))
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// pause waits and tells whether to go on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// drain reads what the server says, so that it is not held up by TCP.
func drain(f *Frames) { go io.Copy(io.Discard, f.Conn) }

const (
	play     = envv1.EnvService_Play_FullMethodName
	describe = envv1.EnvService_Describe_FullMethodName
)

// opening is an Open as a message.
func opening(o *envv1.Open) []byte {
	text, err := proto.Marshal(&envv1.PlayRequest{Request: &envv1.PlayRequest_Open{Open: o}})
	if err != nil {
		panic(err) // every Open has a form
	}
	return text
}

// tables is an Open of many tables.
func tables(n uint32, seats ...string) []byte {
	return opening(&envv1.Open{
		Rules: &envv1.Open_Preset{Preset: "ema_2016"}, Tables: n, Observation: "planes", AutoReset: true, Seats: seats,
	})
}

// closedWindows asks and lets no answer through.
func closedWindows(ctx context.Context, f *Frames, token hpack.HeaderField, _ *rand.Rand) error {
	drain(f)
	text := tables(2000)
	for pause(ctx, 50*time.Millisecond) {
		if _, err := f.Call(play, len(text), text, true, token); err != nil {
			return err
		}
		if _, err := f.Call(describe, 0, nil, true, token); err != nil {
			return err
		}
	}
	return nil
}

// unfinished says messages of a megabyte and sends most of them.
func unfinished(ctx context.Context, f *Frames, token hpack.HeaderField, _ *rand.Rand) error {
	drain(f)
	part := make([]byte, 60<<10)
	for i := 0; pause(ctx, 20*time.Millisecond); i++ {
		if _, err := f.Call([]string{play, describe}[i%2], 1<<20, part, false, token); err != nil {
			return err
		}
	}
	return nil
}

// badTokens tries tokens, with deadlines far away.
func badTokens(ctx context.Context, f *Frames, _ hpack.HeaderField, rng *rand.Rand) error {
	drain(f)
	for pause(ctx, time.Millisecond) {
		guess := hpack.HeaderField{Name: "authorization", Value: fmt.Sprintf("Bearer %x", rng.Uint64())}
		if _, err := f.Call([]string{play, describe}[rng.IntN(2)], 0, nil, true, guess, hpack.HeaderField{Name: "grpc-timeout", Value: "99999999H"}); err != nil {
			return err
		}
	}
	return nil
}

// bombs opens tables under rulesets that cost as much as they can.
func bombs(ctx context.Context, f *Frames, token hpack.HeaderField, rng *rand.Rand) error {
	drain(f)
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
		text := opening(&envv1.Open{Rules: &envv1.Open_Toml{Toml: texts[rng.IntN(len(texts))]}, Tables: 8000})
		if _, err := f.Call(play, len(text), text, true, token); err != nil {
			return err
		}
	}
	return nil
}

// churn comes and goes.
func churn(ctx context.Context, f *Frames, token hpack.HeaderField, rng *rand.Rand) error {
	text := tables(10)
	if _, err := f.Call(play, len(text), text, false, token); err != nil {
		return err
	}
	pause(ctx, time.Duration(rng.IntN(20))*time.Millisecond)
	return nil
}

// watches watches the server's health, over and over.
func watches(ctx context.Context, f *Frames, _ hpack.HeaderField, _ *rand.Rand) error {
	drain(f)
	for pause(ctx, 5*time.Millisecond) {
		if _, err := f.Call(grpc_health_v1.Health_Watch_FullMethodName, 0, nil, true); err != nil {
			return err
		}
	}
	return nil
}

// bigOpens asks for as many tables as may be, with players that think, and has
// them dealt again and again.
func bigOpens(ctx context.Context, f *Frames, token hpack.HeaderField, _ *rand.Rand) error {
	drain(f)
	text := tables(8192, "value", "value", "value", "external")
	for pause(ctx, 200*time.Millisecond) {
		if _, err := f.Call(play, len(text), text, true, token); err != nil {
			return err
		}
	}
	return nil
}

// neverReading asks and leaves the answers in the kernel.
func neverReading(ctx context.Context, f *Frames, token hpack.HeaderField, _ *rand.Rand) error {
	text := tables(1000)
	for pause(ctx, 50*time.Millisecond) {
		if _, err := f.Call(play, len(text), text, true, token); err != nil {
			return err
		}
	}
	return nil
}

// silent holds a connection.
func silent(ctx context.Context, f *Frames, _ hpack.HeaderField, _ *rand.Rand) error {
	_, err := f.Statuses(time.Hour)
	return err
}

// junk sends what is no HTTP/2, or no message.
func junk(ctx context.Context, f *Frames, token hpack.HeaderField, rng *rand.Rand) error {
	drain(f)
	data := make([]byte, rng.IntN(4000))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	if rng.IntN(2) == 0 {
		_, err := f.Conn.Write(data)
		pause(ctx, 20*time.Millisecond)
		return err
	}
	for pause(ctx, 5*time.Millisecond) {
		if _, err := f.Call(play, len(data), data, rng.IntN(2) == 0, token); err != nil {
			return err
		}
	}
	return nil
}

// openingAnew opens as many tables as may be, under ever other rules, and as soon
// as it is answered opens them anew.
func openingAnew(ctx context.Context, f *Frames, token hpack.HeaderField, rng *rand.Rand) error {
	drain(f)
	if err := f.Receive(0, math.MaxInt32-1<<16); err != nil {
		return err
	}
	var id uint32
	for i := 0; ; i++ {
		text := opening(&envv1.Open{
			Rules:  &envv1.Open_Toml{Toml: fmt.Sprintf("base = \"ema_2016\"\ndescription = \"%d\"\n", rng.Uint64())},
			Tables: 8192, Observation: "planes", AutoReset: true, Seats: []string{"external", "greedy", "greedy", "greedy"},
		})
		var err error
		if i == 0 {
			id, err = f.Call(play, len(text), text, false, token)
		} else {
			err = f.Message(id, len(text), text, false)
		}
		if err != nil || !pause(ctx, time.Millisecond) {
			return err
		}
	}
}

// longLists sends messages that are long to read: a megabyte of names of nobody.
func longLists(ctx context.Context, f *Frames, token hpack.HeaderField, _ *rand.Rand) error {
	drain(f)
	text := opening(&envv1.Open{Tables: 1, Seats: make([]string, 500_000)})
	id, err := f.Call(play, len(text), text, false, token)
	for err == nil && pause(ctx, time.Millisecond) {
		err = f.Message(id, len(text), text, false)
	}
	return err
}
