package sim_test

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
)

// script is a case of a rules file: a setup and what is played and checked from
// it on.
type script struct {
	name  string
	file  string
	line  int // of the case
	setup setup
	steps []scriptLine
}

type scriptLine struct {
	number int
	text   string
	next   *setup // of the hand that the line "deal" begins, nil for others
}

func (s *script) run(t *testing.T, preset string) *place {
	t.Helper()
	p, err := s.setup.start(preset)
	if err != nil {
		t.Fatalf("%s:%d: %v", s.file, s.line, err)
	}
	for _, l := range s.steps {
		if l.next != nil {
			err = p.next(l.next)
		} else if strings.HasPrefix(l.text, "?") || strings.HasPrefix(l.text, ">") || strings.HasPrefix(l.text, "!>") {
			err = p.check(l.text)
		} else {
			err = p.play(l.text)
		}
		if err != nil {
			t.Fatalf("%s:%d: %s: %v\nthe hand so far:\n%s", s.file, l.number, l.text, err, p.transcript(0))
		}
	}
	return p
}

// readScripts reads a file of cases. A case begins with a line "case" and its
// name; setup lines come before the others; a line "deal" begins the next hand,
// whose tiles the lines after it give; lines that begin with # and empty lines
// say nothing.
func readScripts(t *testing.T, path string) []*script {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var scripts []*script
	var s *script
	sc := bufio.NewScanner(f)
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, ok := strings.CutPrefix(line, "case "); ok {
			s = &script{name: name, file: filepath.Base(path), line: n}
			scripts = append(scripts, s)
			continue
		}
		if s == nil {
			t.Fatalf("%s:%d: %q stands before the first case", path, n, line)
		}
		s.add(t, n, line)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return scripts
}

func (s *script) add(t *testing.T, number int, line string) {
	t.Helper()
	if line == "deal" {
		s.steps = append(s.steps, scriptLine{number, line, &setup{}})
		return
	}
	into := &s.setup
	if n := len(s.steps); n > 0 {
		into = s.steps[n-1].next
	}
	if into != nil && !isPlay(line) {
		ok, err := into.read(line)
		if err != nil {
			t.Fatalf("%s:%d: %v", s.file, number, err)
		}
		if ok {
			return
		}
	}
	s.steps = append(s.steps, scriptLine{number, line, nil})
}

// isPlay tells a command "E discard 5m" from a dealt hand "E 123m".
func isPlay(line string) bool {
	seat, rest, _ := strings.Cut(line, " ")
	if !slices.Contains([]string{"E", "S", "W", "N"}, seat) {
		return false
	}
	_, err := tile.ParseFaces(strings.ReplaceAll(rest, "|", ""))
	return err != nil
}

// newScript reads a script from text, for tests that write theirs in Go.
func newScript(t *testing.T, name, text string) *script {
	t.Helper()
	s := &script{name: name, file: name, line: 1}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			s.add(t, i+1, line)
		}
	}
	return s
}
