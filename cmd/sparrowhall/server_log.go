package main

import (
	"fmt"
	"log"
	"strings"
	"sync"
	"time"
)

// newServerLog returns the log of an HTTP server, whose lines go to warn. Any client can make TLS
// handshakes fail: the first is printed, and then their number, once a minute at most.
func newServerLog(warn func(line string)) *log.Logger {
	return log.New(&serverLog{warn: warn}, "", 0)
}

type serverLog struct {
	mu   sync.Mutex
	warn func(line string) // one call at a time
	// quiet is set for a minute after a line about handshakes, more the number of those that failed
	// in it.
	quiet bool
	more  int
}

// Write implements [io.Writer] for the lines of net/http.
func (l *serverLog) Write(text []byte) (int, error) {
	line := strings.TrimSuffix(string(text), "\n")
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !strings.HasPrefix(line, "http: TLS handshake error "):
		l.warn(line)
	case l.quiet:
		l.more++
	default:
		l.printHandshakes(line)
	}
	return len(text), nil
}

// printHandshakes prints a line about handshakes, and one about those of the minute that follows.
func (l *serverLog) printHandshakes(line string) {
	l.warn(line)
	l.quiet, l.more = true, 0
	time.AfterFunc(time.Minute, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.quiet = l.more > 0; l.quiet {
			l.printHandshakes(fmt.Sprintf("http: %d more TLS handshakes failed within a minute", l.more))
		}
	})
}
