package away

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/internal/record/botzone"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// keepRunning is the line by which a program asks Botzone for the next request alone.
const keepRunning = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"

// botzoneSeat plays by requests of Botzone.
type botzoneSeat struct {
	*Seat
	reader *botzone.Reader
	out    io.Writer
	bare   bool // lines of bare text, not JSON
}

// Botzone plays by requests of Chinese Standard Mahjong on Botzone until in ends, in JSON or bare
// text as the first line is. It reads all requests of a match first and asks to keep running.
func Botzone(s *Seat, in io.Reader, out io.Writer) error {
	b := &botzoneSeat{Seat: s, out: out}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for first := true; lines.Scan(); {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		requests, responses := []string{string(line)}, []string(nil)
		if first {
			b.bare = line[0] != '{' && line[0] != '"'
		}
		if n, err := strconv.Atoi(string(line)); err == nil && first && b.bare {
			requests = nil
			for i := 0; i < 2*n-1 && lines.Scan(); i++ {
				if i%2 == 0 {
					requests = append(requests, lines.Text())
				} else {
					responses = append(responses, lines.Text())
				}
			}
		} else if !b.bare {
			requests, responses, err = parseRequests(line)
			if err != nil {
				b.event++
				b.refuse(err)
			}
		}
		first = false
		if err := b.write(b.respond(requests, responses)); err != nil {
			return fmt.Errorf("the other program is gone: %w", err)
		}
	}
	b.open = false // Botzone has no message of the end
	b.end()
	return errors.Join(lines.Err(), s.Err())
}

// parseRequests parses a line: all requests of a match, or the next one as a text.
func parseRequests(line []byte) (requests, responses []string, err error) {
	var next string
	if json.Unmarshal(line, &next) == nil {
		return []string{next}, nil, nil
	}
	var all struct{ Requests, Responses []string }
	if err := json.Unmarshal(line, &all); err != nil {
		return nil, nil, fmt.Errorf("no requests of Botzone: %w", err)
	}
	if len(all.Requests) == 0 {
		return nil, nil, errors.New("no requests of Botzone: requests is empty")
	}
	return all.Requests, all.Responses, nil
}

func (b *botzoneSeat) write(response string) error {
	if !b.bare {
		response = fmt.Sprintf(`{"response":%q}`, response)
	}
	_, err := io.WriteString(b.out, response+"\n"+keepRunning+"\n")
	return err
}

// respond follows requests and returns the response to the last of them; responses are those to
// the requests before.
func (b *botzoneSeat) respond(requests, responses []string) string {
	response := "PASS"
	for i, request := range requests {
		b.event++
		b.request(request)
		switch {
		case i < len(responses):
			response = responses[i]
		case i < len(requests)-1:
			response = "PASS"
		default:
			response = b.answer(request)
		}
		if b.reader != nil {
			b.reader.Responded(response)
		}
	}
	return response
}

// request follows a request.
func (b *botzoneSeat) request(request string) {
	var err error
	if strings.HasPrefix(strings.TrimSpace(request), "0 ") {
		b.open = false
		b.end()
		if b.reader, err = botzone.NewReader(request, b.event); err == nil {
			err = b.begin("botzone", nil, b.reader.Player())
		}
		if err == nil {
			b.follower.SetRoundWind(b.reader.RoundWind())
		}
	} else if b.reader == nil || b.follower == nil {
		err = fmt.Errorf("request %q before the first of a match, such as 0 2 1", request)
	} else if !b.lost {
		step, failed := b.reader.Read(request, b.event)
		if err = failed; err == nil {
			err = b.follow(step)
		}
	}
	if err != nil {
		b.lose(err)
	}
}

// answer returns the response to the last request.
func (b *botzoneSeat) answer(request string) string {
	v, a, asked := b.decide()
	if !asked {
		// Every draw must be answered by a discard.
		if drawn, ok := strings.CutPrefix(request, "2 "); ok && b.lost {
			return "PLAY " + drawn
		}
		return "PASS"
	}
	discard, err := tile.NoFace, error(nil)
	if a >= sim.ActChi && a < sim.ActOpenKan {
		if discard, err = b.discardAfter(v, a); err != nil {
			b.logf("%v", err)
			return "PASS"
		}
	}
	return botzone.Response(v, a, discard)
}
