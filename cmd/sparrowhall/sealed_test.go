package main

import (
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/export/seal"
)

// TestSealedPlay goes through a sealed run at the command line.
func TestSealedPlay(t *testing.T) {
	dir := t.TempDir()
	out, seal := filepath.Join(dir, "out"), filepath.Join(dir, "seal")
	play := []string{"play", "--agents", "random,random,random,random", "--matches", "2", "--record", "matches", "--quiet", "--sealed"}
	with := func(more ...string) []string { return slices.Concat(play, more) }
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{play, 2, "--sealed needs a dataset"},
		{with("--out", out), 2, "--sealed needs a file for its seed"},
		{with("--out", out, "--seal-file", seal, "--seed", "4"), 2, "--seed is for runs without --sealed"},
		{with("--out", out, "--seal-file", filepath.Join(out, "seal")), 2, "is in the folder of the dataset"},
		{[]string{"play", "--seal-file", seal}, 2, "add --sealed"},
		{with("--out", out, "--seal-file", seal), 0, "sealed: the commitment is "},
		{with("--out", out, "--seal-file", seal), 0, "complete already"},
		{with("--out", out+"2", "--seal-file", seal), 1, "there is a seal already"},
		{with("--out", out, "--seal-file", seal, "--force"), 1, "there is a seal already"},
		{[]string{"verify", out, "--quiet"}, 0, "its seed is that of the commitment"},
	} {
		stdout, stderr, status := sparrowhall(t, "", c.args...)
		if status != c.status || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%v: status %d, want %d with %q:\n%s%s", c.args, status, c.status, c.want, stdout, stderr)
		}
	}
	if err := os.Remove(seal); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, status := sparrowhall(t, "", with("--out", out, "--seal-file", seal)...); status != 0 || !strings.Contains(stdout, "complete already") {
		t.Errorf("status %d without the seal of a complete run:\n%s", status, stderr)
	}
}

// TestSignCommands signs by every verb that writes datasets, with keys as openssl
// writes them.
func TestSignCommands(t *testing.T) {
	const private = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIBHoybE6WRUl/0IXsvVK9ThnTTr1gTxzfwVycmYvspQS
-----END PRIVATE KEY-----
`
	dir := t.TempDir()
	key := filepath.Join(dir, "key.pem")
	if err := os.WriteFile(key, []byte(private), 0o600); err != nil {
		t.Fatal(err)
	}
	public := filepath.Join(dir, "pub.pem")
	if err := os.WriteFile(public, []byte(publicOf(t, key)), 0o600); err != nil {
		t.Fatal(err)
	}
	try := func(want int, args ...string) string {
		t.Helper()
		out, errOut, status := sparrowhall(t, "", args...)
		if status != want {
			t.Errorf("%v: status %d: %s", args, status, errOut)
		}
		return out + errOut
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	four := []string{"--agents", "greedy,greedy,greedy,greedy", "--matches", "1", "--quiet", "--out", at("play")}
	try(0, append([]string{"play"}, four...)...)
	if said := try(1, "verify", at("play"), "--quiet", "--key", public); !strings.Contains(said, "not signed") {
		t.Errorf("%s", said)
	}
	try(0, append([]string{"play", "--sign", key}, four...)...) // complete already
	shard := func(n string) []string {
		return []string{
			"tournament", "run", "--agents", "random,random", "--rounds", "16", "--file-matches", "64", "--shard", n + "/2", "--out", at("shard" + n), "--quiet",
		}
	}
	try(0, shard("1")...)
	try(0, shard("2")...)
	try(0, "tournament", "merge", at("shard1"), at("shard2"), "--out", at("cup"), "--sign", key, "--quiet")
	log := try(0, "export-log", at("play"), "--match", "0")
	if err := os.WriteFile(at("game.mjson"), []byte(log), 0o666); err != nil {
		t.Fatal(err)
	}
	try(0, "import", "mjai", at("game.mjson"), "--ruleset", "ema_2016", "--out", at("imported"), "--sign", key, "--quiet")
	for _, name := range []string{"play", "cup", "imported"} {
		if said := try(0, "verify", at(name), "--quiet", "--key", public); !strings.Contains(said, "is signed with the key") {
			t.Errorf("%s: %s", name, said)
		}
		if said := try(0, "verify", at(name), "--quiet"); !strings.Contains(said, "--key checks with which key") {
			t.Errorf("%s: %s", name, said)
		}
	}
	try(2, "play", "--sign", key)
	try(1, "play", "--sign", public, "--out", at("other"))
}

// publicOf returns the public half of a key as PEM.
func publicOf(t *testing.T, file string) string {
	t.Helper()
	key, err := seal.ReadPrivateKey(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}
