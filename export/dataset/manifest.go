package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/sim"
)

// manifestName is the name of the file that makes a folder a dataset.
const manifestName = "manifest.json"

// Manifest describes a dataset. Files that it does not list are not part of it.
type Manifest struct {
	SchemaVersion      int                    `json:"schema_version" doc:"version of the tables, [schema.Version]"`
	EngineVersion      int                    `json:"engine_version" doc:"version of the engine, [sim.EngineVersion]: one number as long as the same rules, seed and actions give the same match"`
	ActionTableVersion int                    `json:"action_table_version" doc:"version of the action ids, of [sim.ActionTable]: 1 for four players, 2 for three"`
	Seats              int                    `json:"seats,omitempty" doc:"3 where three play, otherwise missing"`
	Ruleset            RulesetInfo            `json:"ruleset" doc:"name, family, all knobs, and the hash of family and knobs"`
	FirstWall          string                 `json:"first_wall,omitempty" doc:"the given wall of the first hand of each match, as [sim.ParseFirstWall] reads it"`
	Seed               uint64                 `json:"seed" doc:"seed of the run; of a sealed run that of the seatings alone"`
	Matches            uint64                 `json:"matches" doc:"matches of the run"`
	Agents             []string               `json:"agents" doc:"agents of the run, of a tournament 2 to 64"`
	KeepSeats          bool                   `json:"keep_seats" doc:"whether agents keep their seats from match to match"`
	Sealed             *seal.Info             `json:"sealed,omitempty" doc:"of a sealed run the commitment, and when the run is complete the salt and seed that it stands for, in hexadecimal"`
	Shard              *Shard                 `json:"shard,omitempty" doc:"of a shard its number, from 1, and how many there are; matches are numbered as in the whole run"`
	Tournament         *TournamentInfo        `json:"tournament,omitempty" doc:"of a tournament its schedule"`
	Import             *Import                `json:"import,omitempty" doc:"of matches played elsewhere the format of the records and the SHA-256 of their names and texts; of a branch also the match, hand, step and number of actions from which it goes on"`
	Record             schema.Table           `json:"record" doc:"depth: matches, hands or decisions"`
	FileMatches        uint64                 `json:"file_matches" doc:"matches whose rows share a file of a table"`
	Complete           bool                   `json:"complete" doc:"whether all matches of the dataset are there"`
	Rows               map[schema.Table]int64 `json:"rows" doc:"number of rows of each recorded table"`
	Files              []FileInfo             `json:"files" doc:"the files in the order of their matches"`

	// first is the first match that the dataset holds, end the one after the last.
	first, end uint64
}

// RulesetInfo is a ruleset in a manifest.
type RulesetInfo struct {
	// Name is the name of the ruleset, Family that of its family.
	Name   string `json:"name"`
	Family string `json:"family"`
	Hash   string `json:"hash"` // of the family and the knobs
	// Knobs has the value of every knob, in the form of a ruleset file.
	Knobs map[string]any `json:"knobs"`
}

// FileInfo is one file of a dataset in its manifest.
type FileInfo struct {
	Name       string       `json:"name" doc:"name of the file in the folder of the dataset"`
	Table      schema.Table `json:"table" doc:"its table"`
	First      uint64       `json:"first_match" doc:"number of its first match"`
	Matches    uint64       `json:"matches" doc:"number of its matches"`
	Rows       int64        `json:"rows" doc:"number of its rows"`
	Bytes      int64        `json:"bytes" doc:"its size"`
	SHA256     string       `json:"sha256" doc:"its checksum"`
	BatchFirst []uint64     `json:"batch_first,omitempty" doc:"first match of each record batch where there are several. A batch has whole blocks of matches; the batches of a block that fills several have the same first match"`
}

// newManifest returns the manifest of a run without files.
func newManifest(r *Run) *Manifest {
	hash := r.Ruleset.Hash()
	actions, _ := sim.ActionTable(r.seats())
	m := &Manifest{
		SchemaVersion: schema.Version, EngineVersion: sim.EngineVersion, ActionTableVersion: actions,
		Seats: statedSeats(r.seats()),
		Ruleset: RulesetInfo{
			Name: r.Ruleset.Name, Family: r.Ruleset.Family.Name, Hash: hex.EncodeToString(hash[:]),
			Knobs: map[string]any{},
		}, Seed: r.Seed, Matches: r.Matches, Agents: r.Agents,
		KeepSeats: r.KeepSeats, Record: r.Record, FileMatches: r.FileMatches,
		Rows: map[schema.Table]int64{}, Files: []FileInfo{},
	}
	if r.Ruleset.FirstWall != nil {
		m.FirstWall = sim.FormatFirstWall(r.Ruleset.FirstWall)
	}
	for _, k := range r.Ruleset.Knobs() {
		m.Ruleset.Knobs[k.Key] = k.Value()
	}
	for _, t := range r.Tables() {
		m.Rows[t] = 0
	}
	if r.Tournament != nil {
		m.Tournament = r.Tournament.info()
	}
	if !r.Shard.whole() {
		m.Shard = &r.Shard
	}
	m.Import = r.Import
	m.Sealed = r.Seal.Info(false)
	m.first, m.end = r.span()
	return m
}

// NumSeats returns the number of players of a match.
func (m *Manifest) NumSeats() int {
	if m.Seats == 3 {
		return 3
	}
	return sim.NumPlayers
}

// statedSeats returns [Manifest.Seats] for a number of players.
func statedSeats(seats int) int {
	if seats == sim.NumPlayers {
		return 0
	}
	return seats
}

// next returns the number of the first match that is not in the files.
func (m *Manifest) next() uint64 {
	if len(m.Files) == 0 {
		return m.first
	}
	last := m.Files[len(m.Files)-1]
	return last.First + last.Matches
}

// withFiles returns a copy of the manifest with further files.
func (m *Manifest) withFiles(files []FileInfo) *Manifest {
	longer := *m
	longer.Files = slices.Concat(m.Files, files)
	longer.Rows = maps.Clone(m.Rows)
	for _, f := range files {
		longer.Rows[f.Table] += f.Rows
	}
	longer.Complete = longer.next() == longer.end
	return &longer
}

// stoppedAfter returns a copy of the manifest for a tournament that ended after this many
// matches.
func (m *Manifest) stoppedAfter(matches uint64) *Manifest {
	shorter, t := *m, *m.Tournament
	t.Stopped = matches
	shorter.Tournament, shorter.end = &t, matches
	shorter.Complete = shorter.next() == shorter.end
	return &shorter
}

// isBeginningOf reports whether a longer run begins with the matches of m: those of rounds and of
// rotated seats do not depend on how many follow. Where the seed of walls is a secret it has been
// revealed with the last match, so nothing is played after that.
// What a program or person has played is not played again, so the last file is full where matches
// are not repeatable.
func (m *Manifest) isBeginningOf(longer *Manifest, repeatable bool) bool {
	if !m.Complete || !repeatable && m.Matches%m.FileMatches != 0 {
		return false
	}
	same := *m
	same.Matches = longer.Matches
	if t := m.Tournament; t != nil && longer.Tournament != nil {
		if t.UntilClear > 0 || t.Accept != nil || len(t.Lineups) > 0 {
			return false
		}
		more := *t
		more.Rounds = longer.Tournament.Rounds
		same.Tournament = &more
	}
	return m.Matches < longer.Matches && m.Shard == nil && m.Sealed == nil && m.Import == nil && same.Differences(longer) == ""
}

// versionDifference returns the versions of the program that wrote the manifest, "" if they
// are those of this program. Other versions may write or play matches differently.
func (m *Manifest) versionDifference() string {
	actions, _ := sim.ActionTable(m.NumSeats())
	var list []string
	add := func(name string, there, here int) {
		if there != here {
			list = append(list, fmt.Sprintf("%s version %d, this is %d", name, there, here))
		}
	}
	add("schema", m.SchemaVersion, schema.Version)
	add("engine", m.EngineVersion, sim.EngineVersion)
	add("action table", m.ActionTableVersion, actions)
	return strings.Join(list, "; ")
}

// Differences returns the members in which m and another manifest differ, except versions
// and progress; "" if there are none.
func (m *Manifest) Differences(other *Manifest) string {
	var list []string
	compare := func(name string, a, b any) {
		if !reflect.DeepEqual(a, b) {
			list = append(list, sanitize.Line(fmt.Sprintf("%s is %v there, %v here", name, a, b)))
		}
	}
	compare("ruleset", m.Ruleset.Name, other.Ruleset.Name)
	compare("ruleset hash", m.Ruleset.Hash, other.Ruleset.Hash)
	compare("first wall", m.FirstWall, other.FirstWall)
	compare("seal", m.Sealed.String(), other.Sealed.String())
	if m.Sealed == nil || other.Sealed == nil {
		compare("seed", m.Seed, other.Seed)
	}
	compare("number of matches", m.Matches, other.Matches)
	compare("list of agents", m.Agents, other.Agents)
	compare("keep-seats", m.KeepSeats, other.KeepSeats)
	compare("record", m.Record, other.Record)
	compare("matches a file", m.FileMatches, other.FileMatches)
	compare("shard", m.Shard.String(), other.Shard.String())
	compare("tournament", m.Tournament.String(), other.Tournament.String())
	compare("import", m.Import.String(), other.Import.String())
	return strings.Join(list, "; ")
}

// encode returns the text of the manifest. Its last member is the checksum.
func (m *Manifest) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		return nil, err
	}
	text := append(bytes.TrimSuffix(b.Bytes(), []byte("\n}\n")), ",\n"...)
	return append(text, checksumOf(text)...), nil
}

// checksumOf returns the last two lines of a manifest that begins with text.
func checksumOf(text []byte) string {
	return fmt.Sprintf("  \"sha256\": \"%x\"\n}\n", sha256.Sum256(text))
}

// errChecksum is the error of a manifest that was edited.
var errChecksum = errors.New("its text was changed: the checksum in its last member does not fit")

// removeChecksum compares the checksum of a manifest and returns the text without it.
func removeChecksum(text []byte) ([]byte, error) {
	n := len(text) - len(checksumOf(nil))
	if n < 2 || string(text[n:]) != checksumOf(text[:n]) {
		return nil, errChecksum
	}
	return slices.Concat(text[:n-2], []byte("\n}\n")), nil
}

// parseManifest parses a manifest and checks that a [Writer] could have written it.
func parseManifest(text []byte) (*Manifest, *Run, error) {
	var version struct {
		SchemaVersion *int `json:"schema_version"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return nil, nil, err
	}
	switch v := version.SchemaVersion; {
	case v == nil:
		return nil, nil, errors.New("schema_version: missing")
	case *v != schema.Version:
		return nil, nil, fmt.Errorf("schema version %d; this program reads version %d", *v, schema.Version)
	}
	text, err := removeChecksum(text)
	if err != nil {
		return nil, nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	m := &Manifest{}
	if err := d.Decode(m); err != nil {
		return nil, nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, nil, errors.New("text after the end")
	}
	r, err := m.run()
	if err != nil {
		return nil, nil, err
	}
	m.first, m.end = r.span()
	if t := m.Tournament; t != nil && t.Stopped > 0 {
		if !r.Tournament.ends() || t.Stopped > m.end || t.Stopped%sim.BlockSize != 0 && t.Stopped != m.end {
			return nil, nil, fmt.Errorf("tournament: stopped after %d matches", t.Stopped)
		}
		m.end = t.Stopped
	}
	if err := m.checkFiles(r.Tables()); err != nil {
		return nil, nil, err
	}
	if whole := m.Complete && r.Shard.whole(); r.Seal != nil && r.Seal.Known() != whole {
		return nil, nil, fmt.Errorf("sealed: the seed is revealed when the run is complete, neither before nor later")
	}
	return m, r, nil
}

func (m *Manifest) run() (*Run, error) {
	rules, err := m.ReadRuleset()
	if err != nil {
		return nil, fmt.Errorf("ruleset: %w", err)
	}
	if n := rules.Config.Common().NumSeats(); m.Seats != statedSeats(n) {
		return nil, fmt.Errorf("seats: %d, but the ruleset has %d players", m.Seats, n)
	}
	r := &Run{
		Ruleset: rules, Seed: m.Seed, Matches: m.Matches,
		Agents: m.Agents, KeepSeats: m.KeepSeats, Record: m.Record, FileMatches: m.FileMatches, Import: m.Import,
	}
	if m.Shard != nil {
		if r.Shard = *m.Shard; r.Shard.Of == 0 {
			return nil, errors.New("shard of 0")
		}
	}
	if m.Sealed != nil {
		if r.Seal, err = m.Sealed.Parse(); err != nil {
			return nil, fmt.Errorf("sealed: %w", err)
		}
	}
	if t := m.Tournament; t != nil {
		if r.Tournament, err = t.tournament(m.Seed, len(m.Agents), r.seats()); err != nil {
			return nil, fmt.Errorf("tournament: %w", err)
		}
		if r.Seal != nil {
			r.Tournament.Schedule.Plan.Secret = r.Seal.Secret()
		}
	}
	return r, r.Check()
}

// ReadRuleset returns the ruleset, with the first wall of the run. The error is that of knobs
// that do not have the hash of the ruleset.
func (m *Manifest) ReadRuleset() (*configs.Ruleset, error) {
	i := &m.Ruleset
	f := configs.FamilyNamed(i.Family)
	if f == nil {
		return nil, fmt.Errorf("unknown family %q", i.Family)
	}
	r := &configs.Ruleset{Name: i.Name, Family: f, Config: f.New()}
	if seats, ok := i.Knobs["seats"]; ok {
		if err := f.SetSeats(r.Config, seats); err != nil {
			return nil, err
		}
	}
	n := 0
	for _, k := range r.Knobs() {
		value, ok := i.Knobs[k.Key]
		if !ok {
			return nil, fmt.Errorf("%s: missing", k.Key)
		}
		n++
		if err := k.Set(value); err != nil {
			return nil, err
		}
	}
	if n != len(i.Knobs) {
		return nil, fmt.Errorf("%d knobs, of which family %s has %d", len(i.Knobs), i.Family, n)
	}
	if p := r.Config.Check(); p != nil {
		return nil, p[0]
	}
	if hash := r.Family.Hash(r.Config); hex.EncodeToString(hash[:]) != i.Hash {
		return nil, fmt.Errorf("the knobs have hash %x, not %s", hash, i.Hash)
	}
	if m.FirstWall != "" {
		wall, err := sim.ParseFirstWall(r.Config.Common(), m.FirstWall)
		if err != nil {
			return nil, fmt.Errorf("first wall: %w", err)
		}
		r.FirstWall = wall
	}
	return r, nil
}

// checkFiles checks that the files are those of a run with these tables up to some match.
func (m *Manifest) checkFiles(tables []schema.Table) error {
	want := &Manifest{Rows: map[schema.Table]int64{}, Files: []FileInfo{}, first: m.first, end: m.end}
	for _, t := range tables {
		want.Rows[t] = 0
	}
	for files := m.Files; len(files) > 0; files = files[min(len(files), len(tables)):] {
		first := want.next()
		var part []FileInfo
		for i, t := range tables {
			f := FileInfo{
				Name: fileName(t, first/m.FileMatches), Table: t,
				First: first, Matches: min(m.FileMatches, m.end-first),
			}
			if i < len(files) {
				f.Rows, f.Bytes, f.SHA256 = files[i].Rows, files[i].Bytes, files[i].SHA256
				f.BatchFirst = files[i].BatchFirst
				if i := f.misplaced(); i >= 0 {
					return fmt.Errorf("files: %s: batch_first: there are no %d batches of which number %d has these matches", f.Name, len(f.BatchFirst), i)
				}
			}
			part = append(part, f)
		}
		want = want.withFiles(part)
	}
	switch i := firstDifference(m.Files, want.Files); {
	case i < len(m.Files):
		return fmt.Errorf("files: entry %d is not %s with %d matches from %d on", i,
			want.Files[i].Name, want.Files[i].Matches, want.Files[i].First)
	case i < len(want.Files):
		return fmt.Errorf("files: %s is missing", want.Files[i].Name)
	case m.Complete != want.Complete:
		return fmt.Errorf("complete: %v, but the files hold %d of %d matches", m.Complete, m.next()-m.first, m.end-m.first)
	case !reflect.DeepEqual(m.Rows, want.Rows):
		return fmt.Errorf("rows: the files hold %v, not %v", want.Rows, m.Rows)
	}
	return nil
}

// misplaced returns the index of the first batch of BatchFirst that is not the first match of a
// block of the file, in ascending order; -1 if there is none.
func (i *FileInfo) misplaced() int {
	if i.BatchFirst == nil {
		return -1
	}
	before := i.First
	for n, first := range i.BatchFirst {
		if n == 0 && first != i.First || first < before || first >= i.First+i.Matches || (first-i.First)%sim.BlockSize != 0 {
			return n
		}
		before = first
	}
	if len(i.BatchFirst) < 2 { // one batch needs no list
		return 0
	}
	return -1
}

// batchFirsts returns the first match of each record batch.
func (i *FileInfo) batchFirsts() []uint64 {
	if i.BatchFirst != nil {
		return i.BatchFirst
	}
	return []uint64{i.First}
}

// firstDifference returns the first index at which a and b differ, or the greater length.
func firstDifference(a, b []FileInfo) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || !reflect.DeepEqual(a[i], b[i]) {
			return i
		}
	}
	return max(len(a), len(b))
}

func fileName(t schema.Table, n uint64) string { return fmt.Sprintf("%s-%06d.arrow", t, n) }

// isFileName reports whether datasets have files of that name, whole or temporary.
func isFileName(name string) bool {
	if _, ok := journalNumber(name); ok {
		return true
	}
	name = strings.TrimSuffix(name, tempSuffix)
	if name == manifestName || name == signatureName {
		return true
	}
	table, rest, _ := strings.Cut(name, "-")
	number, isArrow := strings.CutSuffix(rest, ".arrow")
	return new(schema.Table).UnmarshalText([]byte(table)) == nil && isArrow && len(number) >= 6 &&
		strings.Trim(number, "0123456789") == ""
}
