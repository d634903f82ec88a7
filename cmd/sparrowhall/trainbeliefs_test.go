package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/sim/belief"
)

// TestTrainBeliefs fits beliefs to a few matches: the same twice, whatever the workers, and
// already better than chance alone. Without --out it measures those of the program.
func TestTrainBeliefs(t *testing.T) {
	dir := t.TempDir()
	var made [2][]byte
	for i := range made {
		file := filepath.Join(dir, fmt.Sprint(i))
		text, errOut, status := sparrowhall(t, "", "train", "beliefs", "--quiet", "--ruleset", "botzone", "--agents", "greedy,greedy,greedy,greedy",
			"--matches", "150", "--every", "1", "--epochs", "3", "--rate", "0.01", "--hidden", "8,4", "--workers", fmt.Sprint(1+2*i), "--out", file)
		if status != statusOK {
			t.Fatal(errOut)
		}
		var err error
		if made[i], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
		if _, err := belief.Parse(made[i], "mcr"); err != nil {
			t.Error(err)
		}
		if _, err := belief.Parse(made[i], "riichi"); err == nil {
			t.Error("beliefs of another family are taken")
		}
		better(t, text, "10 further matches: ")
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("other workers, other beliefs")
	}
	data := filepath.Join(dir, "data")
	if _, errOut, status := sparrowhall(t, "", "play", "--quiet", "--ruleset", "botzone", "--matches", "20", "--agents", "greedy,greedy,greedy,greedy", "--out", data); status != statusOK {
		t.Fatal(errOut)
	}
	text, errOut, status := sparrowhall(t, "", "train", "beliefs", "--check", data)
	if status != statusOK {
		t.Fatal(errOut)
	}
	better(t, text, data+": ")
	for _, refused := range []string{
		"--matches 3 --out x --hidden 8", "--matches 3", "--matches 3 --out x --epochs 0", "--matches 3 --out x --every 0", "--matches 3 --out x --rate 2",
	} {
		if _, errOut, status := sparrowhall(t, "", append([]string{"train", "beliefs"}, strings.Fields(refused)...)...); status != statusUsage || errOut == "" {
			t.Errorf("%s: status %d, %s", refused, status, errOut)
		}
	}
}

// better finds the line that measures re-deals, and sees that those by beliefs are better.
func better(t *testing.T, text, name string) {
	t.Helper()
	_, rest, found := strings.Cut(text, name)
	var chance, beliefs float64
	if _, err := fmt.Sscanf(rest, "re-deals by chance %f, by beliefs %f nats", &chance, &beliefs); !found || err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if beliefs > chance-0.005 {
		t.Errorf("by chance %.4f, by beliefs %.4f", chance, beliefs)
	}
}
