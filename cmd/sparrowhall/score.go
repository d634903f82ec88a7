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
	"golang.org/x/term"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/ruleset/cases"
)

func newScoreCommand() *cobra.Command {
	var name string
	var check bool
	cmd := &cobra.Command{
		Use:   "score [FILE]",
		Short: "Score hands: JSON lines in, JSON lines out",
		Long: `Score reads a JSON object per line, a winning hand with its circumstances, from
a file or from standard input, and answers each with a JSON object on a line.
The answer to an unusable line is an error, and the exit status is then 1.
docs/scoring.md describes the fields.`,
		Example: `  sparrowhall score --ruleset ema_2016 hands.jsonl
  sparrowhall score --check cases.jsonl`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			// The first signal ends the process: nothing has to be finished, and nothing else
			// interrupts the reading of a line or the opening of a named pipe.
			signal.Reset(os.Interrupt, syscall.SIGTERM)
			rules := rulesCache{}
			if name != "" {
				if _, err := rules.load(name, nil); err != nil {
					return wrongUsage{err}
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
			} else if isTerminal(in) {
				fmt.Fprintln(cmd.ErrOrStderr(), `score: type hands, a JSON object per line, such as {"concealed": "234m...", ...}; Ctrl-D ends the input`)
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
	cmd.Flags().StringVar(&name, "ruleset", "", "preset or ruleset file of hands that name none")
	cmd.Flags().BoolVar(&check, "check", false, "compare each answer with the member expect of the hand")
	return cmd
}

// isTerminal reports whether a reader is a terminal.
var isTerminal = func(r io.Reader) bool {
	f, ok := r.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// rulesCache keeps the rulesets that have been loaded, by name and changed knobs.
type rulesCache map[string]*ruleset.Rules

// maxRules is the largest number of rulesets that are kept.
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
	r, err := configs.LoadWith(name, overrides)
	if err == nil {
		if len(c) == maxRules {
			clear(c)
		}
		c[key] = r
	}
	return r, err
}

// answerLines writes the answer to each line. The error counts the unusable lines.
func answerLines(in io.Reader, out *bufio.Writer, score func([]byte) ([]byte, bool)) error {
	lines, hands, unusable := newLines(in), 0, 0
	for line := range lines.all {
		hands++
		answer, ok := score(line)
		if !ok { // blank lines have no answer, so its place does not give the number
			unusable++
			answer = fmt.Appendf(answer[:len(answer)-1], `,"line":%d}`, lines.n)
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

// checkLines writes where answers differ from the expectations in the lines. The error counts the
// hands that differ.
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
			if _, err := fmt.Fprintf(out, "line %d, %s: %s\n", lines.n, sanitize.Line(string(c.ID)), sanitize.Line(err.Error())); err != nil {
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

// lines reads the lines of a text, of any length.
type lines struct {
	r *bufio.Reader
	// n is the number of the line, counted from 1.
	n   int
	err error
}

func newLines(in io.Reader) *lines {
	// Longer lines are refused by their beginning.
	return &lines{r: bufio.NewReaderSize(in, cases.MaxLine+2)}
}

// waits reports whether the next line has not arrived yet.
func (l *lines) waits() bool { return l.r.Buffered() == 0 }

// all yields the lines that are not blank, truncated if they are too long. A line is valid until
// the next one.
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
