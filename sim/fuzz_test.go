package sim_test

import (
	"errors"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/sim"
)

// FuzzActions lets bytes choose preset, seed and answers, illegal ones among
// them. Whatever they say the invariants hold and nothing panics.
func FuzzActions(f *testing.F) {
	f.Add([]byte{0, 1})
	f.Add([]byte("\x02\x07abcdefghijklmnopqrstuvwxyz0123456789"))
	f.Add([]byte{5, 200, 255, 0, 255, 1, 255, 2, 3, 250, 17, 99, 250, 163, 0, 0, 0, 0, 1, 1, 1, 1})
	long := make([]byte, 600)
	for i := range long {
		long[i] = byte(i * 37)
	}
	f.Add(long)
	presets := configs.Names()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 || len(data) > 4096 {
			return
		}
		r := load(t, presets[int(data[0])%len(presets)])
		c := newChecker(r, hasReferee(r), 1000)
		c.table = sim.NewTable(c.rules, uint64(data[1]))
		c.shadow = newShadow(c.rules, c.table.MatchState(), c.table.DealerChair())
		answers := &bytesAgent{data: data[2:], table: &c.table, t: t}
		seats := [4]sim.Agent{answers, answers, answers, answers}
		for !c.table.Over() && !answers.done() {
			if err := c.play(&seats); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// bytesAgent answers by the next byte: below 250 the legal action of that number,
// from 250 on it first tries the action named by the byte after.
type bytesAgent struct {
	data  []byte
	table *sim.Table
	t     *testing.T
}

func (b *bytesAgent) done() bool { return len(b.data) == 0 }

func (b *bytesAgent) next() byte {
	if b.done() {
		return 0
	}
	n := b.data[0]
	b.data = b.data[1:]
	return n
}

func (b *bytesAgent) Act(v sim.View) sim.Action {
	legal := v.Legal()
	n := b.next()
	if n >= 250 {
		a, p := sim.Action(b.next()), sim.Player(b.next()%8)-2
		before := *b.table
		may := sim.ActionSet{}
		if p >= 0 && p < 4 {
			may = b.table.Legal(p)
		}
		copied := *b.table
		events, err := copied.Step(p, a, nil)
		var illegal *sim.IllegalActionError
		switch {
		case may.Has(a) && err != nil:
			b.t.Fatalf("player %d: the legal %v is refused: %v", p, a, err)
		case !may.Has(a) && !errors.Is(err, sim.ErrNotAsked) && !errors.As(err, &illegal):
			b.t.Fatalf("player %d: %v gives the error %v", p, a, err)
		case !may.Has(a) && (copied != before || events != nil):
			b.t.Fatalf("player %d: the refused %v changed the table", p, a)
		}
	}
	return legal.Nth(int(n) % legal.Len())
}
