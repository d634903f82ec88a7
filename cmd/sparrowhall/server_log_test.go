package main

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// Of failed handshakes the first is printed, and then their number once a minute; other lines are
// printed at once.
func TestServerLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		log := newServerLog(func(line string) { lines = append(lines, line) })
		fail := func(n int) {
			for range n {
				log.Printf("http: TLS handshake error from 192.0.2.1:80: EOF")
			}
		}
		fail(1000)
		log.Printf("http: Accept error")
		time.Sleep(time.Minute + time.Second)
		fail(7)
		time.Sleep(3 * time.Minute)
		fail(1)
		time.Sleep(3 * time.Minute)
		want := []string{
			"http: TLS handshake error from 192.0.2.1:80: EOF", "http: Accept error",
			"http: 999 more TLS handshakes failed within a minute", "http: 7 more TLS handshakes failed within a minute",
			"http: TLS handshake error from 192.0.2.1:80: EOF",
		}
		if !slices.Equal(lines, want) {
			t.Errorf("lines %q, want %q", lines, want)
		}
	})
}

// A flood of clients that do not speak TLS leaves one line on standard error.
func TestHandshakeFlood(t *testing.T) {
	certificate, key, _ := tlsFiles(t)
	secure := []string{"--listen", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key}
	for _, args := range [][]string{
		append([]string{"table", "--agents", "value,value,value"}, secure...),
		append([]string{"league", "serve", newTestLeague(t)}, secure...),
	} {
		cmd := exec.Command(os.Args[0], args...)
		var log bytes.Buffer
		cmd.Stderr = &log
		out := start(t, cmd)
		var text strings.Builder
		address := regexp.MustCompile(`https://([\w.]+:\d+)/`)
		for part := make([]byte, 4096); !address.MatchString(text.String()); {
			n, err := out.Read(part)
			if err != nil {
				t.Fatalf("%s: %v after %q", args[0], err, text.String())
			}
			text.Write(part[:n])
		}
		for range 50 {
			c, err := net.Dial("tcp", address.FindStringSubmatch(text.String())[1])
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(c, "no handshake at all")
			_, _ = io.ReadAll(c)
			c.Close()
		}
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if n := strings.Count(log.String(), "http: TLS handshake"); n != 1 {
			t.Errorf("%s: %d lines about handshakes:\n%s", args[0], n, log.String())
		}
	}
}
