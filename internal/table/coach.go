package table

import (
	"cmp"
	"slices"

	"github.com/sparrowhall/sparrowhall/internal/insight/aim"
	"github.com/sparrowhall/sparrowhall/internal/insight/reasons"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// coach comments on the choices of one person. All that it reads is the person's view.
type coach struct {
	adviser    sim.Adviser
	reader     reasons.Reader
	candidates []sim.Candidate
}

// advice is the data of a message with the comments on the question that follows. It goes to the
// person who is asked alone.
type advice struct {
	Question int64 `json:"question"`
	// Best is the answer of the adviser. Lead is by how many points it rates Best above its
	// second choice, nil where it does not compare.
	Best int      `json:"best"`
	Lead *float64 `json:"lead"`
	// Options are the discards and the other answers that the adviser compares, its own first.
	Options []option `json:"options"`
	// Rivals are the players who may be ready, the next one first.
	Rivals []rival `json:"rivals"`
}

// option is an answer with the hand that it leaves and its cost.
type option struct {
	Action int `json:"action"`
	// Tile is the face that is discarded, NoFace for other answers.
	Tile int `json:"tile"`
	// Shanten is the shanten after the answer: -1 complete, 0 one tile from it. Whether that tile
	// would win is among the facts of the question.
	Shanten int `json:"shanten"`
	// Useful is the ukeire: the kinds that lower the shanten, of a hand that waits its waits, each
	// with the number of its tiles that the person cannot see.
	Useful [][2]int `json:"useful"`
	// Loss is by how many points the adviser rates the option below Best, DealIn the
	// probability of a deal-in; nil where they are not estimated.
	Loss   *float64 `json:"loss"`
	DealIn *float64 `json:"deal_in"`
	// Reasons explain why the discard is safe or dangerous against each of the rivals.
	Reasons []reason `json:"reasons,omitempty"`
}

// rival is a player who may be ready, with the probability.
type rival struct {
	Player   int     `json:"player"`
	Declared bool    `json:"declared"`
	Ready    float64 `json:"ready"`
}

// reason is a sentence on a discard against a player, by its key in the files of languages. F and
// G are faces in the sentence.
type reason struct {
	Player int    `json:"p"`
	Key    string `json:"key"`
	F      int    `json:"f"`
	G      int    `json:"g"`
}

// advise returns the advice on a decision of the viewer, nil if there is nothing to compare.
func (c *coach) advise(v sim.View) *advice {
	legal := v.Legal()
	if legal.Len() < 2 || v.Phase() == sim.PhaseBetween {
		return nil
	}
	c.candidates = c.adviser.Advise(v, c.candidates[:0])
	list := c.candidates
	a := &advice{Best: int(list[0].Action), Options: []option{}, Rivals: []rival{}}
	c.reader.Observe(v)
	players := c.reader.Rivals()
	for _, r := range players {
		a.Rivals = append(a.Rivals, rival{int(r.Player), r.Declared, r.Ready})
	}
	points := func(thousandths int64) *float64 {
		return new(float64(thousandths) / 1000 / float64(v.Rules().Unit()))
	}
	if len(list) > 1 && list[0].Total > list[1].Total {
		a.Lead = points(list[0].Total - list[1].Total)
	}
	compared := map[sim.Action]*float64{}
	dealIn := map[sim.Action]float64{}
	for _, x := range list {
		if len(list) > 1 {
			compared[x.Action] = points(max(0, list[0].Total-x.Total))
			dealIn[x.Action] = float64(x.DealIn) / 1e6
		}
	}
	for _, f := range discards(v, &legal, list) {
		o := c.discard(v, f.action, f.face, players)
		o.Loss = compared[f.action]
		if chance, ok := dealIn[f.action]; ok && o.DealIn == nil {
			o.DealIn = &chance
		}
		a.Options = append(a.Options, o)
	}
	for _, x := range list {
		if !x.Action.IsDiscard() && len(list) > 1 {
			o := option{Action: int(x.Action), Tile: int(tile.NoFace), Shanten: int(x.Shanten), Useful: [][2]int{}, Loss: compared[x.Action]}
			if x.Action == sim.ActPass {
				h := v.Hand()
				o.setOutlook(v, c.reader.Outlook(&h, tile.NoKind))
			}
			a.Options = append(a.Options, o)
		}
	}
	slices.SortStableFunc(a.Options, func(x, y option) int {
		first := func(o option) int {
			if o.Action == a.Best {
				return 0
			}
			return 1
		}
		loss := func(o option) float64 {
			if o.Loss == nil {
				return 1e12
			}
			return *o.Loss
		}
		return cmp.Or(first(x)-first(y), cmp.Compare(loss(x), loss(y)), x.Shanten-y.Shanten, countTiles(y.Useful)-countTiles(x.Useful))
	})
	return a
}

func countTiles(useful [][2]int) (n int) {
	for _, u := range useful {
		n += u[1]
	}
	return n
}

// discardedFace is a discard and its tile.
type discardedFace struct {
	action sim.Action
	face   tile.Face
}

// discards returns one discard for each kind that may be discarded: that of the candidates, or
// the one that keeps a red five.
func discards(v sim.View, legal *sim.ActionSet, candidates []sim.Candidate) (list []discardedFace) {
	drawn := v.Drawn()
	var done tile.Set
	for _, c := range candidates {
		if c.Action.IsDiscard() {
			if f := reasons.DiscardedTile(c.Action, drawn); !f.IsFlower() && !done.Has(f.Kind()) {
				done |= f.Kind().Bit()
				list = append(list, discardedFace{c.Action, f})
			}
		}
	}
	if drawn.IsFlower() {
		return list
	}
	plain := aim.NewDiscardActions(legal, drawn, false)
	for kinds := plain.Kinds() &^ done; kinds != 0; kinds = kinds.Rest() {
		a := plain.Action(kinds.First())
		list = append(list, discardedFace{a, reasons.DiscardedTile(a, drawn)})
	}
	return list
}

func (c *coach) discard(v sim.View, a sim.Action, f tile.Face, rivals []reasons.Rival) option {
	k := f.Kind()
	o := option{Action: int(a), Tile: int(f)}
	o.setOutlook(v, c.reader.AfterDiscard(k))
	if chance, ok := c.reader.DealIn(k); ok {
		o.DealIn = &chance
	}
	for _, r := range rivals {
		d := c.reader.Danger(r.Player, k)
		o.Reasons = append(o.Reasons, reason{int(r.Player), "coach_" + d.Class.String(), d.F, d.G})
	}
	return o
}

// setOutlook sets the shanten and ukeire.
func (o *option) setOutlook(v sim.View, l reasons.Outlook) {
	o.Shanten, o.Useful = l.Shanten, [][2]int{}
	for kinds := l.Useful; kinds != 0; kinds = kinds.Rest() {
		o.Useful = append(o.Useful, [2]int{int(kinds.First()), v.Unseen(kinds.First())})
	}
}
