package away

import (
	"fmt"
	"io"

	"github.com/sparrowhall/sparrowhall/internal/record/majiang"
)

// Majiang plays by the messages of Majiang, a line each, until in ends. Every line is answered by
// an object, which is empty where there is nothing to say.
func Majiang(s *Seat, in io.Reader, out io.Writer) error {
	var reader *majiang.Reader
	return s.answerLines(in, out, func(line []byte) any {
		s.event++
		reply := majiang.Reply{}
		message, err := majiang.ParseMessage(line)
		switch {
		case err != nil:
			s.refuse(err)
		case message.Kaiju != nil:
			s.end()
			reader = majiang.NewReader(message)
			if err := s.begin("tenhou", reader.Knobs(), reader.Player()); err != nil {
				s.lose(err)
			}
		case reader == nil || s.follower == nil:
			if !s.lost {
				s.lose(fmt.Errorf("%.40q before the kaiju of a match", line))
			}
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
		return reply
	})
}
