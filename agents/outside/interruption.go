package outside

import (
	"context"
	"errors"
	"time"
)

// lastWords is how long a player outside the program may go on after its run has
// been told to stop.
const lastWords = 2 * time.Second

var errInterrupted = errors.New("the run has been interrupted")

// interruption is what makes a player a sim.Interrupter.
type interruption struct {
	// over ends when nothing is waited for any more.
	over context.Context
	end  context.CancelFunc
}

func newInterruption() interruption {
	over, end := context.WithCancel(context.Background())
	return interruption{over, end}
}

// Interrupt implements sim.Interrupter.
func (i *interruption) Interrupt() { time.AfterFunc(lastWords, i.end) }
