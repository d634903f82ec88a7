//go:build !js

package table

import (
	"errors"
	"io/fs"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/sim"
)

// The names of manifests for a moment of a match.
type (
	position = dataset.Position
	source   = dataset.Import
)

// NewBranch returns a moment of a match of a dataset. Hand and step are those that the page of the
// match shows. The error names the number that is out of range, or the end of the match.
func NewBranch(d *dataset.Dataset, match uint64, hand, step int) (*Branch, error) {
	m, err := d.Match(match)
	if err != nil {
		return nil, err
	}
	var names [sim.NumPlayers]string
	for p := range sim.Player(m.NumSeats()) {
		names[p] = d.Run.Agents[m.Agents[p]]
	}
	b, err := NewBranchOf(d.Rules(), m, names, hand, step)
	if err != nil {
		return nil, err
	}
	b.From.Match, b.Digest = match, d.Digest()
	return b, nil
}

// source returns the member import of the manifests of matches that go on from the moment.
func (b *Branch) source() *source {
	if b == nil {
		return nil
	}
	return &dataset.Import{Format: dataset.Branched, Digest: b.Digest, From: &b.From}
}

func (s *Sitting) datasetRun() *dataset.Run {
	run := &dataset.Run{
		Ruleset: s.o.Ruleset, Seed: s.seed, Matches: 1, KeepSeats: true,
		Record: schema.Decisions, FileMatches: dataset.DefaultFileMatches, Import: s.o.From.source(),
		Agents: s.agentNames(),
	}
	if s.seal != nil {
		run.SetSeal(s.seal)
	}
	return run
}

// writeDataset writes match number n into its folder.
func (s *Sitting) writeDataset(n uint64, m *sim.Match) error {
	w, err := dataset.Create(s.folder(n), s.datasetRun(), false)
	if err != nil {
		return err
	}
	b := w.NewBlock()
	add := b.Add
	if s.o.From != nil {
		add = func(m *sim.Match) error { return b.AddImported(m, &schema.Origin{WholeWalls: true}) }
	}
	if err := add(m); err != nil {
		return errors.Join(err, w.Close())
	}
	return errors.Join(w.Append(b), w.Close())
}

// hasDataset reports whether match number n is in its folder, whole.
func (s *Sitting) hasDataset(n uint64) (complete bool, err error) {
	d, err := dataset.Open(s.folder(n))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && d.Manifest.Complete, err
}
