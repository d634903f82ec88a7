package away

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/sparrowhall/sparrowhall/internal/record/majiang"
)

// Majiang plays by the messages of Majiang, a line each, until in ends. Every line is answered by
// an object, which is empty where there is nothing to say.
func Majiang(s *Seat, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	var reader *majiang.Reader
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		s.event++
		reply := majiang.Reply{}
		message, err := majiang.ParseMessage(line)
		switch {
		case err != nil:
			s.logf("%v", err)
		case message.Kaiju != nil:
			s.end()
			reader = majiang.NewReader(message)
			if err := s.begin("tenhou", reader.Knobs(), reader.Player()); err != nil {
				s.lose(err)
			}
		case reader == nil || s.follower == nil:
			s.logf("%.40q before the kaiju of a match", line)
		default:
			step, err := reader.Read(message, s.event)
			if err == nil {
				err = s.follow(step)
			}
			if err != nil && !s.lost {
				s.lose(err)
			}
			if v, a, asked := s.decide(); asked {
				reply = reader.Reply(v, a)
			}
			if message.Jieju != nil {
				s.end()
			}
		}
		text, err := json.Marshal(reply)
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
