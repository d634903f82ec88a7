// Package mjai reads and writes matches of three or four players as lines of the mjai
// protocol, one JSON object a line:
//
//	w, err := mjai.NewWriter(rules, names)
//	lines := w.WithValues(match.Values).Append(nil, match.Events)
//
// It also converts the messages of an mjai agent to actions.
//
// # Messages
//
// Players are 0 to 3, or 0 to 2 of three, whose lists by player have three entries; a fourth
// that is empty is read too. Tiles are `1m`..`9m` `1p`..`9p` `1s`..`9s`, `5mr` `5pr` `5sr` the
// red fives, `E S W N P F C` the honors, `?` a tile the receiver does not see. Places are
// numbers of lines, from 1, or of elements of an array.
//
//   - `start_game` (`names`, `aka_flag`, and `id` in the view of a player): first
//   - `start_kyoku` (`bakaze`, `kyoku` 1..4, `honba`, `kyotaku`, `oya`, `dora_marker`,
//     `scores`, `tehais`): each hand
//   - `tsumo` (`actor`, `pai`): a draw; the dealer's first tile and replacements too
//   - `dahai` (`actor`, `pai`, `tsumogiri`): a discard
//   - `reach` (`actor`): before the `dahai` that declares
//   - `reach_accepted` (`actor`): no player has won on that tile; before a claim of it
//   - `chi`, `pon`, `daiminkan` (`actor`, `target`, `pai`, `consumed`): a claim
//   - `ankan` (`actor`, `consumed`): a closed kan
//   - `kakan` (`actor`, `pai`, `consumed`): an added kan, before it can be robbed
//   - `kita` (`actor`, `pai`): three players: a North set aside, before it can be won on;
//     `nukidora` in programs that come from Mortal; `dora` follows if it turns an indicator
//   - `dora` (`dora_marker`): when the rules turn an indicator; before the `dahai` that turns
//     it
//   - `hora` (`actor`, `target`, `pai`, `ura_markers`, `hora_tehais`, `yakus`, `fan`, `fu`,
//     `hora_points`, `deltas`, `scores`): each winner, nearest to the giver first
//   - `ryukyoku` (`reason`, `tenpais`, `tehais`, `deltas`, `scores`, and `actor` for nine
//     kinds): no winner; the reason is `fanpai` (exhausted wall), `kyushukyuhai`, `sufonrenda`,
//     `suchareach`, `sukaikan` or `sanchaho`
//   - `end_kyoku`, `end_game` (`scores`): last
//
// # Order
//
// Lines are in the order of the table's events. After a discard: a waiting `dora`, the `dahai`,
// `reach_accepted`, then the claim or the next `tsumo`. After a kan that turns its indicator at
// once (`kan_dora_timing_*` = `before_rinshan`): kan, `dora`, `tsumo`. After one that waits for
// the discard: kan, `tsumo`, `dora`, `dahai`; if another kan follows first, the waiting `dora`
// stands before its `tsumo`. Two indicators are two lines.
//
// # Members
//
// A stake changes `scores` with `reach_accepted`. `deltas` of `hora` and `ryukyoku` are what
// the end of the hand moves, counters and sticks included; with two winners each has their own.
// `ura_markers` is empty for a winner without riichi. `hora_tehais` is the concealed tiles, by
// self-draw with the drawn one last. `yakus` has pairs of a name, as the original server has
// it, and its fan, 100 for a yakuman. `tehais` of `ryukyoku` are the hands that are shown, the
// others `?`. What one player sees has neither of these.
//
// # Variants that are read
//
//   - `uradora_markers`: the same as `ura_markers`
//   - `dora`: anywhere in the hand
//   - `start_kyoku`: another first dealer than 0; without `oya`, `kyoku` gives the dealer
//   - missing `scores`, `kyotaku`, `deltas`, `fan`, `fu`, `hora_points`, `tenpais`, or `pai` of
//     a `hora`: not compared
//   - `dahai` without `tsumogiri`: of the drawn tile if that is the same; so is one with
//     `false` where the player holds no other such tile, which is noted
//   - `ryukyoku` without a known `reason`: any end without a winner
//   - `error`: cuts the match off
//   - `none`, `hello`, `join`: ignored
package mjai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/record/reading"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Message is a line of the mjai protocol. Its members depend on its type; the package comment
// lists them. Players are numbers 0 to 3, or 0 to 2 of three, whose lists by player have
// three entries. Tiles are written by [Tile].
type Message struct {
	Type string `json:"type"`
	// Actor is the acting player, Target the player who gives the tile Pai. Consumed are
	// the tiles taken from the hand. Tsumogiri is set if Pai was the drawn tile.
	Actor     *sim.Player `json:"actor,omitempty"`
	Target    *sim.Player `json:"target,omitempty"`
	Pai       string      `json:"pai,omitempty"`
	Consumed  []string    `json:"consumed,omitempty"`
	Tsumogiri *bool       `json:"tsumogiri,omitempty"`

	// start_game
	ID      *sim.Player `json:"id,omitempty"`
	Names   []string    `json:"names,omitempty"`
	AkaFlag *bool       `json:"aka_flag,omitempty"`

	// start_kyoku
	Bakaze     string      `json:"bakaze,omitempty"`
	DoraMarker string      `json:"dora_marker,omitempty"`
	Kyoku      int         `json:"kyoku,omitempty"`
	Honba      *int        `json:"honba,omitempty"`
	Kyotaku    *int        `json:"kyotaku,omitempty"`
	Oya        *sim.Player `json:"oya,omitempty"`
	Tehais     [][]string  `json:"tehais,omitempty"`

	// hora and ryukyoku
	Reason     string   `json:"reason,omitempty"`
	UraMarkers []string `json:"ura_markers,omitzero"`      // of every hora, empty without riichi
	UraDora    []string `json:"uradora_markers,omitempty"` // an older name of the same
	HoraTehais []string `json:"hora_tehais,omitempty"`
	Yakus      yakus    `json:"yakus,omitzero"`
	Fan        *int32   `json:"fan,omitempty"`
	Fu         *int32   `json:"fu,omitempty"`
	HoraPoints *int32   `json:"hora_points,omitempty"`
	Tenpais    []bool   `json:"tenpais,omitempty"`
	Deltas     []int32  `json:"deltas,omitempty"`
	Scores     []int32  `json:"scores,omitempty"`

	// error
	Message string `json:"message,omitempty"`
}

// Parse parses a line of the mjai protocol. It ignores unknown members.
func Parse(line []byte) (*Message, error) { return parse(line, json.Unmarshal) }

// parse parses a line by a function such as json.Unmarshal.
func parse(line []byte, unmarshal func([]byte, any) error) (*Message, error) {
	m := &Message{}
	if err := unmarshal(line, m); err != nil {
		return nil, fmt.Errorf("record: no mjai message: %w", reading.DescribeJSONError(err))
	}
	if m.Type == "" {
		return nil, errors.New("record: no mjai message: it has no type")
	}
	for _, p := range []*sim.Player{m.Actor, m.Target, m.Oya, m.ID} {
		if p != nil && (*p < 0 || *p >= sim.NumPlayers) {
			return nil, fmt.Errorf("record: mjai %s: there is no player %d", m.Type, *p)
		}
	}
	return m, nil
}

// Kita is the type of the message by which a player sets a North aside. Programs of the
// protocol for three players have two words for it.
type Kita string

// The words for a North set aside, both of which are read.
const (
	KitaWord Kita = "kita"     // of RiichiEnv
	Nukidora Kita = "nukidora" // of programs that come from Mortal
)

// hiddenTile is the text of a tile that the receiver does not see.
const hiddenTile = "?"

// Tile returns a tile as mjai writes it: 1m..9m 1p..9p 1s..9s, 5mr 5pr 5sr the
// red fives, E S W N P F C the honors, "?" for NoFace.
func Tile(f tile.Face) string {
	switch {
	case f == tile.NoFace:
		return hiddenTile
	case f.IsRed():
		return f.Kind().String() + "r"
	case f.Kind().IsHonor():
		return "ESWNPFC"[f.Kind().Rank():][:1]
	}
	return f.String()
}

var facesByName = func() map[string]tile.Face {
	faces := map[string]tile.Face{}
	for f := range tile.FirstFlower {
		faces[Tile(f)] = f
	}
	return faces
}()

// ParseTile parses a tile that is not hidden.
func ParseTile(s string) (tile.Face, error) {
	f, ok := facesByName[s]
	if !ok {
		return tile.NoFace, fmt.Errorf("record: %q is no tile of mjai", s)
	}
	return f, nil
}

func parseTiles(list []string) ([]tile.Face, error) {
	faces := make([]tile.Face, len(list))
	for i, s := range list {
		f, err := ParseTile(s)
		if err != nil {
			return nil, err
		}
		faces[i] = f
	}
	return faces, nil
}

// check returns an error if the protocol does not support the rules: it is for riichi
// matches with fixed seats.
func check(r *ruleset.Rules) error {
	if !r.Dora || r.HandSize != 13 || r.SeatRotation != ruleset.NoRotation {
		return fmt.Errorf("record: mjai is for riichi matches with fixed seats; it does not support the rules of %s", r.Name)
	}
	return nil
}

// ErrReach is the error of the answer "reach", which is half an action: the discard
// follows in a message of its own.
var ErrReach = errors.New("record: mjai reach: the tile to discard must follow")

// Action returns the action of the message as an answer to the decision of v. The error
// says why it is not legal. It is [ErrReach] for a legal reach; [Message.ReadyAction] then
// converts the dahai.
func (m *Message) Action(v sim.View) (sim.Action, error) {
	legal := v.Legal()
	if m.Actor != nil && *m.Actor != v.Player() {
		return sim.NoAction, fmt.Errorf("record: mjai %s: player %d is asked, not %d", m.Type, v.Player(), *m.Actor)
	}
	a := sim.NoAction
	var err error
	switch m.Type {
	case "none":
		a = sim.ActPass
	case "dahai":
		a, err = m.dahai(v, sim.ActDiscard, sim.ActDiscardDrawn)
	case "reach":
		for a := sim.ActReady; a <= sim.ActReadyDrawn; a++ {
			if legal.Has(a) {
				return sim.NoAction, ErrReach
			}
		}
	case "hora":
		a = sim.ActWin
	case "ryukyoku":
		a = sim.ActNineKinds
	case "chi", "pon", "daiminkan":
		a, err = m.claim(v.ClaimableTile())
	case "ankan":
		var own []tile.Face
		if own, err = parseTiles(m.Consumed); err == nil && len(own) == 4 {
			a = sim.ActClosedKan + sim.Action(own[0].Kind())
		}
	case "kakan":
		var f tile.Face
		if f, err = ParseTile(m.Pai); err == nil {
			a = sim.ActAddedKan + sim.Action(f.Kind())
		}
	case string(KitaWord), string(Nukidora):
		a = sim.ActKita
	}
	return m.checkLegal(a, err, legal)
}

// ReadyAction returns the action of a dahai after reach.
func (m *Message) ReadyAction(v sim.View) (sim.Action, error) {
	all := v.Legal()
	var legal sim.ActionSet
	for a := range all.All {
		if a.DeclaresReady() {
			legal.Add(a)
		}
	}
	a, err := sim.NoAction, error(nil)
	if m.Type == "dahai" {
		a, err = m.dahai(v, sim.ActReady, sim.ActReadyDrawn)
	}
	return m.checkLegal(a, err, legal)
}

func (m *Message) checkLegal(a sim.Action, err error, legal sim.ActionSet) (sim.Action, error) {
	if err == nil && !legal.Has(a) {
		text := strings.Join(strings.Fields(m.Type+" "+m.Pai+" "+strings.Join(m.Consumed, " ")), " ")
		err = fmt.Errorf("record: mjai %s %w", text, &record.IllegalError{Legal: legal})
	}
	if err != nil {
		return sim.NoAction, err
	}
	return a, nil
}

// dahai returns the discard of the message: of a tile held before the draw or of the drawn
// one. Without the member tsumogiri it prefers the drawn tile.
func (m *Message) dahai(v sim.View, held, drawn sim.Action) (sim.Action, error) {
	f, err := ParseTile(m.Pai)
	if err != nil {
		return sim.NoAction, err
	}
	legal := v.Legal()
	a := held + sim.Action(f)
	if isDrawn := f == v.Drawn(); isDrawn && (m.Tsumogiri == nil || *m.Tsumogiri || !legal.Has(a)) {
		return drawn, nil
	} else if !isDrawn && m.Tsumogiri != nil && *m.Tsumogiri {
		return sim.NoAction, fmt.Errorf("record: mjai dahai: the drawn tile is %s, not %s", Tile(v.Drawn()), m.Pai)
	}
	return a, nil
}

// claim returns the claim of tile f with the consumed tiles.
func (m *Message) claim(f tile.Face) (sim.Action, error) {
	own, err := parseTiles(m.Consumed)
	if err != nil {
		return sim.NoAction, err
	}
	if m.Pai != "" && m.Pai != Tile(f) {
		return sim.NoAction, fmt.Errorf("record: mjai %s: the tile to claim is %s, not %s", m.Type, Tile(f), m.Pai)
	}
	e, ok := record.ClaimEvent(claims[m.Type], 0, f, own)
	if !ok {
		return sim.NoAction, fmt.Errorf("record: mjai %s: %s and %s make none", m.Type, m.Pai, strings.Join(m.Consumed, " "))
	}
	return e.Action(), nil
}

// claims are the events of the messages that claim a discard, claimTypes the messages of
// the events.
var (
	claims     = map[string]sim.EventType{"chi": sim.EvChi, "pon": sim.EvPon, "daiminkan": sim.EvOpenKan}
	claimTypes = map[sim.EventType]string{sim.EvChi: "chi", sim.EvPon: "pon", sim.EvOpenKan: "daiminkan"}
)
