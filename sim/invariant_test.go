package sim_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

type meld = hand.Meld

// sample returns how many times to try: few in a quick run, more with SPARROWHALL_LONG set.
func sample(quick, long int) int {
	if os.Getenv("SPARROWHALL_LONG") != "" {
		return long
	}
	return quick
}

// A checker plays matches and looks for broken invariants at every decision.
type checker struct {
	rules   *ruleset.Rules
	judging bool             // compare with the referee; for the rules it knows
	deep    int              // every so many decisions try all actions and re-deal, the costly part
	wall    func() *sim.Wall // of the next hand, nil for those of the seed
	set     [tile.NumFaces]int

	table     sim.Table
	shadow    *shadow
	events    []sim.Event
	actions   []sim.Action
	decisions int
	redeals   int
}

func newChecker(r *ruleset.Rules, judging bool, deep int) *checker {
	return &checker{rules: r, judging: judging, deep: deep, set: fullSet(r)}
}

// match plays one match and returns what went wrong first.
func (c *checker) match(seed uint64, agents *[4]sim.Agent) error {
	c.table = sim.NewTable(c.rules, seed)
	c.shadow = newShadow(c.rules, c.table.MatchState(), c.table.DealerChair())
	if !c.judging {
		c.shadow.law = nil
	}
	c.events, c.actions = c.events[:0], c.actions[:0]
	for !c.table.Over() {
		if err := c.play(agents); err != nil {
			return fmt.Errorf("seed %d, hand %d, decision %d: %w", seed, c.shadow.hands, len(c.actions), err)
		}
	}
	if err := c.shadow.compare(&c.table); err != nil {
		return err
	}
	if !c.shadow.over || c.table.Asked() != 0 {
		return fmt.Errorf("over without a last event, or asking %b", c.table.Asked())
	}
	if c.wall != nil {
		return nil
	}
	return c.replay(seed)
}

// play starts a hand, or lets all players asked answer.
func (c *checker) play(agents *[4]sim.Agent) error {
	t := &c.table
	if t.Phase() == sim.PhaseDeal {
		if t.Asked() != 0 {
			return fmt.Errorf("players %b asked before the deal", t.Asked())
		}
		n := len(c.events)
		if c.wall != nil {
			c.events = t.StartHandFrom(c.wall(), c.events)
		} else {
			c.events = t.StartHand(c.events)
		}
		return c.absorb(c.events[n:], nil)
	}
	if err := c.decision(); err != nil {
		return err
	}
	if err := t.CheckWaits(); err != nil {
		return err
	}
	answers := map[sim.Player]sim.Action{}
	n := len(c.events)
	asked := t.Asked()
	for p := range sim.Player(4) {
		if !asked.Has(p) {
			continue
		}
		a := agents[p].Act(t.View(p))
		answers[p] = a
		c.actions = append(c.actions, a)
		if len(c.events) != n {
			return fmt.Errorf("events before the last answer")
		}
		var err error
		if c.events, err = t.Step(p, a, c.events); err != nil {
			return err
		}
	}
	return c.absorb(c.events[n:], answers)
}

// absorb lets the shadow follow the events that came of the answers.
func (c *checker) absorb(events []sim.Event, answers map[sim.Player]sim.Action) error {
	s := c.shadow
	want, decided := s.outcome(answers)
	aborts := s.at == pointClaim && s.abortsNow()
	closing := answers != nil
	for _, e := range events {
		if moves(e.Type) && c.judging {
			switch {
			case !closing:
				if err := s.nobodyAsked(e); err != nil {
					return err
				}
				aborts = s.at == pointClaim && s.abortsNow()
				decided = false
			case decided && want.Type != sim.EvWin && want.Type != sim.EvAbort && aborts:
				want, decided = sim.Event{Type: sim.EvAbort, Player: -1}, true
			}
			if decided && (e.Type != want.Type || e.Player != want.Player) {
				return fmt.Errorf("event %+v; by the rule text %+v follows the answers %v", e, want, answers)
			}
			if !decided && aborts && s.at == pointClaim && e.Type != sim.EvAbort && e.Type != sim.EvWin {
				return fmt.Errorf("event %+v; by the rule text the hand is aborted", e)
			}
			decided, aborts, closing = false, false, false
		}
		if err := s.apply(e); err != nil {
			return fmt.Errorf("event %+v: %w", e, err)
		}
	}
	return nil
}

// moves reports whether an event leads on from a decision point.
func moves(e sim.EventType) bool {
	switch e {
	case sim.EvDraw, sim.EvDiscard, sim.EvChi, sim.EvPon, sim.EvOpenKan, sim.EvClosedKan, sim.EvAddedKan,
		sim.EvKanDone, sim.EvKita, sim.EvKitaDone, sim.EvWin, sim.EvAbort, sim.EvExhausted, sim.EvDeclare, sim.EvHandEnd:
		return true
	}
	return false
}

// decision checks the table at a decision point.
func (c *checker) decision() error {
	t := &c.table
	c.decisions++
	if t.Asked() == 0 {
		return fmt.Errorf("nobody is asked in phase %v", t.Phase())
	}
	for p := range sim.Player(4) {
		for k, n := range t.View(p).UnseenCounts() {
			if want := t.View(p).Unseen(tile.Kind(k)); int(n) != want {
				return fmt.Errorf("%d tiles of kind %d unseen by player %d, want %d", n, k, p, want)
			}
		}
		legal := t.Legal(p)
		if err := checkSet(legal); err != nil {
			return err
		}
		if asked := t.Asked().Has(p); asked != (legal.Len() >= 2) || !asked && legal != (sim.ActionSet{}) {
			return fmt.Errorf("player %d asked: %v, with %d legal actions", p, asked, legal.Len())
		}
		if v := t.View(p); v.Legal() != legal {
			return fmt.Errorf("player %d sees other legal actions than the table has", p)
		}
	}
	if err := c.shadow.compare(t); err != nil {
		return err
	}
	if got := tilesOf(t); c.shadow.playing && (got != c.set || c.shadow.tiles(t) != c.set) {
		return fmt.Errorf("tiles are not conserved: %v", got)
	}
	if c.judging {
		if err := c.shadow.judge(t); err != nil {
			return err
		}
	}
	if c.decisions%c.deep != 0 {
		return nil
	}
	if err := tryAll(t); err != nil {
		return err
	}
	if err := secrets(t); err != nil {
		return err
	}
	return c.redeal()
}

// checkSet checks the forms of a set of actions against each other.
func checkSet(legal sim.ActionSet) error {
	actions := legal.AppendTo(nil)
	if len(actions) != legal.Len() || !slices.IsSorted(actions) || len(slices.Compact(slices.Clone(actions))) != len(actions) {
		return fmt.Errorf("legal actions %v of a set of %d", actions, legal.Len())
	}
	var back sim.ActionSet
	for i, a := range actions {
		back.Add(a)
		if legal.Nth(i) != a || !legal.Has(a) || a >= sim.NumAllActions {
			return fmt.Errorf("action %d of %v is %v", i, actions, legal.Nth(i))
		}
	}
	if back != legal || len(actions) > 0 && legal.First() != actions[0] {
		return fmt.Errorf("legal actions %v differ from their mask", actions)
	}
	return nil
}

// tilesOf counts all tiles of the hand by what the players see of their own.
func tilesOf(t *sim.Table) (n [tile.NumFaces]int) {
	for _, f := range t.WallTiles() {
		n[f]++
	}
	if f := t.KanTile(); f != tile.NoFace {
		n[f]++
	}
	for p := range sim.Player(4) {
		v := t.View(p)
		for _, f := range concealed(v) {
			n[f]++
		}
		addFlowers(&n, v.Flowers(p))
		n[tile.North] += v.Norths(p)
		for i := range v.NumMelds(p) {
			m := v.Meld(p, i)
			for j := range tile.Kind(3) {
				k := m.Kind
				if m.Type == hand.Chi {
					k += j
				}
				n[k]++
			}
			if m.Type.IsKan() {
				n[m.Kind]++
			}
			// The red fives of the meld were counted as ordinary ones.
			for k := m.Kind; m.Reds > 0 && k < m.Kind+3; k++ {
				if k.IsFive() {
					n[k] -= int(m.Reds)
					n[tile.RedOf(k.Suit())] += int(m.Reds)
					break
				}
			}
		}
	}
	v := t.View(0)
	for i := range v.NumDiscards() {
		if d := v.Discard(i); !d.Claimed {
			n[d.Tile]++
		}
	}
	return n
}

// tryAll checks that an action is accepted if and only if it is listed, that a
// refused one changes nothing, and that copies of the table step alike.
func tryAll(t *sim.Table) error {
	before := *t
	given := make([]sim.Event, 1, 256)
	for p := sim.Player(-1); p <= 4; p++ {
		asked := p >= 0 && p < 4 && t.Asked().Has(p)
		legal := sim.ActionSet{}
		if asked {
			legal = t.Legal(p)
		}
		for a := range 256 {
			a := sim.Action(a)
			if legal.Has(a) {
				if err := twice(t, p, a); err != nil {
					return err
				}
				continue
			}
			events, err := t.Step(p, a, given)
			var illegal *sim.IllegalActionError
			switch {
			case err == nil:
				return fmt.Errorf("player %d: %v is accepted but not listed", p, a)
			case asked && (!errors.As(err, &illegal) || illegal.Player != p || illegal.Action != a || illegal.Phase != t.Phase()):
				return fmt.Errorf("player %d, %v: error %v", p, a, err)
			case !asked && !errors.Is(err, sim.ErrNotAsked):
				return fmt.Errorf("player %d, who is not asked, %v: error %v", p, a, err)
			case *t != before || len(events) != len(given):
				return fmt.Errorf("player %d: the refused %v changed the table", p, a)
			}
		}
	}
	return nil
}

// twice takes a listed action on two copies of the table.
func twice(t *sim.Table, p sim.Player, a sim.Action) error {
	x, y := *t, *t
	before := *t
	ex, err := x.Step(p, a, nil)
	if err != nil {
		return fmt.Errorf("player %d: the listed %v is refused: %w", p, a, err)
	}
	ey, err := y.Step(p, a, nil)
	if err != nil || x != y || !slices.Equal(ex, ey) {
		return fmt.Errorf("player %d: %v leads two copies of a table apart", p, a)
	}
	if *t != before {
		return fmt.Errorf("player %d: a copy's %v changed the table", p, a)
	}
	return nil
}

// secrets checks that no answer shows before all are given: what a player sees
// is the same whatever another has answered.
func secrets(t *sim.Table) error {
	for p := range sim.Player(4) {
		for q := range sim.Player(4) {
			if p == q || !t.Asked().Has(p) || !t.Asked().Has(q) {
				continue
			}
			before := look(t.View(q))
			legal := t.Legal(p)
			for a := range legal.All {
				c := *t
				if _, err := c.Step(p, a, nil); err != nil {
					return err
				}
				if _, err := c.Step(p, a, nil); !errors.Is(err, sim.ErrNotAsked) || c.Legal(p) != (sim.ActionSet{}) {
					return fmt.Errorf("player %d may answer twice: %v", p, err)
				}
				if diff := before.differs(look(c.View(q))); diff != "" {
					return fmt.Errorf("player %d sees that %d answered %v: %s", q, p, a, diff)
				}
			}
		}
	}
	return nil
}

// A fact is what a method of a view returned for some arguments.
type fact struct {
	method  reflect.Method
	in, out []reflect.Value
}

// sight is everything a view shows.
type sight []fact

// viewMethods are the methods of a view that show something that its player sees, in order of
// their names.
var viewMethods = func() (list []reflect.Method) {
	for m := range reflect.TypeFor[sim.View]().Methods() {
		switch {
		case strings.HasPrefix(m.Name, "Redeal"), m.Name == "DrawnDiscardMarks", m.Name == "Masked":
		case m.Name == "AfterDiscard", m.Name == "Prospect": // the tests of package facts re-deal too
		default:
			list = append(list, m)
		}
	}
	return list
}()

var (
	playerArguments = argumentsOf[sim.Player](4)
	kindArguments   = argumentsOf[tile.Kind](tile.NumKinds)
	numberArguments = argumentsOf[int](256)
)

// argumentsOf returns the lists of arguments with one number below n.
func argumentsOf[T ~int | ~int8 | ~uint8](n int) (list [][]reflect.Value) {
	for i := range n {
		list = append(list, []reflect.Value{reflect.ValueOf(T(i))})
	}
	return list
}

// look calls every method of a view with every argument that makes sense.
func look(v sim.View) sight {
	s := make(sight, 0, 512)
	value := reflect.ValueOf(v)
	for _, m := range viewMethods {
		args, ok := arguments(v, m)
		if !ok {
			panic("no arguments known for View." + m.Name)
		}
		for _, in := range args {
			s = append(s, fact{m, in, value.Method(m.Index).Call(in)})
		}
	}
	return s
}

// arguments returns the lists of arguments to call a method of v with.
func arguments(v sim.View, m reflect.Method) ([][]reflect.Value, bool) {
	switch {
	case m.Type.NumIn() == 1:
		return [][]reflect.Value{nil}, true
	case m.Type.NumIn() == 2 && m.Type.In(1) == reflect.TypeFor[sim.Player]():
		return playerArguments, true
	case m.Type.NumIn() == 2 && m.Type.In(1) == reflect.TypeFor[tile.Kind]():
		return kindArguments, true
	case m.Name == "Meld":
		var list [][]reflect.Value
		for p := range sim.Player(4) {
			for i := range v.NumMelds(p) {
				list = append(list, []reflect.Value{playerArguments[p][0], numberArguments[i][0]})
			}
		}
		return list, true
	case m.Name == "Discard" || m.Name == "DiscardMarks":
		return numberArguments[:v.NumDiscards()], true
	case m.Name == "Indicator":
		return numberArguments[:v.NumIndicators()], true
	case m.Name == "PlayerAfter":
		return numberArguments[:4], true
	}
	return nil, false
}

// differs returns the first difference of two sights, or nothing.
func (s sight) differs(o sight) string {
	if len(s) != len(o) {
		return fmt.Sprintf("%d and %d facts", len(s), len(o))
	}
	for i, f := range s {
		if f.method.Index != o[i].method.Index || !slices.EqualFunc(f.in, o[i].in, equal) {
			return fmt.Sprintf("%s %v and %s %v", f.method.Name, f.in, o[i].method.Name, o[i].in)
		}
		if !slices.EqualFunc(f.out, o[i].out, equal) {
			return fmt.Sprintf("%s %v is %v and %v", f.method.Name, f.in, f.out, o[i].out)
		}
	}
	return ""
}

// equal compares values as == does, or deeply where there is no ==.
func equal(a, b reflect.Value) bool {
	if a.Comparable() && b.Comparable() {
		return a.Equal(b)
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// redeal deals the hidden tiles anew for every player asked: nothing he sees may
// change, tiles stay conserved, ready players stay ready, and the hand can be
// played on.
func (c *checker) redeal() error {
	t := &c.table
	for p := range sim.Player(4) {
		if !t.Asked().Has(p) {
			continue
		}
		c.redeals++
		seed := uint64(c.decisions)
		before := *t
		n := t.View(p).Redeal(seed)
		if *t != before {
			return fmt.Errorf("re-dealing changed the table")
		}
		if n != t.View(p).Redeal(seed) {
			return fmt.Errorf("re-dealing twice from one seed differs")
		}
		if diff := look(t.View(p)).differs(look(n.View(p))); diff != "" {
			return fmt.Errorf("player %d sees hidden tiles: %s", p, diff)
		}
		if c.shadow.playing && tilesOf(&n) != c.set {
			return fmt.Errorf("re-dealing does not conserve tiles: %v", tilesOf(&n))
		}
		if !n.Asked().Has(p) {
			return fmt.Errorf("player %d is not asked any more", p)
		}
		for q := range sim.Player(c.rules.NumSeats()) {
			if n.View(q).Ready(q) != sim.NotReady && !isReadyHand(&n, q) {
				return fmt.Errorf("player %d is ready no more", q)
			}
			if c.rules.Flowers != ruleset.OptionalFlowers && n.View(q).HeldFlowers() != 0 {
				return fmt.Errorf("player %d holds a flower, which is replaced at once", q)
			}
			// What is concealed and what lies in melds is a hand, with or without a drawn
			// tile, once the flowers are replaced that a player may win with instead.
			v := t.View(q)
			extra := v.ConcealedLen(q) + 3*v.NumMelds(q) - c.rules.HandSize
			if v.Phase() != sim.PhaseFlowers && (extra < 0 || extra > 1) {
				return fmt.Errorf("player %d holds %d tiles beside %d melds", q, v.ConcealedLen(q), v.NumMelds(q))
			}
			if n.View(q).ConcealedLen(q) != v.ConcealedLen(q) {
				return fmt.Errorf("player %d holds another number of tiles", q)
			}
			if legal := n.Legal(q); legal != (sim.ActionSet{}) && legal.Len() < 2 {
				return fmt.Errorf("player %d is asked without a choice", q)
			}
		}
		if c.judging && c.shadow.riichi {
			if err := relocked(t, &n, p); err != nil {
				return err
			}
		}
		// The knobs that differ from the presets in this are too many.
		if slices.Contains([]string{"universal", "zung_jung", "hkma_hktw"}, c.rules.Name) {
			if err := relockedByLaw(t, &n, p); err != nil {
				return err
			}
		}
		if err := finish(n, c.set, seed); err != nil {
			return fmt.Errorf("playing on after a re-deal: %w", err)
		}
	}
	return nil
}

// relocked checks that the furiten of players who were dealt new hands follows
// from what they have let pass (2.9): since their last own turn, or since their
// declaration.
func relocked(old, t *sim.Table, viewer sim.Player) error {
	for p := range sim.Player(4) {
		v := t.View(p)
		if p == viewer || v.Hand() == old.View(p).Hand() || v.Waits() == 0 {
			continue
		}
		last := v.NumDiscards() - 1
		if t.Phase() == sim.PhaseClaim {
			last--
		}
		furiten := v.Waits()&v.River(p) != 0
		mine := p == v.Turn() && t.Phase() != sim.PhaseDeclare
		furiten = furiten || (!mine || v.Ready(p) != sim.NotReady) && v.Waits()&unrobbed(t, p, v.NumDiscards()) != 0
		for i := last; i >= 0 && (!mine || v.Ready(p) != sim.NotReady); i-- {
			d := v.Discard(i)
			if d.Player == p && (v.Ready(p) == sim.NotReady || d.Ready) {
				break
			}
			furiten = furiten || d.Player != p && v.Waits().Has(d.Tile.Kind()) || v.Waits()&unrobbed(t, p, i) != 0
		}
		if got := v.Furiten(v.Waits().First()); got != furiten {
			return fmt.Errorf("re-dealt player %d waits for %v, furiten %v; by his discards %v", p, v.Waits(), got, furiten)
		}
	}
	return nil
}

// finish plays a table at random to the end of the hand.
func finish(t sim.Table, set [tile.NumFaces]int, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := 0; t.Asked() != 0 && t.Phase() != sim.PhaseBetween; i++ {
		if i > 1000 {
			return fmt.Errorf("the hand does not end")
		}
		if got := tilesOf(&t); got != set {
			return fmt.Errorf("tiles are not conserved: %v", got)
		}
		asked := t.Asked()
		for p := range sim.Player(4) {
			if legal := t.Legal(p); asked.Has(p) {
				if _, err := t.Step(p, legal.Nth(rng.IntN(legal.Len())), nil); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// replay plays the match again from its actions alone.
func (c *checker) replay(seed uint64) error {
	m := sim.Match{Seed: seed}
	if err := m.Replay(c.rules, c.actions, 0); err != nil {
		return err
	}
	if !slices.Equal(m.Events, c.events) {
		return fmt.Errorf("the replayed match has other events")
	}
	if !slices.Equal(m.Actions, c.actions) || m.Final != *c.table.Final() || m.Decisions != c.table.Decisions() || m.Truncated != c.table.Truncated() {
		return fmt.Errorf("the replayed match ends otherwise: %+v", m)
	}
	if len(m.Hands) != c.shadow.hands {
		return fmt.Errorf("%d hands marked, %d played", len(m.Hands), c.shadow.hands)
	}
	for _, h := range m.Hands {
		if typ := m.Events[h.FirstEvent].Type; typ != sim.EvHandStart && typ != sim.EvSeats {
			return fmt.Errorf("a hand begins with %+v", m.Events[h.FirstEvent])
		}
	}
	return nil
}

// TestInvariants plays matches under every preset; where there is a referee he
// looks on. One match is whole, of the long sample 30, since random players often need
// hundreds of hands for one, and the others have the hands of four rounds.
func TestInvariants(t *testing.T) {
	for _, preset := range configs.Names() {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			whole, rounds := load(t, preset), load(t, preset)
			rounds.MaxHands = 16
			c := newChecker(whole, hasReferee(whole), sample(71, 23))
			matches := sample(6, 1000)
			for i := range matches {
				if i == sample(1, 30) {
					c.rules = rounds
				}
				// The whole match is of closeds, who win, so that it ends.
				if err := c.match(uint64(i), &tables[(i+1)%len(tables)]); err != nil {
					t.Fatalf("table %d: %v", (i+1)%len(tables), err)
				}
			}
			t.Logf("%d matches, %d decisions, %d re-deals", matches, c.decisions, c.redeals)
		})
	}
}
