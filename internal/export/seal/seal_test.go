package seal

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// A seal file is new and for its owner alone, and what is none is an error.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "seal")
	s := New()
	if err := s.WriteFile(path, "run"); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteFile(path, "run"); !errors.Is(err, os.ErrExist) {
		t.Errorf("it is written over: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	read, run, err := ReadFile(t.Context(), path)
	if err != nil || run != "run" || *read.secret != *s.secret || read.Commitment != s.Commitment || read.salt != s.salt {
		t.Errorf("%+v, %q, %v", read, run, err)
	}
	if want := sha256.Sum256(append(append([]byte("jansou seal 1"), s.salt[:]...), s.secret[:]...)); want != s.Commitment {
		t.Error("the commitment is not that of docs/determinism.md")
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadFile(t.Context(), path); err == nil || !strings.Contains(err.Error(), "mode 0640") {
		t.Errorf("a file that others may read: %v", err)
	}
	for _, text := range []string{`{"sparrowhall_seal": 1}`, strings.Repeat(" ", maxFile+1)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := ReadFile(t.Context(), path); err == nil || !strings.Contains(err.Error(), "no seal file") && !errors.Is(err, userfile.ErrTooLarge) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	if a, b := New(), New(); *a.secret == *b.secret || a.salt == b.salt || *a.secret == (sim.Secret{}) {
		t.Error("secrets are not drawn")
	}
}

// Files that hold no key, and devices without an end, are errors that name the file.
func TestKeyFiles(t *testing.T) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	dir := t.TempDir()
	write := func(name, blockType string, der []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: blockType, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	private := write("key.pem", "PRIVATE KEY", der, err)
	der, err = x509.MarshalPKIXPublicKey(key.Public())
	public := write("key.pub.pem", "PUBLIC KEY", der, err)
	if got, err := ReadPrivateKey(t.Context(), private); err != nil || !key.Equal(got) {
		t.Errorf("the private key: %v", err)
	}
	if got, err := ReadPublicKey(t.Context(), public); err != nil || !got.Equal(key.Public()) {
		t.Errorf("the public key: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for path, want := range map[string]string{
		public:                       `it holds a "PUBLIC KEY"; it must hold a "PRIVATE KEY"`,
		filepath.Join(dir, "absent"): "no such file",
		"seal_test.go":               "no PEM file",
		"/dev/zero":                  "/dev/zero",
	} {
		if _, err := ReadPrivateKey(ctx, path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := ReadPublicKey(ctx, "/dev/zero"); !errors.Is(err, userfile.ErrTooLarge) {
		t.Errorf("a device without an end: %v", err)
	}
	if _, err := ReadPublicKey(ctx, private); err == nil || !strings.Contains(err.Error(), `it holds a "PRIVATE KEY"`) {
		t.Errorf("%v", err)
	}
}
