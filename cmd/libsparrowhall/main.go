// Command libsparrowhall is the shared library with which the Python package plays tables
// within its own process. Its functions are those of env.Inline, for programs in C.
//
//	go build -buildmode=c-shared -o libsparrowhall.so ./cmd/libsparrowhall
//
// Texts go to memory of the caller: a function returns the number of bytes, and copies them
// if they fit. A process that is forked from one that has loaded the library cannot use it,
// since the threads of the Go runtime do not exist there.
package main

/*
#include <stdint.h>
#include <stddef.h>
*/
import "C"

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/internal/experience"
	"github.com/sparrowhall/sparrowhall/internal/release"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// maxStreams is the number of streams at a time, as of the server that the Python package
// starts. The place of a stream takes placeBits of its handle, its number the rest; numbers
// start again after maxNumber.
const (
	placeBits  = 12
	maxStreams = 1 << placeBits
	maxNumber  = 1 << (31 - placeBits)
)

// environment returns the environment of all streams. As on a server that the process has
// for itself, nothing is hidden and no time is limited.
var environment = sync.OnceValues(func() (*env.Env, error) {
	o := env.Options{
		NewAgent: agents.NewServedNetworks(string(filepath.Separator)), Version: release.Version, AllowHidden: true,
		MaxStreams: maxStreams, RequestTime: -1, OpenTime: -1, Idle: -1,
	}
	for _, name := range agents.Names() {
		o.Agents = append(o.Agents, env.Agent{Name: name, About: agents.About(name)})
	}
	return env.New(o)
})

// Results of functions that carry out requests, where no rows lie in a frame.
const (
	message   = -1 // sparrowhall_answer returns what answers the request
	failed    = -2 // sparrowhall_failure returns why the stream has ended
	twoThread = -3 // another thread uses the stream
)

// stream is an open stream, or a place for another one.
type stream struct {
	number  uint32 // of the streams that had this place
	inline  *env.Inline
	learner *experience.Buffer     // nil before sparrowhall_learner
	failed  atomic.Pointer[string] // why it has ended
}

// fail keeps why a stream has ended.
func (s *stream) fail(err error) C.int64_t {
	why := err.Error()
	s.failed.Store(&why)
	return failed
}

// streams is all streams. A handle is the number and the place of its stream. The slice is
// never changed, so that requests need no lock.
var (
	streams atomic.Pointer[[]*stream]
	opening sync.Mutex
)

// find returns the stream of a handle, nil if it is closed.
func find(handle C.int) *stream {
	list := streams.Load()
	if place := int(handle) & (maxStreams - 1); list != nil && place < len(*list) {
		if s := (*list)[place]; s.inline != nil && s.number == uint32(handle)>>placeBits {
			return s
		}
	}
	return nil
}

// bytesAt returns memory of the caller.
func bytesAt(at *C.char, n C.size_t) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(at)), int(n)) }

// give copies a text to memory of the caller if it fits.
func give(text []byte, to *C.char, room C.size_t) C.size_t {
	if len(text) <= int(room) {
		copy(bytesAt(to, room), text)
	}
	return C.size_t(len(text))
}

//export sparrowhall_version
func sparrowhall_version(to *C.char, room C.size_t) C.size_t {
	return give([]byte(release.Version), to, room)
}

// sparrowhall_describe gives an encoded DescribeResponse, nothing if there is none.
//
//export sparrowhall_describe
func sparrowhall_describe(to *C.char, room C.size_t) C.size_t {
	e, err := environment()
	if err != nil {
		return 0
	}
	text, err := proto.Marshal(e.Describe())
	if err != nil {
		return 0
	}
	return give(text, to, room)
}

// sparrowhall_quick reports whether a player answers within microseconds.
//
//export sparrowhall_quick
func sparrowhall_quick(name *C.char) C.int {
	if agents.Quick(C.GoString(name)) == nil {
		return 0
	}
	return 1
}

// sparrowhall_open returns the handle of a stream, 0 if there are too many.
//
//export sparrowhall_open
func sparrowhall_open() C.int {
	e, err := environment()
	if err != nil {
		return 0
	}
	inline, err := e.Inline()
	if err != nil {
		return 0
	}
	opening.Lock()
	defer opening.Unlock()
	var list []*stream
	if old := streams.Load(); old != nil {
		list = slices.Clone(*old)
	}
	place := slices.IndexFunc(list, func(s *stream) bool { return s.inline == nil })
	if place < 0 {
		place = len(list)
		list = append(list, &stream{})
	}
	list[place] = &stream{number: max(1, (list[place].number+1)%maxNumber), inline: inline}
	streams.Store(&list)
	return C.int(list[place].number<<placeBits | uint32(place))
}

// result returns what a request has come to.
func (s *stream) result(rows, lasts int, placed bool, err error) C.int64_t {
	switch {
	case errors.Is(err, env.ErrTwoThreads):
		return twoThread
	case err != nil:
		return s.fail(err)
	case !placed:
		return message
	}
	return C.int64_t(rows) | C.int64_t(lasts)<<32
}

// sparrowhall_request carries out an encoded PlayRequest. The answer goes to a frame or to
// sparrowhall_answer; see the results above. A placed answer is the number of rows, plus the
// number of last rows times 2 to the 32nd.
//
//export sparrowhall_request
func sparrowhall_request(handle C.int, text *C.char, n C.size_t, frame C.int) C.int64_t {
	s := find(handle)
	if s == nil {
		return failed
	}
	return s.result(s.inline.Request(slices.Clone(bytesAt(text, n)), int(frame)))
}

// sparrowhall_act answers the rows of a frame with an action for each. It takes nothing but
// C's int and char *, which ctypes passes three times as fast as other types.
//
//export sparrowhall_act
func sparrowhall_act(handle, of, frame C.int, actions *C.char, n C.int) C.int64_t {
	s := find(handle)
	if s == nil {
		return failed
	}
	return s.result(s.inline.Act(int(of), int(frame), bytesAt(actions, C.size_t(n))))
}

// sparrowhall_answer gives the oldest answer that does not lie in a frame, and drops it if
// it fits.
//
//export sparrowhall_answer
func sparrowhall_answer(handle C.int, to *C.char, room C.size_t) C.size_t {
	if s := find(handle); s != nil {
		return C.size_t(s.inline.Answer(bytesAt(to, room)))
	}
	return 0
}

// sparrowhall_failure gives the reason for which a stream has ended.
//
//export sparrowhall_failure
func sparrowhall_failure(handle C.int, to *C.char, room C.size_t) C.size_t {
	why := "the stream is closed"
	if s := find(handle); s != nil {
		if text := s.failed.Load(); text != nil {
			why = *text
		}
	}
	return give([]byte(why), to, room)
}

// sparrowhall_size returns the number of bytes of the memory for the rows of a stream, 0
// before its tables are open.
//
//export sparrowhall_size
func sparrowhall_size(handle C.int) C.size_t {
	if s := find(handle); s != nil {
		return C.size_t(s.inline.Size())
	}
	return 0
}

// sparrowhall_attach makes rows go to the memory, which must stay until the stream is
// closed. It returns 0 if the memory is refused.
//
//export sparrowhall_attach
func sparrowhall_attach(handle C.int, memory *C.char, n C.size_t) C.int {
	if s := find(handle); s != nil && s.inline.Attach(bytesAt(memory, n)) == nil {
		return 1
	}
	return 0
}

// sparrowhall_unpack makes rows have their observations with a byte for each bit as well
// from now on.
//
//export sparrowhall_unpack
func sparrowhall_unpack(handle C.int) C.int {
	if s := find(handle); s != nil && s.inline.Unpack() == nil {
		return 1
	}
	return 0
}

// sparrowhall_learner makes a learner play a stream, with the observation that its tables have,
// and returns the number of channels of its inputs plus the number of numbers times 2 to the
// 32nd. The columns and results, two for each table, are those of experience.Options; the memory
// of results must stay until the stream is closed.
//
//export sparrowhall_learner
func sparrowhall_learner(handle C.int, observation *C.char, tables, width, reward C.int, spread C.double, columns *C.int16_t, n C.int, results *C.double) C.int64_t {
	s := find(handle)
	if s == nil {
		return failed
	}
	spec, err := observe.LookupWithAgents(C.GoString(observation), agents.New)
	if err != nil {
		return s.fail(err)
	}
	in, err := experience.NewInputs(spec, float64(spread))
	if err != nil {
		return s.fail(err)
	}
	s.learner, err = experience.New(experience.Options{
		Tables: int(tables), Width: int(width), Columns: slices.Clone(unsafe.Slice((*int16)(columns), int(n))),
		Reward: experience.Reward(reward), Spread: float64(spread),
		Results: unsafe.Slice((*float64)(results), 2*int(tables)),
	}, in)
	if err != nil {
		return s.fail(err)
	}
	return C.int64_t(in.Channels) | C.int64_t(in.Numbers)<<32
}

// sparrowhall_learn_memory gives a learner larger memory for n decisions, with the columns of
// experience.Memory in their order. It must stay until the stream is closed or has other memory.
//
//export sparrowhall_learn_memory
func sparrowhall_learn_memory(handle C.int, columns *unsafe.Pointer, n C.int) C.int64_t {
	s := find(handle)
	if s == nil || s.learner == nil {
		return failed
	}
	at, rows, in := unsafe.Slice(columns, 10), int(n), s.learner.Inputs
	floats := func(i, each int) []float32 { return unsafe.Slice((*float32)(at[i]), rows*each) }
	err := s.learner.Attach(experience.Memory{
		Numbers: floats(0, in.Numbers), Legal: unsafe.Slice((*uint64)(at[1]), 3*rows),
		LogProb: floats(2, 1), Value: floats(3, 1), Advantage: floats(4, 1), Outcome: floats(5, 1),
		Action: unsafe.Slice((*byte)(at[6]), rows), LatestTile: unsafe.Slice((*byte)(at[7]), rows),
		Kinds:   unsafe.Slice((*byte)(at[8]), rows*tile.NumKinds*in.Channels),
		Advised: unsafe.Slice((*byte)(at[9]), rows*in.Candidates),
	})
	if err != nil {
		return s.fail(err)
	}
	return C.int64_t(s.learner.Free())
}

// sparrowhall_learn has a learner decide by the outputs of its network and a random number for
// each decision, and play on; without outputs it begins. It returns the number of decisions to
// be made, whose places it writes to asked. The figures are trace and potential, then written:
// decisions of ended episodes, places left, ended episodes, and the sum of their rewards.
//
//export sparrowhall_learn
func sparrowhall_learn(handle C.int, outputs *C.float, uniform *C.double, n C.int, figures *C.double, asked *C.int32_t, room C.int) C.int64_t {
	s := find(handle)
	if s == nil || s.learner == nil {
		return failed
	}
	b, f := s.learner, unsafe.Slice((*float64)(figures), 6)
	b.Trace, b.Potential = f[0], f[1]
	if n > 0 {
		if err := b.Choose(unsafe.Slice((*float32)(outputs), int(n)*b.Width), unsafe.Slice((*float64)(uniform), int(n))); err != nil {
			return s.fail(err)
		}
	}
	if err := s.inline.Learn(b); err != nil {
		return s.fail(err)
	}
	if copy(unsafe.Slice((*int32)(asked), int(room)), b.Pending()) < len(b.Pending()) {
		return s.fail(errors.New("there is no room for the places of the decisions"))
	}
	f[2], f[3], f[4], f[5] = float64(b.Ready()), float64(b.Free()), b.Episodes, b.Total
	return C.int64_t(len(b.Pending()))
}

// sparrowhall_learn_take writes the places of up to n decisions of ended episodes, and returns
// their number. The places that it wrote before are free again.
//
//export sparrowhall_learn_take
func sparrowhall_learn_take(handle C.int, decisions *C.int32_t, n C.int) C.int64_t {
	s := find(handle)
	if s == nil || s.learner == nil {
		return failed
	}
	return C.int64_t(len(s.learner.Take(unsafe.Slice((*int32)(decisions), int(n)))))
}

// sparrowhall_learn_gradient writes the gradient of the loss of taken decisions. The figures are
// those of experience.Loss, then written: those of experience.Figures.
//
//export sparrowhall_learn_gradient
func sparrowhall_learn_gradient(handle C.int, decisions *C.int32_t, n C.int, outputs, gradient *C.float, figures *C.double) C.int64_t {
	s := find(handle)
	if s == nil || s.learner == nil {
		return failed
	}
	b, f := s.learner, unsafe.Slice((*float64)(figures), 11)
	size := int(n) * b.Width
	got, err := b.Gradient(unsafe.Slice((*int32)(decisions), int(n)), unsafe.Slice((*float32)(outputs), size), unsafe.Slice((*float32)(gradient), size),
		experience.Loss{Clip: f[0], Entropy: f[1], Value: f[2], Mean: f[3], Deviation: f[4], Anchor: f[5]})
	if err != nil {
		return s.fail(err)
	}
	f[6], f[7], f[8], f[9], f[10] = got.Entropy, got.ValueError, got.KL, got.Clipped, got.Drift
	return 0
}

// sparrowhall_close closes a stream, once a request under way has been carried out.
//
//export sparrowhall_close
func sparrowhall_close(handle C.int) {
	s := find(handle)
	if s == nil {
		return
	}
	s.inline.Close()
	opening.Lock()
	defer opening.Unlock()
	if find(handle) != s {
		return // another thread has closed it meanwhile
	}
	list := slices.Clone(*streams.Load())
	list[int(handle)&(maxStreams-1)] = &stream{number: s.number}
	streams.Store(&list)
}

func main() {}
