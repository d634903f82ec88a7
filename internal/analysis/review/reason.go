package review

import (
	"fmt"
	"reflect"

	"github.com/sparrowhall/sparrowhall/internal/insight/facts"
	"github.com/sparrowhall/sparrowhall/internal/insight/reasons"
	"github.com/sparrowhall/sparrowhall/internal/interval"
	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// situation is a decision with the data for its reasons.
type situation struct {
	decision *Decision
	view     sim.View
	reader   *reasons.Reader
	rivals   []reasons.Rival
	// ready is the word for a ready declaration.
	ready phrase
	// chosen and better are the evaluations of the judge, nil where it does not compare.
	chosen, better *sim.Candidate
}

// explain sets the kind, the reason and the words of a decision that has been judged.
func (o *rollouts) explain(d *Decision) {
	s := o.situationAt(d)
	d.words = s.wording()
	if d.Kind, d.reasons = s.reasons(); len(d.reasons) > 0 {
		d.Reason = joined(d.reasons).in(board.Languages[0])
	}
}

// rate returns the judge's evaluations at a decision. Where the player agrees with the judge, the decision is
// about what the next best answer would have differed in.
func (o *rollouts) rate(d Decision) Rating {
	r := Rating{Step: d.Step, Player: d.Player, Losses: []Loss{}, agrees: d.Choice == d.Better}
	if r.agrees {
		legal := d.table.Legal(d.Player)
		for a := range legal.All {
			if a != d.Better {
				d.Choice = a
			}
		}
	}
	v := d.table.View(d.Player)
	if a, ok := sim.As[sim.Adviser](o.judge); ok {
		o.candidates = a.Advise(v, o.candidates[:0])
		for i, c := range o.candidates {
			r.Losses = append(r.Losses, Loss{c.Action, interval.Number(float64(o.candidates[0].Total-c.Total) / (1000 * o.unit))})
			if r.agrees && i == 1 {
				d.Choice = c.Action
			}
		}
	}
	if r.agrees {
		s := o.situationAt(&d)
		r.kind, _ = s.reasons()
	}
	return r
}

// situationAt returns the data for the reasons of a decision.
func (o *rollouts) situationAt(d *Decision) situation {
	s := situation{decision: d, view: d.table.View(d.Player), reader: &o.reader, ready: phrase{key: "riichi"}}
	if s.view.Rules().Ready != ruleset.Riichi {
		s.ready.key = "ready"
	}
	o.reader.Observe(s.view)
	s.rivals = o.reader.Rivals()
	if a, ok := sim.As[sim.Adviser](o.judge); ok {
		o.candidates = a.Advise(s.view, o.candidates[:0])
		for i := range o.candidates {
			switch c := &o.candidates[i]; c.Action {
			case d.Choice:
				s.chosen = c
			case d.Better:
				s.better = c
			}
		}
	}
	return s
}

// isCall reports whether an action claims a tile or declares a kan.
func isCall(a sim.Action) bool {
	return a >= sim.ActChi && a < sim.ActWin || a == sim.ActKita
}

// reasons returns what the decision is about, and why the judge's answer is better.
func (s *situation) reasons() (Kind, []phrase) {
	a, b := s.decision.Choice, s.decision.Better
	wins := func(a sim.Action) bool { return a == sim.ActWin || a == sim.ActFlowerWin }
	switch {
	case wins(a) || wins(b):
		return Wins, s.winReasons(wins(b))
	case isCall(a) || isCall(b):
		return Calls, s.callReasons()
	case a.DeclaresReady() != b.DeclaresReady():
		return Ready, s.readyReasons()
	case a.IsDiscard() && b.IsDiscard():
		return s.discardReasons()
	}
	return Others, nil
}

func (s *situation) winReasons(passed bool) []phrase {
	if passed {
		return []phrase{{key: "passed_win"}}
	}
	return []phrase{{key: "win_too_small"}}
}

// shantenText returns the words for a hand by its shanten. One tile from a complete shape is ready
// only if some wait wins, which ready reports.
func shantenText(n int, ready bool) phrase {
	switch {
	case n < 0:
		return phrase{key: "complete"}
	case n == 0 && ready:
		return phrase{key: "is_ready"}
	case n == 0:
		return phrase{key: "one_tile"}
	}
	return phrase{"shanten", values{"n": n}}
}

// shanten returns the shanten after an action that the judge compares; for passing, that of
// the hand.
func (s *situation) shanten(a sim.Action, c *sim.Candidate) (n int, ok bool) {
	if a == sim.ActPass {
		h := s.view.Hand()
		return s.reader.Outlook(&h, tile.NoKind).Shanten, true
	}
	if c == nil {
		return 0, false
	}
	return int(c.Shanten), true
}

func (s *situation) callReasons() (list []phrase) {
	before, knownBefore := s.shanten(s.decision.Choice, s.chosen)
	after, knownAfter := s.shanten(s.decision.Better, s.better)
	v := s.view
	switch {
	case s.decision.Choice == sim.ActPass && knownBefore && knownAfter && after < before:
		list = append(list, phrase{"call_nearer", values{"after": shantenText(after, false), "before": shantenText(before, false)}})
	case s.decision.Better == sim.ActPass && knownBefore && knownAfter && before >= after:
		list = append(list, phrase{key: "call_no_nearer"})
	}
	if isCall(s.decision.Choice) && s.decision.Choice < sim.ActClosedKan && !isCall(s.decision.Better) && v.Rules().Ready != ruleset.NoReady && v.Rules().ReadyClosedOnly && !v.IsOpen(v.Player()) {
		list = append(list, phrase{"open_not_ready", values{"ready": s.ready}})
	}
	return append(list, s.valueReasons()...)
}

// valueReasons returns what the judge expects of the two answers, if they differ enough.
func (s *situation) valueReasons() []phrase {
	if s.chosen == nil || s.better == nil {
		return nil
	}
	unit := 1000 * float64(s.view.Rules().Unit())
	gain, risk := float64(s.better.Gain-s.chosen.Gain)/unit, float64(s.chosen.Risk-s.better.Risk)/unit
	switch {
	case max(gain, risk) < 1:
	case gain > risk:
		return []phrase{{"more_wins", values{"n": pointsText(s.view.Rules(), gain)}}}
	default:
		return []phrase{{"more_deal_in", values{"n": pointsText(s.view.Rules(), risk)}}}
	}
	return nil
}

func (s *situation) readyReasons() []phrase {
	a, ready := s.decision.Choice, s.decision.Better
	late := a.DeclaresReady()
	if late {
		a, ready = ready, a
	}
	if !ready.IsDiscard() {
		return s.valueReasons()
	}
	o := s.outlookAfter(ready)
	switch {
	case o.Furiten && late:
		return []phrase{{key: "wait_is_furiten"}}
	case late:
		return append([]phrase{{"ready_late", values{"tiles": counted(o.Tiles, "tiles")}}}, s.valueReasons()...)
	}
	return []phrase{{"was_ready", values{"tiles": counted(o.Tiles, "tiles")}}}
}

// readyAfter reports whether some wait wins once a tile of kind k has been discarded.
func (s *situation) readyAfter(k tile.Kind) bool {
	for _, d := range facts.Of(s.view).Discards {
		if reasons.DiscardedTile(d.Action, s.decision.Drawn).Kind() == k && d.Ready() {
			return true
		}
	}
	return false
}

func (s *situation) outlookAfter(a sim.Action) reasons.Outlook {
	f := reasons.DiscardedTile(a, s.decision.Drawn)
	if f.IsFlower() {
		h := s.view.Hand()
		return s.reader.Outlook(&h, tile.NoKind)
	}
	return s.reader.AfterDiscard(f.Kind())
}

func (s *situation) discardReasons() (Kind, []phrase) {
	a, b := reasons.DiscardedTile(s.decision.Choice, s.decision.Drawn), reasons.DiscardedTile(s.decision.Better, s.decision.Drawn)
	if a.IsFlower() || b.IsFlower() || a.Kind() == b.Kind() {
		return Efficiency, s.redReason(a, b)
	}
	slow, worse := s.handReasons(a.Kind(), b.Kind())
	danger, compared := s.dangerReason(a.Kind(), b.Kind())
	if s.isDora(a) && !s.isDora(b) {
		slow = append(slow, phrase{key: "lost_dora"})
	}
	gain, risk := 0.0, 0.0
	if s.chosen != nil && s.better != nil {
		gain, risk = float64(s.better.Gain-s.chosen.Gain), float64(s.chosen.Risk-s.better.Risk)
	}
	switch {
	case compared > 0 && (len(slow) == 0 || risk > gain):
		return Defense, append(slow, danger)
	case compared < 0 && worse:
		return Defense, append(slow, phrase{key: "folded"})
	case len(slow) == 0:
		return Efficiency, s.valueReasons()
	}
	if compared > 0 {
		slow = append(slow, danger)
	}
	return Efficiency, slow
}

func (s *situation) redReason(a, b tile.Face) []phrase {
	if a.IsRed() && !b.IsRed() {
		return []phrase{{key: "lost_red"}}
	}
	return s.valueReasons()
}

// isDora reports whether a tile is a red five or dora.
func (s *situation) isDora(f tile.Face) bool {
	v := s.view
	for i := range v.NumIndicators() {
		if v.Rules().DoraOf(v.Indicator(i).Kind()) == f.Kind() {
			return true
		}
	}
	return f.IsRed()
}

// handReasons compares the hands that two discards leave. worse reports whether the first one is
// worse.
func (s *situation) handReasons(a, b tile.Kind) (list []phrase, worse bool) {
	h := s.view.Hand()
	x, y := s.reader.AfterDiscard(a), s.reader.AfterDiscard(b)
	broken := shapeOf(&h, a)
	switch {
	case x.Shanten > y.Shanten:
		if broken.key != "" {
			list = append(list, phrase{"broke", values{"shape": broken}})
		}
		return append(list, phrase{"slower", values{"after": shantenText(x.Shanten, s.readyAfter(a)), "before": shantenText(y.Shanten, s.readyAfter(b))}}), true
	case x.Shanten < y.Shanten:
		return nil, false
	case x.Furiten && !y.Furiten:
		return []phrase{{key: "wait_was_furiten"}}, true
	case x.Tiles >= y.Tiles:
		return nil, false
	}
	if broken.key != "" && !reflect.DeepEqual(broken, shapeOf(&h, b)) {
		list = append(list, phrase{"broke", values{"shape": broken}})
	}
	if x.Shanten == 0 {
		return append(list, phrase{"fewer_waits", values{"tiles": counted(x.Tiles, "tiles"), "n": y.Tiles}}), true
	}
	return append(list, phrase{"fewer_useful", values{"tiles": counted(x.Tiles, "tiles"), "n": y.Tiles}}), true
}

// shapeOf returns the part of a hand that a discard of kind k breaks, the zero phrase for none.
func shapeOf(h *hand.Hand, k tile.Kind) phrase {
	holds := func(step int) bool {
		rank := k.Rank() + step
		return !k.IsHonor() && rank >= 0 && rank <= 8 && h.Count(tile.Kind(int(k)+step)) > 0
	}
	shape := func(key string, steps ...int) phrase {
		var tiles []tile.Kind
		for _, step := range steps {
			tiles = append(tiles, tile.Kind(int(k)+step))
		}
		return phrase{key, values{"tiles": tiles}}
	}
	twoTiles := func(low int) phrase { // a shape of two tiles from k+low on
		if rank := k.Rank() + low; rank == 0 || rank == 7 {
			return shape("edge_wait", low, low+1)
		}
		return shape("two_sided_wait", low, low+1)
	}
	switch n := h.Count(k); {
	case n >= 3:
		return phrase{"triplet", values{"f": k}}
	case n == 2:
		return phrase{"pair", values{"f": k}}
	case holds(-2) && holds(-1):
		return shape("sequence", -2, -1, 0)
	case holds(-1) && holds(1):
		return shape("sequence", -1, 0, 1)
	case holds(1) && holds(2):
		return shape("sequence", 0, 1, 2)
	case holds(1):
		return twoTiles(0)
	case holds(-1):
		return twoTiles(-1)
	case holds(2):
		return shape("closed_wait", 0, 2)
	case holds(-2):
		return shape("closed_wait", -2, 0)
	}
	return phrase{}
}

// dangerReason compares the danger of two discards against the rival where they differ most.
// compared is positive if the first is more dangerous.
func (s *situation) dangerReason(a, b tile.Kind) (text phrase, compared int) {
	most := 0.0
	for _, r := range s.rivals {
		x, y := s.reader.Danger(r.Player, a), s.reader.Danger(r.Player, b)
		if difference := float64(rank(x)-rank(y)) * r.Ready; difference > most || difference < 0 && most <= 0 && difference < most {
			most, compared = difference, rank(x)-rank(y)
			text = phrase{"danger", values{"f": a, "x": dangerText(x), "rival": s.rivalText(r, x), "g": b, "y": dangerText(y)}}
		}
	}
	before, known := s.reader.DealIn(a)
	if after, _ := s.reader.DealIn(b); known && compared > 0 && before > after {
		text = phrase{"deal_in", values{"text": text, "before": percent(before), "after": percent(after)}}
	}
	return text, compared
}

// rank orders dangers: an honor of which three tiles are unseen is as bad as an open suit.
func rank(d reasons.Danger) int {
	if d.Class == reasons.Honor && d.G >= 2 {
		return int(reasons.HalfSuji) + d.G - 2
	}
	return int(d.Class)
}

func dangerText(d reasons.Danger) phrase {
	switch d.Class {
	case reasons.Honor:
		return phrase{"honor", values{"n": d.G}}
	case reasons.Suji, reasons.Wall:
		return phrase{d.Class.String(), values{"k": tile.Kind(d.G)}}
	case reasons.HalfWall:
		return phrase{d.Class.String(), values{"k": tile.Kind(d.F)}}
	}
	return phrase{key: d.Class.String()}
}

// rivalText names a rival to whom a discard is dangerous or not.
func (s *situation) rivalText(r reasons.Rival, d reasons.Danger) phrase {
	to := "against_"
	if d.Class == reasons.Open {
		to = "to_"
	}
	wind := phrase{key: fmt.Sprint("wind", int(s.view.SeatWind(r.Player)&3))}
	if r.Declared {
		return phrase{to + "declared", values{"wind": wind, "ready": s.ready}}
	}
	return phrase{to + "rival", values{"wind": wind, "n": percent(r.Ready)}}
}

func percent(x float64) string {
	switch {
	case x < .0005:
		return "0 %"
	case x < .095:
		return fmt.Sprintf("%.1f %%", 100*x)
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}
