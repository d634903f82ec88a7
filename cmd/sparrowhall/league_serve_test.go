package main

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
)

// tlsFiles writes a certificate and its key for this machine, and returns a client that trusts it.
func tlsFiles(t *testing.T) (certificate, key string, c *http.Client) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	t.Cleanup(s.Close)
	pair := s.TLS.Certificates[0]
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: der},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key, s.Client()
}

// serveCup serves a league in a process and returns it with its address.
func serveCup(t *testing.T, args ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"league", "serve"}, args...)...)
	return cmd, hallAddress(t, cmd)
}

// hallAddress starts league serve and returns the address that it prints, such as ws://127.0.0.1:8080.
func hallAddress(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	line, err := bufio.NewReader(start(t, cmd)).ReadString('\n')
	address, _, ok := strings.Cut(strings.TrimPrefix(line, "bots: "), "/ws/")
	if err != nil || !ok {
		t.Fatalf("%q, %v", line, err)
	}
	return address
}

// visitHall plays as a bot of a hall and returns the last frame, once the connection has ended or
// answer, which is called before each answer, has returned false.
func visitHall(ctx context.Context, client *http.Client, address, token string, answer func() bool) (last string, err error) {
	c, _, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPClient: client, HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}})
	if err != nil {
		return "", err
	}
	defer c.CloseNow()
	c.SetReadLimit(1 << 20)
	for {
		_, frame, err := c.Read(ctx)
		if err != nil {
			return last, ctx.Err()
		}
		last = string(frame)
		var r struct {
			Type     string
			ID       int64            `json:"request_id"`
			Possible []map[string]any `json:"possible_actions"`
		}
		if err := json.Unmarshal(frame, &r); err != nil {
			return last, err
		}
		if r.Type != "request_action" {
			continue
		}
		if !answer() {
			return last, nil
		}
		action := r.Possible[len(r.Possible)-1]
		action["request_id"] = r.ID
		text, err := json.Marshal(action)
		if err != nil {
			return last, err
		}
		_ = c.Write(ctx, websocket.MessageText, text) // Read returns the error
	}
}

// A league that is killed while a bot plays over TLS goes on with the same match, counts it
// once, and shows neither tokens nor commands.
func TestLeagueServe(t *testing.T) {
	dir := newTestLeague(t)
	out := ok(t, "league", "add", dir, "theirs", "remote", "--author", "Grace")
	old := out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]
	out = ok(t, "league", "token", dir, "theirs")
	token := strings.TrimSpace(out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:])
	certificate, key, client := tlsFiles(t)
	args := []string{dir, "--listen", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key, "--gather", "50ms", "--quiet"}

	// visit plays a match, or a number of decisions, and returns the last frame.
	visit := func(address, path, token string, decisions int) (string, error) {
		return visitHall(t.Context(), client, address+path, token, func() bool { decisions--; return decisions != 0 })
	}
	matches := func() (n int) {
		var s struct{ Matches int }
		if err := json.Unmarshal([]byte(ok(t, "league", "standings", dir, "--json")), &s); err != nil {
			t.Fatal(err)
		}
		return s.Matches
	}

	cmd, address := serveCup(t, args...)
	if _, err := visit(address, "/ws/validate", strings.TrimSpace(old), 0); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("the old token: %v", err)
	}
	if last, err := visit(address, "/ws/validate", token, 0); err != nil || !strings.Contains(last, `"passed":true`) {
		t.Fatalf("%s, %v", last, err)
	}
	if last, err := visit(address, "/ws/ranked", token, 2); err != nil || !strings.Contains(last, "request_action") {
		t.Fatalf("%s, %v", last, err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if n := matches(); n != 0 {
		t.Errorf("%d matches", n)
	}
	cmd, address = serveCup(t, args...)
	for range 2 {
		if last, err := visit(address, "/ws/ranked", token, 0); err != nil || !strings.Contains(last, "end_game") {
			t.Fatalf("%s, %v", last, err)
		}
	}
	if !poll.Until(func() bool { return matches() >= 2 }) {
		t.Fatalf("%d matches", matches())
	}
	page, err := client.Get("https" + strings.TrimPrefix(address, "wss") + "/index.html")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(page.Body)
	if err != nil || !strings.Contains(string(text), "theirs") || strings.Contains(string(text), token) || strings.Contains(string(text), "remote") {
		t.Errorf("%v: %s", err, text)
	}
	if _, errOut, status := sparrowhall(t, "", "league", "run", dir, "--matches", "4"); status != statusFailure || !strings.Contains(errOut, "another process") {
		t.Errorf("a second process: %s", errOut)
	}
	ok(t, "league", "retire", dir, "theirs")
	if _, err := visit(address, "/ws/ranked", token, 0); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("after it has retired: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if n := matches(); n != 2 {
		t.Errorf("%d matches count; 2 were played", n)
	}
	ok(t, "league", "check", dir, "--sample", "1", "--quiet")
}

// Wrong flags and bots are refused before anything is served.
func TestLeagueServeUsage(t *testing.T) {
	dir := newTestLeague(t)
	for _, test := range []struct {
		args, want string
		status     int
	}{
		{"serve DIR --tls-cert cert.pem", "--tls-key", statusUsage},
		{"serve DIR --tables 0", "1 to 64", statusUsage},
		{"serve DIR --grace 0s", "--grace", statusUsage},
		{"serve DIR --listen 0.0.0.0:0", "--insecure", statusFailure},
		{"serve DIR --listen 127.0.0.1:0 --mjsonp 0.0.0.0:0", "--mjsonp", statusFailure},
		{"token DIR greedy", "does not connect by itself", statusFailure},
		{"token DIR gredy", "greedy", statusFailure},
	} {
		args := strings.Fields("league " + strings.ReplaceAll(test.args, "DIR", dir))
		if _, errOut, status := sparrowhall(t, "", args...); status != test.status || !strings.Contains(errOut, test.want) {
			t.Errorf("%s: status %d: %s", test.args, status, errOut)
		}
	}
	mcr := filepath.Join(t.TempDir(), "mcr")
	ok(t, "league", "init", mcr, "--ruleset", "mcr_2006", "--anchor", "greedy", "--luck", "none")
	if _, errOut, status := sparrowhall(t, "", "league", "serve", mcr, "--listen", "127.0.0.1:0"); status != statusFailure || !strings.Contains(errOut, "mjai") {
		t.Error(fmt.Sprint("rules without words in mjai: ", errOut))
	}
}
