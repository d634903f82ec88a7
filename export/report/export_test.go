package report

import (
	"errors"
	"testing"

	"github.com/jansou/jansou/agents"
	"github.com/jansou/jansou/export"
	"github.com/jansou/jansou/sim"
)

// PlayRun plays the matches of a run and writes them to dir.
func PlayRun(t *testing.T, run *export.Run, dir string) {
	t.Helper()
	w, err := export.Create(dir, run, false)
	if err != nil {
		t.Fatal(err)
	}
	job := &sim.Job{
		Rules: run.Ruleset.Rules(), Schedule: run.Schedule(), Count: run.Matches, Keep: run.Keep(),
		NewAgent: func(number int) sim.Agent {
			f, err := agents.New(run.Agents[number])
			if err != nil {
				t.Error(err)
			}
			return f()
		},
	}
	if err := errors.Join(sim.Run(t.Context(), job, w.NewBlock, (*export.Block).Add, w.Append), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// Phrases returns for each figure that answers speak of the sentence for an amount
// more, for an amount less, and the noun.
func Phrases(amount string) map[string][3]string {
	list := map[string][3]string{}
	for name, p := range phrases {
		k := Key{name[0], name[1], "east"}
		list[k.String()] = [3]string{p.say(k, amount, true), p.say(k, amount, false), p.of(k)}
	}
	return list
}
