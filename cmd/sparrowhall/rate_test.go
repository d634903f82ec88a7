package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/contest/rating"
	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
)

// TestRate rates an agent, continues where a part is missing, to the same bytes, and checks the
// result and its signature.
func TestRate(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	try := func(want int, args ...string) string {
		t.Helper()
		out, errOut, status := sparrowhall(t, "", args...)
		if status != want {
			t.Errorf("%v: status %d: %s", args, status, errOut)
		}
		return out + errOut
	}
	const private = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIBHoybE6WRUl/0IXsvVK9ThnTTr1gTxzfwVycmYvspQS
-----END PRIVATE KEY-----
`
	if err := os.WriteFile(at("key.pem"), []byte(private), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("pub.pem"), []byte(publicOf(t, at("key.pem"))), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func() string {
		t.Helper()
		text, err := os.ReadFile(at("mine/result.json"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rate := func(more ...string) []string {
		return append([]string{"rate", "tsumogiri", "--suite", "zungjung-2", "--matches", "4", "--quiet", "--out", at("mine"), "--name", "A | B"}, more...)
	}
	out := try(0, rate("--workers", "1")...)
	for _, want := range []string{"A | B: zungjung-2", "at most 4 matches against each opponent", "expert-1 4 ", "rating ", "worst case: against "} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	first := read()
	if strings.Contains(first, at("")) {
		t.Errorf("the result has a path:\n%s", first)
	}
	if err := os.RemoveAll(at("mine/value")); err != nil {
		t.Fatal(err)
	}
	try(0, rate("--workers", "2", "--retry-forfeits", "--sign", at("key.pem"))...)
	if again := read(); again != first {
		t.Errorf("the continued rating differs:\n%s\n%s", first, again)
	}
	if out := try(0, "rate", "--check", at("mine/result.json"), "--quiet", "--key", at("pub.pem")); !strings.Contains(out, "follow from the moves") || !strings.Contains(out, "signed with the key") {
		t.Errorf("%s", out)
	}
	if out := try(0, "rate", "--table", at("mine")); !strings.Contains(out, `| A \| B | tsumogiri | `) || !strings.Contains(out, "16 (a part of the suite)") {
		t.Errorf("%s", out)
	}
	try(1, "rate", "greedy", "--suite", "zungjung-2", "--matches", "4", "--quiet", "--out", at("mine"))
	if out := try(1, "rate", "greedy", "--suite", "zungjung-2", "--matches", "4", "--quiet", "--out", at("mine"), "--name", "A | B"); !strings.Contains(out, "another agent of this name has begun the folder") {
		t.Errorf("%s", out)
	}
}

// TestRateUsage checks what is refused before anything is played, and the remedy.
func TestRateUsage(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "season")
	if out, errOut, status := sparrowhall(t, "", "rate", "--new-season", file, "--suite", "mcr-2"); status != statusOK || !strings.Contains(out, "Publish the commitment now") {
		t.Fatalf("status %d: %s%s", status, out, errOut)
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"value", 2, "name a suite by --suite: h"},
		{"value --suite riichi", 2, `unknown suite "riichi"; nearest: riichi-2`},
		{"--suite riichi-2", 2, "0 arguments given"},
		{"valu --suite riichi-2", 2, `unknown agent "valu"; nearest: value`},
		{"mjai:./bot --suite riichi-2", 2, "name the agent as NAME=SPEC or by --name"},
		{"value:weights=x --suite riichi-2", 2, "name the agent as NAME=SPEC or by --name"},
		{"net:x.safetensors --anonymous --suite riichi-2", 2, "no such file"},
		{"mine=mjai:timeout=9s\u00a0./bot --suite riichi-2", 2, "the suite riichi-2 gives 10s for each answer; leave out timeout"},
		{"mine=grpc:localhost:1?timeout=9s --suite riichi-2", 2, "leave out timeout"},
		{"net --suite zungjung-2 --quiet", 1, `zungjung-2 against random: net: the program has no network for the family "zungjung"`},
		{"value --suite riichi-2 --season " + file + " --out " + dir + "/out", 1, "it is not the seed of a season of riichi-2"},
		{"value --suite mcr-2 --season " + file + " --out " + dir, 2, "name a file elsewhere"},
		{"value --suite mcr-2 --season " + file, 2, "name it with --out"},
		{"value --suite riichi-2 --name x --anonymous", 2, "use one of them"},
		{"value --suite riichi-2 --date today", 2, `--date: "today"; allowed: a day such as 2026-11-23`},
		{"value --suite riichi-2 --matches 0", 2, "at least 1"},
		{"value --suite riichi-2 --key x", 2, "--key is for --check"},
		{"value --suite riichi-2 --sign x", 2, "name its folder with --out"},
		{"value --suite riichi-2 --retry-forfeits", 2, "name it with --out"},
		{"--check x --retry-forfeits", 2, "--retry-forfeits does nothing with --check; leave it out"},
		{"--check x --table", 2, "use one of them"},
		{"--check x --suite riichi-2", 2, "--suite does nothing with --check; leave it out"},
		{"--check " + dir + "/nothing", 1, "no such file"},
		{"--table " + file, 1, "it is no result of rate"},
		{"--new-season " + file + " --suite mcr-2", 1, "there is a file already; name a new one"},
		{"--new-season " + file, 2, "name a suite by --suite"},
	} {
		args := strings.Split(c.args, " ")
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "\u00a0", " ")
		}
		out, errOut, status := sparrowhall(t, "", append([]string{"rate"}, args...)...)
		if status != c.status || out != "" || !strings.Contains(errOut, c.want) {
			t.Errorf("rate %s: status %d, out %q, err %q; want %s", c.args, status, out, errOut, c.want)
		}
	}
}

// TestLeaderboard compares docs/leaderboard.md with the results that it is made of, which are of
// the suites as they are.
func TestLeaderboard(t *testing.T) {
	files, err := filepath.Glob("../../docs/leaderboard/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	out, errOut, status := sparrowhall(t, "", append([]string{"rate", "--table"}, files...)...)
	if status != statusOK {
		t.Fatal(errOut)
	}
	const page = "../../docs/leaderboard.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	about, _, found := strings.Cut(string(text), "\n## ")
	if !found {
		t.Fatalf("%s has no table", page)
	}
	golden.Hold(t, page, about+"\n"+out)
	for _, f := range files {
		r, _, err := rating.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := rating.Open(r.Suite); err != nil || s.Digest() != r.SuiteDigest {
			t.Errorf("%s is of another version of its suite: %v", f, err)
		}
	}
}
