package rating_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/analysis/variant"
	"github.com/sparrowhall/sparrowhall/internal/contest/rating"
	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/sim"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// suite is the one that tests play: its matches are single hands.
const suite = "hands-0"

// useTestSuites replaces the suites by those of the tests.
func useTestSuites(t *testing.T) {
	t.Helper()
	r, err := configs.Open("botzone")
	if err != nil {
		t.Fatal(err)
	}
	list := fstest.MapFS{}
	for _, name := range []string{suite, "hands-1"} {
		list["suites/"+name+".toml"] = &fstest.MapFile{Data: fmt.Appendf(nil, `name = %q
ruleset = "botzone"
signature = "%x"
engine = %d
seed = 5
budget = "5s"
[[opponents]]
agent = "random"
matches = 8
rating = 900
[[opponents]]
agent = "greedy"
matches = 8
rating = 1400
`, name, r.Hash(), sim.EngineVersion)}
	}
	rating.SetFiles(t, list)
}

func open(t *testing.T, name string) *rating.Suite {
	t.Helper()
	s, err := rating.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFrozen compares the digest of every suite with testdata/suites.txt: results are published
// by their names.
func TestFrozen(t *testing.T) {
	var b strings.Builder
	for _, name := range rating.Names() {
		s := open(t, name)
		if s.Name != name {
			t.Errorf("the file %s.toml has the suite %s", name, s.Name)
		}
		n, err := s.PublicSeason()
		if err != nil {
			t.Fatal(err)
		}
		for i := range n.Parts {
			run, err := n.Run(&n.Parts[i], "mine", 0)
			if err != nil {
				t.Fatal(err)
			}
			if run.Matches != n.Parts[i].Matches {
				t.Errorf("%s: %d matches against %s are no whole sets", name, n.Parts[i].Matches, n.Parts[i].Dir)
			}
			if _, err := agents.New(n.Parts[i].Agent); err != nil {
				t.Error(err)
			}
		}
		fmt.Fprintf(&b, "%s %s\n", name, s.Digest())
	}
	const file = "testdata/suites.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("a suite has changed; results are published by its name, so give the new one a new name:\n%s", b.String())
	}
}

// TestDraw checks that every knob of a suite of drawn rulesets can be changed alone, and that
// other seeds have other rulesets.
func TestDraw(t *testing.T) {
	s := open(t, "unfamiliar-2")
	for _, b := range s.Draw.Bases {
		r, err := configs.Open(b.Preset)
		if err != nil {
			t.Fatal(err)
		}
		source := variant.Source{Path: b.Preset, Ruleset: r}
		for _, k := range b.Knobs {
			list, err := source.Parse(k, false)
			if err != nil || len(list) == 0 {
				t.Fatalf("%s: %s: %v", b.Preset, k, err)
			}
			for _, c := range list {
				if _, err := source.Apply([]variant.Change{c}); err != nil {
					t.Errorf("%s: %v", b.Preset, err)
				}
			}
		}
	}
	hashes := map[[32]byte]bool{}
	for range 2 {
		n, err := s.PublicSeason()
		if err != nil {
			t.Fatal(err)
		}
		for i := range n.Parts {
			hashes[n.Parts[i].Rules.Hash()] = true
		}
	}
	if len(hashes) != s.Draw.Rulesets {
		t.Errorf("%d rulesets with the public seed, want %d", len(hashes), s.Draw.Rulesets)
	}
	path := filepath.Join(t.TempDir(), "season")
	if _, err := s.NewSeason(path); err != nil {
		t.Fatal(err)
	}
	n, err := s.ReadSeason(t.Context(), path, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n.Parts {
		hashes[n.Parts[i].Rules.Hash()] = true
	}
	if len(hashes) != 2*s.Draw.Rulesets {
		t.Errorf("%d rulesets of two seeds, want %d", len(hashes), 2*s.Draw.Rulesets)
	}
}

func TestUnknownSuite(t *testing.T) {
	if _, err := rating.Open("riichi1"); err == nil || !strings.HasPrefix(err.Error(), `unknown suite "riichi1"; nearest: riichi-2`) {
		t.Error(err)
	}
}

// newAgent returns the constructor of a built-in agent.
func newAgent(t *testing.T, spec string) func() sim.Agent {
	t.Helper()
	f, err := agents.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// play plays four matches against each opponent of a season. cheat replaces an opponent by
// another player.
func play(t *testing.T, dir string, n *rating.Season, entrant string, cheat map[string]string) *rating.Result {
	t.Helper()
	for i := range n.Parts {
		p := &n.Parts[i]
		run, err := n.Run(p, "mine", 4)
		if err != nil {
			t.Fatal(err)
		}
		spec := p.Agent
		if other, ok := cheat[spec]; ok {
			spec = other
		}
		both := []func() sim.Agent{newAgent(t, entrant), newAgent(t, spec)}
		w, err := dataset.Create(filepath.Join(dir, p.Dir), run, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Play(t.Context(), &sim.Job{NewAgent: func(number int) sim.Agent { return both[number]() }, Sealed: run.Seal != nil}); err != nil {
			t.Fatal(err)
		}
	}
	r, err := rating.Compute(t.Context(), dir, n, rating.Entrant{Name: "mine", Agent: entrant}, 4, options())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func options() *rating.Options {
	return &rating.Options{NewAgent: agents.New, Fixed: agents.Quick, Workers: 1}
}

func write(t *testing.T, r *rating.Result, dir string, key ed25519.PrivateKey) {
	t.Helper()
	if err := r.Write(dir, key); err != nil {
		t.Fatal(err)
	}
}

// check checks the result in a folder without a revealed season.
func check(dir string) error {
	_, err := rating.Check(context.Background(), dir, func(*rating.Suite) (*rating.Season, error) { return nil, nil }, options())
	return err
}

// TestCheck checks a result, and that each change of it is found and named.
func TestCheck(t *testing.T) {
	useTestSuites(t)
	n, err := open(t, suite).PublicSeason()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := play(t, dir, n, "tsumogiri", nil)
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	write(t, r, dir, key)
	if err := check(dir); err != nil {
		t.Error(err)
	}
	file := filepath.Join(dir, rating.FileName)
	if err := check(file); err != nil {
		t.Error(err)
	}
	public := key.Public().(ed25519.PublicKey)
	if err := rating.CheckSignature(file, public); err != nil {
		t.Error(err)
	}
	other, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := rating.CheckSignature(dir, other); err == nil || !strings.Contains(err.Error(), "not the signature of result.json by this key") {
		t.Error(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(r *rating.Result)
		want   string
	}{
		{func(r *rating.Result) { r.Parts[1].Points.Value++ }, "the figures do not follow from the moves: parts[1].points_luck_adjusted.value is"},
		{func(r *rating.Result) { r.Parts[0].Rank.Low = 1 }, "parts[0].rank.low is 1"},
		{func(r *rating.Result) { r.Rating.Value += 100 }, "rating.value is"},
		{func(r *rating.Result) { r.Rating = nil }, "rating is <nil>"},
		{func(r *rating.Result) { r.Parts = r.Parts[:1] }, "parts is"},
		{func(r *rating.Result) { r.Worst.Opponent = "mine" }, "worst.opponent is mine"},
		{func(r *rating.Result) { r.Parts[0].Manifest = "00" }, "parts[0].manifest_sha256 is 00"},
		{func(r *rating.Result) { r.Name = "yours" }, "it is not the run of the suite: list of agents"},
		{func(r *rating.Result) { r.Agent = "greedy" }, "entrant mine, plays"},
		{func(r *rating.Result) { r.MaxMatches = 8 }, "it is not the run of the suite: number of matches"},
		{func(r *rating.Result) { r.Suite = "riichi-0" }, `unknown suite "riichi-0"`},
		{func(r *rating.Result) { r.SuiteDigest = "00" }, "it is of another version of the suite hands-0; check it with version 0.1.0"},
		{func(r *rating.Result) { r.Engine++ }, "it is of engine version 2, this program has 1; check it with version"},
		{func(r *rating.Result) { r.Season = "00" }, "the season is not revealed: the result is of the season with commitment 00"},
	} {
		changed := *r
		one := *r.Rating
		changed.Rating, changed.Parts = &one, slices.Clone(r.Parts)
		c.change(&changed)
		write(t, &changed, dir, nil)
		if err := check(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if err := rating.CheckSignature(dir, public); !errors.Is(err, rating.ErrNotSigned) {
			t.Errorf("the old signature remains: %v", err)
		}
	}
	for want, changed := range map[string]string{
		"not all of one; fetch the whole file": string(text[:len(text)-9]),
		`it was changed: json: unknown field`:  strings.Replace(string(text), `"rank"`, `"rang"`, 1),
		"not the text that rate writes":        strings.Replace(string(text), `"rank"`, `"rank":{"value":1,"low":1,"high":1},"rank"`, 1),
		"it was changed: it is not the text":   strings.ReplaceAll(string(text), `,`, `, `),
		"version 2 of the form":                strings.Replace(string(text), `"rating_version":1`, `"rating_version":2`, 1),
	} {
		if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := check(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "greedy")); err != nil {
		t.Fatal(err)
	}
	if err := check(dir); err == nil || !strings.Contains(err.Error(), "the matches of a result are in the folders beside it") {
		t.Error(err)
	}
}

// TestOpponentsPlay finds an opponent that did not play its own moves.
func TestOpponentsPlay(t *testing.T) {
	useTestSuites(t)
	n, err := open(t, suite).PublicSeason()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, play(t, dir, n, "tsumogiri", map[string]string{"greedy": "random"}), dir, nil)
	if err := check(dir); err == nil || !strings.Contains(err.Error(), "greedy, plays") || !strings.Contains(err.Error(), "the recorded move is") {
		t.Error(err)
	}
}

// TestCheckEntrant finds a dataset that another agent has begun under the same name.
func TestCheckEntrant(t *testing.T) {
	useTestSuites(t)
	n, err := open(t, suite).PublicSeason()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	play(t, dir, n, "tsumogiri", nil)
	p := &n.Parts[1]
	if err := n.CheckEntrant(dir, p, "mine", 4, newAgent(t, "tsumogiri")); err != nil {
		t.Error(err)
	}
	if err := n.CheckEntrant(dir, p, "mine", 4, newAgent(t, "value")); err == nil || !strings.Contains(err.Error(), "entrant mine, plays") {
		t.Error(err)
	}
	if err := n.CheckEntrant(dir, p, "yours", 4, newAgent(t, "tsumogiri")); err == nil || !strings.Contains(err.Error(), "it is not the run of the suite") {
		t.Error(err)
	}
}

// TestSeason checks that a result of a season needs the revealed seed, and that the seed is in
// no file of the result.
func TestSeason(t *testing.T) {
	useTestSuites(t)
	s := open(t, suite)
	path := filepath.Join(t.TempDir(), "season")
	drawn, err := s.NewSeason(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.ReadSeason(t.Context(), path, false)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := play(t, dir, n, "tsumogiri", nil)
	write(t, r, dir, nil)
	if r.Season != fmt.Sprintf("%x", drawn.Commitment) {
		t.Errorf("season %s", r.Season)
	}
	secret := fmt.Sprintf("%x", *drawn.Secret())
	err = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), secret) || strings.Contains(string(text), string(drawn.Secret()[:])) {
			t.Errorf("%s has the seed", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := check(dir); !errors.Is(err, rating.ErrNotRevealed) {
		t.Error(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReadSeason(t.Context(), path, false); err == nil || !strings.Contains(err.Error(), "others may read it") {
		t.Error(err)
	}
	reveal := func(s *rating.Suite) (*rating.Season, error) { return s.ReadSeason(t.Context(), path, true) }
	if _, err := rating.Check(t.Context(), dir, reveal, options()); err != nil {
		t.Error(err)
	}
	if _, err := reveal(open(t, "hands-1")); err == nil || !strings.Contains(err.Error(), "it is not the seed of a season of hands-1") {
		t.Error(err)
	}
	other := filepath.Join(t.TempDir(), "other")
	if _, err := s.NewSeason(other); err != nil {
		t.Fatal(err)
	}
	_, err = rating.Check(t.Context(), dir, func(s *rating.Suite) (*rating.Season, error) { return s.ReadSeason(t.Context(), other, true) }, options())
	if err == nil || !strings.Contains(err.Error(), "it is of the season with commitment") {
		t.Error(err)
	}
}

// TestPage checks the order of a leaderboard, and that names which others chose are no Markdown.
func TestPage(t *testing.T) {
	result := func(name string, value float64) *rating.Result {
		return &rating.Result{
			Suite: "riichi-2", Program: "0.1.0", Entrant: rating.Entrant{Name: name},
			Parts:  []rating.PartResult{{Opponent: "value", Ruleset: "tenhou", Matches: 8, Points: strength.Estimate{Value: 25000, Low: 24000, High: 26000}}},
			Worst:  rating.WorstCase{Opponent: "value", Ruleset: "tenhou"},
			Rating: &strength.Estimate{Value: interval.Number(value), Low: 1400, High: 1600},
		}
	}
	got := rating.Leaderboard([]*rating.Result{result("b", 1450), result("a|[x](y)<b>\n", 1550)})
	want := `## riichi-2

| player | agent | rating | worst case | against value | matches | version | date |
| --- | --- | --- | --- | --- | --- | --- | --- |
| a\|\[x\](y)\<b\>\\u000a | - | 1550 [1400, 1600] | value: 25000 [24000, 26000] | 25000 [24000, 26000] | 8 | 0.1.0 | - |
| b | - | 1450 [1400, 1600] | value: 25000 [24000, 26000] | 25000 [24000, 26000] | 8 | 0.1.0 | - |
`
	if got != want {
		t.Errorf("%s", got)
	}
}
