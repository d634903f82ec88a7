package dataset

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/sim"
)

// earlier are datasets that were written by earlier versions of the schema, which
// their names begin with.
var earlier = []string{
	"version1_ema_2016", "version1_hkma_hktw",
	"version2_botzone", "version2_ema_2016", "version2_hkma_hktw", "version2_import",
}

// Datasets of earlier versions are read and played again, and if the engine plays
// otherwise by now, verify says which version wrote them. No run goes on with them.
func TestEarlierVersion(t *testing.T) {
	for _, name := range earlier {
		dir := filepath.Join("testdata", name)
		d := mustOpen(t, dir)
		if v := d.Manifest.SchemaVersion; !strings.HasPrefix(name, fmt.Sprintf("version%d_", v)) {
			t.Fatalf("%s: schema version %d", name, v)
		}
		rows, hands, played := collect(t, d.MatchRows()), collect(t, d.HandRows()), 0
		for i := range rows {
			played += int(rows[i].Hands)
		}
		if len(rows) != 4*int(d.Matches()) || 4*len(hands) != played {
			t.Errorf("%s: %d players, %d hands", name, len(rows), len(hands))
		}
		for m, err := range d.Replays(0) {
			if err != nil && d.Manifest.EngineVersion == sim.EngineVersion {
				t.Fatalf("%s: %v", name, err)
			}
			if err != nil {
				break
			}
			mine := slices.DeleteFunc(slices.Clone(hands), func(h schema.HandRow) bool { return h.Match != m.Index })
			if len(mine) != len(m.Hands) || len(mine[0].Actions) == 0 {
				t.Errorf("%s: match %d has %d hands, not %d", name, m.Index, len(m.Hands), len(mine))
			}
		}
		if d.Run.Record == schema.Decisions {
			if n := len(collect(t, d.DecisionRows())); n != int(d.Manifest.Rows[schema.Decisions]) {
				t.Errorf("%s: %d decisions", name, n)
			}
		}
		if d.Run.Import != nil && len(collect(t, d.Origins())) != len(rows)/4 {
			t.Errorf("%s: no records", name)
		}
		if d.Rules().Family == "hktw" && len(collect(t, d.LedgerRows())) == 0 {
			t.Errorf("%s: no debts", name)
		}
		if err := verify(t, dir); err != nil && !strings.Contains(err.Error(), "engine version 1, this is") {
			t.Errorf("%s: %v", name, err)
		}
		run := *d.Run
		_, err := Create(copyOf(t, dir), &run, false)
		if !errors.Is(err, ErrOccupied) || !strings.Contains(err.Error(), fmt.Sprintf("schema version %d, this is 3", d.Manifest.SchemaVersion)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A knob that came after a dataset was written is what it is in a ruleset that
// does not name it; the hash is that of the knobs that are there.
func TestEarlierKnobs(t *testing.T) {
	for _, name := range earlier[:2] {
		text, err := os.ReadFile(filepath.Join("testdata", name, manifestName))
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := parseManifest(text)
		if err != nil {
			t.Fatal(err)
		}
		key := "walls"
		_, gone := withPrices(m.Ruleset.Knobs)
		has := func(k string) bool { return k != key && m.Ruleset.Knobs[k] != nil }
		run, err := m.run()
		if err != nil {
			t.Fatal(err)
		}
		delete(m.Ruleset.Knobs, key)
		if _, err := m.run(); err == nil || !strings.Contains(err.Error(), "hash") {
			t.Errorf("%s: the hash of other knobs: %v", name, err)
		}
		hash := run.Ruleset.Family.HashOf(run.Ruleset.Config, has, gone)
		m.Ruleset.Hash = hex.EncodeToString(hash[:])
		if _, err := m.run(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The last lines of a manifest are the SHA-256 of those before: whatever bit of it
// is another, it is no manifest.
func TestManifestChecksum(t *testing.T) {
	dir := t.TempDir()
	run := newRun(t, "ema_2016", schema.Matches)
	run.Matches = 1
	mustPlay(t, dir, run, 1)
	text, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := parseManifest(text); err != nil {
		t.Fatal(err)
	}
	for i := range text {
		for bit := i % 5; bit < 8; bit += 5 {
			text[i] ^= 1 << bit
			if _, _, err := parseManifest(text); err == nil {
				t.Fatalf("bit %d of byte %d of %q", bit, i, text[max(0, i-10):i+1])
			}
			text[i] ^= 1 << bit
		}
	}
	other := strings.Replace(string(text), `"cheat"`, `"saint"`, 1)
	if _, _, err := parseManifest([]byte(other)); !errors.Is(err, errChecksum) {
		t.Errorf("another agent: %v", err)
	}
}

// Whatever byte of a signed dataset is another, it cannot be verified: the manifest
// has the checksums of the files, and the signature is one of the manifest.
func TestFlippedBytes(t *testing.T) {
	dir := t.TempDir()
	run := newRun(t, "ema_2016", schema.Decisions)
	run.Matches = 1
	mustPlay(t, dir, run, 1)
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	if err := Sign(dir, key); err != nil {
		t.Fatal(err)
	}
	verify := func() error {
		d, err := Open(dir)
		if err != nil {
			return err
		}
		if err := d.CheckSignature(key.Public().(ed25519.PublicKey)); err != nil {
			return err
		}
		return d.Verify(t.Context(), 1, func(int) {})
	}
	if err := verify(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files, flips := 0, 0
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files++
		flipsOf := samples(4, 40, len(text))
		if e.Name() == manifestName || e.Name() == signatureName {
			flipsOf = samples(40, 400, len(text))
		}
		step := max(1, len(text)/flipsOf)
		for i := 0; i < len(text); i += step {
			flips++
			text[i] ^= 1 << (i % 8)
			if err := os.WriteFile(path, text, 0o666); err != nil {
				t.Fatal(err)
			}
			if verify() == nil {
				t.Errorf("bit %d of byte %d of %s is another", i%8, i, e.Name())
			}
			text[i] ^= 1 << (i % 8)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := verify(); err != nil || files != 5 {
		t.Errorf("at the end, of %d files: %v", files, err)
	}
	t.Logf("%d bits were flipped", flips)
}

// A dataset that was written under the old name of the project, and in the version of
// the schema that is written now, is read and played again.
func TestOldName(t *testing.T) {
	dir := filepath.Join("testdata", "old_name")
	d := mustOpen(t, dir)
	if d.Manifest.SchemaVersion != schema.Version || d.Matches() != 8 {
		t.Fatalf("schema version %d, %d matches", d.Manifest.SchemaVersion, d.Matches())
	}
	if rows := collect(t, d.MatchRows()); len(rows) != 32 {
		t.Errorf("%d rows of matches", len(rows))
	}
	if err := verify(t, dir); err != nil {
		t.Error(err)
	}
	// Knobs that came later are part of the hash of the ruleset, so it is not continued.
	run := *d.Run
	if _, err := Create(copyOf(t, dir), &run, false); err == nil || !strings.Contains(err.Error(), "ruleset hash") {
		t.Errorf("continued: %v", err)
	}
}
