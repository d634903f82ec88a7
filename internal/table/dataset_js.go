package table

import (
	"errors"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Browsers have no datasets: Options.Out is empty there.
type (
	position struct {
		Match               uint64
		Hand, Step, Actions int
	}
	source struct{}
)

func (b *Branch) source() *source { return nil }

func (s *Sitting) writeDataset(uint64, *sim.Match) error { return errors.ErrUnsupported }

func (s *Sitting) hasDataset(uint64) (bool, error) { return false, errors.ErrUnsupported }
