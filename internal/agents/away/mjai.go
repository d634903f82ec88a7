package away

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// maxLine is the longest line of another program in bytes.
const maxLine = 1 << 20

// mjaiSeat plays by mjai messages.
type mjaiSeat struct {
	*Seat
	reader *mjai.Reader
	id     sim.Player // of the agent, as the messages number players
	dahai  *mjai.Message
	drawn  string    // the tile that the agent drew last, for an answer where the hand is lost
	kita   mjai.Kita // the word of the other program
	room   string
}

// MJAI plays an agent by lines of the protocol until in ends: one answer for each line, an array of
// messages counting as one. The error is ErrLost, or that of a stream.
func MJAI(s *Seat, in io.Reader, out io.Writer, room string) error {
	m := &mjaiSeat{Seat: s, kita: mjai.KitaWord, room: room}
	return s.answerLines(in, out, m.line)
}

// answerLines plays by lines until in ends: one answer in JSON for each.
func (s *Seat) answerLines(in io.Reader, out io.Writer, answer func(line []byte) any) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		text, err := json.Marshal(answer(line))
		if err != nil {
			return err
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return fmt.Errorf("the other program is gone: %w", err)
		}
	}
	s.end()
	return errors.Join(lines.Err(), s.Err())
}

// none is the answer where there is nothing to say.
var none = &mjai.Message{Type: "none"}

// line reads a line and returns the answer.
func (m *mjaiSeat) line(line []byte) any {
	messages := []json.RawMessage{line}
	if line[0] == '[' {
		if err := json.Unmarshal(line, &messages); err != nil {
			m.event++
			m.refuse(err)
			return none
		}
	}
	var last *mjai.Message
	for _, text := range messages {
		m.event++
		message, err := mjai.Parse(text)
		if err != nil {
			m.refuse(err)
			last = nil
			continue
		}
		last = message
		line = text
		m.message(message)
	}
	switch {
	case last == nil:
		return none
	case last.Type == "hello":
		return map[string]string{"type": "join", "name": "sparrowhall", "room": m.room}
	}
	return m.answer(last, line)
}

// message follows a message.
func (m *mjaiSeat) message(message *mjai.Message) {
	switch message.Type {
	case "hello", "none", "join":
		return
	case "error":
		m.logf("the other program reports: %.200q", message.Message)
		return
	case "start_game":
		if m.follower != nil {
			m.logf("start_game before the end_game of the match before, which is not followed further")
		}
		m.end()
		m.reader, m.dahai = mjai.NewReader("event"), nil
		m.id = m.options.Player
		if message.ID != nil {
			m.id = *message.ID
		}
	case string(mjai.KitaWord), string(mjai.Nukidora):
		m.kita = mjai.Kita(message.Type)
	case "tsumo":
		if message.Actor != nil && *message.Actor == m.id {
			m.drawn = message.Pai
		}
	}
	if m.reader == nil {
		m.reader = mjai.NewReader("event")
		m.id = m.options.Player
	}
	step, err := m.reader.Read(message, m.event)
	game := m.reader.Game()
	if err == nil && step.Begun != nil && m.follower == nil {
		preset := "tenhou"
		if game.Ruleset != "" {
			preset = game.Ruleset
		}
		err = m.begin(preset, game.Knobs, m.reader.Player(m.id))
	}
	if err == nil {
		err = m.follow(step)
	}
	if err != nil && !(m.lost && step.Begun == nil) {
		m.lose(err)
	}
	if message.Type == "end_game" {
		m.end()
		m.reader = nil
	}
}

// answer returns the answer to a line that ends with a message.
func (m *mjaiSeat) answer(last *mjai.Message, line []byte) *mjai.Message {
	mine := last.Actor != nil && *last.Actor == m.id
	if last.Type == "reach" && mine && m.dahai != nil {
		answer := m.dahai
		m.dahai = nil
		return answer
	}
	v, a, asked := m.decide()
	switch {
	case !asked && m.lost && last.Type == "tsumo" && mine:
		drawn := true
		return &mjai.Message{Type: "dahai", Actor: &m.id, Pai: m.drawn, Tsumogiri: &drawn}
	case !asked:
		return none
	}
	var offer struct {
		Possible *[]*mjai.Message `json:"possible_actions"`
	}
	if json.Unmarshal(line, &offer) == nil && offer.Possible != nil {
		a = m.compare(v, a, *offer.Possible)
	}
	answer, dahai := m.translate(v, a)
	m.dahai = dahai
	return answer
}

// translate returns the messages of an action, with the numbers and words of the other program.
func (m *mjaiSeat) translate(v sim.View, a sim.Action) (answer, dahai *mjai.Message) {
	answer, dahai = mjai.Answer(v, a)
	for _, message := range []*mjai.Message{answer, dahai} {
		if message == nil {
			continue
		}
		for _, p := range []**sim.Player{&message.Actor, &message.Target} {
			if *p != nil {
				id := m.reader.ID(**p)
				*p = &id
			}
		}
		if message.Type == string(mjai.KitaWord) {
			message.Type = string(m.kita)
		}
	}
	return answer, dahai
}

// compare logs the difference between the answers that the other program offers and those that
// the rules allow, discards and passes left out. It returns the action, the default one if the
// other program does not offer it.
func (m *mjaiSeat) compare(v sim.View, a sim.Action, offer []*mjai.Message) sim.Action {
	var ours, theirs []string
	legal := v.Legal()
	for b := range legal.All {
		answer, _ := mjai.Answer(v, b)
		ours = addWord(ours, answer)
	}
	for _, answer := range offer {
		if answer != nil {
			theirs = addWord(theirs, answer)
		}
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	if slices.Equal(ours, theirs) {
		return a
	}
	m.logf("the other program offers [%s], by the rules of %s it is [%s]", strings.Join(theirs, ", "), v.Rules().Name, strings.Join(ours, ", "))
	answer, _ := mjai.Answer(v, a)
	if word := addWord(nil, answer); len(word) > 0 && !slices.Contains(theirs, word[0]) {
		return sim.DefaultAction(&legal)
	}
	return a
}

// addWord adds what an answer does, unless it is a discard or a pass, or in the list.
func addWord(list []string, m *mjai.Message) []string {
	word := m.Type
	tiles := slices.Clone(m.Consumed)
	switch m.Type {
	case "dahai", "none", "":
		return list
	case "chi", "pon":
		slices.Sort(tiles)
		word += " " + strings.Join(tiles, " ")
	case "ankan", "kakan":
		name := m.Pai
		if m.Type == "ankan" && len(tiles) > 0 {
			name = tiles[0]
		}
		if f, err := mjai.ParseTile(name); err == nil {
			word += " " + mjai.Tile(tile.Face(f.Kind()))
		}
	case string(mjai.Nukidora):
		word = string(mjai.KitaWord)
	}
	if slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}
