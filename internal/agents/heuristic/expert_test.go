package heuristic

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/insight/perceptron"
	"github.com/sparrowhall/sparrowhall/sim"
)

func expertOf(t testing.TB, options string) *Expert {
	t.Helper()
	f, err := NewExpert(options)
	if err != nil {
		t.Fatal(err)
	}
	return f().(*Expert)
}

func TestExpertOptions(t *testing.T) {
	data, err := networkFiles.ReadFile("weights/riichi.bin")
	if err != nil {
		t.Fatal(err)
	}
	whole, broken, other := filepath.Join(t.TempDir(), "whole.bin"), filepath.Join(t.TempDir(), "broken.bin"), filepath.Join(t.TempDir(), "other.bin")
	changed := slices.Clone(data)
	changed[len(changed)/2]++
	for name, bytes := range map[string][]byte{whole: data, broken: changed, other: []byte("no weights")} {
		if err := os.WriteFile(name, bytes, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, options := range []string{"", "net=off", "net=on,margin=0.05,places=off", "places=2,pushed=0.5", "explore=0.05", "weights=" + whole, "level=1", "level=4", "level=5,net=off", "search=0", "search=16", "budget=20,search=1024", "search=8,beliefs=off"} {
		if _, err := NewExpert(options); err != nil {
			t.Errorf("%q: %v", options, err)
		}
	}
	for options, want := range map[string]string{
		"net=0":                 `option net: "0" is neither on nor off`,
		"margin=11":             `option margin: 11 is not from 0 to 10`,
		"places=x":              `option places: "x" is no number`,
		"explore=1.1":           `option explore: 1.1 is not from 0 to 1`,
		"nets=off":              `unknown option "nets"`,
		"level=0":               `option level: "0" is not a whole number from 1 to 5`,
		"level=6":               `option level: "6" is not`,
		"level=2.5":             `option level: "2.5" is not`,
		"level=":                `option level: "" is not`,
		"net=off,level=2":       `option level: 2 takes no other options; leave out "net=off"`,
		"search=7":              `option search: "7" is neither 0 nor a whole number from 8 to 1024`,
		"search=1025":           `option search: "1025" is neither`,
		"search=-8":             `option search: "-8" is neither`,
		"search=9.5":            `option search: "9.5" is neither`,
		"search=":               `option search: "" is neither`,
		"search=16,net=off":     "option search: it corrects the network's predictions; leave out net=off",
		"search=16,explore=0.1": "option search: it does not go with explore",
		"search=16,level=2":     `option level: 2 takes no other options; leave out "search=16"`,
		"search=16,budget=0":    `option budget: "0" is not a whole number of milliseconds from 1 to 60000`,
		"search=16,budget=-1":   `option budget: "-1" is not`,
		"search=16,budget=1e9":  `option budget: "1e9" is not`,
		"budget=20":             "option budget: it limits a search; add search=N",
		"search=0,budget=20":    "option budget: it limits a search; add search=N",
		"weights=nothing":       "option weights: stat nothing",
		"weights=" + broken:     "broken.bin: perceptron: the network is damaged",
		"weights=" + other:      "other.bin: perceptron: this is no network",
	} {
		if _, err := NewExpert(options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", options, err, want)
		}
	}
	x := expertOf(t, "weights="+whole)
	for preset, fits := range map[string]bool{"tenhou": true, "mcr_2006": false, sanma: false} {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Start(r); (err == nil) != fits {
			t.Errorf("%s by a network for riichi: %v", preset, err)
		}
	}
}

// TestNetworks reads the networks of the program and holds them to their purpose and
// inputs.
func TestNetworks(t *testing.T) {
	err := fs.WalkDir(networkFiles, "weights", func(name string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() {
			return err
		}
		data, err := networkFiles.ReadFile(name)
		if err != nil {
			return err
		}
		n, err := perceptron.Parse(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return nil
		}
		family, _, _ := strings.Cut(f.Name(), ".")
		if n.Purpose != Purpose(family) || n.Inputs != NumInputs {
			t.Errorf("%s is for %q with %d inputs", name, n.Purpose, n.Inputs)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOptionNetworks plays by the networks of expert-1 where they are others, and refuses any
// other value.
func TestOptionNetworks(t *testing.T) {
	for preset, changed := range map[string]bool{"universal": true, "mcr_2006": true, "hk_old_style": true, sanma: true, "tenhou": false, "botzone": false} {
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		if newest, first := networkOf(r, false), networkOf(r, true); newest == nil || first == nil || (newest != first) != changed {
			t.Errorf("%s: the networks differ: %v, want %v", preset, newest != first, changed)
		}
	}
	if _, err := NewExpert("networks=2"); err == nil || !strings.Contains(err.Error(), `option networks: "2"; allowed: 1`) {
		t.Errorf("networks=2: %v", err)
	}
}

// asked looks at the inputs of each decision of its expert.
type asked struct {
	*Expert
	t     *testing.T
	plain *Expert // has no network
	met   [NumInputs]bool
	lists int
}

func (a *asked) Act(v sim.View) sim.Action {
	choice := a.Expert.Act(v)
	x := a.plain
	if own := x.Act(v); x.numCandidates > 0 && (own != x.Candidate(0) || x.numCandidates != a.numCandidates) {
		a.t.Errorf("without a network %v of %d options, the first of them %v", own, x.numCandidates, x.Candidate(0))
	}
	legal := v.Legal()
	for i := range x.numCandidates {
		if !legal.Has(x.Candidate(i)) {
			a.t.Errorf("considers %v, which is not legal", x.Candidate(i))
		}
		if x.numCandidates < 2 {
			break
		}
		a.lists++
		situation, action := x.Inputs(v, i)
		seen := map[uint16]bool{}
		for _, in := range situation {
			if seen[in.At] || in.At >= actionBegin && (in.At < tenpaiBegin || in.At >= winBegin) || in.Value == 0 {
				a.t.Errorf("of the situation: %+v", in)
			}
			seen[in.At], a.met[in.At] = true, true
		}
		for _, in := range action {
			if seen[in.At] || in.At < actionBegin || in.At >= tenpaiBegin && in.At < winBegin || in.Value == 0 {
				a.t.Errorf("of an action: %+v", in)
			}
			seen[in.At], a.met[in.At] = true, true
		}
		if len(situation) > 255 || len(action) > 255 {
			a.t.Fatalf("%d and %d inputs", len(situation), len(action))
		}
	}
	return choice
}

// TestInputs looks at the inputs of matches of all families: nearly all are met, none
// is told twice.
func TestInputs(t *testing.T) {
	a := &asked{t: t}
	for _, preset := range []string{"tenhou", "mcr_2006", "universal", "hkma_hktw"} {
		a.Expert, a.plain = expertOf(t, ""), expertOf(t, "net=off")
		seats := [sim.NumPlayers]sim.Agent{a, expertOf(t, ""), expertOf(t, ""), expertOf(t, "")}
		r, err := configs.Load(preset)
		if err != nil {
			t.Fatal(err)
		}
		var m sim.Match
		for m.Seed = range 12 {
			m.Play(r, &seats)
		}
	}
	never := 0
	for _, met := range a.met {
		if !met {
			never++
		}
	}
	t.Logf("%d actions, %d of %d inputs never met", a.lists, never, NumInputs)
	if never > 70 {
		t.Errorf("%d of %d inputs are never met", never, NumInputs)
	}
}

// TestMargin lets one player play by different rules: the margin is the usual one of each, or
// what was asked for.
func TestMargin(t *testing.T) {
	for options, want := range map[string]map[string]int32{
		"":            {"tenhou": 8, "mcr_2006": 15, "ema_2016": 8},
		"margin=0.05": {"tenhou": 50, "mcr_2006": 50},
	} {
		x := expertOf(t, options)
		seats := [sim.NumPlayers]sim.Agent{x, expertOf(t, "net=off"), expertOf(t, "net=off"), expertOf(t, "net=off")}
		for preset, margin := range want {
			r, err := configs.Load(preset)
			if err != nil {
				t.Fatal(err)
			}
			var m sim.Match
			m.Play(r, &seats)
			i := slices.IndexFunc(x.Weights(), func(w sim.Weight) bool { return w.Name == "margin" })
			if got := x.Weights()[i].Value; got != margin || x.threshold != margin*perceptron.OutputUnit/1000 {
				t.Errorf("%q under %s: a margin of %d, threshold %d; want %d", options, preset, got, x.threshold, margin)
			}
		}
	}
}

// gainChecker checks the predicted gains of an expert at every decision.
type gainChecker struct {
	*Expert
	t                             *testing.T
	decisions, margins, penalties int
}

func (g *gainChecker) Act(v sim.View) sim.Action {
	a, x := g.Expert.Act(v), g.Expert
	n := x.NumCandidates()
	if n < 2 {
		return a
	}
	g.decisions++
	best := 0
	for i := range n {
		situation, action := x.Inputs(v, i)
		var sums perceptron.Sums
		x.net.Begin(&sums)
		x.net.Add(&sums, situation)
		x.net.Add(&sums, action)
		out := x.net.Evaluate(&sums)
		gain := int64(out[0]) + int64(out[1])*int64(x.placeWorthNow)/1000
		if i == 0 && x.options.margin > 0 {
			gain += int64(x.options.margin) * perceptron.OutputUnit / 1000
			g.margins++
		}
		c := &x.candidates[i]
		if shanten := v.Rules().Shanten(&c.after.Hand, c.after.NumMelds); c.declaredDealInRate > 0 && shanten > 0 && x.options.dealInPenalty > 0 {
			gain -= int64(c.declaredDealInRate) * int64(x.options.dealInPenalty) / 1000
			g.penalties++
		}
		if got := x.PredictedGain(i); got != int(gain*1000/perceptron.OutputUnit) {
			g.t.Errorf("%v: predicted gain %d, want %d thousandths", x.Candidate(i), got, gain*1000/perceptron.OutputUnit)
		}
		if c.predictedGain > x.candidates[best].predictedGain {
			best = i
		}
	}
	if x.Candidate(best) != a {
		g.t.Errorf("%v is played, %v has the highest predicted gain", a, x.Candidate(best))
	}
	scale := int64(v.Rules().Traits.Scale)
	for _, c := range x.Advise(v, nil) {
		i := slices.IndexFunc(x.candidates[:n], func(o candidate) bool { return o.action == c.Action })
		if want := x.candidates[i].predictedGain * scale * 1000 / perceptron.OutputUnit; c.Total != want {
			g.t.Errorf("%v: the advice has the total %d, want %d", c.Action, c.Total, want)
		}
	}
	return a
}

// TestPredictedGain holds the figure that learners read against its definition: the outputs
// of the network, with the margin for the first candidate and the penalty for deal-ins,
// and the answer is its first maximum.
func TestPredictedGain(t *testing.T) {
	r, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	for options, adjusted := range map[string]bool{"": true, "margin=0,wary=0": false} {
		g := &gainChecker{Expert: expertOf(t, options), t: t}
		seats := [sim.NumPlayers]sim.Agent{g, expertOf(t, "net=off"), expertOf(t, "net=off"), expertOf(t, "net=off")}
		m := sim.Match{Seed: 5}
		m.Play(r, &seats)
		if g.decisions < 50 || adjusted != (g.margins > 0) || adjusted != (g.penalties > 0) {
			t.Errorf("%q: %d decisions, %d margins, %d penalties", options, g.decisions, g.margins, g.penalties)
		}
	}
}

// explorer counts how often its expert explores.
type explorer struct {
	*Expert
	plain             *Expert
	decisions, others int
}

func (e *explorer) Act(v sim.View) sim.Action {
	a, b := e.Expert.Act(v), e.plain.Act(v)
	if e.plain.numCandidates > 1 {
		e.decisions++
		if a != b {
			e.others++
		}
	}
	return a
}

// TestExplore holds the share of decisions at which expert explores, and that it plays on
// as it does otherwise.
func TestExplore(t *testing.T) {
	r, err := configs.Load("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	for options, plain := range map[string]string{"explore=0.2": "", "net=off,explore=0.2": "net=off"} {
		e := &explorer{Expert: expertOf(t, options), plain: expertOf(t, plain)}
		seats := [sim.NumPlayers]sim.Agent{e, expertOf(t, "net=off"), expertOf(t, "net=off"), expertOf(t, "net=off")}
		var m sim.Match
		for m.Seed = range 8 {
			m.Play(r, &seats)
		}
		if share := float64(e.others) / float64(e.decisions); e.decisions < 400 || share < 0.15 || share > 0.25 {
			t.Errorf("%s: another action at %d of %d decisions", options, e.others, e.decisions)
		}
	}
}
