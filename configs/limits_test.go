package configs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// bombs are texts that would cost much if they were read without limits, by what
// is said of them.
func bombs() map[string]struct{ text, want string } {
	keys := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "k%d = 1\n", i)
		}
		return b.String()
	}
	deep := "keys, lists and tables are nested too deep; the greatest depth is 8"
	return map[string]struct{ text, want string }{
		"dotted table":          {"base = \"wrc\"\n[" + strings.Repeat("a.", 15_000) + "a]\n", "guest:2: " + deep},
		"dotted tables":         {"base = \"wrc\"\n[[" + strings.Repeat("a.", 15_000) + "a]]\n", "guest:2: " + deep},
		"dotted key":            {"base = \"wrc\"\n" + strings.Repeat("a.", 15_000) + "a = 1\n", "guest:2: " + deep},
		"dotted key in a table": {"base = \"wrc\"\n[a.a.a.a.a]\na.a.a.a = 1\n", "guest:3: " + deep},
		"dotted key in a value": {"base = \"wrc\"\nx = { " + strings.Repeat("a.", 15_000) + "a = 1 }\n", "guest:2: " + deep},
		"lists":                 {"base = \"wrc\"\nx = " + strings.Repeat("[", 15_000) + strings.Repeat("]", 15_000) + "\n", "guest:2: "},
		"fewer lists":           {"base = \"wrc\"\nx = " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + "\n", "guest:2: " + deep},
		"open lists":            {"base = \"wrc\"\nx = " + strings.Repeat("[", 30_000), "guest:2: "},
		"tables":                {"base = \"wrc\"\nx = " + strings.Repeat("{a=", 8_000) + "1" + strings.Repeat("}", 8_000), "guest:2: " + deep},
		"unknown keys":          {"base = \"wrc\"\n" + keys(2_500), "guest:501: too many keys; allowed: 500"},
		"fewer unknown keys":    {"base = \"wrc\"\n" + keys(450), "guest:2: k0: unknown knob"},
		"unknown patterns":      {"base = \"wrc\"\n[patterns]\n" + keys(450), "guest:3: patterns.k0: unknown pattern"},
		"keys of a value":       {"base = \"wrc\"\nx = { " + strings.ReplaceAll(strings.TrimSpace(keys(2_500)), "\n", ", ") + " }\n", "guest:2: too many keys"},
		"keys in lists":         {"base = \"wrc\"\nx = [" + strings.Repeat("{a=1},", 4_000) + "]\n", "guest:2: too many keys"},
		"tables of a list":      {"base = \"wrc\"\n" + strings.Repeat("[[a]]\n", 4_000), "guest:501: too many keys"},
		"long key":              {"base = \"wrc\"\n" + strings.Repeat("k", 30_000) + " = 1\n", "guest:2: a key of 30000 bytes; allowed: 100"},
		"long key in a value":   {"base = \"wrc\"\nx = { " + strings.Repeat("k", 30_000) + " = 1 }\n", "guest:2: a key of 30000 bytes"},
		"long word":             {"base = \"wrc\"\nkuitan = \"" + strings.Repeat("é", 15_000) + "\"\n", "guest:2: kuitan: \"é"},
		"long base":             {"base = \"" + strings.Repeat("b", 30_000) + "\"\n", "guest:1: base: unknown ruleset"},
		"long family":           {"family = \"" + strings.Repeat("f", 30_000) + "\"\n", "guest:1: family: there is no family"},
		"long number":           {"base = \"wrc\"\nrounds = " + strings.Repeat("9", 30_000) + "\n", "guest:2: "},
		"long fraction":         {"base = \"wrc\"\nrounds = 1." + strings.Repeat("9", 30_000) + "e-1" + "\n", "guest:2: "},
		"long list":             {"base = \"wrc\"\nplacement = [" + strings.Repeat("1,", 15_000) + "]\n", "guest:2: placement: "},
		"control characters":    {"base = \"wrc\"\ndescription = \"\\u001b]0;owned\\u0007\"\n", "guest:2: description: \"\\x1b"},
		"large":                 {"base = \"wrc\"\n" + strings.Repeat("#", 4<<20), "guest: too large for a ruleset; allowed: 32768 bytes"},
	}
}

// TestBombs checks that a text of any kind is judged with little memory, and that the errors are
// few and short.
func TestBombs(t *testing.T) {
	for name, c := range bombs() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Read("guest", []byte(c.text))
			runtime.ReadMemStats(&after)
			errs, ok := errors.AsType[Errors](err)
			if !ok || !strings.HasPrefix(err.Error(), c.want) {
				t.Fatalf("error %.200v; want %s", err, c.want)
			}
			if n := len(errs); n > maxErrors+1 {
				t.Errorf("%d errors", n)
			}
			if n := len(err.Error()); n > (maxErrors+1)*(maxText+maxKey+100) {
				t.Errorf("the errors have %d bytes", n)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
				t.Errorf("%d bytes allocated", n)
			}
		})
	}
}

// Presets, written out in full, are far below the limits.
func TestPresetsWithinLimits(t *testing.T) {
	for _, name := range Names() {
		text := preset(t, name).TOML()
		if e := checkSize(name, []byte(text)); e != nil || len(text) > maxBytes/4 {
			t.Errorf("%s: %v, %d bytes", name, e, len(text))
		}
	}
}

// A user's own file is read no further than a ruleset can be long.
func TestFileLimits(t *testing.T) {
	folder(t, map[string]string{"0.toml": "base = \"wrc\"\n"})
	for i := range maxChain + 1 {
		text := fmt.Sprintf("base = \"%d.toml\"\n", i)
		if err := os.WriteFile(fmt.Sprintf("%d.toml", i+1), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(fmt.Sprintf("%d.toml", maxChain-1)); err != nil {
		t.Error(err)
	}
	if _, err := Open(fmt.Sprintf("%d.toml", maxChain)); err == nil || !strings.Contains(err.Error(), "more than 16 files") {
		t.Errorf("a long chain: %v", err)
	}
	endless := filepath.Join(t.TempDir(), "endless")
	if err := errors.Join(os.WriteFile(endless, nil, 0o600), os.Truncate(endless, 1<<36)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(endless); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("an endless file: %v", err)
	}
}
