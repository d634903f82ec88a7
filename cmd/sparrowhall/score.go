package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/cases"
)

func newScoreCommand() *cobra.Command {
	var name string
	var check bool
	cmd := &cobra.Command{
		Use:   "score [FILE]",
		Short: "Score hands, JSON lines in, JSON lines out",
		Long: `Score reads one JSON object a line, a winning hand with its circumstances, from a
file or from standard input, and answers with one a line in the same order. A
line that cannot be used is answered with an error, and the exit status is 1.`,
		Example: `  sparrowhall score --ruleset ema_2016 hands.jsonl
  sparrowhall score --check cases.jsonl`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			// There is nothing to finish before a stop, and waiting for a line
			// cannot be interrupted otherwise.
			signal.Reset(os.Interrupt, syscall.SIGTERM)
			rules := rulesCache{}
			if name != "" {
				if _, err := rules.load(name, nil); err != nil {
					return err
				}
			}
			in := cmd.InOrStdin()
			if len(args) == 1 && args[0] != "-" {
				file, err := os.Open(args[0])
				if err != nil {
					return err
				}
				defer file.Close()
				in = file
			}
			out := bufio.NewWriter(cmd.OutOrStdout())
			work := answerLines
			if check {
				work = checkLines
			}
			err := work(in, out, func(line []byte) ([]byte, bool) { return cases.Score(line, name, rules.load) })
			return errors.Join(err, out.Flush())
		},
	}
	cmd.Flags().StringVar(&name, "ruleset", "", "preset or file for hands that name none")
	cmd.Flags().BoolVar(&check, "check", false, "compare with the member expect of each hand and print the differences")
	return cmd
}

// rulesCache keeps the rulesets that have been loaded, by their names and the
// knobs that differ.
type rulesCache map[string]*ruleset.Rules

// maxRules is the largest number of rulesets kept at a time.
const maxRules = 1000

func (c rulesCache) load(name string, overrides map[string]any) (*ruleset.Rules, error) {
	key := name
	if len(overrides) > 0 {
		knobs, err := json.Marshal(overrides) // in the order of their keys
		if err != nil {
			return nil, err
		}
		key += "\x00" + string(knobs)
	}
	if r, ok := c[key]; ok {
		return r, nil
	}
	r, err := configs.With(name, overrides)
	if err == nil {
		if len(c) == maxRules {
			clear(c)
		}
		c[key] = r
	}
	return r, err
}

// answerLines writes the answer to each line. The error counts the hands that
// could not be used.
func answerLines(in io.Reader, out *bufio.Writer, score func([]byte) ([]byte, bool)) error {
	lines, hands, unusable := newLines(in), 0, 0
	for line := range lines.all {
		hands++
		answer, ok := score(line)
		if !ok {
			unusable++
		}
		out.Write(answer)
		if err := out.WriteByte('\n'); err != nil {
			return err
		}
		if lines.waits() {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
	if lines.err == nil && unusable > 0 {
		return fmt.Errorf("score: %d of %d hands could not be used", unusable, hands)
	}
	return lines.err
}

// checkLines writes how the answers differ from what the lines expect. The error
// counts the hands that differ.
func checkLines(in io.Reader, out *bufio.Writer, score func([]byte) ([]byte, bool)) error {
	lines, hands, different := newLines(in), 0, 0
	for line := range lines.all {
		hands++
		answer, _ := score(line)
		c, err := cases.Parse(line)
		if err == nil && c.Expect == nil {
			err = errors.New("expect: missing")
		} else if err == nil {
			err = cases.Check(c.Expect, answer)
		}
		if err != nil {
			different++
			if _, err := fmt.Fprintf(out, "line %d, %s: %s\n", lines.n, plain.Line(string(c.ID)), plain.Line(err.Error())); err != nil {
				return err
			}
		}
	}
	if lines.err == nil && different > 0 {
		return fmt.Errorf("score: %d of %d hands differ", different, hands)
	}
	if lines.err == nil {
		fmt.Fprintf(out, "%d hands as expected\n", hands)
	}
	return lines.err
}

// lines reads the lines of a text, of whatever length.
type lines struct {
	r *bufio.Reader
	// n is the number of the line, counted from 1.
	n   int
	err error
}

func newLines(in io.Reader) *lines {
	// Of longer lines the beginning is enough to refuse them.
	return &lines{r: bufio.NewReaderSize(in, cases.MaxLine+2)}
}

// waits tells whether the next line has yet to come.
func (l *lines) waits() bool { return l.r.Buffered() == 0 }

// all passes the lines on that are not blank, cut if they are too long. A line
// is valid until the next.
func (l *lines) all(yield func([]byte) bool) {
	for {
		line, err := l.r.ReadSlice('\n')
		if len(line) > 0 {
			l.n++
		}
		if err == bufio.ErrBufferFull {
			line = bytes.Clone(line)
			for err == bufio.ErrBufferFull {
				_, err = l.r.ReadSlice('\n')
			}
		}
		if line = bytes.TrimSpace(line); len(line) > 0 && !yield(line) {
			return
		}
		if err == io.EOF {
			return
		} else if err != nil {
			l.err = err
			return
		}
	}
}
