package transcript

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/pages/board"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// writer writes events, one line for a turn.
type writer struct {
	Transcript
	words map[string]string // see [board.Words]
	out   *bufio.Writer
	hand  int
	hands record.Hands
	// line is the line being written, empty between lines; subject is the player that it
	// is about.
	line    strings.Builder
	subject sim.Player

	dealer    sim.Player
	chairs    [sim.NumPlayers]int // of the players
	drawn     tile.Wind           // the round wind, if windDrawn for the match
	windDrawn bool
	seats     [sim.NumPlayers]seat
	dealing   bool
	wins      int         // in the match so far
	events    []sim.Event // of the hand
	payments  *board.Payments
	items     []string // of the payment or debt that is written
	ura       []tile.Face
	ranks     [sim.NumPlayers]sim.Event
}

// seat is the state of a player except for the concealed tiles.
type seat struct {
	points  int32
	melds   []meld
	flowers []tile.Face
	norths  []tile.Face // set aside
	won     tile.Face   // the winning tile, apart from the concealed ones
	shown   bool
}

// meld is a meld with its name. Hidden ones of others are left out of the transcript of a
// player.
type meld struct {
	name   string
	tiles  []tile.Face
	hidden bool
}

// handColumn is the column of a player's tiles, to the right of the actions.
const handColumn = 48

func (s *writer) heading() {
	fmt.Fprintf(s.out, "match %d, %s, seed %d\n", s.match.Index, s.rules.Name, s.match.Seed)
	for p, name := range s.agents[:s.rules.NumSeats()] {
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

// addAction adds an action to the line of player p, or begins one.
func (s *writer) addAction(p sim.Player, format string, args ...any) {
	if s.line.Len() > 0 && s.subject == p {
		s.line.WriteString(", ")
	} else {
		s.endLine()
		s.subject = p
		fmt.Fprintf(&s.line, "  %d %v  ", p, s.wind(p))
	}
	fmt.Fprintf(&s.line, format, args...)
}

// note writes a line that is not an action of a player.
func (s *writer) note(format string, args ...any) {
	s.endLine()
	fmt.Fprintf(s.out, "       "+format+"\n", args...)
}

// endLine ends the line being written.
func (s *writer) endLine() {
	if s.line.Len() > 0 {
		fmt.Fprintln(s.out, s.line.String())
		s.line.Reset()
	}
}

// endWithHand ends the line of player p with the player's tiles, if they are visible.
func (s *writer) endWithHand(p sim.Player) {
	if tiles := s.tilesOf(p); tiles != "" {
		fmt.Fprintf(&s.line, "%*s", max(handColumn-s.line.Len(), 2), "")
		s.line.WriteString(tiles)
	}
	s.endLine()
}

func (s *writer) wind(p sim.Player) tile.Wind {
	return s.rules.SeatWind(ruleset.Chair(s.chairs[p]), ruleset.Chair(s.chairs[s.dealer]))
}

// tilesOf returns the visible tiles of player p as text.
func (s *writer) tilesOf(p sim.Player) string {
	seat := &s.seats[p]
	var parts []string
	if !s.limited || p == s.viewer || seat.shown {
		concealed := s.hands.Concealed[p]
		tile.SortFaces(concealed)
		held := tile.FormatFaces(concealed)
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
	if len(seat.norths) > 0 {
		parts = append(parts, "kita "+tile.FormatFaces(seat.norths))
	}
	return strings.Join(parts, " | ")
}

func (s *writer) event(e sim.Event) {
	if s.dealing && e.Type != sim.EvDeal {
		s.endDeal()
	}
	p := e.Player
	seen := e
	if s.limited {
		seen = e.SeenBy(s.viewer, &s.rules.Flow)
	}
	spent := s.hands.Apply(e)
	var value *ruleset.Value
	if e.Type == sim.EvWin && s.wins < len(s.match.Values) {
		value = &s.match.Values[s.wins]
	}
	s.items = s.items[:0]
	for _, item := range s.payments.Apply(e, value, s.events) {
		s.items = append(s.items, item.Text(s.words, s.rules))
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
	case sim.EvDraw:
		s.draw(seen)
	case sim.EvFlower:
		s.seats[p].flowers = append(s.seats[p].flowers, e.Tile)
		s.addAction(p, "flower %v", e.Tile)
	case sim.EvKita:
		s.seats[p].norths = append(s.seats[p].norths, e.Tile)
		s.addAction(p, "kita %v", e.Tile)
	case sim.EvFlowerChoice:
		// A win has its own event.
		if !e.FlowerChoice() {
			s.addAction(p, "takes the award")
		}
	case sim.EvDiscard:
		mark := ""
		if drawn, _ := seen.Discard(); drawn {
			mark = "*"
		}
		s.addAction(p, "discards %v%s", e.Tile, mark)
		s.endWithHand(p)
	case sim.EvReady:
		s.ready(e)
	case sim.EvChi, sim.EvPon, sim.EvOpenKan:
		s.claim(e, spent)
	case sim.EvClosedKan:
		tile.SortFaces(spent)
		s.seats[p].melds = append(s.seats[p].melds, meld{"closed kan", spent, !s.rules.ClosedKanVisible})
		if seen.Tile == tile.NoFace {
			s.addAction(p, "closed kan")
		} else {
			s.addAction(p, "closed kan %v", e.Tile)
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
			s.addAction(p, "%s", s.words["shanten_ready"])
			break
		}
		s.addAction(p, "%s", s.words["reason_noten"])
		s.endLine()
	case sim.EvExhausted:
		s.note("%s", s.words["exhausted"])
	case sim.EvAbort:
		s.note("%s", s.words["abort_"+e.Abort().String()])
	case sim.EvWin:
		s.win(e)
	case sim.EvReveal:
		if e.Reveal() {
			s.addAction(p, "shows closed kan %v", e.Tile)
			break
		}
		s.seats[p].shown = true
		s.endWithHand(p)
	case sim.EvValue:
		s.value(e)
	case sim.EvPay:
		s.pay(e)
	case sim.EvDebt:
		s.debt(e)
	case sim.EvHandEnd:
		s.endHand(e)
	case sim.EvPlacement:
		s.ranks[p] = e
	case sim.EvForfeit:
		s.addAction(p, "forfeits")
		s.endLine()
	case sim.EvTruncated:
		s.note("%s", s.words["match_truncated"])
	case sim.EvMatchEnd:
		s.standings()
	}
}

func (s *writer) beginHand(e sim.Event) {
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
	fmt.Fprintf(s.out, "\nhand %d: round %v, dealer %d", s.hand, wind, s.dealer)
	if board.CountsRepeats(s.rules) {
		fmt.Fprint(s.out, ", ", s.count("repeat", counter))
	}
	if s.rules.RiichiStick > 0 {
		fmt.Fprint(s.out, ", ", s.count("stick", deposits))
	}
	fmt.Fprintln(s.out)
}

// endDeal writes the dealt hands.
func (s *writer) endDeal() {
	s.dealing = false
	for p := range sim.Player(s.rules.NumSeats()) {
		fmt.Fprintf(&s.line, "  %d %v  %s points", p, s.wind(p), s.rules.PointsText(s.seats[p].points))
		s.endWithHand(p)
	}
}

func (s *writer) draw(e sim.Event) {
	verb := "draws"
	switch from, _ := e.Draw(); from {
	case sim.FromDeal:
		verb = "is dealt"
	case sim.FromKan, sim.FromFlower, sim.FromKita:
		verb = "replaces"
	}
	if e.Tile == tile.NoFace {
		s.addAction(e.Player, "%s", verb)
	} else {
		s.addAction(e.Player, "%s %v", verb, e.Tile)
	}
}

// ready writes a declaration, and its name alone once no player has won on the discard.
func (s *writer) ready(e sim.Event) {
	tier, accepted := e.Ready()
	name := s.words[board.ReadyKey(s.rules, tier)]
	if !accepted {
		name = "declares " + name
	}
	s.addAction(e.Player, "%s", name)
}

// say returns a sentence with a number for each name in braces.
func (s *writer) say(key string, values ...any) string {
	pairs := make([]string, len(values))
	for i, v := range values {
		pairs[i] = fmt.Sprint(v)
	}
	return strings.NewReplacer(pairs...).Replace(s.words[key])
}

// count returns a number of things, whose plural has the key of the singular and an s.
func (s *writer) count(key string, n int) string {
	if n != 1 {
		key += "s"
	}
	return s.say(key, "{n}", n)
}

// claim writes a chi, pon or open kan with tiles of the hand.
func (s *writer) claim(e sim.Event, own []tile.Face) {
	name := map[sim.EventType]string{sim.EvChi: "chi", sim.EvPon: "pon", sim.EvOpenKan: "open kan"}[e.Type]
	giver, _, _ := e.Call()
	s.addAction(e.Player, "%s %v of %d with %s", name, e.Tile, giver, tile.FormatFaces(own))
	tiles := append(own, e.Tile)
	tile.SortFaces(tiles)
	s.seats[e.Player].melds = append(s.seats[e.Player].melds, meld{name: name, tiles: tiles})
}

func (s *writer) addedKan(e sim.Event) {
	seat := &s.seats[e.Player]
	s.addAction(e.Player, "added kan %v", e.Tile)
	i := slices.IndexFunc(seat.melds, func(m meld) bool { return m.name == "pon" && m.tiles[0].Kind() == e.Tile.Kind() })
	m := &seat.melds[i]
	m.name = "added kan"
	m.tiles = append(m.tiles, e.Tile)
	tile.SortFaces(m.tiles)
}

func (s *writer) win(e sim.Event) {
	seat := &s.seats[e.Player]
	kind, giver := e.Win()
	switch kind {
	case sim.WinSelfDraw:
		s.hands.Remove(e.Player, e.Tile)
		seat.won = e.Tile
		s.addAction(e.Player, "wins by self-draw")
	case sim.WinFlower:
		if giver == e.Player {
			s.addAction(e.Player, "wins with the flowers")
		} else {
			s.addAction(e.Player, "wins with seven flowers, robbing the eighth of %d", giver)
		}
	default:
		seat.won = e.Tile
		s.addAction(e.Player, "wins on %v of %d", e.Tile, giver)
		switch kind {
		case sim.WinRob:
			s.addAction(e.Player, "robbing the kan")
		case sim.WinRobKita:
			s.addAction(e.Player, "set aside")
		}
	}
}

// value writes the value of the hand of the last EvWin.
func (s *writer) value(e sim.Event) {
	if len(s.ura) > 0 {
		s.note("ura indicators %s", tile.FormatFaces(s.ura))
		s.ura = s.ura[:0]
	}
	var worth []string
	points, han, fu := e.HandValue()
	if han > 0 {
		worth = append(worth, s.say("han_fu", "{han}", han, "{fu}", fu))
	}
	if s.wins < len(s.match.Values) {
		v := &s.match.Values[s.wins]
		all := s.rules.Patterns()
		var patterns []string
		for _, p := range v.Patterns[:v.NumPatterns] {
			patterns = append(patterns, fmt.Sprintf("%s %d", all[p.Pattern].ID, p.Points))
		}
		if patterns == nil {
			patterns = append(patterns, s.words["no_pattern"])
		}
		s.note("%s", strings.Join(patterns, s.words["comma"]))
		switch {
		case v.Yakuman > 0:
			worth = []string{s.say("yakuman", "{n}", v.Yakuman)}
		case s.rules.Traits.CountsFaan:
			worth = append(worth, s.say("faan", "{n}", v.Base))
		case s.rules.Traits.CountsTai:
			worth = append(worth, s.say("tai", "{n}", v.Base))
		}
		if limit := board.LimitKey(s.rules, v); limit != "" {
			worth = append(worth, s.words[limit])
		}
	}
	if s.rules.MinWin > 1 {
		worth = append(worth, s.say("minimum", "{n}", s.rules.MinWin))
	}
	s.wins++
	s.note("%s", strings.Join(append(worth, s.say("worth", "{n}", points)), s.words["comma"]))
}

// debt writes what a player owes another after a hand.
func (s *writer) debt(e sim.Event) {
	debtor, owed := e.Debt()
	if owed.Points == 0 {
		s.note("%d owes %d nothing now", debtor, e.Player)
		return
	}
	text := fmt.Sprintf("%d owes %d %s from %d in a row", debtor, e.Player, s.rules.PointsText(owed.Points), owed.Wins)
	s.note("%s", s.itemized(text))
}

func (s *writer) pay(e sim.Event) {
	from, to, amount, reason := e.Pay()
	move := func(p sim.Player, amount int32) string {
		if p == sim.Player(ruleset.Pot) {
			return s.words["pot"]
		}
		s.seats[p].points += amount
		return fmt.Sprint(int(p))
	}
	s.note("%s pays %s to %s (%s)", move(from, -amount), s.rules.PointsText(amount), move(to, amount), s.itemized(s.words["reason_"+reason.String()]))
}

// itemized returns a text with the items behind it.
func (s *writer) itemized(text string) string {
	if len(s.items) == 0 {
		return text
	}
	return text + ": " + strings.Join(s.items, s.words["comma"])
}

func (s *writer) endHand(e sim.Event) {
	var points []string
	for p := range s.rules.NumSeats() {
		points = append(points, s.rules.PointsText(s.seats[p].points))
	}
	deal := "deal_passes"
	if stays, _, _ := e.HandEnd(); stays {
		deal = "deal_stays"
	}
	s.note("points %s; %s", strings.Join(points, " "), s.words[deal])
}

// standings writes the players by rank.
func (s *writer) standings() {
	fmt.Fprintln(s.out, "\nstandings")
	ranks := s.ranks[:s.rules.NumSeats()]
	slices.SortStableFunc(ranks, func(a, b sim.Event) int { return cmp.Compare(a.Detail, b.Detail) })
	for _, e := range ranks {
		rank, placement := e.Placement()
		fmt.Fprintf(s.out, "  %d  player %d  %s points, placement %+.2f", rank, e.Player,
			s.rules.PointsText(s.seats[e.Player].points), float64(placement)/ruleset.PlacementUnit)
		if name := s.agents[e.Player]; name != "" {
			fmt.Fprintf(s.out, "  %s", name)
		}
		fmt.Fprintln(s.out)
	}
}
