package stats

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Partial is the sums of a report over some matches of datasets, without rounding errors. The
// partial reports of all shards of a run join to exactly the report of the whole, whatever the
// partition.
type Partial struct {
	parts []*datasetSums
}

// SetDirs sets the folders that the report and error messages name.
func (p *Partial) SetDirs(dirs ...string) {
	for i, dir := range dirs {
		p.parts[i].Dir = dir
	}
}

// datasetSums are the sums of a report over one dataset or a part of it.
type datasetSums struct {
	// Dir is the folder as the user named it, that of the first matches if several were
	// joined.
	Dir string `json:"dir"`
	// Run is the manifest without files.
	Run *dataset.Manifest `json:"run"`
	// Hash is that of the rules, Unit the number of units in a point.
	Hash string `json:"ruleset_hash"`
	Unit int    `json:"unit"`
	// First is the number of the first match, Matches their number.
	First   uint64 `json:"first_match"`
	Matches uint64 `json:"matches"`
	// Sums is parallel to Figures. Joint is parallel to the figures of the first dataset, nil
	// unless both have common random numbers.
	Figures       []definition                `json:"figures"`
	Sums          []ratioSums                 `json:"sums"`
	Joint         []crossSums                 `json:"joint,omitempty"`
	Contrast      *contrastSums               `json:"contrast,omitempty"`
	Distributions [distributions]distribution `json:"distributions"`
	// Skill has the sums of placement points, ByRank those of ranks.
	Skill  *skillSums     `json:"skill"`
	ByRank *skillSums     `json:"skill_by_rank"`
	Prices []patternPrice `json:"prices,omitempty"`

	// at has the index in Figures of each figure of the first dataset, -1 where they cannot
	// be compared.
	at []int
}

// placementKnobs decide what points and places at the end are worth in placement points.
var placementKnobs = [...]string{"placement", "placement_tie", "oka", "return_points", "score_multiplier_by_winds"}

// pair sets at. Points of different families are not comparable, nor are points, ranks and
// the shares of players where the numbers of players differ. Points at the end and placement
// points differ by the starting points and the worth of places whatever is played.
func (p *datasetSums) pair(first *datasetSums) {
	places := make(map[Key]int, len(p.Figures))
	for i := range p.Figures {
		places[p.Figures[i].Key] = i
	}
	p.at = make([]int, len(first.Figures))
	a, b := first.Run.Ruleset, p.Run.Ruleset
	sameSeats := first.Run.NumSeats() == p.Run.NumSeats()
	sameFamily := a.Family == b.Family && sameSeats
	sameStart := reflect.DeepEqual(a.Knobs["starting_points"], b.Knobs["starting_points"])
	samePlaces := sameStart && !slices.ContainsFunc(placementKnobs[:], func(key string) bool {
		return !reflect.DeepEqual(a.Knobs[key], b.Knobs[key])
	})
	for i := range first.Figures {
		d := &first.Figures[i]
		at, ok := places[d.Key]
		amount := d.Unit == Points || d.Unit == Placement
		final := (d.Section == SectionSeat || d.Section == SectionAgent) && (d.Name == "points" || d.Name == AdjustedPoints)
		ofPlayers := d.Section == SectionSeat || d.Section == SectionAgent || d.Section == SectionDealer
		if !ok || ofPlayers && !sameSeats || amount && !sameFamily || final && !sameStart || d.Unit == Placement && !samePlaces {
			at = -1
		}
		p.at[i] = at
	}
}

// samePlay reports whether two datasets have common random numbers: the same seeds, given walls,
// agents and matches.
func samePlay(a, b *datasetSums) bool {
	x, y := a.Run, b.Run
	return x.Seed == y.Seed && x.KeepSeats == y.KeepSeats && slices.Equal(x.Agents, y.Agents) &&
		x.FirstWall == y.FirstWall &&
		reflect.DeepEqual(x.Tournament, y.Tournament) && reflect.DeepEqual(x.Import, y.Import) &&
		a.First == b.First && a.Matches == b.Matches
}

func (p *datasetSums) hands() bool { return p.Run.Record != schema.Matches }

func (p *datasetSums) end() uint64 { return p.First + p.Matches }

func (p *datasetSums) summary() Summary {
	m := p.Run
	sum := Summary{
		Dir: p.Dir, Ruleset: m.Ruleset.Name, Hash: p.Hash, Family: m.Ruleset.Family, Seats: m.Seats, Agents: m.Agents, Seed: m.Seed,
		Matches: p.Matches, Complete: m.Complete, Hands: p.hands(), KeepSeats: m.KeepSeats, Imported: m.Import != nil,
	}
	if !m.KeepSeats { // otherwise the effects of agents and seats are confounded
		sum.Skill, sum.SkillByRank = p.Skill.estimate(), p.ByRank.estimate()
	}
	for i, d := range p.Figures {
		f := Figure{d.Key, d.Meaning, p.Sums[i].estimate(d.kind())}
		if c := p.Sums[i].Control; c != nil {
			f.Estimate = c.estimate(sum.Figure(Key{d.Section, adjustedOf[d.Name], d.Of}).Estimate)
			if d.Name == AdjustedPoints {
				w := MatchWorth{Agent: d.Of}
				// Without an interval it would be read as exact.
				if w.Worth, w.Low, w.High = c.worth(); w.Low.Known() && !math.IsInf(w.Worth, 0) {
					sum.MatchWorth = append(sum.MatchWorth, w)
				}
			}
		}
		sum.Figures = append(sum.Figures, f)
	}
	if m.Sealed != nil {
		sum.Sealed = m.Sealed.Commitment
	}
	if m.Import != nil {
		sum.Format = m.Import.Format
	}
	unit, d := float64(p.Unit), &p.Distributions
	sum.Distributions = append(sum.Distributions, d[finalPoints].summary("final_points", "points of the players at the end", Points, unit))
	sum.Distributions = append(sum.Distributions, d[placements].summary("placement", "placement points of the players", Placement, ruleset.PlacementUnit))
	if p.hands() {
		sum.Distributions = append(sum.Distributions,
			d[winValues].summary("win_value", "value of won hands", Points, unit),
			d[winTurns].summary("win_turn", "turns until a hand is won", Turns, 1))
		sum.Prices = p.prices(&sum)
	}
	return sum
}

func (p *datasetSums) compare(first *datasetSums, number int) []Comparison {
	a, errA := first.Run.ReadRuleset()
	b, errB := p.Run.ReadRuleset()
	known := errA == nil && errB == nil
	var list []Comparison
	for i, at := range p.at {
		if at < 0 {
			continue
		}
		var joint *crossSums
		if p.Joint != nil {
			joint = &p.Joint[i]
		}
		d := first.Figures[i]
		diff := difference(&first.Sums[i], &p.Sums[at], joint, d.kind())
		list = append(list, Comparison{
			d.Key, d.Meaning, number, p.Joint != nil, known && excluded(d.Key, a) != excluded(d.Key, b), joint.matches(diff.Value), diff,
		})
	}
	return list
}

// CollectPartial reads datasets as [Collect] does and returns the sums, which [Join] joins with
// those of other shards. It is also an error if a shard begins within a duplicate set.
func CollectPartial(ctx context.Context, dirs []string, measure MeasureLuck, read func(matches int)) (*Partial, error) {
	p, err := collect(ctx, dirs, measure, read)
	if err != nil {
		return nil, err
	}
	for _, q := range p.parts {
		if set := uint64(q.Skill.Set); q.First%set != 0 {
			files := q.Run.FileMatches
			for files%set != 0 {
				files += q.Run.FileMatches
			}
			return nil, fmt.Errorf("%s: it begins with match %d, within a duplicate set of %d matches; shards of --file-matches %d begin with a set", q.Dir, q.First, set, files)
		}
	}
	return p, nil
}

// Results computes the statistics.
func (p *Partial) Results() *Results {
	r := &Results{}
	first := p.parts[0]
	for i, q := range p.parts {
		r.Datasets = append(r.Datasets, q.summary())
		if i > 0 {
			r.Datasets[i].Changes = q.changesFrom(first)
			q.pair(first)
			r.Comparisons = append(r.Comparisons, q.compare(first, i)...)
		}
	}
	adjustComparisons(r.Comparisons)
	r.Contrasts = p.contrasts()
	r.DrawCurves(nil)
	return r
}

// CheckComplete returns an error that names the matches of the runs that are missing, nil if none is.
func (p *Partial) CheckComplete() error {
	for _, q := range p.parts {
		end := q.Run.Matches
		if t := q.Run.Tournament; t != nil && t.Stopped > 0 {
			end = t.Stopped
		}
		switch {
		case q.First > 0:
			return missing(q.Run, 0, q.First)
		case q.end() < end:
			return missing(q.Run, q.end(), end)
		}
	}
	return nil
}

func missing(run *dataset.Manifest, first, end uint64) error {
	return fmt.Errorf("of the %d matches of %s, %d to %d are missing", run.Matches, run.Ruleset.Name, first, end-1)
}

// Join joins partial reports of the same runs, given in any order. It is an error if matches
// between them are missing or there twice, or if the runs differ.
func Join(list []*Partial) (*Partial, error) {
	list = slices.SortedFunc(slices.Values(list), func(a, b *Partial) int { return cmp.Compare(a.parts[0].First, b.parts[0].First) })
	joined := list[0]
	for _, p := range list[1:] {
		if a, b := len(joined.parts), len(p.parts); a != b {
			return nil, fmt.Errorf("%s: it is of %d datasets, %s of %d", p.parts[0].Dir, b, joined.parts[0].Dir, a)
		}
		for i, q := range p.parts {
			if err := joined.parts[i].join(q); err != nil {
				return nil, err
			}
		}
	}
	return joined, nil
}

// join adds the sums of q, whose matches must follow those of p.
func (p *datasetSums) join(q *datasetSums) error {
	if d := p.Run.Differences(q.Run); d != "" {
		return fmt.Errorf("%s and %s are of different runs: %s", p.Dir, q.Dir, d)
	}
	if p.Run.EngineVersion != q.Run.EngineVersion || !slices.Equal(p.Figures, q.Figures) || (p.Joint == nil) != (q.Joint == nil) || (p.Contrast == nil) != (q.Contrast == nil) {
		return fmt.Errorf("%s and %s were read by different versions of the program, or beside different datasets", p.Dir, q.Dir)
	}
	switch {
	case q.First < p.end():
		return fmt.Errorf("%s and %s overlap: match %d is in both", p.Dir, q.Dir, q.First)
	case q.First > p.end():
		return fmt.Errorf("%w, between %s and %s", missing(p.Run, p.end(), q.First), p.Dir, q.Dir)
	}
	p.Matches += q.Matches
	p.Run.Complete = p.Run.Complete && q.Run.Complete
	if t := q.Run.Tournament; t != nil && t.Stopped > 0 {
		p.Run.Tournament.Stopped = t.Stopped
	}
	for i := range p.Sums {
		p.Sums[i].merge(&q.Sums[i])
	}
	for i := range p.Joint {
		p.Joint[i].merge(&q.Joint[i])
	}
	if c := p.Contrast; c != nil {
		for i := range c.Sums {
			for n := range c.Sums[i] {
				c.Sums[i][n].merge(&q.Contrast.Sums[i][n])
			}
		}
	}
	for i, d := range q.Distributions {
		for v, n := range d {
			p.Distributions[i][v] += n
		}
	}
	for i := range p.Skill.Groups {
		p.Skill.Groups[i].merge(&q.Skill.Groups[i])
		p.ByRank.Groups[i].merge(&q.ByRank.Groups[i])
	}
	return nil
}

// partialVersion is the version of the files of partial reports. Only files of the same version
// can be joined.
const partialVersion = 1

// partialFile is the file of a partial report.
type partialFile struct {
	Version int `json:"sparrowhall_partial_report"`
	// SHA256 is that of the text of Parts, in hexadecimal.
	SHA256 string          `json:"sha256"`
	Parts  json.RawMessage `json:"parts"`
}

// Write writes the partial report as JSON, which [ReadPartial] reads.
func (p *Partial) Write(w io.Writer) error {
	parts, err := json.Marshal(p.parts)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(partialFile{partialVersion, fmt.Sprintf("%x", sha256.Sum256(parts)), parts})
}

// maxPartial is the largest size of the file of a partial report in bytes: a thousand times
// that of one dataset.
const maxPartial = 128 << 20

// ReadPartial reads the file of a partial report, until ctx ends.
func ReadPartial(ctx context.Context, path string) (*Partial, error) {
	text, err := userfile.Read(ctx, path, maxPartial)
	if err != nil {
		return nil, err
	}
	var f partialFile
	if err := json.Unmarshal(text, &f); err != nil || f.Version == 0 {
		return nil, fmt.Errorf("%s: it is no partial report; report --partial writes them", path)
	}
	switch {
	case f.Version != partialVersion:
		return nil, fmt.Errorf("%s: version %d of partial reports; this program joins version %d", path, f.Version, partialVersion)
	case f.SHA256 != fmt.Sprintf("%x", sha256.Sum256(f.Parts)):
		return nil, fmt.Errorf("%s: its text was changed: the checksum is that of another", path)
	}
	p := &Partial{}
	d := json.NewDecoder(bytes.NewReader(f.Parts))
	d.DisallowUnknownFields()
	if err := d.Decode(&p.parts); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(p.parts) == 0 {
		return nil, fmt.Errorf("%s: %w", path, ErrNothing)
	}
	for i, q := range p.parts {
		if err := q.check(p.parts); err != nil {
			return nil, fmt.Errorf("%s: dataset %d: %w", path, i, err)
		}
		q.Skill.seats, q.ByRank.seats = q.Run.NumSeats(), q.Run.NumSeats()
	}
	return p, nil
}

// check returns an error for sums that Write cannot have written.
func (p *datasetSums) check(parts []*datasetSums) error {
	switch {
	case p == nil || p.Run == nil || p.Skill == nil || p.ByRank == nil:
		return errors.New("it has no run, or no sums")
	case p.Unit < 1 || p.Matches < 1 || p.Skill.Set < 1 || p.ByRank.Set < 1:
		return errors.New("it has no matches")
	case len(p.Sums) != len(p.Figures) || p.Joint != nil && len(p.Joint) != len(parts[0].Figures):
		return fmt.Errorf("%d sums of %d figures", len(p.Sums), len(p.Figures))
	case !p.Contrast.fits(parts):
		return errors.New("it has sums of a contrast of other datasets")
	case slices.ContainsFunc(p.Distributions[:], func(d distribution) bool { return d == nil }):
		return errors.New("a distribution is missing")
	case slices.ContainsFunc(p.Sums, func(s ratioSums) bool { return s.N < 0 }),
		slices.ContainsFunc(p.Joint, func(j crossSums) bool { return j.Changed < 0 }),
		slices.ContainsFunc(p.Distributions[:], func(d distribution) bool {
			return slices.Contains(slices.Collect(maps.Values(d)), 0)
		}), !p.Skill.countsHold() || !p.ByRank.countsHold():
		return errors.New("a number of cases or an agent is out of range")
	}
	for i := range p.Sums {
		if (p.Sums[i].Cubes != nil) != (p.Figures[i].kind() == kindMean) {
			return errors.New("it lacks the third moments of a mean, or has those of a share")
		}
	}
	return nil
}

// countsHold reports whether all numbers of cases and agents are possible.
func (s *skillSums) countsHold() bool {
	for i := range s.Groups {
		c := &s.Groups[i]
		if c.Sets < 0 || c.Pairs == nil || !slices.IsSortedFunc(c.Pairs, comparePairs) {
			return false
		}
		for _, q := range c.Pairs {
			if min(q.Match.N, q.Set.N, q.Agents[0], q.Agents[1]) < 0 || slices.Max(q.Agents[:]) >= len(s.Agents) {
				return false
			}
		}
	}
	return true
}
