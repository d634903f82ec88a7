package table

import (
	"cmp"
	"slices"

	"github.com/sparrowhall/sparrowhall/insight/aim"
	"github.com/sparrowhall/sparrowhall/insight/belief"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// coach comments on the choices of one person. All that it reads is the person's view.
type coach struct {
	adviser    sim.Adviser
	estimator  belief.Estimator
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

// option is an answer and what it leads to.
type option struct {
	Action int `json:"action"`
	// Tile is the face that is discarded, NoFace for other answers.
	Tile int `json:"tile"`
	// Shanten is that of the hand after the answer: 0 ready, -1 complete.
	Shanten int `json:"shanten"`
	// Useful are the kinds that lower the shanten, of a ready hand those that it waits for,
	// each with the number of its tiles that the person cannot see.
	Useful [][2]int `json:"useful"`
	// Furiten is set if the person's own discards forbid a win on a discard.
	Furiten bool `json:"furiten,omitempty"`
	// Loss is by how many points the adviser rates the option below Best, DealIn the
	// probability of dealing in; nil where they are not estimated.
	Loss   *float64 `json:"loss"`
	DealIn *float64 `json:"deal_in"`
	// Reasons say why the discard is safe or dangerous against each of the rivals.
	Reasons []reason `json:"reasons,omitempty"`
}

// rival is a player who may be ready, with the probability.
type rival struct {
	Player   int     `json:"player"`
	Declared bool    `json:"declared"`
	Ready    float64 `json:"ready"`
}

// reason is a sentence on a discard against a player, by its key. F and G are faces in it.
type reason struct {
	Player int    `json:"p"`
	Key    string `json:"key"`
	F      int    `json:"f"`
	G      int    `json:"g"`
}

// rivalAbove is the probability of a ready hand from which a player counts as a rival.
const rivalAbove = 0.15

// advise returns the advice on a decision of the viewer, nil if there is nothing to compare.
func (c *coach) advise(v sim.View) *advice {
	legal := v.Legal()
	if legal.Len() < 2 || v.Phase() == sim.PhaseBetween {
		return nil
	}
	c.candidates = c.adviser.Advise(v, c.candidates[:0])
	list := c.candidates
	a := &advice{Best: int(list[0].Action), Options: []option{}, Rivals: []rival{}}
	c.estimator.Observe(v)
	players := c.rivals(v)
	for _, r := range players {
		a.Rivals = append(a.Rivals, rival{int(r.player), v.Ready(r.player) != sim.NotReady, r.ready})
	}
	points := func(thousandths int64) *float64 {
		p := float64(thousandths) / 1000 / float64(v.Rules().Unit())
		return &p
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
				o.Shanten, o.Useful, o.Furiten = c.outlook(v, &h, tile.NoKind)
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
		return cmp.Or(first(x)-first(y), cmp.Compare(loss(x), loss(y)), x.Shanten-y.Shanten, tiles(y.Useful)-tiles(x.Useful))
	})
	return a
}

// tiles is the number of tiles of an outlook.
func tiles(useful [][2]int) (n int) {
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
			if f := faceOf(c.Action, drawn); !f.IsFlower() && !done.Has(f.Kind()) {
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
		list = append(list, discardedFace{a, faceOf(a, drawn)})
	}
	return list
}

// faceOf returns the tile that a discard gives away.
func faceOf(a sim.Action, drawn tile.Face) tile.Face {
	switch {
	case a == sim.ActDiscardDrawn || a == sim.ActReadyDrawn:
		return drawn
	case a.DeclaresReady():
		return tile.Face(a - sim.ActReady)
	}
	return tile.Face(a - sim.ActDiscard)
}

// discard returns the option of a discard.
func (c *coach) discard(v sim.View, a sim.Action, f tile.Face, rivals []readyChance) option {
	k := f.Kind()
	o := option{Action: int(a), Tile: int(f)}
	h := v.Hand()
	h.Remove(k)
	o.Shanten, o.Useful, o.Furiten = c.outlook(v, &h, k)
	if c.estimator.HasNetwork() {
		none := 1.0
		for i := 1; i < v.Rules().NumSeats(); i++ {
			chance, _ := c.estimator.DealIn(v.PlayerAfter(i), k)
			none *= 1 - float64(chance)/belief.Unit
		}
		chance := 1 - none
		o.DealIn = &chance
	}
	for _, r := range rivals {
		o.Reasons = append(o.Reasons, c.reason(v, r.player, k))
	}
	return o
}

// outlook returns the shanten of a hand between turns, the kinds that lower it or that it waits
// for, and whether it is furiten once k, NoKind for none, has been discarded.
func (c *coach) outlook(v sim.View, h *hand.Hand, k tile.Kind) (shanten int, useful [][2]int, furiten bool) {
	r := v.Rules()
	var melds []hand.Meld
	for i := range v.NumMelds(v.Player()) {
		melds = append(melds, v.Meld(v.Player(), i))
	}
	shanten = r.HandShanten(h, melds)
	var kinds tile.Set
	if shanten == 0 {
		kinds = r.HandWaits(h, melds)
		own := v.River(v.Player())
		if k != tile.NoKind {
			own |= k.Bit()
		}
		furiten = r.RiverLock == ruleset.LockHand && kinds&own != 0
	} else {
		for n := range tile.Kind(tile.NumKinds) {
			if v.Unseen(n) == 0 || h.Count(n) == 4 {
				continue
			}
			h.Add(n)
			if r.HandShanten(h, melds) < shanten {
				kinds |= n.Bit()
			}
			h.Remove(n)
		}
	}
	useful = [][2]int{}
	for ; kinds != 0; kinds = kinds.Rest() {
		useful = append(useful, [2]int{int(kinds.First()), v.Unseen(kinds.First())})
	}
	return shanten, useful, furiten
}

// readyChance is the probability that a player is ready.
type readyChance struct {
	player sim.Player
	ready  float64
}

// rivals returns the other players who may be ready, the next one first. Without a network of
// beliefs those count who have declared ready or hold no more than one concealed set.
func (c *coach) rivals(v sim.View) (list []readyChance) {
	for i := 1; i < v.Rules().NumSeats(); i++ {
		p := v.PlayerAfter(i)
		chance := 0.0
		switch {
		case c.estimator.HasNetwork():
			chance = float64(c.estimator.EvaluatePlayer(p)) / belief.Unit
		case v.Ready(p) != sim.NotReady:
			chance = 1
		case v.ConcealedLen(p) <= 5:
			chance = 0.5
		}
		if chance > rivalAbove {
			list = append(list, readyChance{p, chance})
		}
	}
	return list
}

// reason returns why a discard of kind k is safe or dangerous against player p, by what all
// players can see and the viewer's own tiles.
func (c *coach) reason(v sim.View, p sim.Player, k tile.Kind) reason {
	safe := c.estimator.SafeKinds(p)
	why := reason{Player: int(p), F: int(k), G: int(k)}
	switch locked := v.Rules().RiverLock != ruleset.LockOff; {
	case locked && v.River(p).Has(k):
		why.Key = "coach_genbutsu"
		return why
	case safe.Has(k):
		why.Key = "coach_passed"
		return why
	case k.IsHonor():
		why.Key, why.G = "coach_honor", v.Unseen(k)
		return why
	}
	// A two-sided wait on k and other needs the two kinds between them.
	open, suji, wall := tile.NoKind, tile.NoKind, tile.NoKind
	sides := 0
	for _, step := range [...]int{-1, 1} {
		rank := k.Rank() + 3*step
		if rank < 0 || rank > 8 {
			continue
		}
		sides++
		other, near, far := tile.Kind(int(k)+3*step), tile.Kind(int(k)+step), tile.Kind(int(k)+2*step)
		switch {
		case v.Unseen(near) == 0:
			wall = near
		case v.Unseen(far) == 0:
			wall = far
		case safe.Has(other):
			suji = other
		default:
			open = other
		}
	}
	switch {
	case open == tile.NoKind && suji != tile.NoKind:
		why.Key, why.G = "coach_suji", int(suji)
	case open == tile.NoKind:
		why.Key, why.G = "coach_wall", int(wall)
	case sides == 2 && suji != tile.NoKind:
		why.Key, why.F, why.G = "coach_half_suji", int(suji), int(open)
	case sides == 2 && wall != tile.NoKind:
		why.Key, why.F, why.G = "coach_half_wall", int(wall), int(open)
	default:
		why.Key, why.G = "coach_open", int(open)
	}
	return why
}
