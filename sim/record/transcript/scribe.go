package transcript

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// scribe writes down events, one line for a turn. It follows the tiles of the
// players by the events alone.
type scribe struct {
	Transcript
	out  *bufio.Writer
	hand int
	// line is the line being written, empty between lines; it is about player
	// speaker.
	line    strings.Builder
	speaker sim.Player

	dealer    sim.Player
	chairs    [sim.NumPlayers]int // of the players
	drawn     tile.Wind           // the round wind, if windDrawn for the match
	windDrawn bool
	seats     [sim.NumPlayers]seat
	dealing   bool
	wins      int // in the match so far
	ura       []tile.Face
	ranks     [sim.NumPlayers]sim.Event
}

// seat is what lies before a player.
type seat struct {
	points    int32
	concealed []tile.Face
	melds     []meld
	flowers   []tile.Face
	won       tile.Face // the winning tile, apart from the concealed ones
	shown     bool
}

// meld is the tiles of a set laid down and its name; hidden ones of others are
// left out of what a player saw.
type meld struct {
	name   string
	tiles  []tile.Face
	hidden bool
}

// handColumn is where the tiles of a player stand, to the right of what he does.
const handColumn = 48

func (s *scribe) heading() {
	fmt.Fprintf(s.out, "match %d, %s, seed %d\n", s.match.Index, s.rules.Name, s.match.Seed)
	for p, name := range s.agents {
		var about []string
		if name != "" {
			about = append(about, name)
		}
		if s.match.Forfeited.Has(sim.Player(p)) {
			about = append(about, "forfeited")
		}
		if about != nil {
			fmt.Fprintf(s.out, "player %d: %s\n", p, strings.Join(about, ", "))
		}
	}
	if s.limited {
		fmt.Fprintf(s.out, "as seen by player %d\n", s.viewer)
	}
}

// say adds to the line of player p what he does, or begins one.
func (s *scribe) say(p sim.Player, format string, args ...any) {
	if s.line.Len() > 0 && s.speaker == p {
		s.line.WriteString(", ")
	} else {
		s.endLine()
		s.speaker = p
		fmt.Fprintf(&s.line, "  %d %v  ", p, s.wind(p))
	}
	fmt.Fprintf(&s.line, format, args...)
}

// note writes a line that is not what a player does.
func (s *scribe) note(format string, args ...any) {
	s.endLine()
	fmt.Fprintf(s.out, "       "+format+"\n", args...)
}

// endLine ends the line being written.
func (s *scribe) endLine() {
	if s.line.Len() > 0 {
		fmt.Fprintln(s.out, s.line.String())
		s.line.Reset()
	}
}

// endWithHand ends the line of player p with his tiles, if they may be seen.
func (s *scribe) endWithHand(p sim.Player) {
	if tiles := s.tilesOf(p); tiles != "" {
		fmt.Fprintf(&s.line, "%*s", max(handColumn-s.line.Len(), 2), "")
		s.line.WriteString(tiles)
	}
	s.endLine()
}

// wind returns the seat wind of player p.
func (s *scribe) wind(p sim.Player) tile.Wind {
	return tile.Wind(s.chairs[p]-s.chairs[s.dealer]) & 3
}

// tilesOf returns what lies before player p as far as it may be seen.
func (s *scribe) tilesOf(p sim.Player) string {
	seat := &s.seats[p]
	var parts []string
	if !s.limited || p == s.viewer || seat.shown {
		tile.SortFaces(seat.concealed)
		held := tile.FormatFaces(seat.concealed)
		if seat.won != tile.NoFace {
			held += " " + seat.won.String()
		}
		parts = append(parts, held)
	}
	for _, m := range seat.melds {
		if s.limited && m.hidden && p != s.viewer && !seat.shown {
			parts = append(parts, m.name)
			continue
		}
		parts = append(parts, m.name+" "+tile.FormatFaces(m.tiles))
	}
	if len(seat.flowers) > 0 {
		parts = append(parts, "flowers "+tile.FormatFaces(seat.flowers))
	}
	return strings.Join(parts, " | ")
}

// event writes down e.
func (s *scribe) event(e sim.Event) {
	if s.dealing && e.Type != sim.EvDeal {
		s.endDeal()
	}
	p := e.Player
	seen := e
	if s.limited {
		seen = e.For(s.viewer, &s.rules.Flow)
	}
	switch e.Type {
	case sim.EvSeats:
		who, wind, drawn := e.Seats()
		s.drawn, s.windDrawn = wind, drawn
		for c, p := range who {
			s.chairs[p] = c
		}
	case sim.EvHandStart:
		s.beginHand(e)
	case sim.EvDeal:
		dealt, _ := e.Deal()
		for _, f := range dealt {
			if f != tile.NoFace {
				s.seats[p].concealed = append(s.seats[p].concealed, f)
			}
		}
	case sim.EvDraw:
		s.seats[p].concealed = append(s.seats[p].concealed, e.Tile)
		s.draw(seen)
	case sim.EvFlower:
		s.seats[p].take(e.Tile)
		s.seats[p].flowers = append(s.seats[p].flowers, e.Tile)
		s.say(p, "flower %v", e.Tile)
	case sim.EvFlowerChoice:
		// A win is told by its own event.
		if !e.FlowerChoice() {
			s.say(p, "takes the award")
		}
	case sim.EvDiscard:
		s.seats[p].take(e.Tile)
		mark := ""
		if drawn, _ := e.Discard(); drawn {
			mark = "*"
		}
		s.say(p, "discards %v%s", e.Tile, mark)
		s.endWithHand(p)
	case sim.EvReady:
		s.ready(e)
	case sim.EvChi, sim.EvPon, sim.EvOpenKan:
		s.claim(e)
	case sim.EvClosedKan:
		k := e.Tile.Kind()
		s.seats[p].melds = append(s.seats[p].melds, meld{"closed kan", s.seats[p].takeAll(k), !s.rules.ClosedKanVisible})
		if seen.Tile == tile.NoFace {
			s.say(p, "closed kan")
		} else {
			s.say(p, "closed kan %v", e.Tile)
		}
	case sim.EvAddedKan:
		s.addedKan(e)
	case sim.EvIndicator:
		if e.Ura() {
			s.ura = append(s.ura, e.Tile)
		} else {
			s.note("dora indicator %v", e.Tile)
		}
	case sim.EvDeclare:
		if e.Declare() {
			s.say(p, "ready")
			break
		}
		s.say(p, "not ready")
		s.endLine()
	case sim.EvExhausted:
		s.note("the wall is exhausted")
	case sim.EvAbort:
		s.note("the hand is aborted: %v", e.Abort())
	case sim.EvWin:
		s.win(e)
	case sim.EvReveal:
		if e.Reveal() {
			s.say(p, "shows closed kan %v", e.Tile)
			break
		}
		s.seats[p].shown = true
		s.endWithHand(p)
	case sim.EvValue:
		s.value(e)
	case sim.EvPay:
		s.pay(e)
	case sim.EvDebt:
		if debtor, owed := e.Debt(); owed.Points == 0 {
			s.note("%d owes %d nothing now", debtor, p)
		} else {
			s.note("%d owes %d %s from %d in a row", debtor, p, s.rules.PointsText(owed.Points), owed.Wins)
		}
	case sim.EvHandEnd:
		s.endHand(e)
	case sim.EvPlacement:
		s.ranks[p] = e
	case sim.EvForfeit:
		s.say(p, "forfeits")
		s.endLine()
	case sim.EvTruncated:
		s.note("the match is cut off")
	case sim.EvMatchEnd:
		s.standings()
	}
}

// beginHand writes the head of a hand.
func (s *scribe) beginHand(e sim.Event) {
	round, _, counter, deposits := e.HandStart()
	s.dealer = e.Player
	s.dealing = true
	s.ura = s.ura[:0]
	for p := range s.seats {
		s.seats[p] = seat{points: s.seats[p].points, won: tile.NoFace}
	}
	wind := tile.Wind(round)
	if s.windDrawn {
		wind = s.drawn
	}
	fmt.Fprintf(s.out, "\nhand %d: round %v, dealer %d, counter %d, deposits %d\n",
		s.hand, wind, s.dealer, counter, deposits)
}

// endDeal writes the dealt hands.
func (s *scribe) endDeal() {
	s.dealing = false
	for p := range sim.Player(sim.NumPlayers) {
		fmt.Fprintf(&s.line, "  %d %v  %s points", p, s.wind(p), s.rules.PointsText(s.seats[p].points))
		s.endWithHand(p)
	}
}

func (s *scribe) draw(e sim.Event) {
	verb := "draws"
	switch from, _ := e.Draw(); from {
	case sim.FromDeal:
		verb = "is dealt"
	case sim.FromKan, sim.FromFlower:
		verb = "replaces"
	}
	if e.Tile == tile.NoFace {
		s.say(e.Player, "%s", verb)
	} else {
		s.say(e.Player, "%s %v", verb, e.Tile)
	}
}

// readyNames are the declarations by their tiers.
var readyNames = [...]string{
	sim.ReadyOrdinary: "ready", sim.ReadyDouble: "double ready",
	sim.ReadyHuman: "ready (human)", sim.ReadyEarth: "ready (earth)", sim.ReadyHeaven: "ready (heaven)",
}

func (s *scribe) ready(e sim.Event) {
	tier, accepted := e.Ready()
	verb := "declares"
	if accepted {
		verb = "is"
	}
	s.say(e.Player, "%s %s", verb, readyNames[tier])
}

// claim writes down a chi, pon or open kan.
func (s *scribe) claim(e sim.Event) {
	p, k := e.Player, e.Tile.Kind()
	giver, place, reds := e.Call()
	name, own := "pon", []tile.Kind{k, k}
	switch e.Type {
	case sim.EvOpenKan:
		name, own = "open kan", []tile.Kind{k, k, k}
	case sim.EvChi:
		low := k - tile.Kind(place)
		name = "chi"
		own = slices.DeleteFunc([]tile.Kind{low, low + 1, low + 2}, func(o tile.Kind) bool { return o == k })
	}
	var tiles []tile.Face
	for _, k := range own {
		f := tile.Face(k)
		if k.IsFive() && reds > 0 {
			f = tile.RedOf(k.Suit())
			reds--
		}
		s.seats[p].take(f)
		tiles = append(tiles, f)
	}
	s.say(p, "%s %v of %d with %s", name, e.Tile, giver, tile.FormatFaces(tiles))
	tiles = append(tiles, e.Tile)
	tile.SortFaces(tiles)
	s.seats[p].melds = append(s.seats[p].melds, meld{name: name, tiles: tiles})
}

func (s *scribe) addedKan(e sim.Event) {
	seat := &s.seats[e.Player]
	seat.take(e.Tile)
	s.say(e.Player, "added kan %v", e.Tile)
	i := slices.IndexFunc(seat.melds, func(m meld) bool { return m.name == "pon" && m.tiles[0].Kind() == e.Tile.Kind() })
	m := &seat.melds[i]
	m.name = "added kan"
	m.tiles = append(m.tiles, e.Tile)
	tile.SortFaces(m.tiles)
}

func (s *scribe) win(e sim.Event) {
	seat := &s.seats[e.Player]
	switch kind, giver := e.Win(); kind {
	case sim.WinSelfDraw:
		seat.take(e.Tile)
		seat.won = e.Tile
		s.say(e.Player, "wins by self-draw")
	case sim.WinFlower:
		if giver == e.Player {
			s.say(e.Player, "wins with the flowers")
		} else {
			s.say(e.Player, "wins with seven flowers, robbing the eighth of %d", giver)
		}
	default:
		seat.won = e.Tile
		s.say(e.Player, "wins on %v of %d", e.Tile, giver)
		if kind == sim.WinRob {
			s.say(e.Player, "robbing the kan")
		}
	}
}

// value writes down what the hand of the last EvWin is worth.
func (s *scribe) value(e sim.Event) {
	if len(s.ura) > 0 {
		s.note("ura indicators %s", tile.FormatFaces(s.ura))
		s.ura = s.ura[:0]
	}
	yakuman := uint8(0)
	if s.wins < len(s.match.Values) {
		v := &s.match.Values[s.wins]
		yakuman = v.Yakuman
		all := s.rules.Patterns()
		var patterns []string
		for _, p := range v.Patterns[:v.NumPatterns] {
			patterns = append(patterns, fmt.Sprintf("%s %d", all[p.Pattern].ID, p.Points))
		}
		s.note("%s", strings.Join(patterns, ", "))
	}
	s.wins++
	points, han, fu := e.Worth()
	switch {
	case yakuman > 0:
		s.note("%d yakuman, %d points", yakuman, points)
	case han > 0:
		s.note("%d han, %d fu, %d points", han, fu, points)
	default:
		s.note("%d points", points)
	}
}

func (s *scribe) pay(e sim.Event) {
	from, to, amount, reason := e.Pay()
	move := func(p sim.Player, amount int32) string {
		if p == sim.Player(ruleset.Pot) {
			return "the pot"
		}
		s.seats[p].points += amount
		return fmt.Sprint(int(p))
	}
	s.note("%s pays %s to %s (%v)", move(from, -amount), s.rules.PointsText(amount), move(to, amount), reason)
}

func (s *scribe) endHand(e sim.Event) {
	var points []string
	for p := range s.seats {
		points = append(points, s.rules.PointsText(s.seats[p].points))
	}
	deal := "passes"
	if stays, _, _ := e.HandEnd(); stays {
		deal = "stays"
	}
	s.note("points %s; the deal %s", strings.Join(points, " "), deal)
}

// standings writes the players by rank.
func (s *scribe) standings() {
	fmt.Fprintln(s.out, "\nstandings")
	slices.SortStableFunc(s.ranks[:], func(a, b sim.Event) int { return cmp.Compare(a.Detail, b.Detail) })
	for _, e := range s.ranks {
		rank, placement := e.Placement()
		fmt.Fprintf(s.out, "  %d  player %d  %s points, placement %+.2f", rank, e.Player,
			s.rules.PointsText(s.seats[e.Player].points), float64(placement)/ruleset.PlacementUnit)
		if name := s.agents[e.Player]; name != "" {
			fmt.Fprintf(s.out, "  %s", name)
		}
		fmt.Fprintln(s.out)
	}
}

// take removes a tile from the concealed ones.
func (s *seat) take(f tile.Face) {
	i := slices.Index(s.concealed, f)
	s.concealed = slices.Delete(s.concealed, i, i+1)
}

// takeAll removes all tiles of a kind and returns them as they are shown.
func (s *seat) takeAll(k tile.Kind) []tile.Face {
	var taken []tile.Face
	s.concealed = slices.DeleteFunc(s.concealed, func(f tile.Face) bool {
		if f.Kind() != k {
			return false
		}
		taken = append(taken, f)
		return true
	})
	tile.SortFaces(taken)
	return taken
}
