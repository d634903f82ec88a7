package sim_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestActionTable holds the table fixed: ids are stored in datasets and known to
// learners. testdata/actions.txt has one line for each id.
func TestActionTable(t *testing.T) {
	text, err := os.ReadFile("testdata/actions.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != sim.NumActions || sim.NumActions != 180 || sim.ActionTableVersion != 1 {
		t.Fatalf("%d lines for %d actions, version %d; ids never change, additions come at the end and raise the version",
			len(lines), sim.NumActions, sim.ActionTableVersion)
	}
	if version, n := sim.ActionTable(4); version != 1 || n != 180 {
		t.Errorf("four players have version %d with %d actions", version, n)
	}
	if version, n := sim.ActionTable(3); version != 2 || n != 181 || sim.Action(n-1).String() != "kita" {
		t.Errorf("three players have version %d with %d actions, the last %v", version, n, sim.Action(n-1))
	}
	seen := map[string]bool{}
	for i, line := range lines {
		a := sim.Action(i)
		if got := fmt.Sprintf("%d %v", i, a); got != line {
			t.Errorf("action %q, want %q", got, line)
		}
		back, err := sim.ParseAction(a.String())
		if err != nil || back != a || seen[a.String()] {
			t.Errorf("%v reads back as %v, %v", a, back, err)
		}
		seen[a.String()] = true
	}
	if got, want := sim.Action(sim.NumAllActions).String(), "action 181"; got != want {
		t.Errorf("the first id that is no action is %q, want %q", got, want)
	}
}

func TestParseActionErrors(t *testing.T) {
	for _, text := range []string{"", "discard", "discard 9z", "chi", "chi low blue", "ready 1f", "closed_kan 0m", "Pass", "discard 5m 5m"} {
		if a, err := sim.ParseAction(text); err == nil || a != sim.NoAction || !strings.Contains(err.Error(), fmt.Sprintf("%q", text)) {
			t.Errorf("%q reads as %v, error %v", text, a, err)
		}
	}
	if a, err := sim.ParseAction("  chi   low  red "); err != nil || a != sim.ActChiRed {
		t.Errorf("spaces: %v, %v", a, err)
	}
	if got := sim.Action(200).String(); got != "action 200" {
		t.Errorf("no action: %q", got)
	}
}

// TestActionSet compares a set with a map.
func TestActionSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.Uint8Range(0, sim.NumActions-1)).Draw(t, "actions")
		var s sim.ActionSet
		in := map[sim.Action]bool{}
		for _, a := range list {
			s.Add(sim.Action(a))
			in[sim.Action(a)] = true
		}
		if err := checkSet(s); err != nil {
			t.Fatal(err)
		}
		for a := range 256 {
			if s.Has(sim.Action(a)) != in[sim.Action(a)] {
				t.Fatalf("action %d: %v", a, s.Has(sim.Action(a)))
			}
		}
		if s.Len() != len(in) || s.Nth(len(in)) != sim.NoAction {
			t.Fatalf("%d actions, want %d; beyond the last %v", s.Len(), len(in), s.Nth(len(in)))
		}
		for _, base := range []sim.Action{sim.ActDiscard, sim.ActReady, sim.ActClosedKan, sim.ActAddedKan} {
			for k := range tile.Kind(tile.NumKinds) {
				if s.Kinds(base).Has(k) != in[base+sim.Action(k)] {
					t.Fatalf("kinds of %v: %v is %v", base, k, s.Kinds(base).Has(k))
				}
			}
			if s.Kinds(base)&^tile.All != 0 {
				t.Fatalf("kinds of %v: %x", base, s.Kinds(base))
			}
		}
		for i := range 8 {
			if s.Flowers()>>i&1 != 0 != in[sim.ActFlower+sim.Action(i)] {
				t.Fatalf("flowers %b", s.Flowers())
			}
		}
		n := 0
		for range s.All {
			if n++; n == 2 {
				break
			}
		}
		if len(in) == 0 && s.First() != sim.NoAction {
			t.Fatalf("first of none: %v", s.First())
		}
	})
}

func TestActionKinds(t *testing.T) {
	for a := range sim.Action(sim.NumActions) {
		text := a.String()
		if got, want := a.IsDiscard(), strings.HasPrefix(text, "discard ") || strings.HasPrefix(text, "ready "); got != want {
			t.Errorf("%v is a discard: %v", a, got)
		}
		if got, want := a.DeclaresReady(), strings.HasPrefix(text, "ready"); got != want {
			t.Errorf("%v declares ready: %v", a, got)
		}
	}
}
