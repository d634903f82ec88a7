package cases

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Answer is what a case is worth. As JSON it is the answer line.
type Answer struct {
	// ID is that of the case, null if it has none.
	ID json.RawMessage `json:"id"`
	// Win reports whether the hand may win, Reason why not.
	Win    bool   `json:"win"`
	Reason string `json:"reason,omitempty"`
	// Patterns and what follows are what the hand is worth, or would have been
	// worth; they are left out if the tiles make no hand. Han and Fu are
	// riichi's, left out for a yakuman.
	Patterns []Pattern `json:"patterns,omitzero"`
	Han      int       `json:"han,omitempty"`
	Fu       int       `json:"fu,omitempty"`
	Faan     *int      `json:"faan,omitempty"` // of families that count them, after the cap
	Tai      *int      `json:"tai,omitempty"`  // of families that count them, after the cap, with the dealer item
	Points   *int      `json:"points,omitempty"`
	// Payments is what every player gains and pays, sticks included; it is left
	// out if the case does not say who gave the winning tile.
	Payments *Payments `json:"payments,omitempty"`
}

// Payments is the change of points by seat wind. There is no N, and it is left out of
// JSON, with three players.
type Payments struct {
	E, S, W int
	N       *int `json:"N,omitempty"`
}

// Pattern is a pattern and what it counts, as JSON an array of the two.
type Pattern struct {
	// ID is the name of the pattern, Points what it counts in the unit of its family.
	ID     string
	Points int
}

// MarshalJSON writes [id, points].
func (p Pattern) MarshalJSON() ([]byte, error) { return json.Marshal([]any{p.ID, p.Points}) }

// Loader returns the rules of a preset or file with some knobs changed, none if
// overrides is empty.
type Loader func(name string, overrides map[string]any) (*ruleset.Rules, error)

// Score answers a line by the ruleset it names, or else by the default one. If
// the line is unusable, the answer has the error, and ok is false. The answer
// ends without a newline.
func Score(line []byte, defaultRuleset string, load Loader) (answer []byte, ok bool) {
	c, err := Parse(line)
	if err == nil {
		var r *ruleset.Rules
		if r, err = c.rules(defaultRuleset, load); err == nil {
			var a Answer
			if a, err = c.Answer(r); err == nil {
				return marshal(a), true
			}
		}
	}
	return marshal(struct {
		ID    json.RawMessage `json:"id"`
		Error string          `json:"error"`
	}{c.ID, err.Error()}), false
}

// marshal writes v without escaping the letters of HTML.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // answers have no values without a form
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func (c *Case) rules(defaultRuleset string, load Loader) (*ruleset.Rules, error) {
	name := cmp.Or(c.Ruleset, defaultRuleset)
	if name == "" {
		return nil, errors.New("ruleset: missing")
	}
	r, err := load(name, c.Config)
	if err != nil {
		return nil, fmt.Errorf("ruleset: %w", err)
	}
	return r, nil
}

// Answer values the case under r.
func (c *Case) Answer(r *ruleset.Rules) (Answer, error) {
	a := Answer{ID: c.ID}
	w, err := c.Win(r)
	if err != nil {
		return a, err
	}
	winner := ruleset.Winner{Chair: ruleset.Chair(c.Seat), Responsible: ruleset.NoChair}
	if err := c.liability(r, &winner); err != nil {
		return a, err
	}
	var v ruleset.Value
	r.Value(&w, &v)
	if !v.Shape {
		a.Reason = "the tiles make no complete hand"
		return a, nil
	}
	patterns := r.Patterns()
	a.Patterns = []Pattern{}
	for _, p := range v.Patterns[:v.NumPatterns] {
		a.Patterns = append(a.Patterns, Pattern{patterns[p.Pattern].ID, int(p.Points)})
	}
	a.Han, a.Fu = int(v.Han), int(v.Fu)
	points := int(v.Points)
	a.Points = &points
	if faan := int(v.Base); r.Traits.CountsFaan {
		a.Faan = &faan
	}
	if tai := int(v.Base); r.Traits.CountsTai {
		for _, p := range a.Patterns {
			if p.ID == "dealer" {
				tai += p.Points
			}
		}
		a.Tai = &tai
	}
	winner.Value = v
	if v.OK {
		a.Win, a.Payments = true, c.payments(r, winner)
	} else if a.Reason = fmt.Sprintf("the hand does not reach min_win = %d", r.MinWin); c.Flags&ruleset.FlagRobbingClosedKan != 0 && r.RobClosedKan == ruleset.RobClosedOrphans {
		a.Reason = "only thirteen orphans may rob a closed kan"
	}
	return a, c.checkDealer(r, &a, winner)
}

// checkDealer holds the points of a hand with a dealer item against what the
// seats say is paid, or would be if the hand were worth enough to win. It returns an error if the
// case says dealer otherwise than its seats.
func (c *Case) checkDealer(r *ruleset.Rules, a *Answer, w ruleset.Winner) error {
	paid := c.payments(r, w)
	if !r.Traits.TakesCaseWord("dealer") || paid == nil {
		return nil
	}
	payers := 1
	if c.SelfDraw {
		if c.Seat != 0 {
			return nil // the dealer alone may pay an item
		}
		payers = ruleset.NumPlayers - 1
	}
	gain := [...]int{paid.E, paid.S, paid.W, *paid.N}[c.Seat]
	if gain == payers**a.Points {
		return nil
	}
	if slices.Contains(c.given, "dealer") {
		who := fmt.Sprintf("seat %v and self_draw true", c.Seat)
		if c.From != nil {
			who = fmt.Sprintf("seat %v and from %v", c.Seat, *c.From)
		}
		return fmt.Errorf("dealer: %v disagrees with %s, where East deals: the hand has %d points, but %d are paid for it",
			c.Dealer, who, *a.Points, gain/payers)
	}
	// Nothing is said, and the item applies.
	with := *c
	with.Dealer, with.given = true, append(slices.Clone(c.given), "dealer")
	var err error
	*a, err = with.Answer(r)
	return err
}

// payments settles the win at a table where East deals, so that chairs are seat
// winds. It returns nil if the case does not say who gave the winning tile.
func (c *Case) payments(r *ruleset.Rules, w ruleset.Winner) *Payments {
	s := ruleset.Settlement{
		Winners: [3]ruleset.Winner{w}, NumWinners: 1, From: ruleset.NoChair, Counter: c.Counter,
		Deposits: c.Deposits,
	}
	winner := &s.Winners[0]
	if !c.SelfDraw {
		if c.From == nil {
			return nil
		}
		s.From = ruleset.Chair(*c.From)
		winner.Responsible = s.From
	}
	if p := c.Responsible; p != nil {
		winner.Responsible = ruleset.NoChair
		if !p.None {
			winner.Responsible = ruleset.Chair(p.Wind)
		}
	}
	s.Robbed = c.Flags&anyRob != 0
	r.Settle(&s)
	var net [ruleset.NumPlayers + 1]int
	for _, p := range s.Payments[:s.NumPayments] {
		net[p.From] -= int(p.Amount)
		net[p.To] += int(p.Amount)
	}
	for creditor, debts := range s.Ledger {
		for debtor, d := range debts {
			net[creditor] += int(d.Points)
			net[debtor] -= int(d.Points)
		}
	}
	if r.HalfPoints {
		for i := range net {
			net[i] /= 2
		}
	}
	p := &Payments{E: net[0], S: net[1], W: net[2]}
	if r.NumSeats() == 4 {
		p.N = &net[3]
	}
	return p
}

// liability enters the liable players into w.
func (c *Case) liability(r *ruleset.Rules, w *ruleset.Winner) error {
	for bit := range w.Liable {
		w.Liable[bit] = ruleset.NoChair
	}
	var ids [ruleset.NumLiabilities]string
	if l, ok := r.Scorer.(interface {
		Liabilities() [ruleset.NumLiabilities]string
	}); ok {
		ids = l.Liabilities()
	}
	if !slices.Contains(c.given, "liable") {
		c.followLiability(r, w)
		return nil
	}
	for order, l := range c.Liable {
		bit := slices.Index(ids[:], l.Pattern)
		if bit < 0 || l.Pattern == "" {
			known := slices.DeleteFunc(slices.Clone(ids[:]), func(id string) bool { return id == "" })
			return fmt.Errorf("liable: %q: the ruleset knows liability for %s",
				clip(l.Pattern), strings.Join(append(known, "nothing else"), ", "))
		}
		if !c.canBeLiable(r, l, bit) {
			return fmt.Errorf("liable: %s: no meld that %v can have given makes a player liable for it", l.Pattern, l.Wind)
		}
		w.Liable[bit] = ruleset.Chair(l.Wind)
		w.LiableOrder[bit] = uint8(order)
	}
	return nil
}

// Check returns an error that names the first member of expect, an object, that
// the answer lacks or has another value for. Patterns are compared as a set, and
// one given without its value by its id alone.
func Check(expect, answer []byte) error {
	want, err := split(expect)
	if err != nil {
		return fmt.Errorf("expect: %w", err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(answer, &got); err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	for _, m := range want {
		equal := sameValue
		if m.name == "patterns" {
			equal = samePatterns
		}
		if value, ok := got[m.name]; !ok || !equal(m.value, value) {
			return fmt.Errorf("%s: want %s, got %s in %s", m.name, m.value, value, answer)
		}
	}
	return nil
}

func sameValue(want, got json.RawMessage) bool {
	var a, b any
	return json.Unmarshal(want, &a) == nil && json.Unmarshal(got, &b) == nil && reflect.DeepEqual(a, b)
}

func samePatterns(want, got json.RawMessage) bool {
	var a, b [][]any
	if json.Unmarshal(want, &a) != nil || json.Unmarshal(got, &b) != nil || len(a) != len(b) {
		return false
	}
	for _, p := range a {
		i := slices.IndexFunc(b, func(q []any) bool {
			return len(p) > 0 && len(p) <= len(q) && reflect.DeepEqual(p, q[:len(p)])
		})
		if i < 0 {
			return false
		}
		b = slices.Delete(b, i, i+1)
	}
	return true
}
