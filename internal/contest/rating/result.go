package rating

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/matchluck"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/release"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Version is the version of the form of a result file.
const Version = 1

// FileName is the name of the result file in its folder, SignatureName that of its signature:
// 64 bytes, Ed25519 over the result file.
const (
	FileName      = "result.json"
	SignatureName = "result.sig"
)

// maxFileSize is the most bytes of a result file.
const maxFileSize = 1 << 20

// Entrant describes the rated agent, as its owner states it.
type Entrant struct {
	Name  string `json:"name" doc:"name of the rated agent, chosen by its owner"`
	Agent string `json:"agent,omitempty" doc:"a built-in player or the kind of an external one, missing with --anonymous"`
	Date  string `json:"date,omitempty" doc:"day of the rating as the owner states it"`
}

// Result is the content of a result file.
type Result struct {
	Version     int    `json:"rating_version" doc:"version of the form, [Version]"`
	Suite       string `json:"suite" doc:"name of the suite"`
	SuiteDigest string `json:"suite_sha256" doc:"SHA-256 of what the suite consists of, [Suite.Digest]"`
	Engine      int    `json:"engine_version" doc:"version of the engine, [sim.EngineVersion]"`
	Program     string `json:"program" doc:"release of the program"`
	Entrant
	Season     string             `json:"season,omitempty" doc:"commitment of the season, missing with the public seed"`
	MaxMatches uint64             `json:"most_matches,omitempty" doc:"most matches against each opponent, if fewer than those of the suite"`
	Parts      []PartResult       `json:"parts" doc:"an object for each opponent and ruleset"`
	Worst      WorstCase          `json:"worst" doc:"opponent, ruleset and return of the worst part: that of the lowest return or, in a suite of several rulesets, whose points cannot be compared, of the highest mean rank"`
	Rating     *strength.Estimate `json:"rating,omitempty" doc:"a figure in Elo points on the scale of [Anchor], missing where the opponents have no ratings"`
}

// PartResult is the result against one opponent.
type PartResult struct {
	Opponent  string             `json:"opponent" doc:"name of the opponent"`
	Ruleset   string             `json:"ruleset" doc:"name of the ruleset"`
	Dir       string             `json:"dir" doc:"folder of the dataset beside the file"`
	Manifest  string             `json:"manifest_sha256" doc:"SHA-256 of the manifest of the dataset, which has those of its files"`
	Matches   uint64             `json:"matches" doc:"matches played"`
	Forfeits  int                `json:"forfeits" doc:"matches that the entrant forfeited"`
	Points    strength.Estimate  `json:"points_luck_adjusted" doc:"a figure in points at the end of a match"`
	Placement *strength.Estimate `json:"placement_luck_adjusted,omitempty" doc:"a figure in placement points, missing if the ruleset has none"`
	Rank      strength.Estimate  `json:"rank" doc:"the mean rank, a figure"`
	Places    []float64          `json:"places" doc:"shares of the places, from the first"`
}

// Return returns the figure by which opponents are compared: luck-adjusted placement points, or
// points if the ruleset has none.
func (p *PartResult) Return() strength.Estimate {
	if p.Placement != nil {
		return *p.Placement
	}
	return p.Points
}

// WorstCase is the worst case over the pool.
type WorstCase struct {
	// Opponent and Ruleset name the part, Return is its [PartResult.Return].
	Opponent string            `json:"opponent"`
	Ruleset  string            `json:"ruleset"`
	Return   strength.Estimate `json:"return"`
}

// Options set how results are computed and checked.
type Options struct {
	// NewAgent returns the constructor of a built-in agent.
	NewAgent func(spec string) (func() sim.Agent, error)
	// Fixed returns a new agent if spec names a built-in agent whose play never changes, nil
	// otherwise. [Check] compares the moves of such an entrant too. It may be nil.
	Fixed func(spec string) sim.Agent
	// Workers is the number of goroutines, at least 1. It does not change the result.
	Workers int
	// Replayed, if not nil, is called with the number of matches that were replayed.
	Replayed func(matches int)
}

// Compute returns the result of an entrant whose matches are in the datasets below dir. most is
// that of [Season.Run]. It is an error if a dataset is missing, incomplete or of another run.
func Compute(ctx context.Context, dir string, n *Season, e Entrant, most uint64, o *Options) (*Result, error) {
	r := &Result{
		Version: Version, Suite: n.Suite.Name, SuiteDigest: n.Suite.Digest(), Engine: sim.EngineVersion, Program: release.Version,
		Entrant: e, MaxMatches: most,
	}
	if n.Seal != nil {
		r.Season = n.Seal.Info(false).Commitment
	}
	pool, err := n.newPool()
	if err != nil {
		return nil, err
	}
	for i := range n.Parts {
		p := &n.Parts[i]
		run, err := n.Run(p, e.Name, most)
		if err != nil {
			return nil, err
		}
		d, err := openPart(filepath.Join(dir, p.Dir), run, n.Seal)
		if err != nil {
			return nil, err
		}
		part, err := computePart(ctx, filepath.Join(dir, p.Dir), d, p, n.Seal, o)
		if err != nil {
			return nil, err
		}
		if err := part.readPlaces(d, i+1, pool); err != nil {
			return nil, err
		}
		r.Parts = append(r.Parts, *part)
	}
	worst := &r.Parts[0]
	for i := range r.Parts {
		p := &r.Parts[i]
		if n.Suite.isWorse(p, worst) {
			worst = p
		}
	}
	r.Worst = WorstCase{worst.Opponent, worst.Ruleset, worst.Return()}
	if pool == nil {
		return r, nil
	}
	ratings, err := pool.Fit()
	if err != nil {
		return nil, err
	}
	rating := ratings.Rating(0).Plus(Anchor)
	r.Rating = &rating
	return r, nil
}

// isWorse reports whether the result of a part is worse than that of another.
func (s *Suite) isWorse(p, q *PartResult) bool {
	if s.Draw != nil {
		return p.Rank.Value > q.Rank.Value
	}
	return p.Return().Value < q.Return().Value
}

// newPool returns a pool without matches: the entrant is agent 0, and the opponent of part i is
// agent i+1, whose rating is fixed. It is nil if the opponents of the suite have no ratings.
func (n *Season) newPool() (*strength.Pool, error) {
	for _, o := range n.Suite.Opponents {
		if o.Rating == 0 {
			return nil, nil
		}
	}
	pool, err := strength.NewPool(1 + len(n.Parts))
	if err != nil {
		return nil, err
	}
	for i := range n.Parts {
		pool.Fix(i+1, float64(n.Parts[i].Rating-Anchor))
	}
	return pool, nil
}

// openPart opens the dataset of a part, which must have all matches of a run.
func openPart(dir string, run *dataset.Run, sealed *seal.Seal) (*dataset.Dataset, error) {
	d, err := dataset.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("%w; the matches of a result are in the folders beside it", err)
	}
	if text := d.Differences(run); text != "" {
		return nil, fmt.Errorf("%s: it is not the run of the suite: %s", dir, text)
	}
	if !d.Manifest.Complete {
		return nil, fmt.Errorf("%s: the dataset is incomplete; continue it by the same command", dir)
	}
	if sealed != nil {
		err = d.Unseal(sealed)
	}
	return d, err
}

func computePart(ctx context.Context, dir string, d *dataset.Dataset, p *Part, sealed *seal.Seal, o *Options) (*PartResult, error) {
	measure := func(d *dataset.Dataset) ([]matchluck.Match, error) {
		if sealed != nil {
			if err := d.Unseal(sealed); err != nil {
				return nil, err
			}
		}
		return matchluck.Measure(ctx, d, matchluck.Options{Fast: true, Places: true, Workers: o.Workers, Read: o.Replayed})
	}
	all, err := stats.Collect(ctx, []string{dir}, measure, nil)
	if err != nil {
		return nil, err
	}
	s := &all.Datasets[0]
	name := d.Run.Agents[0]
	estimate := func(figure string) strength.Estimate {
		f := s.Figure(stats.Key{Section: stats.SectionAgent, Name: figure, Of: name})
		if f == nil {
			return strength.Estimate{Low: interval.Missing, High: interval.Missing}
		}
		return strength.Estimate{Value: interval.Number(f.Value), Low: f.Low, High: f.High}
	}
	part := &PartResult{
		Opponent: p.Agent, Ruleset: p.Rules.Name, Dir: p.Dir, Manifest: d.Digest(), Matches: d.Matches(),
		Points: estimate(stats.AdjustedPoints), Rank: estimate("rank"),
	}
	if d.Rules().Placement != [sim.NumPlayers]ruleset.Placement{} {
		f := estimate(stats.AdjustedPlacement)
		part.Placement = &f
	}
	return part, nil
}

// readPlaces sets Places and Forfeits, and adds the matches of a part to the pool, in which the
// opponent has a number. pool may be nil. Duplicate sets of the same number have the same walls in
// all parts, so they are one cluster.
func (r *PartResult) readPlaces(d *dataset.Dataset, opponent int, pool *strength.Pool) error {
	seatings := uint64(d.Run.Tournament.Schedule.Plan.Seatings)
	places := make([]float64, d.Rules().NumSeats())
	var set []strength.Ranking
	for rows, err := range d.MatchesByRows() {
		if err != nil {
			return err
		}
		m := strength.NewRanking(rows)
		own, ties := rows[0].Rank, 0
		for i := range rows {
			if rows[i].Agent == 0 {
				own = rows[i].Rank
				if rows[i].Forfeited {
					r.Forfeits++
				}
			} else {
				m.Agents[i] = uint8(opponent)
			}
		}
		for i := range rows {
			if rows[i].Rank == own {
				ties++
			}
		}
		// A tie counts as each of the places that it covers, in equal parts.
		for i := range ties {
			places[int(own)-1+i] += 1 / float64(ties)
		}
		if set = append(set, m); uint64(len(set)) < seatings {
			continue
		}
		if pool != nil {
			pool.Add(int(rows[0].Match/seatings), set)
		}
		set = set[:0]
	}
	for _, n := range places {
		r.Places = append(r.Places, n/float64(d.Matches()))
	}
	return nil
}

// Encode returns the text of a result file, which is one line.
func (r *Result) Encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(r)
	return b.Bytes(), err
}

// resultPath returns the path of a result file, given that or the path of its folder.
func resultPath(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, FileName)
	}
	return path
}

// Read reads a result file, or that of a folder, and returns its text too. It is an error if this
// version does not know the form of the file.
func Read(path string) (*Result, []byte, error) {
	path = resultPath(path)
	text, err := userfile.ReadRegular(path, maxFileSize)
	if err != nil {
		return nil, nil, err
	}
	r, err := parse(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, text, nil
}

// parse parses the text of a result file.
func parse(text []byte) (*Result, error) {
	var version struct {
		Version int `json:"rating_version"`
	}
	if err := json.Unmarshal(text, &version); err != nil || version.Version == 0 {
		return nil, errors.New("it is no result of rate, or not all of one; fetch the whole file")
	}
	if version.Version != Version {
		return nil, fmt.Errorf("it has version %d of the form; this program reads version %d", version.Version, Version)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	r := &Result{}
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("it was changed: %w", err)
	}
	// Other programs may read the first of two members of one name.
	again, err := r.Encode()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, text) {
		return nil, errors.New("it was changed: it is not the text that rate writes; fetch the file again")
	}
	return r, nil
}

// openSuite returns the suite of a result. It is an error if the result is of another version of
// the suite or of the engine.
func (r *Result) openSuite() (*Suite, error) {
	if r.Engine != sim.EngineVersion {
		return nil, fmt.Errorf("it is of engine version %d, this program has %d; check it with version %s of the program", r.Engine, sim.EngineVersion, cmp.Or(r.Program, "of that engine"))
	}
	s, err := Open(r.Suite)
	if err == nil && s.Digest() != r.SuiteDigest {
		err = fmt.Errorf("it is of another version of the suite %s; check it with version %s of the program", r.Suite, r.Program)
	}
	return s, err
}
