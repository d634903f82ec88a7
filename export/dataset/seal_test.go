package dataset

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/sim"
)

// sealedRun returns a sealed run that draws at random.
func sealedRun(t *testing.T) (*Run, *seal.Seal) {
	t.Helper()
	run := newRun(t, "ema_2016", schema.Hands)
	run.Agents = randomAgents
	s := seal.New()
	run.SetSeal(s)
	return run, s
}

// noSecret fails if a file of the folder holds the secret, the salt or the seed of
// a match, as bytes or in hexadecimal.
func noSecret(t *testing.T, dir string, s *seal.Seal, matches uint64) {
	t.Helper()
	var forbidden [][]byte
	for _, text := range []string{s.Info(true).Seed, s.Info(true).Salt} {
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		forbidden = append(forbidden, b, []byte(text))
	}
	for _, e := range readDir(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range forbidden {
			if bytes.Contains(text, f) {
				t.Errorf("%s gives away the secret", e.Name())
			}
		}
	}
	for row, err := range mustOpen(t, dir).MatchRows() {
		if err != nil {
			t.Fatal(err)
		}
		if row.Seed != 0 {
			t.Errorf("match %d has its seed %d", row.Match, row.Seed)
		}
	}
}

// A sealed run keeps its secret until it is complete, whenever it is interrupted and
// however many workers there are, and then reveals it.
func TestSealed(t *testing.T) {
	run, s := sealedRun(t)
	dir := t.TempDir()
	w, err := Create(dir, run, false)
	if err != nil {
		t.Fatal(err)
	}
	m := mustOpen(t, dir).Manifest
	if m.Sealed == nil || m.Sealed.Commitment != hex.EncodeToString(s.Commitment[:]) || m.Sealed.Seed != "" {
		t.Errorf("the manifest begins with %+v", m.Sealed)
	}
	job := &sim.Job{
		Rules: run.Ruleset.Rules(), Schedule: run.Schedule(), Count: sim.BlockSize, Sealed: true, Keep: run.Keep(),
		NewAgent: func(int) sim.Agent { return random{} },
	}
	if err := errors.Join(sim.Run(t.Context(), job, w.NewBlock, (*Block).Add, w.Append), w.Close()); err != nil {
		t.Fatal(err)
	}
	noSecret(t, dir, s, run.Matches)
	d := mustOpen(t, dir)
	if _, err := d.Match(3); !errors.Is(err, ErrSealed) {
		t.Errorf("a match is played before the seed is revealed: %v", err)
	}
	if err := d.Verify(t.Context(), 1, func(int) {}); !errors.Is(err, ErrSealed) {
		t.Errorf("verify: %v", err)
	}
	if err := d.Unseal(seal.New()); err == nil {
		t.Error("another seal is taken")
	}
	if err := d.Unseal(s); err != nil {
		t.Fatal(err)
	}
	if err := d.Verify(t.Context(), 1, func(int) {}); err != nil {
		t.Errorf("with the seal: %v", err)
	}
	if _, err := Create(dir, mustOpen(t, dir).Run, false); !errors.Is(err, ErrSealed) {
		t.Errorf("it goes on without the secret: %v", err)
	}
	other := *run
	other.SetSeal(seal.New())
	if _, err := Create(dir, &other, false); !errors.Is(err, ErrOccupied) || !strings.Contains(err.Error(), "seal is of commitment") {
		t.Errorf("it goes on with another secret: %v", err)
	}

	mustPlay(t, dir, run, 2)
	whole := mustOpen(t, dir)
	if !whole.Run.Seal.Known() || *whole.Run.Seal.Secret() != *s.Secret() {
		t.Error("the complete dataset does not reveal its secret")
	}
	if err := verify(t, dir); err != nil {
		t.Error(err)
	}
	atOnce := t.TempDir()
	mustPlay(t, atOnce, run, 1)
	if diff := cmp.Diff(contents(t, dir), contents(t, atOnce)); diff != "" {
		t.Errorf("interrupted and at once (-, +):\n%s", diff)
	}
	match, err := whole.Match(70)
	if err != nil || match.Seed != s.Secret().MatchSeed(70) {
		t.Errorf("match 70 has seed %d, %v", match.Seed, err)
	}
}

// The secret of a sealed tournament is revealed when its shards are joined, not
// before, and the result is what one machine writes.
func TestSealedShards(t *testing.T) {
	run := newTournament(t, schema.Matches)
	s := seal.New()
	run.SetSeal(s)
	whole := t.TempDir()
	mustPlay(t, whole, run, 2)
	if err := verify(t, whole); err != nil {
		t.Error(err)
	}
	var dirs []string
	for n := range uint64(2) {
		dir := t.TempDir()
		mustPlay(t, dir, shardOf(run, n+1, 2), 1)
		noSecret(t, dir, s, run.Matches)
		dirs = append(dirs, dir)
	}
	to := t.TempDir()
	for _, wrong := range []*seal.Seal{nil, seal.New()} {
		if err := Merge(t.Context(), to, dirs, wrong, false, func(int) {}); err == nil || !strings.Contains(err.Error(), "seal") {
			t.Errorf("joined with another seal: %v", err)
		}
	}
	if err := Merge(t.Context(), to, dirs, s, false, func(int) {}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contents(t, whole), contents(t, to)); diff != "" {
		t.Errorf("one machine and joined (-, +):\n%s", diff)
	}
	// Who plays whom and where is no secret, and does not come from it.
	for index := range run.Matches {
		_, want := run.Schedule().Match(index)
		if _, got := mustOpen(t, dirs[0]).Run.Schedule().Match(index); got != want {
			t.Fatalf("match %d: agents %v, %v without the secret", index, want, got)
		}
	}
}

// A manifest that says what cannot be of a seal is no manifest.
func TestSealedManifest(t *testing.T) {
	run, _ := sealedRun(t)
	dir := t.TempDir()
	mustPlay(t, dir, run, 2)
	for want, change := range map[string]func(m *Manifest){
		"seed and salt are not those of the commitment": func(m *Manifest) { m.Sealed.Seed = strings.Repeat("00", 32) },
		"the seed of a sealed run comes from":           func(m *Manifest) { m.Seed++ },
		"commitment: it should be 32 bytes":             func(m *Manifest) { m.Sealed.Commitment = "ff" },
		"neither before nor later":                      func(m *Manifest) { m.Sealed.Seed, m.Sealed.Salt = "", "" },
		"salt: it should be 32 bytes":                   func(m *Manifest) { m.Sealed.Salt = "" },
	} {
		other := copyOf(t, dir)
		changeManifest(t, other, change)
		if _, err := Open(other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A seal file is new and for one run.
func TestSealFile(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Hands)
	path := filepath.Join(t.TempDir(), "seal")
	s := seal.New()
	if err := run.WriteSeal(path, s); err != nil {
		t.Fatal(err)
	}
	if err := run.WriteSeal(path, s); !errors.Is(err, os.ErrExist) {
		t.Errorf("it is written over: %v", err)
	}
	read, err := run.ReadSeal(t.Context(), path)
	if err != nil || *read.Secret() != *s.Secret() || read.Commitment != s.Commitment {
		t.Errorf("%+v, %v", read, err)
	}
	other := *run
	other.Matches++
	if _, err := other.ReadSeal(t.Context(), path); err == nil || !strings.Contains(err.Error(), "another run") {
		t.Errorf("%v", err)
	}
}

// keyFiles writes a key in both forms.
func keyFiles(t *testing.T, seed byte) (private, public string) {
	t.Helper()
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	dir := t.TempDir()
	write := func(name, kind string, der []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	private = write("key.pem", "PRIVATE KEY", der, err)
	der, err = x509.MarshalPKIXPublicKey(key.Public())
	return private, write("key.pub.pem", "PUBLIC KEY", der, err)
}

// A signature is that of one key on one manifest; it goes when the dataset does.
func TestSign(t *testing.T) {
	run := newRun(t, "ema_2016", schema.Matches)
	run.Agents = randomAgents
	dir := t.TempDir()
	mustPlay(t, dir, run, 2)
	privateFile, publicFile := keyFiles(t, 1)
	_, otherFile := keyFiles(t, 2)
	key, err := seal.ReadPrivateKey(t.Context(), privateFile)
	if err != nil {
		t.Fatal(err)
	}
	public, err := seal.ReadPublicKey(t.Context(), publicFile)
	if err != nil {
		t.Fatal(err)
	}
	other, err := seal.ReadPublicKey(t.Context(), otherFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := mustOpen(t, dir).CheckSignature(public); !errors.Is(err, ErrNotSigned) {
		t.Errorf("%v", err)
	}
	if err := Sign(dir, key); err != nil {
		t.Fatal(err)
	}
	if err := mustOpen(t, dir).CheckSignature(public); err != nil {
		t.Errorf("%v", err)
	}
	if err := mustOpen(t, dir).CheckSignature(other); err == nil || !strings.Contains(err.Error(), "not the signature") {
		t.Errorf("another key: %v", err)
	}
	mustPlay(t, dir, run, 2) // nothing is left to play
	if err := mustOpen(t, dir).CheckSignature(public); err != nil {
		t.Errorf("after the same command: %v", err)
	}
	renamed := copyOf(t, dir)
	changeManifest(t, renamed, func(m *Manifest) { m.Agents = []string{"climber", "climber", "climber", "climber"} })
	if err := mustOpen(t, renamed).CheckSignature(public); err == nil {
		t.Error("agents were renamed")
	}
	w, err := Create(dir, run, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := mustOpen(t, dir).Signature(); !errors.Is(err, ErrNotSigned) {
		t.Errorf("the signature outlives its dataset: %v", err)
	}
	if err := Sign(dir, key); err == nil || !strings.Contains(err.Error(), "complete") {
		t.Errorf("an incomplete dataset: %v", err)
	}
}
