package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
)

// asSiege is the variable that makes the test binary a crowd at a hall: the address of the hall, the
// number of sockets that send nothing, and of readers of replays.
const asSiege = "SPARROWHALL_TEST_AS_SIEGE"

func init() { others[asSiege] = beSiege }

// beSiege keeps the sockets open and the readers reading until the process is ended.
func beSiege(what string) error {
	var address string
	var sockets, readers int
	if _, err := fmt.Sscan(what, &address, &sockets, &readers); err != nil {
		return err
	}
	var wait sync.WaitGroup
	for range sockets {
		wait.Go(func() {
			for {
				c, err := net.Dial("tcp", address)
				if err != nil {
					continue
				}
				_, _ = io.Copy(io.Discard, c) // until the hall closes it
				c.Close()
			}
		})
	}
	for i := range readers {
		wait.Go(func() {
			c := http.Client{Transport: &http.Transport{}}
			for n := i; ; n++ {
				r, err := c.Get(fmt.Sprintf("http://%s/match-%d-0.html", address, 1+n%60))
				if err == nil {
					_, _ = io.Copy(io.Discard, r.Body)
					r.Body.Close()
				}
			}
		})
	}
	wait.Wait()
	return nil
}

// siegeBot is a bot at a hall.
type siegeBot struct {
	address, token string
	think          time.Duration
	ended          atomic.Int64 // matches that it has played to their end
}

// visit plays a match and returns the last frame.
func (b *siegeBot) visit(ctx context.Context, path string) (string, error) {
	return visitHall(ctx, http.DefaultClient, "ws://"+b.address+path, b.token, func() bool {
		time.Sleep(b.think)
		return true
	})
}

// play plays match after match until stop is closed, and returns what went wrong.
func (b *siegeBot) play(ctx context.Context, stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		if last, err := b.visit(ctx, "/ws/ranked"); err != nil || !strings.Contains(last, "end_game") {
			return fmt.Errorf("%w, last frame %s", err, last)
		}
		b.ended.Add(1)
	}
}

// A hall with 1,024 descriptors goes on beside a bot that is slow within the rules, 2,000 sockets that
// send nothing and 30 readers of replays: twelve honest bots keep 80 % of their rate of matches,
// pages answer within a second, nothing that was played is lost, and memory stays below 400 MB. The
// short test has a smaller crowd, and sees that the bots and pages go on and that nothing is lost.
func TestSiege(t *testing.T) {
	const descriptors, mostBytes = 1024, 400e6
	sockets, readers, honest, slow := 300, 4, 4, time.Duration(0)
	phase := time.Duration(0)
	descriptorsOfHall := 256
	if os.Getenv("SPARROWHALL_LONG") != "" {
		sockets, readers, honest, slow, phase, descriptorsOfHall = 2000, 30, 12, 2500*time.Millisecond, time.Minute, descriptors
	}
	dir := newTestLeague(t)
	bots := make([]*siegeBot, honest+1)
	for i := range bots {
		out := strings.TrimSpace(ok(t, "league", "add", dir, fmt.Sprintf("bot%d", i), "remote"))
		bots[i] = &siegeBot{token: out[strings.LastIndex(out, "\n")+1:], think: 20 * time.Millisecond}
	}
	bots[honest].think = slow
	hall := exec.Command("sh", "-c", `ulimit -n "$0"; exec "$@"`, strconv.Itoa(descriptorsOfHall), os.Args[0],
		"league", "serve", dir, "--tables", "12", "--listen", "127.0.0.1:0", "--gather", "500ms", "--quiet")
	address := strings.TrimPrefix(hallAddress(t, hall), "ws://")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var validated sync.WaitGroup
	for _, b := range bots {
		b.address = address
		validated.Go(func() {
			if last, err := b.visit(ctx, "/ws/validate"); err != nil || !strings.Contains(last, `"passed":true`) {
				t.Errorf("validation: %s, %v", last, err)
			}
		})
	}
	validated.Wait()
	stop := make(chan struct{})
	errs := make([]error, len(bots))
	var playing sync.WaitGroup
	begin := func(i int) { playing.Go(func() { errs[i] = bots[i].play(ctx, stop) }) }
	for i := range honest {
		begin(i)
	}
	ended := func() (n int64) {
		for _, b := range bots[:honest] {
			n += b.ended.Load()
		}
		return n
	}
	// rate returns the matches of an honest bot in a minute, over a phase or a few matches of each.
	rate := func(during func()) float64 {
		from, began := ended(), time.Now()
		for time.Since(began) < phase || ended() < from+2*int64(honest) {
			if during(); time.Since(began) > phase+poll.Patience {
				t.Fatalf("the bots have ended %d matches in %v", ended()-from, time.Since(began))
			}
			time.Sleep(50 * time.Millisecond)
		}
		return float64(ended()-from) / float64(honest) / time.Since(began).Minutes()
	}
	alone := rate(func() {})

	var patient sync.WaitGroup // its match goes on
	patient.Go(func() { errs[honest] = bots[honest].play(ctx, stop) })
	siege := exec.Command("nice", "-n", "19", "sh", "-c", `ulimit -n 4096; exec "$0"`, os.Args[0])
	siege.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %d", asSiege, address, sockets, readers), "GOMAXPROCS=1")
	siege.Stderr = t.Output()
	if err := siege.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = siege.Process.Kill()
		_ = siege.Wait()
	}()
	c := http.Client{Timeout: poll.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
	names := []string{"index.html", "now.html", "feed.json", "bot-2.html", "match-1-0.html"}
	var took []time.Duration
	beside := rate(func() {
		began := time.Now()
		r, err := c.Get("http://" + address + "/" + names[len(took)%len(names)])
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(io.Discard, r.Body)
		if r.Body.Close(); err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("%s: %s, %v", r.Request.URL, r.Status, err)
		}
		took = append(took, time.Since(began))
	})
	slices.Sort(took)
	late := took[len(took)*95/100]
	most := peakMemory(hall.Process.Pid)
	t.Logf("%.1f matches a minute for each of %d bots alone, %.1f beside the crowd (%.2f); 95 %% of %d pages within %v, all within %v; %d MB",
		alone, honest, beside, beside/alone, len(took), late, took[len(took)-1], most/1e6)
	if most == 0 || most > mostBytes {
		t.Errorf("the hall took %d MB", most/1e6)
	}
	if phase > 0 && (beside < 0.8*alone || late > time.Second) {
		t.Error("the bots keep less than 0.8 of their rate, or pages take longer than a second")
	}

	// All that has been played counts, whatever else is in work.
	close(stop)
	playing.Wait()
	if !poll.Until(func() bool {
		n := played(t, dir)
		for i, b := range bots {
			if n[fmt.Sprintf("bot%d", i)] != b.ended.Load() {
				return false
			}
		}
		return true
	}) {
		for i, b := range bots {
			t.Errorf("bot%d played %d matches; the league counts %v", i, b.ended.Load(), played(t, dir))
		}
	}
	if err := hall.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := hall.Wait(); err != nil {
		t.Errorf("the hall ended with %v", err)
	}
	cancel()
	patient.Wait()
	for i, err := range errs[:honest] {
		if err != nil {
			t.Errorf("bot %d: %v", i, err)
		}
	}
	ok(t, "league", "check", dir, "--sample", "0.05", "--quiet")
}

// played returns the number of matches of each bot of a league that count.
func played(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	var s struct {
		Bots []struct {
			Name    string
			Matches int64
		}
	}
	if err := json.Unmarshal([]byte(ok(t, "league", "standings", dir, "--json")), &s); err != nil {
		t.Fatal(err)
	}
	n := map[string]int64{}
	for _, b := range s.Bots {
		n[b.Name] = b.Matches
	}
	return n
}

// peakMemory returns the most memory in bytes that a process has had, 0 if it has ended.
func peakMemory(pid int) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if m == nil {
		return 0
	}
	kilobytes, _ := strconv.Atoi(string(m[1]))
	return kilobytes * 1024
}
