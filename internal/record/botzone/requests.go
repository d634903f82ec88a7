package botzone

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sparrowhall/sparrowhall/internal/record/reading"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// kindsByCode are the kinds by code: W characters, B dots, T bamboo, F winds, J1 to J3 red,
// green and white dragon.
var kindsByCode = sync.OnceValue(func() map[string]tile.Kind {
	kinds := map[string]tile.Kind{}
	for k := range tile.Kind(tile.NumKinds) {
		kinds[tileCode(k)] = k
	}
	return kinds
})

func flowerCode(f tile.Face) string { return fmt.Sprintf("H%d", f.Flower()+1) }

func tileCode(k tile.Kind) string {
	switch {
	case !k.IsHonor():
		return fmt.Sprintf("%c%d", "WBT"[k.Suit()], k.Rank()+1)
	case k < tile.White:
		return fmt.Sprintf("F%d", k-tile.East+1)
	}
	return fmt.Sprintf("J%d", tile.Red-k+1)
}

func parseTile(code string) (tile.Kind, error) {
	k, ok := kindsByCode()[code]
	if !ok {
		return tile.NoKind, fmt.Errorf("record: botzone: %q is no tile", code)
	}
	return k, nil
}

func parseTiles(codes []string) (kinds []tile.Kind, err error) {
	for _, code := range codes {
		k, err := parseTile(code)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, k)
	}
	return kinds, nil
}

// Requests converts the events that one player sees to the requests of Chinese Standard
// Mahjong on Botzone, and responses to actions. On Botzone each hand is a match of its
// own, and players are numbered by seat wind, 0 to 3 for East to North.
type Requests struct {
	rules  *ruleset.Rules
	player sim.Player

	chairs  [sim.NumPlayers]int
	dealer  sim.Player
	wind    int // of the round
	drawn   int // wind of a match, -1 where it follows the rounds
	dealing bool
	dealt   []tile.Face                 // of the player, in the order received
	flowers [sim.NumPlayers][]tile.Face // replaced in the deal, by the numbers of players
	// draw is the draw of another player, until the next event shows whether it is a flower.
	draw sim.Event
	// claim is a chi or pon whose discard has not come yet. Botzone sends both in one
	// message.
	claim sim.Event
	// discard is the tile to discard after the claim, by the response to the claim window.
	discard tile.Kind
}

// NewRequests returns the requests of player p. It returns an error if the protocol does
// not support the rules.
func NewRequests(r *ruleset.Rules, p sim.Player) (*Requests, error) {
	if err := check(r); err != nil {
		return nil, err
	}
	return &Requests{rules: r, player: p, drawn: -1, draw: noEvent, claim: noEvent, discard: tile.NoKind}, nil
}

// noEvent is no event.
var noEvent = sim.Event{Type: sim.NumEventTypes}

// check returns an error if the protocol does not support the rules. In it flowers are replaced
// without a choice, and a chi or pon names the discard, so that no kan can follow.
func check(r *ruleset.Rules) error {
	why := ""
	switch {
	case r.Family != "mcr":
		why = "its family is " + r.Family
	case r.Flowers == ruleset.OptionalFlowers:
		why = "its players may keep flowers"
	case r.KanAfterClaim:
		why = "a kan may follow a chi or pon"
	default:
		return nil
	}
	return unsupported(r, why)
}

func unsupported(r *ruleset.Rules, why string) error {
	return fmt.Errorf("record: botzone is for Chinese Standard Mahjong by the rules of preset botzone; it does not support %s: %s", r.Name, why)
}

// Player returns the player who receives the requests.
func (b *Requests) Player() sim.Player { return b.player }

func (b *Requests) id(p sim.Player) int {
	return (b.chairs[p] - b.chairs[b.dealer] + sim.NumPlayers) % sim.NumPlayers
}

// Append appends the requests that the events complete to dst. Pass all events of a match
// in order, in one or more calls; they may be limited to the player's view. A request
// that begins with "0 " starts a new match.
func (b *Requests) Append(dst []string, events []sim.Event) []string {
	for _, e := range events {
		dst = b.event(dst, e.SeenBy(b.player, &b.rules.Flow))
	}
	return dst
}

// AppendDeal appends the requests of the deal, if no event has ended it. Call it before the
// player answers: no event precedes the first turn of a dealer whose extra tile is dealt.
func (b *Requests) AppendDeal(dst []string) []string {
	if !b.dealing {
		return dst
	}
	b.dealing = false
	var text strings.Builder
	text.WriteString("1")
	for _, flowers := range b.flowers {
		fmt.Fprintf(&text, " %d", len(flowers))
	}
	for _, f := range b.dealt[:min(len(b.dealt), dealtTiles)] {
		text.WriteString(" " + tileCode(f.Kind()))
	}
	for _, flowers := range b.flowers {
		for _, f := range flowers {
			text.WriteString(" " + flowerCode(f))
		}
	}
	dst = append(dst, text.String())
	switch {
	case b.rules.DealerExtraTile == ruleset.ExtraDrawn:
	case b.player == b.dealer:
		dst = append(dst, "2 "+tileCode(b.dealt[dealtTiles].Kind()))
	default:
		dst = append(dst, "3 0 DRAW")
	}
	return dst
}

// deals adds an event of the deal or of the replacement of dealt flowers; it reports whether e is
// one.
func (b *Requests) deals(e sim.Event) bool {
	own := e.Player == b.player
	switch e.Type {
	case sim.EvDeal:
		if own {
			b.dealt = append(b.dealt, record.DealtTiles(e)...)
		}
	case sim.EvDraw:
		if from, _ := e.Draw(); from != sim.FromDeal && from != sim.FromFlower {
			return false
		}
		if own {
			b.dealt = append(b.dealt, e.Tile)
		}
	case sim.EvFlower:
		b.flowers[b.id(e.Player)] = append(b.flowers[b.id(e.Player)], e.Tile)
		if i := slices.Index(b.dealt, e.Tile); own && i >= 0 {
			b.dealt = slices.Delete(b.dealt, i, i+1)
		}
	default:
		return false
	}
	return true
}

func (b *Requests) event(dst []string, e sim.Event) []string {
	if b.dealing {
		if b.deals(e) {
			return dst
		}
		dst = b.AppendDeal(dst)
	}
	// Botzone replaces a flower without a draw, and ends the hand where it is the last tile.
	flower := e.Type == sim.EvFlower || e.Type == sim.EvDiscard && e.Tile.IsFlower()
	if b.draw.Type == sim.EvDraw {
		if !flower {
			dst = append(dst, fmt.Sprintf("3 %d DRAW", b.id(b.draw.Player)))
		}
		b.draw = noEvent
	}
	p := e.Player
	public := func(format string, args ...any) {
		dst = append(dst, fmt.Sprintf("3 %d ", b.id(p))+fmt.Sprintf(format, args...))
	}
	if flower {
		public("BUHUA %s", flowerCode(e.Tile))
		return dst
	}
	switch e.Type {
	case sim.EvSeats:
		who, wind, drawn := e.Seats()
		for c, p := range who {
			b.chairs[p] = c
		}
		if drawn {
			b.drawn = int(wind)
		}
	case sim.EvHandStart:
		round, _, _, _ := e.HandStart()
		b.dealer, b.dealing, b.dealt, b.claim, b.discard = p, true, nil, noEvent, tile.NoKind
		b.flowers = [sim.NumPlayers][]tile.Face{}
		if b.wind = round & 3; b.drawn >= 0 {
			b.wind = b.drawn
		}
		dst = append(dst, fmt.Sprintf("0 %d %d", b.id(b.player), b.wind))
	case sim.EvDraw:
		b.discard = tile.NoKind
		switch {
		case p != b.player && b.rules.Flowers != ruleset.NoFlowers:
			b.draw = e
		case p != b.player:
			public("DRAW")
		case !e.Tile.IsFlower():
			dst = append(dst, "2 "+tileCode(e.Tile.Kind()))
		}
	case sim.EvChi, sim.EvPon:
		b.claim = e
		if p != b.player {
			b.discard = tile.NoKind
		}
	case sim.EvDiscard:
		what := "PLAY"
		switch b.claim.Type {
		case sim.EvPon:
			what = "PENG"
		case sim.EvChi:
			what = "CHI " + tileCode(middleOf(b.claim))
		}
		b.claim, b.discard = noEvent, tile.NoKind
		public("%s %s", what, tileCode(e.Tile.Kind()))
	case sim.EvOpenKan, sim.EvClosedKan:
		public("GANG")
	case sim.EvAddedKan:
		public("BUGANG %s", tileCode(e.Tile.Kind()))
	}
	return dst
}

func middleOf(e sim.Event) tile.Kind {
	_, place, _ := e.Call()
	return e.Tile.Kind() - tile.Kind(place) + 1
}

var errResponse = errors.New("want PASS, HU, PLAY TILE, GANG, GANG TILE, BUGANG TILE, PENG TILE or CHI MIDDLE TILE")

// Discard returns the discard that the response to the claim window named, if v is the
// decision after that claim; otherwise NoAction.
func (b *Requests) Discard(v sim.View) (sim.Action, error) {
	if v.Phase() != sim.PhaseTurn || v.DrawSource() != sim.FromClaim || b.discard == tile.NoKind {
		return sim.NoAction, nil
	}
	legal := v.Legal()
	a := sim.ActDiscard + sim.Action(b.discard)
	b.discard = tile.NoKind
	if !legal.Has(a) {
		return sim.NoAction, fmt.Errorf("record: botzone: %v after the claim is not legal", a)
	}
	return a, nil
}

// Action returns the action of the response to the last request, at the decision of v.
// After a chi or pon, Discard returns the discard that the response names. The error says
// why the response is not a legal action.
func (b *Requests) Action(v sim.View, response string) (sim.Action, error) {
	words := strings.Fields(response)
	if len(words) == 0 {
		return sim.NoAction, fmt.Errorf("record: botzone: the response is empty; %w", errResponse)
	}
	kinds, err := parseTiles(words[1:])
	if err != nil {
		return sim.NoAction, err
	}
	legal := v.Legal()
	a, discard := sim.NoAction, tile.NoKind
	ownTurn := v.Phase() == sim.PhaseTurn
	switch form := fmt.Sprintf("%s %d", words[0], len(kinds)); {
	case form == "PASS 0" && !ownTurn:
		a = sim.ActPass
	case form == "HU 0":
		a = sim.ActWin
	case form == "PLAY 1" && ownTurn:
		if a = sim.ActDiscard + sim.Action(kinds[0]); v.Drawn().Kind() == kinds[0] {
			a = sim.ActDiscardDrawn
		}
	case form == "GANG 1" && ownTurn:
		a = sim.ActClosedKan + sim.Action(kinds[0])
	case form == "BUGANG 1" && ownTurn:
		a = sim.ActAddedKan + sim.Action(kinds[0])
	case form == "GANG 0" && !ownTurn:
		a = sim.ActOpenKan
	case form == "PENG 1" && !ownTurn:
		a, discard = sim.ActPon, kinds[0]
	case form == "CHI 2" && !ownTurn:
		place := int(v.ClaimableTile()) - int(kinds[0]) + 1
		if kinds[0].IsHonor() || kinds[0].Rank() == 0 || kinds[0].Rank() == 8 || place < 0 || place > 2 {
			break
		}
		a, discard = sim.ActChi+sim.Action(place), kinds[1]
	}
	if !legal.Has(a) {
		return sim.NoAction, fmt.Errorf("record: botzone: %w; %q %w", errResponse, response, &record.IllegalError{Legal: legal})
	}
	if discard != tile.NoKind && !holdsAfter(v, a, discard) {
		return sim.NoAction, fmt.Errorf("record: botzone: %q discards a tile that is not held", response)
	}
	b.discard = discard
	return a, nil
}

// Response returns the response of action a at the decision of v. After a chi or pon, discard is
// the tile that follows it.
func Response(v sim.View, a sim.Action, discard tile.Face) string {
	after := func(...tile.Kind) tile.Kind { return discard.Kind() }
	return responseText(a, v.Drawn(), v.ClaimableTile().Kind(), after)
}

// responseText returns the response of action a with a drawn tile or to a discard of a kind. After
// a chi or pon, discard returns the tile that follows the meld.
func responseText(a sim.Action, drawn tile.Face, window tile.Kind, discard func(meld ...tile.Kind) tile.Kind) string {
	switch {
	case a < sim.ActDiscardDrawn:
		return "PLAY " + tileCode(tile.Face(a).Kind())
	case a == sim.ActDiscardDrawn:
		return "PLAY " + tileCode(drawn.Kind())
	case a >= sim.ActChi && a < sim.ActChiRed:
		low := window - tile.Kind(a-sim.ActChi)
		return fmt.Sprintf("CHI %s %s", tileCode(low+1), tileCode(discard(low, low+1, low+2)))
	case a == sim.ActPon:
		return "PENG " + tileCode(discard(window, window, window))
	case a == sim.ActOpenKan:
		return "GANG"
	case a >= sim.ActClosedKan && a < sim.ActAddedKan:
		return "GANG " + tileCode(tile.Kind(a-sim.ActClosedKan))
	case a >= sim.ActAddedKan && a < sim.ActWin:
		return "BUGANG " + tileCode(tile.Kind(a-sim.ActAddedKan))
	case a == sim.ActWin:
		return "HU"
	}
	return "PASS"
}

// Reader reads the requests that one player receives in a match, which is a hand.
type Reader struct {
	reader reader
	player sim.Player
}

// NewReader returns a reader of a match that begins with a request such as "0 2 1". The error is
// that of another request.
func NewReader(request string, n int) (*Reader, error) {
	words := strings.Fields(request)
	r := &Reader{reader: reader{hand: newHandBuilder("event", n)}}
	if len(words) != 3 || words[0] != "0" || len(words[1]) != 1 || words[1][0] < '0' || words[1][0] > '3' {
		return nil, fmt.Errorf("request %q begins no match; want 0, the player and the round wind", request)
	}
	r.player = sim.Player(words[1][0] - '0')
	h := &r.reader.hand
	h.builder.Seen, h.builder.Hand.Start = true, &sim.MatchState{}
	return r, h.setRoundWind(words[2])
}

// Player returns the player who receives the requests.
func (r *Reader) Player() sim.Player { return r.player }

// RoundWind returns the round wind of the match.
func (r *Reader) RoundWind() tile.Wind { return *r.reader.hand.game.RoundWind }

// Read reads request number n after the first, and returns what it adds.
func (r *Reader) Read(request string, n int) (reading.Step, error) {
	h := &r.reader.hand
	h.builder.Place = n
	words := strings.Fields(request)
	if len(words) < 2 {
		return reading.Step{}, fmt.Errorf("request %q is too short", request)
	}
	var err error
	switch dealt := h.builder.Hand.Deal[r.player] != nil; {
	case words[0] == "1" && !dealt:
		err = r.reader.dealt(r.player, words)
	case words[0] == "2" && dealt:
		var k tile.Kind
		k, err = parseTile(words[1])
		h.draw(r.player, k)
	case words[0] == "3" && dealt:
		err = r.reader.readAction(words)
	default:
		err = errOutOfPlace
	}
	if err != nil {
		return reading.Step{}, fmt.Errorf("request %q: %w", request, err)
	}
	return h.builder.Take(), nil
}

// Responded notes the response to the last request, which alone has the kind of a concealed kong.
func (r *Reader) Responded(response string) { r.reader.responses[r.player] = response }

// holdsAfter reports whether the player still holds a tile of kind k after claim a.
func holdsAfter(v sim.View, a sim.Action, k tile.Kind) bool {
	h := v.Hand()
	used := 0
	window := v.ClaimableTile().Kind()
	if a == sim.ActPon && k == window {
		used = 2
	}
	if a >= sim.ActChi && a < sim.ActChiRed {
		low := window - tile.Kind(a-sim.ActChi)
		if k != window && k >= low && k <= low+2 {
			used = 1
		}
	}
	return h.Count(k) > used
}
