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
