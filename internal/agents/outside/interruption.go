package outside

import (
	"context"
	"errors"
	"time"
)

// interruptGrace is how long an external agent may go on after its run was interrupted.
const interruptGrace = 2 * time.Second

var errInterrupted = errors.New("the run has been interrupted")

// interruption implements sim.Interrupter for the players that embed it.
type interruption struct {
	ctx    context.Context // ends when no answer is waited for any more
	cancel context.CancelFunc
}

func newInterruption() interruption {
	ctx, cancel := context.WithCancel(context.Background())
	return interruption{ctx, cancel}
}

// Interrupt implements sim.Interrupter.
func (i *interruption) Interrupt() { time.AfterFunc(interruptGrace, i.cancel) }

// bridge is what players by a program have in common: its process, if it runs, how often it was
// restarted in the match, and the reason of a forfeit, "" without one.
type bridge struct {
	interruption
	process  *process
	restarts int
	reason   string
}

// Explain implements sim.Explainer.
func (b *bridge) Explain() string { return b.reason }

// Close implements io.Closer.
func (b *bridge) Close() error {
	b.leave()
	return nil
}

// leave lets the process end by itself.
func (b *bridge) leave() {
	if b.process != nil {
		b.process.finish()
		b.process = nil
	}
}

// kill ends the process at once.
func (b *bridge) kill() {
	if b.process != nil {
		b.process.kill()
		b.process = nil
	}
}

// restart reports whether a process that failed is to be started again, and counts it: one that
// has ended, as often in a match as the command allows.
func (b *bridge) restart(c *command, err error) bool {
	if !errors.Is(err, errDied) || b.restarts == c.restarts {
		return false
	}
	b.restarts++
	return true
}
