package outside_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/agents/outside/guard/watch"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	"github.com/sparrowhall/sparrowhall/sim"
)

// sleeper is what a hostile program leaves behind: it does nothing.
func sleeper([]string) { hang() }

// leave starts sleepers in sessions of their own, which hold on to the given
// standard output.
func leave(mark string, n int, out *os.File) {
	for range n {
		c := exec.Command(os.Args[0], "sleeper", mark)
		c.Stdout, c.Stderr = out, out
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := c.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
}

// forever does something again and again.
func forever(do func()) {
	for {
		do()
	}
}

// mischief is what the hostile programs do before they play as pushovers do, if
// they come to that. mark is a word of their commands.
var mischief = map[string]func(mark string){
	"hang":            func(string) { hang() },
	"stop":            func(string) { syscall.Kill(os.Getpid(), syscall.SIGSTOP) },
	"flood":           func(string) { forever(func() { fmt.Println(`{"type":"none"}`) }) },
	"flood of errors": func(string) { forever(func() { fmt.Fprintln(os.Stderr, "trouble") }) },
	"die":             func(string) { os.Exit(3) },
	"die by a signal": func(string) { syscall.Kill(os.Getpid(), syscall.SIGKILL); hang() },
	"kill its group":  func(string) { syscall.Kill(0, syscall.SIGKILL); hang() },
	"kill its guard":  func(string) { syscall.Kill(os.Getppid(), syscall.SIGKILL); hang() },
	"detach":          func(mark string) { leave(mark, 1, os.Stdout) },
	"detach quietly":  func(mark string) { leave(mark, 1, nil) },
	"detach and die": func(mark string) {
		leave(mark, 3, os.Stdout)
		os.Exit(0)
	},
	"detach and kill its guard": func(mark string) {
		leave(mark, 3, os.Stdout)
		syscall.Kill(os.Getppid(), syscall.SIGKILL)
		hang()
	},
	"detach twice": func(mark string) {
		c := exec.Command(os.Args[0], "hostile", "detach and die", mark)
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		_ = c.Run() // its end is not what counts
	},
	"fork on":      func(mark string) { forever(func() { leave(mark, 1, nil) }) },
	"junk":         func(string) { forever(func() { os.Stdout.Write([]byte("\x00\xff\x1b[2J}{\r\n")) }) },
	"nest":         func(string) { forever(func() { fmt.Println(strings.Repeat("[", 1<<19)) }) },
	"endless line": func(string) { forever(func() { os.Stdout.Write(make([]byte, 1<<20)) }) },
	"drip": func(string) {
		forever(func() { fmt.Print("x"); time.Sleep(20 * time.Millisecond) })
	},
	"close its input":  func(string) { os.Stdin.Close(); hang() },
	"close its output": func(string) { os.Stdout.Close(); hang() },
	"close its errors": func(string) { os.Stderr.Close() },
	"stay": func(string) {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	},
	"take memory": func(string) {
		var all [][]byte
		forever(func() { all = append(all, make([]byte, 1<<30)) })
	},
	"take time": func(string) {
		go forever(func() {})
		forever(func() {})
	},
	"spy": func(mark string) { os.WriteFile(mark, []byte(spied()), 0o600) },
}

// spied returns all that a program finds out about its parent and itself.
func spied() string {
	var all strings.Builder
	fmt.Fprintln(&all, os.Environ(), os.Args)
	for _, pid := range []string{"self", fmt.Sprint(os.Getppid())} {
		for _, name := range []string{"cmdline", "environ"} {
			text, err := os.ReadFile("/proc/" + pid + "/" + name)
			fmt.Fprintln(&all, pid, name, string(text), err)
		}
		links, _ := filepath.Glob("/proc/" + pid + "/fd/*")
		for _, link := range links {
			file, err := os.Readlink(link)
			fmt.Fprintln(&all, link, file, err)
		}
	}
	return all.String()
}

func runHostile(args []string) {
	mischief[args[0]](args[1])
	runMJAIBot(nil)
	if args[0] == "stay" {
		hang()
	}
}

// hostile is a program that does some mischief, and what comes of it.
type hostile struct {
	name, options string
	// reason is that of the forfeit, empty where the program plays well.
	reason string
}

// TestHostile lets programs do their worst. Matches end in time, whoever cannot
// answer forfeits with the reason, and nothing is left running.
func TestHostile(t *testing.T) {
	secret, err := os.CreateTemp(t.TempDir(), "secret")
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	t.Setenv("SPARROWHALL_TOKEN", "hush-hush")
	t.Setenv("SHOWN", "as-told")
	rules := short(t, "ema_2016", 1)
	notes := filepath.Join(t.TempDir(), "notes")
	cases := []hostile{
		{"hang", "startup=300ms", "no answer in time: 300ms"},
		{"stop", "startup=300ms", "no answer in time: 300ms"},
		{"flood", "timeout=5s", "none is not legal"},
		{"flood of errors", "startup=500ms", "no answer in time: 500ms"},
		{"die", "", "the program has ended: exit status 3"},
		{"die by a signal", "restarts=0", "the program has ended: signal: killed"},
		{"kill its group", "restarts=0", "the program has ended: signal: killed"},
		{"kill its guard", "restarts=0", "its guard was ended: signal: killed"},
		{"detach", "", ""},
		{"detach quietly", "", ""},
		{"detach and die", "restarts=0", "the program has ended"},
		{"detach twice", "", ""},
		{"fork on", "restarts=0 processes=12", "the program has ended: more than 12 processes"},
		{"junk", "", "no mjai message"},
		{"nest", "", "no mjai message"},
		{"endless line", "", "the line is too long"},
		{"drip", "startup=500ms", "no answer in time: 500ms"},
		{"close its input", "startup=2s restarts=0", ""},
		{"close its output", "restarts=0", "the program has ended"},
		{"close its errors", "", ""},
		{"stay", "", ""},
		{"take memory", "restarts=0 memory=8GB", "the program has ended: exit status "},
		{"take time", "restarts=0 cpu=2s", "more than 2 seconds of CPU time"},
		{"spy", "env=SHOWN", ""},
	}
	// Only a control group ends what a guard left that was ended itself.
	if group := watch.NewGroup(1); group != "" {
		watch.EndGroup(group)
		cases = append(cases, hostile{"detach and kill its guard", "restarts=0", "its guard was ended: signal: killed"})
	}
	marks := make([]string, len(cases))
	all := make([]played, len(cases))
	t.Run("play", func(t *testing.T) {
		for i, c := range cases {
			marks[i] = fmt.Sprintf("mark-%d-%d", os.Getpid(), i)
			if c.name == "spy" {
				marks[i] = notes
			}
			spec := "mjai:" + c.options + " " + program("hostile", "'"+c.name+"'", marks[i])
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				begin := time.Now()
				p, err := game{rules, spec, 4}.play(t, 1)
				if err != nil {
					t.Fatal(err)
				}
				// A second or two on an idle machine. Programs hang for longer.
				if took := time.Since(begin); took > 2*poll.Patience {
					t.Errorf("it took %v", took)
				}
				all[i] = p
			})
		}
	})
	for i, c := range cases {
		said := strings.Join(all[i].reasons, "\n")
		if c.name == "close its input" { // noticed as late or as ended, as it comes
			c.reason = "the program has ended"
			if strings.Contains(said, "no answer in time") {
				c.reason = "no answer in time"
			}
		}
		if (said != "") != (c.reason != "") || !strings.Contains(said, c.reason) {
			t.Errorf("%s: forfeits for %q, want %q", c.name, said, c.reason)
		}
	}
	text, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{"hush-hush", "SPARROWHALL", secret.Name(), "-test."} {
		if bytes.Contains(text, []byte(hidden)) {
			t.Errorf("a program can see %q:\n%s", hidden, text)
		}
	}
	if !bytes.Contains(text, []byte("SHOWN=as-told")) {
		t.Errorf("what env names is not passed on:\n%s", text)
	}
	var left string
	if !poll.Until(func() bool { left = running(fmt.Sprintf("mark-%d-", os.Getpid())); return left == "" }) {
		t.Errorf("left running:\n%s", left)
	}
}

// TestMultiplying lets a program double its processes as fast as it can, to some
// thousands at most: it is ended long before.
func TestMultiplying(t *testing.T) {
	mark := fmt.Sprintf("mark-of-many-%d", os.Getpid())
	script := filepath.Join(t.TempDir(), mark)
	bomb := "f() { [ $1 -gt 11 ] || { f $(($1+1)) & f $(($1+1)) & }; while :; do :; done; }; f 0"
	if err := os.WriteFile(script, []byte(bomb), 0o600); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	p, err := game{short(t, "ema_2016", 1), "mjai:restarts=0 processes=20 /bin/sh " + script, 1}.play(t, 1)
	if err != nil {
		t.Fatal(err)
	}
	if said := strings.Join(p.reasons, "\n"); !strings.Contains(said, "more than 20 processes") {
		t.Errorf("forfeits for %q", said)
	}
	if took := time.Since(begin); took > poll.Patience {
		t.Errorf("it took %v", took)
	}
	var left string
	if !poll.Until(func() bool { left = running(mark); return left == "" }) {
		t.Errorf("left running:\n%s", left)
	}
}

// TestMultiplyingApart lets a program double its processes, each of which begins a
// session of its own, so that none ends with another. Only a control group bounds
// that whoever runs it, so the whole run is held by one, and not tried without.
func TestMultiplyingApart(t *testing.T) {
	outer := watch.NewGroup(31)
	if outer == "" {
		t.Skip("this process may make no control groups that limit processes")
	}
	defer watch.EndGroup(outer)
	mark := fmt.Sprintf("mark-of-sessions-%d", os.Getpid())
	script := filepath.Join(t.TempDir(), mark)
	bomb := "[ $1 -gt 11 ] || { setsid /bin/sh $0 $(($1+1)) & setsid /bin/sh $0 $(($1+1)) & }; while :; do :; done"
	if err := os.WriteFile(script, []byte(bomb), 0o600); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	said, err := exec.Command(os.Args[0], "held", outer, "mjai:restarts=0 processes=20 /bin/sh "+script+" 0").CombinedOutput()
	if err != nil || !bytes.Contains(said, []byte("more than 20 processes")) {
		t.Errorf("%v: %s", err, said)
	}
	if took := time.Since(begin); took > poll.Patience {
		t.Errorf("it took %v", took)
	}
	if left := running(mark); left != "" {
		t.Errorf("left running:\n%s", left)
	}
	below, _ := filepath.Glob(filepath.Join(outer, "*", "pids.max"))
	if len(below) > 0 {
		t.Errorf("groups left: %v", below)
	}
	// 1,024 and 64 for each process are the program's, the others those of the run.
	if peak, err := os.ReadFile(filepath.Join(outer, "pids.peak")); err == nil { // newer kernels have it
		if n, err := strconv.Atoi(strings.TrimSpace(string(peak))); err != nil || n > 1024+64*20+200 {
			t.Errorf("%s processes and threads at a time", peak)
		}
	}
}

// playHeld plays a match in a control group that limits processes, and prints why
// players forfeited.
func playHeld(args []string) {
	group, spec := args[0], args[1]
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte("0"), 0); err != nil {
		panic(err)
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	limit, err2 := os.ReadFile(filepath.Join(group, "pids.max"))
	if n, err3 := strconv.Atoi(strings.TrimSpace(string(limit))); err != nil || err2 != nil || err3 != nil ||
		n > 4000 || !strings.Contains(string(own), "/"+filepath.Base(group)+"\n") {
		panic(fmt.Sprintf("nothing holds this process: %s, %s, %v, %v, %v", own, limit, err, err2, err3))
	}
	factory, err := agents.New(spec)
	if err != nil {
		panic(err)
	}
	rules, err := configs.LoadWith("ema_2016", map[string]any{"max_hands": int64(1)})
	if err != nil {
		panic(err)
	}
	var m sim.Match
	m.Play(rules, &[sim.NumPlayers]sim.Agent{factory(), pushover{}, pushover{}, pushover{}})
	for _, f := range m.Forfeits {
		fmt.Println(f.Reason)
	}
}

// running returns the commands of all processes that have a word in them.
func running(word string) string {
	var all strings.Builder
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err == nil && bytes.Contains(text, []byte(word)) {
			fmt.Fprintf(&all, "%s: %q\n", name, text)
		}
	}
	return all.String()
}

// TestGuardOfAKilledRun checks that programs end with the process that plays with
// them, however it ends.
func TestGuardOfAKilledRun(t *testing.T) {
	mark := fmt.Sprintf("mark-of-run-%d", os.Getpid())
	run := exec.Command(os.Args[0], "match", mark)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	wait := func(there bool) {
		t.Helper()
		if !poll.Until(func() bool { return (running("sleeper\x00"+mark) != "") == there }) {
			t.Fatalf("the program runs: %v, want %v", !there, there)
		}
	}
	wait(true)
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait() // it was killed
	wait(false)
}

// playMatch plays a match that waits for a program which has detached another.
func playMatch(args []string) {
	factory, err := agents.New("mjai:" + program("hostile", "'detach and hang'", args[0]))
	if err != nil {
		panic(err)
	}
	rules, err := configs.Load("ema_2016")
	if err != nil {
		panic(err)
	}
	var m sim.Match
	m.Play(rules, &[sim.NumPlayers]sim.Agent{factory(), pushover{}, pushover{}, pushover{}})
}

func init() {
	bots["sleeper"], bots["hostile"], bots["match"] = sleeper, runHostile, playMatch
	bots["held"] = playHeld
	mischief["detach and hang"] = func(mark string) {
		leave(mark, 1, nil)
		hang()
	}
}
