package sim_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
)

var update = flag.Bool("update", false, "rewrite the expected counts and signatures in testdata")

// maxPerft bounds the counts that -update writes, so that the test stays quick.
const maxPerft = 60000

// perft counts what n answers in a row can be from a table on. Players answer one
// at a time in ascending order; a hand that ends sooner counts once, as "ended".
// Counts are by the kind of the last answer; next, if not nil, receives the sums
// by the first.
func perft(t *sim.Table, n int, last string, counts map[string]int, next map[string]int) int {
	asked := t.Asked()
	if n == 0 || asked == 0 || t.Phase() == sim.PhaseBetween {
		if n > 0 {
			last = "ended"
		}
		counts[last]++
		return 1
	}
	p := sim.Player(0)
	for !asked.Has(p) {
		p++
	}
	sum := 0
	legal := t.Legal(p)
	var scratch [64]sim.Event
	for a := range legal.All {
		c := *t
		if _, err := c.Step(p, a, scratch[:0]); err != nil {
			panic(err)
		}
		m := perft(&c, n-1, kindOf(a), counts, nil)
		if next != nil {
			next[fmt.Sprintf("player %d %v", p, a)] = m
		}
		sum += m
	}
	return sum
}

// kindOf returns the first word of an action's text.
func kindOf(a sim.Action) string {
	word, _, _ := strings.Cut(a.String(), " ")
	return word
}

// perftLine is a line "perft ema_2016 3 412 chi 4 discard 400 pass 8".
func perftLine(preset string, depth int, t *sim.Table) (line string, next map[string]int, sum int) {
	counts, next := map[string]int{}, map[string]int{}
	sum = perft(t, depth, "", counts, next)
	line = fmt.Sprintf("perft %s %d %d", preset, depth, sum)
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		line += fmt.Sprintf(" %s %d", kind, counts[kind])
	}
	return line, next, sum
}

// judged compares the table with the referee at every node up to depth n.
func judged(p *place, n int) error {
	m := p.table.MatchState()
	m.Points = p.base
	s := newShadow(p.rules, m, p.table.DealerChair())
	s.pot = p.pot * p.rules.RiichiStick
	s.start = s.total()
	for _, e := range p.events {
		if err := s.apply(e); err != nil {
			return err
		}
	}
	return judgeFrom(&p.table, s, n)
}

func judgeFrom(t *sim.Table, s *shadow, n int) error {
	asked := t.Asked()
	if asked == 0 || t.Phase() == sim.PhaseBetween {
		return nil
	}
	if asked == t.AllAsked() {
		if err := s.judge(t); err != nil {
			return err
		}
	}
	p := sim.Player(0)
	for !asked.Has(p) {
		p++
	}
	legal := t.Legal(p)
	for a := range legal.All {
		if n == 0 {
			break
		}
		next, c := *t, s.clone()
		events, err := next.Step(p, a, nil)
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := c.apply(e); err != nil {
				return fmt.Errorf("player %d %v: event %+v: %w", p, a, e, err)
			}
		}
		if err := judgeFrom(&next, c, n-1); err != nil {
			return fmt.Errorf("player %d %v: %w", p, a, err)
		}
	}
	return nil
}

// TestPerft counts the decisions from the setups of testdata/perft, each near a
// rare branch of the rules, and compares with the lines there. A difference lists
// the counts by first answer; compare them with those of a version that was right.
func TestPerft(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/perft/*.perft")
	if err != nil || files == nil {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			setup, want := string(text), ""
			if i := strings.Index(setup, "\nperft "); i >= 0 {
				setup, want = setup[:i+1], strings.TrimSpace(setup[i:])
			}
			s := newScript(t, file, setup)
			var got strings.Builder
			for _, preset := range s.setup.presets {
				p := s.run(t, preset)
				if err := judged(p, 2); err != nil && hasReferee(p.rules) {
					t.Errorf("%s: %v", preset, err)
				}
				depth := strings.Count(want, "perft "+preset+" ")
				if *update {
					depth = 5
				}
				for n := 1; n <= depth; n++ {
					line, next, sum := perftLine(preset, n, &p.table)
					if *update && sum > maxPerft {
						break
					}
					fmt.Fprintln(&got, line)
					if *update || strings.Contains(want+"\n", line+"\n") {
						continue
					}
					t.Errorf("got %s; by first answer:", line)
					for _, first := range slices.Sorted(maps.Keys(next)) {
						t.Logf("%8d %s", next[first], first)
					}
					break
				}
			}
			if *update {
				if err := os.WriteFile(file, []byte(setup+got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if !t.Failed() && strings.TrimSpace(got.String()) != want {
				t.Errorf("the file has other lines:\n%s", want)
			}
		})
	}
}
