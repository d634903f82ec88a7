package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/sim"
)

// TestTable starts a table for two people, a lobby and spectators, loads its page and ends it.
func TestTable(t *testing.T) {
	cmd := exec.Command(os.Args[0], "table", "--people", "2", "--names", "anna,ben", "--agents", "value,greedy", "--watch", "--clock", "5+10", "--out", t.TempDir())
	cmd.Stderr = t.Output()
	out := start(t, cmd)
	address := regexp.MustCompile(`^(player 0|player 1|share|watch)\s+(http://127\.0\.0\.1:\d+/)#\w{26}\n$`)
	lines := bufio.NewReader(out)
	for _, name := range []string{"player 0", "player 1", "share", "watch"} {
		line, err := lines.ReadString('\n')
		found := address.FindStringSubmatch(line)
		if err != nil || found == nil || found[1] != name {
			t.Fatalf("line %q, %v; want the address of %s", line, err, name)
		}
		response, err := http.Get(found[2])
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.Contains(string(page), "table.js") || response.Header.Get("Content-Security-Policy") == "" {
			t.Errorf("page of %s: %v, %.100s", name, err, page)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
}

// TestTableFrom goes on from a moment of a match, and refuses moments that it does not have.
func TestTableFrom(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if _, errOut, status := sparrowhall(t, "", "play", "--ruleset", "universal", "--agents", "greedy,greedy,greedy,greedy", "--matches", "1", "--seed", "4", "--out", dir, "--quiet"); status != statusOK {
		t.Fatal(errOut)
	}
	for flags, want := range map[string]string{
		"--match 7":                   "match 7",
		"--hand 99":                   "hand 99; the match has hands 0 to",
		"--hand 1 --step 9999":        "step 9999; hand 1 has steps 0 to",
		"--player 4":                  "--player: 4; allowed: 0 to 3",
		"--player -1":                 "--player: -1; allowed: 0 to 3",
		"--hand 1 --agents value":     "--agents: 1 agent; 3 must be named beside --people 1",
		"--seed 3 --hand 1 --step 20": "--seed: --from has it already",
	} {
		_, errOut, status := sparrowhall(t, "", append([]string{"table", "--from", dir}, strings.Fields(flags)...)...)
		if status == statusOK || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, %q; want %q", flags, status, errOut, want)
		}
	}
	cmd := exec.Command(os.Args[0], "table", "--from", dir, "--hand", "1", "--step", "20", "--player", "2", "--coach=expert:search=8", "--agents", "value,value,value")
	cmd.Stderr = t.Output()
	out := start(t, cmd)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.HasPrefix(line, "player 2  http://") {
		t.Errorf("line %q, %v; want the address of player 2", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
}

// sanma is a ruleset of three players.
const sanma = "tenhou_sanma"

func TestTableRefusals(t *testing.T) {
	for flags, want := range map[string]string{
		"--people 5":                                   "--people: 5; allowed: 1 to 4",
		"--people 0":                                   "--people: 0; allowed: 1 to 4",
		"--people 4 --ruleset " + sanma:                "--people: 4; allowed: 1 to 3",
		"--agents a,b,c --ruleset " + sanma:            "--agents: 3 agents; 2 must be named beside --people 1",
		"--agents value":                               "--agents: 1 agent; 3 must be named beside --people 1",
		"--people 4 --agents value":                    "--agents: 1 agent; 0 must be named beside --people 4",
		"--people 2 --names anna":                      "--names: 1 name for --people 2",
		"--agents valeu,value,value":                   `nearest: value`,
		"--agents a,b,c --agent value":                 "--agents and --agent are both given",
		"--coach=greedy":                               "--coach: greedy gives no advice; allowed: value and expert",
		"--coach=expert:search=3":                      "--coach: agents: expert: option search",
		"--clock 5:10":                                 `--clock: "5:10"; allowed: seconds`,
		"--pace 2m":                                    "--pace: 2m0s; allowed: 0 to 1m",
		"--away -1s":                                   "--away: -1s; at least 0",
		"--away 1s --substitute x":                     "--substitute: ",
		"--tls-cert a":                                 "--tls-cert and --tls-key are needed together",
		"--ruleset emaa_2016":                          "ema_2016",
		"--listen :0 --agents value,value,value":       "or add --tls-cert and --tls-key, or --insecure",
		"--listen x --agents value,value,value":        "--listen: ",
		"--tls-cert /absent --tls-key /absent":         "/absent",
		"--agents mjai:/absent/bot,value,value":        "/absent/bot",
		"--agents a=value,value,value":                 "only external agents have names",
		"--ruleset mcr_2006 extra":                     "1 arguments given",
		"--step 3":                                     "--step names a moment of a match; name its dataset with --from",
		"--from x --ruleset tenhou":                    "--ruleset: --from has it already",
		"--from /absent":                               "/absent",
		"--out /dev/null/x --agents value,value,value": "/dev/null",
	} {
		_, errOut, status := sparrowhall(t, "", append([]string{"table"}, strings.Fields(flags)...)...)
		if status == statusOK || !strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, %q; want %q", flags, status, errOut, want)
		}
	}
}

// standIn is an agent that stands for another.
type standIn struct{ sim.Agent }

func (s standIn) Unwrap() sim.Agent { return s.Agent }

// The coach may be an adviser that another agent stands for, and is refused where none is.
func TestCoachBehindAgent(t *testing.T) {
	for spec, advises := range map[string]bool{"value": true, "random": false} {
		newAgent, err := agents.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		newAdviser, err := coachOf(spec, func() sim.Agent { return standIn{standIn{newAgent()}} })
		if advises != (err == nil) {
			t.Errorf("%s: %v", spec, err)
		}
		if advises && newAdviser() == nil {
			t.Errorf("%s: no adviser", spec)
		}
	}
}
