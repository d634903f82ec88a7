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
	"github.com/sparrowhall/sparrowhall/internal/release"
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
	number uint32 // of the streams that had this place
	inline *env.Inline
	failed atomic.Pointer[string] // why it has ended
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
		why := err.Error()
		s.failed.Store(&why)
		return failed
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
	why := env.ErrClosed.Error()
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
