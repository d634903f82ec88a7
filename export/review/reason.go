package review

import (
	"fmt"
	"strings"

	"github.com/sparrowhall/sparrowhall/insight/reasons"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/hand"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// situation is a decision with the data for its reasons.
type situation struct {
	*Decision
	view   sim.View
	reader *reasons.Reader
	rivals []reasons.Rival
	// riichi is the word for a ready declaration.
	riichi string
	// chosen and better are the evaluations of the judge, nil where it does not compare.
	chosen, better *sim.Candidate
}

// explain sets the kind, the reason and the words of a decision that has been judged.
func (o *rollouts) explain(d *Decision) {
	s := situation{Decision: d, view: d.table.View(d.Player), reader: &o.reader, riichi: "riichi"}
	if s.view.Rules().Ready != ruleset.Riichi {
		s.riichi = "ready"
	}
	o.reader.Observe(s.view)
	s.rivals = o.reader.Rivals()
	if a, ok := o.judge.(sim.Adviser); ok {
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
	d.words = wording{choice: s.gerund(d.Choice), better: s.presentTense(d.Better)}
	var list []string
	d.Kind, list = s.reasons()
	d.Reason = strings.Join(list, ", and ")
}

// isCall reports whether an action claims a tile or declares a kan.
func isCall(a sim.Action) bool {
	return a >= sim.ActChi && a < sim.ActWin || a == sim.ActKita
}

// reasons returns what the decision is about, and why the judge's answer is better.
func (s *situation) reasons() (Kind, []string) {
	a, b := s.Choice, s.Better
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

func (s *situation) winReasons(passed bool) []string {
	if passed {
		return []string{"it passed a win"}
	}
	return []string{"the hand was worth more if it went on"}
}

// shantenText returns a shanten in words.
func shantenText(n int) string {
	switch {
	case n < 0:
		return "complete"
	case n == 0:
		return "ready"
	}
	return fmt.Sprintf("%d-shanten", n)
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

func (s *situation) callReasons() (list []string) {
	before, knownBefore := s.shanten(s.Choice, s.chosen)
	after, knownAfter := s.shanten(s.Better, s.better)
	v := s.view
	switch {
	case s.Choice == sim.ActPass && knownBefore && knownAfter && after < before:
		list = append(list, fmt.Sprintf("the call makes the hand %s instead of %s", shantenText(after), shantenText(before)))
	case s.Better == sim.ActPass && knownBefore && knownAfter && before >= after:
		list = append(list, "it brings the hand no nearer to ready")
	}
	if isCall(s.Choice) && s.Choice < sim.ActClosedKan && !isCall(s.Better) && v.Rules().Ready != ruleset.NoReady && v.Rules().ReadyClosedOnly && !v.IsOpen(v.Player()) {
		list = append(list, "the open hand can no longer declare "+s.riichi)
	}
	return append(list, s.valueReasons()...)
}

// valueReasons returns what the judge expects of the two answers, if they differ enough.
func (s *situation) valueReasons() []string {
	if s.chosen == nil || s.better == nil {
		return nil
	}
	unit := 1000 * float64(s.view.Rules().Unit())
	gain, risk := float64(s.better.Gain-s.chosen.Gain)/unit, float64(s.chosen.Risk-s.better.Risk)/unit
	switch {
	case max(gain, risk) < 1:
	case gain > risk:
		return []string{fmt.Sprintf("the judge expects about %s more from the hand's wins", s.amount(gain))}
	default:
		return []string{fmt.Sprintf("the judge expects to lose about %s more by dealing in", s.amount(risk))}
	}
	return nil
}

// amount formats points.
func (s *situation) amount(points float64) string {
	return pointsText(s.view.Rules(), points) + " points"
}

func (s *situation) readyReasons() []string {
	a, ready := s.Choice, s.Better
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
		return []string{"the wait is furiten"}
	case late:
		return append([]string{fmt.Sprintf("the hand waits for %s only and can no longer change", digits.Count(o.Tiles, "tile"))}, s.valueReasons()...)
	}
	return []string{fmt.Sprintf("the hand was ready, with %s to wait for", digits.Count(o.Tiles, "tile"))}
}

// outlookAfter returns the outlook after a discard.
func (s *situation) outlookAfter(a sim.Action) reasons.Outlook {
	f := reasons.DiscardedTile(a, s.Drawn)
	if f.IsFlower() {
		h := s.view.Hand()
		return s.reader.Outlook(&h, tile.NoKind)
	}
	return s.reader.AfterDiscard(f.Kind())
}

func (s *situation) discardReasons() (Kind, []string) {
	a, b := reasons.DiscardedTile(s.Choice, s.Drawn), reasons.DiscardedTile(s.Better, s.Drawn)
	if a.IsFlower() || b.IsFlower() || a.Kind() == b.Kind() {
		return Efficiency, s.redReason(a, b)
	}
	slow, worse := s.handReasons(a.Kind(), b.Kind())
	danger, compared := s.dangerReason(a.Kind(), b.Kind())
	if s.isDora(a) && !s.isDora(b) {
		slow = append(slow, "it gave up a dora")
	}
	gain, risk := 0.0, 0.0
	if s.chosen != nil && s.better != nil {
		gain, risk = float64(s.better.Gain-s.chosen.Gain), float64(s.chosen.Risk-s.better.Risk)
	}
	switch {
	case compared > 0 && (len(slow) == 0 || risk > gain):
		return Defence, append(slow, danger)
	case compared < 0 && worse:
		return Defence, append(slow, "it folded a hand that was worth the risk")
	case len(slow) == 0:
		return Efficiency, s.valueReasons()
	}
	if compared > 0 {
		slow = append(slow, danger)
	}
	return Efficiency, slow
}

func (s *situation) redReason(a, b tile.Face) []string {
	if a.IsRed() && !b.IsRed() {
		return []string{"it gave up a red five"}
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
func (s *situation) handReasons(a, b tile.Kind) (list []string, worse bool) {
	h := s.view.Hand()
	x, y := s.reader.AfterDiscard(a), s.reader.AfterDiscard(b)
	broken := shapeOf(&h, a)
	switch {
	case x.Shanten > y.Shanten:
		if broken != "" {
			list = append(list, "it broke "+broken)
		}
		return append(list, fmt.Sprintf("the hand was then %s instead of %s", shantenText(x.Shanten), shantenText(y.Shanten))), true
	case x.Shanten < y.Shanten:
		return nil, false
	case x.Furiten && !y.Furiten:
		return []string{"the wait was furiten"}, true
	case x.Tiles >= y.Tiles:
		return nil, false
	}
	if broken != "" && broken != shapeOf(&h, b) {
		list = append(list, "it broke "+broken)
	}
	if x.Shanten == 0 {
		return append(list, fmt.Sprintf("the hand then waited for %s instead of %d", digits.Count(x.Tiles, "tile"), y.Tiles)), true
	}
	return append(list, fmt.Sprintf("then %s improved the hand instead of %d", digits.Count(x.Tiles, "tile"), y.Tiles)), true
}

// shapeOf returns the part of a hand that a discard of kind k breaks, empty for none.
func shapeOf(h *hand.Hand, k tile.Kind) string {
	holds := func(step int) bool {
		rank := k.Rank() + step
		return !k.IsHonor() && rank >= 0 && rank <= 8 && h.Count(tile.Kind(int(k)+step)) > 0
	}
	name := func(from, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(tile.Kind(int(k) + from + i).String())
		}
		return b.String()
	}
	twoTiles := func(low int) string { // a shape of two tiles from k+low on
		if rank := k.Rank() + low; rank == 0 || rank == 7 {
			return "the edge wait " + name(low, 2)
		}
		return "the two-sided wait " + name(low, 2)
	}
	switch n := h.Count(k); {
	case n >= 3:
		return "a triplet of " + k.String()
	case n == 2:
		return "a pair of " + k.String()
	case holds(-2) && holds(-1):
		return "the sequence " + name(-2, 3)
	case holds(-1) && holds(1):
		return "the sequence " + name(-1, 3)
	case holds(1) && holds(2):
		return "the sequence " + name(0, 3)
	case holds(1):
		return twoTiles(0)
	case holds(-1):
		return twoTiles(-1)
	case holds(2):
		return "the closed wait " + k.String() + tile.Kind(int(k)+2).String()
	case holds(-2):
		return "the closed wait " + tile.Kind(int(k)-2).String() + k.String()
	}
	return ""
}

// dangerReason compares the danger of two discards against the rival where they differ most.
// compared is positive if the first is more dangerous.
func (s *situation) dangerReason(a, b tile.Kind) (text string, compared int) {
	most := 0.0
	for _, r := range s.rivals {
		x, y := s.reader.Danger(r.Player, a), s.reader.Danger(r.Player, b)
		if difference := float64(rank(x)-rank(y)) * r.Ready; difference > most || difference < 0 && most <= 0 && difference < most {
			most, compared = difference, rank(x)-rank(y)
			text = fmt.Sprintf("%s was %s %s while %s was %s", a, dangerText(x), s.rivalText(r, x), b, dangerText(y))
		}
	}
	before, known := s.reader.DealIn(a)
	if after, _ := s.reader.DealIn(b); known && compared > 0 && before > after {
		text += fmt.Sprintf(" (deal-in %s instead of %s)", percent(before), percent(after))
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

// dangerText describes a danger.
func dangerText(d reasons.Danger) string {
	kind := func(k int) string { return tile.Kind(k).String() }
	switch d.Class {
	case reasons.Genbutsu:
		return "safe (genbutsu)"
	case reasons.Passed:
		return "safe (it was passed before)"
	case reasons.Honor:
		return fmt.Sprintf("an honor with %d more unseen", d.G)
	case reasons.Suji:
		return "suji of " + kind(d.G)
	case reasons.Wall:
		return fmt.Sprintf("behind a wall of %s", kind(d.G))
	case reasons.HalfSuji:
		return "half suji"
	case reasons.HalfWall:
		return "half behind a wall of " + kind(d.F)
	}
	return "dangerous"
}

// winds are the names of the seat winds.
var winds = [...]string{"East", "South", "West", "North"}

// rivalText names a rival to whom a discard is dangerous or not.
func (s *situation) rivalText(r reasons.Rival, d reasons.Danger) string {
	to := "against"
	if d.Class == reasons.Open {
		to = "to"
	}
	wind := winds[s.view.SeatWind(r.Player)&3]
	if r.Declared {
		return fmt.Sprintf("%s %s's %s", to, wind, s.riichi)
	}
	return fmt.Sprintf("%s %s (ready with a chance of %s)", to, wind, percent(r.Ready))
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
