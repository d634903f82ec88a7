package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/internal/release"
)

// asCommand is the variable that makes the test binary behave as sparrowhall.
const asCommand = "SPARROWHALL_TEST_AS_COMMAND"

// others are what the test binary can be instead, by the variable that tells it.
var others = map[string]func(string) error{asHostile: beHostile}

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	for variable, be := range others {
		if what := os.Getenv(variable); what != "" {
			if err := be(what); err != nil {
				panic(err)
			}
			os.Exit(0)
		}
	}
	// Hundreds of commands run in this process, and the first that writes a dataset would make
	// collections frequent for all that follow. With GOGC set it does not.
	const percent = 200
	if err := os.Setenv("GOGC", fmt.Sprint(percent)); err != nil {
		panic(err)
	}
	debug.SetGCPercent(percent)
	os.Exit(m.Run())
}

// sparrowhall carries out a command line and returns what it wrote and its status.
func sparrowhall(t *testing.T, in string, args ...string) (out, errOut string, status int) {
	t.Helper()
	var o, e strings.Builder
	status = run(context.Background(), args, strings.NewReader(in), &o, &e)
	return o.String(), e.String(), status
}

func TestWrongUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"ruels", `sparrowhall: unknown verb "ruels" of sparrowhall; nearest: rules`},
		{"rules shwo", `sparrowhall: unknown verb "shwo" of sparrowhall rules; nearest: show, `},
		{"rules show", "sparrowhall: 0 arguments given; usage: sparrowhall rules show RULESET [flags]\n"},
		{"rules diff wrc", "sparrowhall: 1 arguments given; usage: sparrowhall rules diff A B [flags]\n"},
		{"rules list --jsno", "sparrowhall: unknown flag: --jsno\n"},
		{"score a b", "sparrowhall: 2 arguments given; usage: sparrowhall score [FILE] [flags]\n"},
		{"play --matches many", `sparrowhall: --matches: "many"; allowed: a whole number up to 9223372036854775807`},
		{"play --seed -1", `sparrowhall: --seed: "-1"; allowed: a whole number from 0 to 18446744073709551615`},
		{"serve --idle 5", `sparrowhall: --idle: "5"; allowed: a time with its unit, such as 30s`},
		{"play --json=maybe", `sparrowhall: --json: "maybe"; allowed: true or false`},
		{"bench --seconds x", `sparrowhall: --seconds: "x"; allowed: a number`},
		{"bench --seconds nan", "sparrowhall: --seconds NaN; allowed: a number above 0, at most 600\n"},
		{"--verbose", "sparrowhall: unknown flag: --verbose\n"},
	} {
		out, errOut, status := sparrowhall(t, "", strings.Fields(c.args)...)
		if status != statusUsage || out != "" || !strings.HasPrefix(errOut, c.want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("sparrowhall %s: status %d, out %q, err %q, want %q", c.args, status, out, errOut, c.want)
		}
	}
}

func TestUsagef(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
	}{
		{nil, statusOK},
		{os.ErrNotExist, statusFailure},
		{usagef("matches: %d is too few", 0), statusUsage},
	} {
		cmd := &cobra.Command{Use: "x", RunE: func(*cobra.Command, []string) error { return c.err }}
		markFailures(cmd)
		err := cmd.RunE(cmd, nil)
		if got := status(t.Context(), err); got != c.status {
			t.Errorf("%v: status %d, want %d", c.err, got, c.status)
		}
	}
}

// The Python package starts only a program of its own version.
func TestVersion(t *testing.T) {
	if out, _, status := sparrowhall(t, "", "--version"); status != statusOK || !strings.HasPrefix(out, "sparrowhall version "+release.Version) {
		t.Errorf("status %d, out %q", status, out)
	}
	const path = "../../python/src/sparrowhall/version.py"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if line := fmt.Sprintf("__version__ = %q\n", release.Version); !strings.Contains(string(text), line) {
		t.Errorf("%s does not say %s", path, line)
	}
}

// Every command has a short line and an example of its own, and its help fits plainWidth columns.
func TestHelp(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		out, errOut, status := sparrowhall(t, "", append(strings.Fields(path)[1:], "--help")...)
		if status != statusOK || errOut != "" || !strings.Contains(out, "Examples:\n  "+path) || cmd.Short == "" {
			t.Errorf("%s --help: status %d, err %q, out\n%s", path, status, errOut, out)
		}
		for line := range strings.Lines(out) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > plainWidth {
				t.Errorf("%s --help: a line of %d columns: %s", path, n, line)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRootCommand())
}

// The help of the program lists every verb in a group.
func TestHelpGroups(t *testing.T) {
	out, _, status := sparrowhall(t, "")
	if status != statusOK {
		t.Fatalf("status %d", status)
	}
	for _, c := range newRootCommand().Commands() {
		if c.GroupID == "" {
			t.Errorf("%s has no group", c.Name())
		}
		if !strings.Contains(out, "\n  "+c.Name()+" ") {
			t.Errorf("the help does not list %s:\n%s", c.Name(), out)
		}
	}
	if !strings.Contains(out, "\nAnalyze rules and results:\n  report  ") || strings.Contains(out, "\nVerbs:") {
		t.Errorf("no groups in\n%s", out)
	}
}

// A name that is neither a preset nor a file is wrong usage, whichever verb takes it.
func TestUnknownRuleset(t *testing.T) {
	for _, args := range []string{
		"play --ruleset tenho", "tournament run --agents value,greedy --ruleset tenho", "sweep --knob min_win=1 --ruleset tenho",
		"sweep --knob ura_dora --variant tenho", "tune --knob min_win=1..2 --want won>1% --ruleset tenho", "balance --ruleset tenho",
		"rules show tenho", "rules diff tenho tenhou", "rules diff tenhou tenho", "score --ruleset tenho", "bench --ruleset tenho",
		"import mjai root_test.go --ruleset tenho", "train pairs --out x --ruleset tenho", "train fit --out x --ruleset tenho", "train tune --out x --ruleset tenho",
	} {
		if out, errOut, status := sparrowhall(t, "", strings.Fields(args)...); status != statusUsage || out != "" || !strings.Contains(errOut, `unknown ruleset "tenho"`) {
			t.Errorf("%s: status %d, out %q, err %q", args, status, out, errOut)
		}
	}
}

// A reader that goes away ends the process quietly.
func TestClosedPipe(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var errOut strings.Builder
	cmd := exec.Command(exe, "rules", "list")
	cmd.Env = append(os.Environ(), asCommand+"=1")
	cmd.Stdout = w
	cmd.Stderr = &errOut
	if err := cmd.Run(); err == nil {
		t.Error("writing to nobody succeeded")
	}
	if strings.Contains(errOut.String(), "panic") || strings.Contains(errOut.String(), "goroutine") {
		t.Errorf("stack trace:\n%s", errOut.String())
	}
}
