package main

import (
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// What steps writes is a stream of Arrow, byte for byte.
func TestSteps(t *testing.T) {
	const dir = "../../export/dataset/testdata/ema_2016"
	out, errOut, status := sparrowhall(t, "", "steps", dir)
	if status != statusOK {
		t.Fatalf("status %d: %s", status, errOut)
	}
	r, err := ipc.NewReader(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	rows := int64(0)
	for r.Next() {
		rows += r.Record().NumRows()
	}
	if err := r.Err(); err != nil || rows == 0 {
		t.Errorf("%d rows: %v", rows, err)
	}
	// The Python package checks the name before the program starts.
	list := `OBSERVATIONS = ("` + strings.ReplaceAll(arrayObservations(), ", ", `", "`) + `", "")`
	if text, err := os.ReadFile("../../python/src/sparrowhall/datasets.py"); err != nil || !strings.Contains(string(text), list) {
		t.Errorf("datasets.py has not %s: %v", list, err)
	}
	for _, c := range []struct{ flag, value, want string }{
		{"--shard", "0/2", "allowed: number/of"},
		{"--observation", "text", "allowed: planes, events, features"},
		{"--observation", "oracle", "unknown encoding"},
		{"--players", "0,bob", `no player has this name: "bob"; allowed: 0 to 3 and the`},
	} {
		_, errOut, status := sparrowhall(t, "", "steps", dir, c.flag, c.value)
		if status != statusUsage || !strings.Contains(errOut, c.want) {
			t.Errorf("%s %s: status %d: %s", c.flag, c.value, status, errOut)
		}
	}
}
