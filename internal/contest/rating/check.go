package rating

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/contest/fingerprint"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Check compares a result file with the matches in the folders beside it. It replays every
// match, compares every move of an opponent with the one that the opponent plays, and computes
// the figures again. That the entrant chose its own moves cannot be checked, unless it is a
// built-in agent whose play never changes.
//
// path is a result file or its folder. season returns the season of a suite; it is called for
// sealed results only, and returns nil while the season is not revealed.
func Check(ctx context.Context, path string, season func(*Suite) (*Season, error), o *Options) (*Result, error) {
	r, text, err := Read(path)
	if err != nil {
		return nil, err
	}
	path = filepath.Dir(resultPath(path))
	file := filepath.Join(path, FileName)
	s, err := r.openSuite()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	n, err := r.openSeason(s, season)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for i := range n.Parts {
		if err := checkPart(ctx, path, n, &n.Parts[i], r, o); err != nil {
			return nil, err
		}
	}
	again, err := Compute(ctx, path, n, r.Entrant, r.MaxMatches, o)
	if err != nil {
		return nil, err
	}
	again.Program = r.Program
	want, err := again.Encode()
	if err != nil {
		return nil, err
	}
	if text := difference(text, want); text != "" {
		return nil, fmt.Errorf("%s: the figures do not follow from the moves: %s", file, text)
	}
	return r, nil
}

func (r *Result) openSeason(s *Suite, season func(*Suite) (*Season, error)) (*Season, error) {
	if r.Season == "" {
		return s.PublicSeason()
	}
	n, err := season(s)
	switch {
	case err != nil:
		return nil, err
	case n == nil:
		return nil, fmt.Errorf("%w: the result is of the season with commitment %s; name the file with which the organizer reveals it", ErrNotRevealed, r.Season)
	case n.Seal.Info(false).Commitment != r.Season:
		return nil, fmt.Errorf("it is of the season with commitment %s, the file reveals %x", r.Season, n.Seal.Commitment)
	}
	return n, nil
}

// checkPart replays the matches of a part.
func checkPart(ctx context.Context, path string, n *Season, p *Part, r *Result, o *Options) error {
	run, err := n.Run(p, r.Name, r.MaxMatches)
	if err != nil {
		return err
	}
	dir := filepath.Join(path, p.Dir)
	d, err := openPart(dir, run, n.Seal)
	if err != nil {
		return err
	}
	replayed := func(matches int) {
		if o.Replayed != nil {
			o.Replayed(matches)
		}
	}
	if err := d.Verify(ctx, o.Workers, replayed); err != nil {
		return err
	}
	newAgent, err := o.NewAgent(p.Agent)
	if err != nil {
		return err
	}
	return d.VisitReplays(ctx, o.Workers, func() func(*dataset.ReplayedMatch) error {
		var seats players
		for i := range seats[1] {
			if o.Fixed != nil {
				seats[0][i] = o.Fixed(r.Agent)
			}
			seats[1][i] = newAgent()
		}
		return func(m *dataset.ReplayedMatch) error {
			if err := checkMoves(m, d, &seats); err != nil {
				return fmt.Errorf("%s: match %d: %w", dir, m.Match.Index, err)
			}
			return nil
		}
	})
}

// CheckEntrant returns an error if an agent plays the first match of a part otherwise than the
// entrant in its dataset, which another agent has begun then. dir has the folders of the parts;
// the name of the entrant and most are those of [Season.Run].
func (n *Season) CheckEntrant(dir string, p *Part, entrant string, most uint64, newAgent func() sim.Agent) error {
	run, err := n.Run(p, entrant, most)
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, p.Dir)
	d, err := openPart(dir, run, n.Seal)
	if err != nil {
		return err
	}
	var seats players
	for i := range seats[0] {
		seats[0][i] = newAgent()
	}
	for m, err := range d.ReplaysOf(0, func(match uint64) bool { return match == 0 }) {
		if err == nil {
			err = checkMoves(&m, d, &seats)
		}
		if err != nil {
			return fmt.Errorf("%s: match 0: %w", dir, err)
		}
	}
	return nil
}

// players are the entrant at each seat, and its opponent. A move of nil is not compared.
type players [2][sim.NumPlayers]sim.Agent

// checkMoves compares the moves in a match with those that the players choose.
func checkMoves(m *dataset.ReplayedMatch, d *dataset.Dataset, seats *players) error {
	var agents [sim.NumPlayers]sim.Agent
	for p := range d.Rules().NumSeats() {
		agents[p] = seats[m.Match.Agents[p]][p]
	}
	return fingerprint.CompareActions(d.Rules(), m.Match, &agents, &m.Names)
}

// difference returns the first difference of two texts in JSON, "" if there is none. Numbers
// may differ in their last digits, as machines round sums of products differently.
func difference(stored, computed []byte) string {
	var a, b any
	if err := errors.Join(json.Unmarshal(stored, &a), json.Unmarshal(computed, &b)); err != nil {
		return err.Error()
	}
	return compareValues("", a, b)
}

// rounding is the largest relative difference of two numbers that count as the same.
const rounding = 1e-9

// compareValues returns the first difference of two values at a path.
func compareValues(path string, a, b any) string {
	switch b := b.(type) {
	case map[string]any:
		m, ok := a.(map[string]any)
		if !ok {
			break
		}
		both := maps.Clone(m)
		maps.Copy(both, b)
		for _, key := range slices.Sorted(maps.Keys(both)) {
			if text := compareValues(path+"."+key, m[key], b[key]); text != "" {
				return text
			}
		}
		return ""
	case []any:
		l, ok := a.([]any)
		if !ok || len(l) != len(b) {
			break
		}
		for i := range b {
			if text := compareValues(fmt.Sprintf("%s[%d]", path, i), l[i], b[i]); text != "" {
				return text
			}
		}
		return ""
	case float64:
		if x, ok := a.(float64); ok && math.Abs(x-b) <= rounding*max(1, math.Abs(b)) {
			return ""
		}
	default:
		if a == b {
			return ""
		}
	}
	return fmt.Sprintf("%s is %v, the moves give %v", path[min(1, len(path)):], a, b)
}

// ErrNotSigned is the error of a result without a signature.
var ErrNotSigned = errors.New("the result is not signed")

// Write writes the result file of a folder, and its signature unless key is nil. Without a key
// it removes the signature of another text.
func (r *Result) Write(dir string, key ed25519.PrivateKey) error {
	text, err := r.Encode()
	if err != nil {
		return err
	}
	file, signature := filepath.Join(dir, FileName), filepath.Join(dir, SignatureName)
	old, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(old, text) {
		if err := os.Remove(signature); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := tempdir.ReplaceFile(file, text); err != nil {
			return err
		}
	}
	if key == nil {
		return nil
	}
	return tempdir.ReplaceFile(signature, ed25519.Sign(key, text))
}

// CheckSignature returns an error if a result file is not signed with the key. path is the file
// or its folder.
func CheckSignature(path string, key ed25519.PublicKey) error {
	_, text, err := Read(path)
	if err != nil {
		return err
	}
	path = filepath.Dir(resultPath(path))
	file := filepath.Join(path, SignatureName)
	signature, err := userfile.ReadRegular(file, ed25519.SignatureSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w: there is no %s beside it", path, ErrNotSigned, SignatureName)
	case err != nil:
		return err
	case !ed25519.Verify(key, text, signature):
		return fmt.Errorf("%s: it is not the signature of %s by this key", file, FileName)
	}
	return nil
}
