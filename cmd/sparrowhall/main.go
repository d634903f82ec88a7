// Command sparrowhall simulates, scores and analyses mahjong under many rulesets. Each file has
// one verb or the flags that several verbs share; the work is done by the packages they call.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/sparrowhall/sparrowhall/internal/admission"
)

func main() {
	if err := admission.CheckDescriptors(); err != nil {
		fmt.Fprintln(os.Stderr, "sparrowhall:", err)
		os.Exit(statusFailure)
	}
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		first := (<-signals).(syscall.Signal)
		signal.Stop(signals) // a second one ends the process
		end(interruption{first})
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// interruption is the cause of a context that a signal has ended.
type interruption struct{ syscall.Signal }

func (i interruption) Error() string { return i.String() }

// Unwrap makes it what the error of a context is without a cause.
func (interruption) Unwrap() error { return context.Canceled }
