package outside

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
)

// option is an option of external agents: NAME=VALUE before a command, or in the query of an
// address.
type option struct {
	name string
	// agents are the kinds that take it, separated by spaces.
	agents string
	// values says what is allowed, usual is the default and "" if there is none.
	values, usual string
	meaning       string
	// set returns errValue for a value that is not allowed, or an error that says more.
	set func(c *command, value string) error
}

// programs are the kinds of agents whose program is started by a command.
const programs = "mjai botzone llm"

var errValue = errors.New("not allowed")

// options are all options of external agents. docs/bots.md has them as a table.
var options = []option{
	{"timeout", programs + " mjsonp grpc", aTime, "10s", "time for an answer; wall time", duration(func(c *command) *time.Duration { return &c.timeout })},
	{"startup", programs + " mjsonp", aTime, "1m", "time for a new process to answer, or a program to connect", duration(func(c *command) *time.Duration { return &c.startup })},
	{"restarts", programs, "0 to 1000", "1", "how often in a match a program that ended is started again", whole(0, 1000, func(c *command, n int64) { c.restarts = int(n) })},
	{"env", programs, "names of set variables, separated by commas", "", "variables to pass besides `PATH`, `HOME`, `LANG`, `TMPDIR`", setEnv},
	{"memory", programs, "an amount such as 512MB or 2GB", "", "address space of each process (Linux)", setMemory},
	{"cpu", programs, aTime, "", "CPU time of each process (Linux)", duration(func(c *command) *time.Duration { return &c.limits.CPU })},
	{"processes", programs, "at least 1", "", "bound of processes (Linux)", whole(1, 1<<31-1, func(c *command, n int64) { c.limits.Processes = int(n) })},
	{"wrapper", programs, "a command", "", "command that starts the program, such as a sandbox", setWrapper},
	{"bank", "mjai", aTime, "", "more time for all answers of a hand together", duration(func(c *command) *time.Duration { return &c.bank })},
	{"replies", "mjai", "all, asked, batch", "", "answers all lines, those asked, or arrays of lines; else found out", word(func(c *command, w string) { c.replies = replies(w) }, toAll, toAsked, toBatches)},
	{"kita", "mjai", "kita, nukidora", string(mjai.KitaWord), "three players: the word for a North set aside", word(func(c *command, w string) { c.kita = mjai.Kita(w) }, mjai.KitaWord, mjai.Nukidora)},
	{"io", "botzone", "json, simple", "", "JSON or bare text; else found out", word(func(c *command, w string) { c.io = w }, "json", "simple")},
	{"tries", "llm", "1 to 100", "3", "requests for a decision", whole(1, 100, func(c *command, n int64) { c.tries = int(n) })},
	{"tokens", "llm", "at least 1", "", "limit for a match", whole(1, 1<<62, func(c *command, n int64) { c.tokens = n })},
	{"log", "llm", "the name of a file", "", "file of JSON with counts of requests, faults and tokens", setLog},
	{"tls", "grpc", "on, off", "off", "TLS with the certificates of the system", word(func(c *command, w string) { c.tls = w == "on" }, "on", "off")},
}

// aTime says what durations are allowed.
const aTime = "a time such as 500ms or 10s"

// duration returns a set for a time above 0.
func duration(field func(c *command) *time.Duration) func(*command, string) error {
	return func(c *command, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d <= 0 {
			return errValue
		}
		*field(c) = d
		return nil
	}
}

// whole returns a set for a whole number between two bounds.
func whole(least, most int64, set func(c *command, n int64)) func(*command, string) error {
	return func(c *command, value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < least || n > most {
			return errValue
		}
		set(c, n)
		return nil
	}
}

// word returns a set for one of several words.
func word[W ~string](set func(c *command, w string), allowed ...W) func(*command, string) error {
	return func(c *command, value string) error {
		if !slices.Contains(allowed, W(value)) {
			return errValue
		}
		set(c, value)
		return nil
	}
}

func setEnv(c *command, value string) error {
	c.env = strings.Split(value, ",")
	for _, name := range c.env {
		if _, ok := os.LookupEnv(name); !ok {
			return fmt.Errorf("%q is not in the environment; list names that are, separated by commas", name)
		}
	}
	return nil
}

func setMemory(c *command, value string) error {
	for i, unit := range []string{"KB", "MB", "GB"} {
		digits, ok := strings.CutSuffix(value, unit)
		if n, err := strconv.ParseInt(digits, 10, 32); ok && err == nil && n > 0 {
			c.limits.Memory = n << (10 * (i + 1))
			return nil
		}
	}
	return errValue
}

func setWrapper(c *command, value string) (err error) {
	if c.wrapper, err = shellquote.Split(value); err == nil && len(c.wrapper) > 0 {
		_, err = exec.LookPath(c.wrapper[0])
	}
	return err
}

func setLog(c *command, value string) error {
	if c.log = value; value == "" {
		return errValue
	}
	return nil
}

// newCommand returns a command of a kind of agent with the default of each option.
func newCommand(kind string) *command {
	c := &command{kind: kind}
	for _, o := range options {
		if o.usual == "" {
			continue
		}
		if err := o.set(c, o.usual); err != nil {
			panic(fmt.Sprintf("outside: default of %s: %v", o.name, err)) // any command shows it
		}
	}
	return c
}

// set sets an option of the command's kind of agent.
func (c *command) set(name, value string) error {
	var allowed []string
	for _, o := range options {
		if !slices.Contains(strings.Fields(o.agents), c.kind) {
			continue
		}
		if o.name != name {
			allowed = append(allowed, o.name)
			continue
		}
		// The flag --bot-wrapper puts a wrapper before one that the agent itself has.
		if slices.Contains(c.given, name) && name != "wrapper" {
			return fmt.Errorf("option %s is given twice", name)
		}
		c.given = append(c.given, name)
		err := o.set(c, value)
		switch {
		case errors.Is(err, errValue):
			return fmt.Errorf("%s: %q; allowed: %s", name, value, o.values)
		case err != nil:
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
	return fmt.Errorf("option %s is unknown; allowed: %s", name, strings.Join(allowed, ", "))
}

// setAll sets the options in the query of an address.
func (c *command) setAll(query map[string][]string) error {
	for name, values := range query {
		for _, value := range values {
			if err := c.set(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// OptionsHelp returns a line about each option of some kinds of agents.
func OptionsHelp(kinds ...string) string {
	var b strings.Builder
	for _, o := range options {
		if !slices.ContainsFunc(strings.Fields(o.agents), func(kind string) bool { return slices.Contains(kinds, kind) }) {
			continue
		}
		usual := ""
		if o.usual != "" {
			usual = " (" + o.usual + ")"
		}
		fmt.Fprintf(&b, "  %-10s %s%s\n", o.name, strings.ReplaceAll(o.meaning, "`", ""), usual)
	}
	return b.String()
}
