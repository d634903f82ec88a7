package dataset

import (
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/schema"
)

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
	if err := verify(); err != nil || files != 6 {
		t.Errorf("at the end, of %d files: %v", files, err)
	}
	t.Logf("%d bits were flipped", flips)
}
