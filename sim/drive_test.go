package sim_test

import (
	"errors"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// firstLegal answers by the lowest legal action, or by a fixed one.
type firstLegal struct{ always sim.Action }

func (f firstLegal) Act(v sim.View) sim.Action {
	if f.always != sim.NoAction {
		return f.always
	}
	legal := v.Legal()
	return legal.First()
}

func (firstLegal) Explain() string              { return "as told" }
func (firstLegal) Start(r *ruleset.Rules) error { return errors.New(r.Name) }
func (firstLegal) Listen(sim.View, []sim.Event) {}

// wrapper hides all of an agent but Act.
type wrapper struct{ sim.Agent }

func (w wrapper) Unwrap() sim.Agent { return w.Agent }

func TestRestOfHandIsTheLoopOfPlay(t *testing.T) {
	for _, name := range []string{"ema_2016", "mcr_2006", "hkma_hktw", "tenhou_sanma", "taiwanese"} {
		r := load(t, name)
		var agents [sim.NumPlayers]sim.Agent
		for p := range agents {
			agents[p] = firstLegal{sim.NoAction}
		}
		m := sim.Match{Seed: 3}
		m.Play(r, &agents)
		var actions []sim.Action
		table, err := (&sim.Match{Seed: 3}).NewTable(r)
		if err != nil {
			t.Fatal(err)
		}
		for hand := 0; !table.Over(); hand++ {
			m.Deal(&table, hand, nil)
			for p := range table.RestOfHand() {
				a, err := sim.Ask(agents[p], table.View(p))
				if err != nil {
					t.Fatal(err)
				}
				actions = append(actions, a)
				if _, err := table.Step(p, a, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if string(actionBytes(actions)) != string(actionBytes(m.Actions)) {
			t.Errorf("%s: other actions than Play", name)
		}
	}
}

func actionBytes(list []sim.Action) (b []byte) {
	for _, a := range list {
		b = append(b, byte(a))
	}
	return b
}

func TestAskAndAs(t *testing.T) {
	r := load(t, "ema_2016")
	table := sim.NewTable(r, 1)
	table.StartHand(nil)
	v := table.View(table.Asked().First())
	legal := v.Legal()
	bad := sim.ActPass
	if legal.Has(bad) {
		t.Fatal("the dealer may pass")
	}
	a := wrapper{wrapper{firstLegal{bad}}}
	got, err := sim.Ask(a, v)
	var illegal *sim.IllegalActionError
	if got != sim.DefaultAction(&legal) || !errors.As(err, &illegal) || illegal.Action != bad || illegal.Reason != "as told" {
		t.Errorf("got %v, %v", got, err)
	}
	if err := sim.StartAgent(a, r); err == nil {
		t.Error("Start was not found")
	}
	if _, ok := sim.As[sim.Listener](a); !ok {
		t.Error("Listen was not found")
	}
	if _, ok := sim.As[sim.Failer](a); ok {
		t.Error("Err was found")
	}
}
