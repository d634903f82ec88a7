package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/sim"
)

// asSpy is the variable that makes the test binary a program of mjai that looks
// everywhere for the walls: the file of its report, the folder of the dataset, and
// the seal file that it tries to read, if any.
const asSpy = "SPARROWHALL_TEST_AS_SPY"

func init() { others[asSpy] = beSpy }

// beSpy plays as it must and looks around whenever a match begins and when it is
// asked something.
func beSpy(what string) error {
	words := strings.Split(what, " ")
	report, err := os.OpenFile(words[0], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	lines, looked := bufio.NewScanner(os.Stdin), 0
	for lines.Scan() {
		fmt.Fprintf(report, "told %s\n", lines.Bytes())
		answer := `{"type":"none"}`
		m, err := mjai.Parse(lines.Bytes())
		switch {
		case err != nil:
			return err
		case m.Type == "start_game":
			looked = 0
		case m.Type == "tsumo" && m.Pai != "?":
			answer = `{"type":"dahai","actor":` + fmt.Sprint(*m.Actor) + `,"pai":"` + m.Pai + `","tsumogiri":true}`
			if looked++; looked <= 2 {
				lookAround(report, words[1])
				for _, file := range words[2:] {
					trySeal(report, file)
				}
			}
		}
		fmt.Println(answer)
	}
	return lines.Err()
}

// lookAround writes down all that a program finds out about those who started it,
// about itself, and in a folder.
func lookAround(report *os.File, dir string) {
	fmt.Fprintln(report, "environment", os.Environ(), os.Args)
	for pid := os.Getpid(); pid > 1; {
		of := "/proc/" + strconv.Itoa(pid)
		for _, name := range []string{"cmdline", "environ", "cwd", "maps", "stat", "comm"} {
			text, err := os.ReadFile(filepath.Join(of, name))
			fmt.Fprintln(report, pid, name, string(text), err)
		}
		links, _ := filepath.Glob(of + "/fd/*")
		for _, link := range links {
			file, err := os.Readlink(link)
			fmt.Fprintln(report, link, file, err)
			if info, err := os.Stat(link); err == nil && info.Mode().IsRegular() {
				text, err := os.ReadFile(link)
				fmt.Fprintln(report, string(text), err)
			}
		}
		stat, _ := os.ReadFile(filepath.Join(of, "stat"))
		_, after, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(after)
		if len(fields) < 2 {
			break
		}
		if pid, _ = strconv.Atoi(fields[1]); pid == os.Getpid() {
			break
		}
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			fmt.Fprintln(report, path, string(text), err)
		}
		return nil // it goes on
	})
}

// trySeal reads the seal file by its name and past all processes.
func trySeal(report *os.File, file string) {
	roots, _ := filepath.Glob("/proc/[0-9]*/root")
	for _, root := range append(roots, "") {
		text, err := os.ReadFile(root + file)
		fmt.Fprintf(report, "tried %s: %v\n%s\n", root+file, err, text)
	}
}

// secretsOf returns what nobody may learn of a sealed run while it goes on, in the
// forms in which it might be written.
func secretsOf(t *testing.T, sealFile string, matches uint64) (all [][]byte) {
	t.Helper()
	text, err := os.ReadFile(sealFile)
	if err != nil {
		t.Fatal(err)
	}
	var file seal.Info
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{file.Seed, file.Salt} {
		raw, err := hex.DecodeString(text)
		if err != nil || len(raw) != 32 {
			t.Fatalf("%q: %v", text, err)
		}
		all = append(all, raw, raw[:16], raw[16:], []byte(text), []byte(strings.ToUpper(text)),
			[]byte(base64.StdEncoding.EncodeToString(raw)), []byte(base64.URLEncoding.EncodeToString(raw)))
	}
	raw, _ := hex.DecodeString(file.Seed) // it was read above
	for i := range matches {
		n := (*sim.Secret)(raw).MatchSeed(i)
		all = append(all, []byte(strconv.FormatUint(n, 10)), []byte(strconv.FormatUint(n, 16)),
			binary.LittleEndian.AppendUint64(nil, n), binary.BigEndian.AppendUint64(nil, n))
	}
	return all
}

// A hostile program finds the seed of a sealed run, or that of a match, in no
// argument, environment, open file or file of the dataset of those who started it,
// and in no message. In a sandbox it cannot read the seal file either, though it
// knows its name.
func TestSpy(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const matches = 3
	for _, sandbox := range []bool{false, true} {
		t.Run(fmt.Sprintf("sandbox=%t", sandbox), func(t *testing.T) {
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			if err := os.Mkdir(at("notes"), 0o700); err != nil {
				t.Fatal(err)
			}
			house := at("house.toml")
			if err := os.WriteFile(house, []byte("base = \"tenhou\"\nmax_hands = 1\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			what := at("notes/report") + " " + at("out")
			args := []string{
				"play", "--ruleset", house, "--matches", fmt.Sprint(matches), "--workers", "1", "--record", "decisions", "--quiet",
				"--sealed", "--seal-file", at("seal"), "--out", at("out"),
				"--agent", "mjai:env=" + asSpy + " replies=all " + self, "--agent", "greedy", "--agent", "random", "--agent", "greedy",
			}
			if sandbox {
				bwrap, err := exec.LookPath("bwrap")
				if err != nil {
					t.Skip("bubblewrap is not installed")
				}
				if out, err := exec.Command(bwrap, "--ro-bind", "/", "/", "--unshare-all", "true").CombinedOutput(); err != nil {
					t.Skipf("bubblewrap cannot make a sandbox here: %s", out)
				}
				what += " " + at("seal")
				wrapper := []string{"bwrap", "--ro-bind", "/usr", "/usr", "--ro-bind", self, self, "--bind", at("notes"), at("notes")}
				for _, name := range []string{"bin", "lib", "lib64"} {
					wrapper = append(wrapper, "--symlink", "usr/"+name, "/"+name)
				}
				wrapper = append(wrapper, "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent", "--new-session")
				args = append(args, "--bot-wrapper", strings.Join(wrapper, " "))
			}
			cmd := exec.Command(self, args...)
			cmd.Env = append(os.Environ(), asCommand+"=1", asSpy+"="+what)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if bytes.Contains(out, []byte("forfeit")) {
				t.Errorf("%s", out)
			}
			report, err := os.ReadFile(at("notes/report"))
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range secretsOf(t, at("seal"), matches) {
				if i := bytes.Index(report, secret); i >= 0 {
					t.Errorf("%q is given away: %q", secret, report[max(0, i-200):i])
				}
			}
			// It has looked where there is something to see.
			seen := []string{"told {\"type\":\"start_game\"", "--seal-file", asSpy, "environ", at("out/manifest.json") + " {", `"commitment"`, "sparrowhall"}
			if sandbox {
				seen = []string{"told {\"type\":\"start_game\"", "tried " + at("seal") + ": ", "no such file"}
				if bytes.Contains(report, []byte("--seal-file")) || bytes.Contains(report, []byte("manifest.json")) {
					t.Error("in a sandbox the program sees the command line or the dataset")
				}
			}
			for _, want := range seen {
				if !bytes.Contains(report, []byte(want)) {
					t.Errorf("the program has not seen %q", want)
				}
			}
			if out, errOut, status := sparrowhall(t, "", "verify", at("out"), "--quiet"); status != statusOK {
				t.Errorf("verify: %s%s", out, errOut)
			}
		})
	}
}
