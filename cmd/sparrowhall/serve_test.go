package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/pflag"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"

	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// start starts the program with a command's arguments, until the test ends, and returns its
// standard output.
func start(t *testing.T, cmd *exec.Cmd) io.Reader {
	t.Helper()
	cmd.Env = append(cmd.Environ(), asCommand+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return out
}

// serving starts sparrowhall serve and returns the process, its standard input and the
// address it prints.
func serving(t *testing.T, environment []string, args ...string) (cmd *exec.Cmd, stdin io.Closer, address string) {
	t.Helper()
	cmd = exec.Command(os.Args[0], append([]string{"serve"}, args...)...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := start(t, cmd)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if !ok {
		t.Fatalf("the first line is %q", line)
	}
	return cmd, in, address
}

func playing(t *testing.T, address string, options ...grpc.DialOption) (*client.Stream, *client.Batch, error) {
	t.Helper()
	c, err := client.Dial(address, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	s, err := c.Play(t.Context())
	if err != nil {
		return nil, nil, err
	}
	_, b, err := s.Open(&envv1.Open{
		Rules: &envv1.Open_Preset{Preset: "ema_2016"}, Tables: 4, Seats: []string{"external", "greedy", "random", "tsumogiri"},
		Observation: "planes", AutoReset: true,
	})
	return s, b, err
}

// The server lets clients play, and on SIGTERM waits for them to end.
func TestServe(t *testing.T) {
	socket := "unix:" + filepath.Join(t.TempDir(), "s")
	cmd, _, address := serving(t, nil, "--listen", socket)
	if address != socket {
		t.Errorf("listening on %q", address)
	}
	s, b, err := playing(t, address)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for batches := 0; !b.Draining; batches++ {
		var a client.Answers
		for i := range b.Len() {
			if legal := b.Legal(i); b.Asked(i) {
				a.Add(b, i, legal.First())
			}
		}
		if b, err = s.Act(&a); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recv(); err != io.EOF {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// A server started by another program ends with it, also while clients play.
func TestServeStopsWithStdin(t *testing.T) {
	cmd, stdin, address := serving(t, nil, "--listen", "127.0.0.1:0", "--stop-with-stdin", "--drain", "0s", "--log", "off")
	if _, _, err := playing(t, address); err != nil {
		t.Fatal(err)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
}

// The token comes from a file or a variable; the metrics stand at another port.
func TestServeTokenAndMetrics(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		variable string
		args     []string
	}{
		{"", []string{"--token-file", file}},
		{"secret", nil},
		{"other", []string{"--token-file", file}},
	} {
		cmd, stdin, address := serving(t, []string{tokenVariable + "=" + c.variable}, append(c.args, "--listen", "0.0.0.0:0", "--stop-with-stdin", "--drain", "0s")...)
		address = "127.0.0.1" + regexp.MustCompile(`:\d+$`).FindString(address)
		if _, _, err := playing(t, address); grpcstatus.Code(err) != codes.Unauthenticated {
			t.Errorf("without a token: %v", err)
		}
		if _, _, err := playing(t, address, grpc.WithPerRPCCredentials(client.Bearer("secret"))); err != nil {
			t.Errorf("with the token: %v", err)
		}
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}

func TestServeMetrics(t *testing.T) {
	errOut, w := io.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan int)
	go func() {
		ended <- run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--log", "json"}, strings.NewReader(""), io.Discard, w)
		w.Close()
	}()
	lines := bufio.NewScanner(errOut)
	metrics := regexp.MustCompile(`"msg":"metrics","address":"([^"]+)"`)
	for lines.Scan() {
		m := metrics.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		go io.Copy(io.Discard, errOut)
		r, err := http.Get("http://" + m[1] + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !strings.Contains(string(text), "\nsparrowhall_env_streams 0\n") || !strings.Contains(string(text), "\ngo_goroutines ") {
			t.Errorf("%s, %v", text, err)
		}
		cancel()
		if status := <-ended; status != statusOK {
			t.Errorf("status %d", status)
		}
		return
	}
	t.Fatal("no address of the metrics is logged")
}

// TestServingLimits keeps the table of limits in docs/serving.md: every flag that is a limit,
// and the metric of the server that counts what is beyond it.
func TestServingLimits(t *testing.T) {
	registry := prometheus.NewRegistry()
	e, err := env.New(env.Options{NewAgent: agents.NewServed})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := env.NewServer(e, env.ServerOptions{Registry: registry}); err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	// What the metrics count by name and by label. Codes of errors and statuses
	// come as they are met, so they are looked up where they are defined.
	counted, labels := map[string]bool{"streams_ended": true, "refusals": true}, map[string]bool{}
	for _, f := range families {
		name := strings.TrimSuffix(strings.TrimPrefix(f.GetName(), "sparrowhall_env_"), "_total")
		counted[name] = true
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				labels[name+" "+l.GetValue()] = true
			}
		}
	}
	for c := range codes.Code(17) {
		labels["streams_ended "+c.String()], labels["grpc_server_handled "+c.String()] = true, true
	}
	for _, name := range envv1.ErrorCode_name {
		labels["refusals "+strings.ToLower(strings.TrimPrefix(name, "ERROR_CODE_"))] = true
	}

	const refused, late = "`refused{%s}`", "`streams_ended{DeadlineExceeded}`"
	metrics := map[string]string{
		"max-connections": fmt.Sprintf(refused, "connection"), "max-connection-calls": "`connections_full`",
		"max-streams": fmt.Sprintf(refused, "stream"), "max-calls": fmt.Sprintf(refused, "call"),
		"max-watches": fmt.Sprintf(refused, "watch"), "max-tables": "`refusals{bad_tables}`",
		"total-tables": "`refusals{bad_tables}`", "max-handles": "`refusals{too_many_handles}`",
		"total-handles": "`refusals{too_many_handles}`", "address-share": fmt.Sprintf(refused, "address"),
		"max-message": fmt.Sprintf(refused, "size"), "max-shared": fmt.Sprintf(refused, "memory"),
		"max-waiting": "`connections_closed{waiting}`", "request-time": late, "open-time": late, "idle": late,
		"call-time": "`grpc_server_handled{DeadlineExceeded}`", "connection-idle": "`connections_closed{idle}`",
		"drain": "`streams_ended{Canceled}`",
	}
	metric := regexp.MustCompile("`([a-z_]+)(?:{(\\w+)})?`")
	table := "| flag | limit | default | counted by |\n| --- | --- | --- | --- |\n"
	newServeCommand().Flags().VisitAll(func(f *pflag.Flag) {
		kind := f.Value.Type()
		if kind != "int" && kind != "duration" || f.Name == "workers" {
			return
		}
		m := metric.FindStringSubmatch(metrics[f.Name])
		if m == nil || m[2] == "" && !counted[m[1]] || m[2] != "" && !labels[m[1]+" "+m[2]] {
			t.Fatalf("--%s: the server has no metric %q", f.Name, metrics[f.Name])
		}
		delete(metrics, f.Name)
		table += fmt.Sprintf("| `--%s` | %s | %s | %s |\n", f.Name, f.Usage, f.DefValue, m[0])
	})
	for name := range metrics {
		t.Errorf("--%s is no limit", name)
	}
	golden.HoldBlock(t, "../../docs/serving.md", "limits", table)
}

func TestServeRefusals(t *testing.T) {
	t.Setenv(tokenVariable, "")
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	blank, odd := filepath.Join(dir, "blank"), filepath.Join(dir, "odd")
	if err := errors.Join(os.WriteFile(blank, []byte(" \n"), 0o600), os.WriteFile(odd, []byte("two words\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"--listen :0", statusFailure, "can be reached by other machines"},
		{"--listen nowhere", statusFailure, "--listen: env: \"nowhere\": address nowhere: missing port in address; allowed: host:port or unix:PATH"},
		{"--listen 127.0.0.1:0 --metrics nowhere", statusFailure, "--metrics: \"nowhere\": address nowhere: missing port in address; allowed: host:port"},
		{"--listen 127.0.0.1:0 --metrics :0", statusFailure, "--metrics: :0 can be reached by other machines, and metrics have no protection"},
		{"--listen 127.0.0.1:0 --metrics 0.0.0.0:0", statusFailure, "or add --insecure-metrics"},
		{"--call-time 0s", statusUsage, "--call-time: 0s; more than 0"},
		{"--request-time -1s", statusUsage, "--request-time: -1s; at least 0"},
		{"--address-share 0", statusUsage, "--address-share: 0 is too few"},
		{"--address-share 101", statusFailure, "AddressShare 101; allowed: 1 to 100"},
		{"--token-file " + blank, statusFailure, "blank holds no token"},
		{"--token-file " + odd, statusFailure, "cannot be sent"},
		{"--token-file " + empty, statusFailure, "holds no token"},
		{"--token-file " + dir + "/none", statusFailure, "none"},
		{"--token-file /dev/zero", statusFailure, "too large"},
		{"--tls-cert x", statusUsage, "--tls-key are needed together"},
		{"--tls-cert x --tls-key y", statusFailure, "certificate x with key y: open x: no such file"},
		{"--client-ca x", statusUsage, "--client-ca needs"},
		{"--log loud", statusUsage, `allowed: text, json, off`},
		{"--max-tables 0", statusUsage, "--max-tables: 0 is too few"},
		{"--max-tables 99999999", statusFailure, "allowed: 1 to 1048576"},
		{"--idle -1s", statusUsage, "at least 0"},
		{"--drain -1s", statusUsage, "at least 0"},
		{"--workers -1", statusUsage, "at least 0"},
	} {
		out, errOut, status := sparrowhall(t, "", append([]string{"serve"}, strings.Fields(c.args)...)...)
		if status != c.status || out != "" || !strings.Contains(errOut, c.want) {
			t.Errorf("serve %s: status %d, out %q, err %q; want %q", c.args, status, out, errOut, c.want)
		}
	}
	t.Setenv(tokenVariable, " ")
	if _, errOut, status := sparrowhall(t, "", "serve", "--listen", ":0"); status != statusFailure || !strings.Contains(errOut, "the variable SPARROWHALL_TOKEN holds no token") {
		t.Errorf("a blank token: status %d, %q", status, errOut)
	}
}
