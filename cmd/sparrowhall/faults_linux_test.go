package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/internal/testkit/poll"
	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// Variables of TestFaults: for how long it tries seeds, from which one on, and the folder of a small
// file system of its own, which a trial may fill.
const (
	faultsTime = "SPARROWHALL_FAULTS"
	faultsSeed = "SPARROWHALL_FAULTS_SEED"
	faultsDisk = "SPARROWHALL_TEST_FAULTS_DISK"
	// faultsClock is how the wall clock of a program steps that is built as by .ci/full faults.
	faultsClock = "SPARROWHALL_TEST_CLOCK"
)

// trials are the surfaces that are tried. A seed takes one after another.
var trials = []struct {
	name string
	try  func(f *faults)
}{
	{"dataset", (*faults).tryDataset},
	{"league", (*faults).tryLeague},
	{"hall", (*faults).tryHall},
	{"table", (*faults).tryTable},
	{"serve", (*faults).tryServe},
}

// TestFaults chooses faults from a seed: processes that are killed, a full disk, connections that are
// cut or slow, files that are damaged, descriptors that run out, a wall clock that steps. What is left
// must be what is left of a run without faults, where that is promised, and nothing that was
// acknowledged may be lost. Each seed here once found something, or is the first. SPARROWHALL_FAULTS=1h
// tries further ones. A full disk takes a namespace with a file system of its own; where the system
// refuses it, none is full. Clocks step in programs that .ci/full faults builds.
func TestFaults(t *testing.T) {
	t.Parallel()
	if os.Getenv(faultsDisk) == "" && exec.Command("unshare", "-Urm", "true").Run() == nil {
		mount := `mount -t tmpfs -o size=512m tmpfs "$0" && exec "$@"`
		args := []string{"-Urm", "sh", "-c", mount, t.TempDir(), os.Args[0], "-test.run=^TestFaults$", "-test.timeout=0"}
		if testing.Verbose() {
			args = append(args, "-test.v")
		}
		cmd := exec.Command("unshare", args...)
		cmd.Env = append(os.Environ(), faultsDisk+"="+args[4], "TMPDIR="+args[4])
		cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
		if err := cmd.Run(); err != nil {
			t.Error(err)
		}
		return
	}
	if text := os.Getenv(faultsClock); text != "" { // an hour ahead
		name := filepath.Join(t.TempDir(), "now")
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if now, err := os.Stat(name); err != nil || time.Until(now.ModTime()) > -time.Minute {
			t.Fatalf("%s is set, but no clock of this program steps; %v", faultsClock, err)
		}
	}
	if text := os.Getenv(faultsTime); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		first, _ := strconv.ParseUint(os.Getenv(faultsSeed), 10, 64)
		n := 0
		for seed, began := first, time.Now(); time.Since(began) < d; seed++ {
			for i := range trials {
				tryFaults(t, i, seed)
				n++
			}
		}
		t.Logf("%d trials from seed %d on", n, first)
		return
	}
	for i, seeds := range [][]uint64{{1, 17}, {1, 52}, {1}, {1}, {1}} {
		for _, seed := range seeds {
			tryFaults(t, i, seed)
		}
	}
}

// faults are those of one trial.
type faults struct {
	*testing.T
	*rand.Rand
	dir   string
	disk  string // the small file system, empty if there is none
	clock *rand.Rand
	steps string // of the clock of the last process
}

func tryFaults(t *testing.T, trial int, seed uint64) {
	t.Run(fmt.Sprint(trials[trial].name, " ", seed), func(t *testing.T) {
		random := func(stream int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(stream))) }
		trials[trial].try(&faults{T: t, Rand: random(trial), dir: t.TempDir(), disk: os.Getenv(faultsDisk), clock: random(trial + 1<<20)})
	})
}

// between returns a time between two.
func (f *faults) between(low, high time.Duration) time.Duration {
	return low + time.Duration(f.Int64N(int64(high-low)))
}

// environ returns the environment of a process, whose wall clock steps by hours or is right.
func (f *faults) environ() []string {
	f.steps = ""
	for after := 0; f.clock.IntN(3) > 0; after += 1 + f.clock.IntN(1500) {
		f.steps += fmt.Sprintf(",%d:%d", after, f.clock.IntN(48*3600)-24*3600)
	}
	f.steps = strings.TrimPrefix(f.steps, ",")
	return append(os.Environ(), faultsClock+"="+f.steps)
}

// at returns a path in the folder of the trial.
func (f *faults) at(name string) string { return filepath.Join(f.dir, name) }

// fill leaves a few kilobytes of the disk until it is called back.
func (f *faults) fill(left int64) (free func()) {
	f.Helper()
	name := filepath.Join(f.disk, "ballast")
	ballast, err := os.Create(name)
	if err != nil {
		f.Fatal(err)
	}
	for err = syscall.ENOSPC; err == syscall.ENOSPC; { // others write meanwhile
		var s syscall.Statfs_t
		if err := syscall.Statfs(f.disk, &s); err != nil {
			f.Fatal(err)
		}
		err = nil
		if size := int64(s.Bfree)*s.Bsize - left; size > 0 {
			err = syscall.Fallocate(int(ballast.Fd()), 0, 0, size)
		}
	}
	if err != nil {
		f.Fatal(err)
	}
	ballast.Close()
	return func() {
		if err := os.Remove(name); err != nil {
			f.Fatal(err)
		}
	}
}

// damage changes a file below a folder: it flips a bit, cuts the end off, or appends bytes. It returns
// the path, or nothing if there is no file.
func (f *faults) damage(dir string) string {
	var paths []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if info, _ := os.Stat(path); err == nil && d.Type().IsRegular() && info.Size() > 0 {
			paths = append(paths, path)
		}
		return nil
	})
	if len(paths) == 0 {
		return ""
	}
	path := paths[f.IntN(len(paths))]
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	switch n := f.IntN(len(text)); f.IntN(3) {
	case 0:
		text[n] ^= 1 << f.IntN(8)
	case 1:
		text = text[:n]
	case 2:
		text = append(text, text[:n]...)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		f.Fatal(err)
	}
	return path
}

// process runs the program and ends it after a time with a signal, unless it has ended. The number of
// descriptors that it may have is descriptors, 0 for many. It returns the status and what the program
// says of an error, which is no panic.
func (f *faults) process(after time.Duration, signal syscall.Signal, descriptors int, args ...string) (status int, errOut string) {
	f.Helper()
	cmd := exec.Command(os.Args[0], args...)
	if descriptors > 0 {
		cmd = exec.Command("sh", append([]string{"-c", `ulimit -n "$0"; exec "$@"`, strconv.Itoa(descriptors), os.Args[0]}, args...)...)
	}
	cmd.Env = append(f.environ(), asCommand+"=1")
	var out strings.Builder
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		f.Fatal(err)
	}
	if after > 0 {
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Signal(signal) })
		defer timer.Stop()
	}
	_ = cmd.Wait()
	f.noPanic(out.String(), args)
	return cmd.ProcessState.ExitCode(), out.String()
}

func (f *faults) noPanic(errOut string, args []string) {
	f.Helper()
	if strings.Contains(errOut, "panic:") || strings.Contains(errOut, "goroutine ") || strings.Contains(errOut, "fatal error:") {
		f.Errorf("%v: %s", args, errOut)
	}
}

// endure repeats a command under faults until it has succeeded or enough faults have come, and then
// without any. took is the time that it takes without. dir is the folder that it writes, whole reports
// whether that is what it should be, and verified whether the program itself finds it whole.
func (f *faults) endure(took time.Duration, args []string, dir string, whole, verified func() bool) {
	f.Helper()
	var log []string
	defer func() {
		if f.Failed() {
			f.Logf("%v\n%s", args, strings.Join(log, "\n"))
		}
	}()
	said := func(what string, status int, errOut string) {
		log = append(log, fmt.Sprintf("%s, clock %s: status %d, %s", what, f.steps, status, strings.TrimSpace(errOut)))
		if status == statusOK && !whole() && verified() {
			f.Errorf("%s: it ends well, but not with what a run without faults has", what)
		}
		if status != statusOK && status != statusFailure && status != statusSignal+int(syscall.SIGINT) && status != -1 {
			f.Errorf("%s: status %d, %s", what, status, errOut)
		}
	}
	for range 2 + f.IntN(4) {
		switch f.IntN(6) {
		case 0, 1:
			d := f.between(0, took*5/4) + 10*time.Millisecond
			status, errOut := f.process(d, syscall.SIGKILL, 0, args...)
			said("killed after "+d.String(), status, errOut)
		case 2:
			d := f.between(0, took) + 10*time.Millisecond
			status, errOut := f.process(d, syscall.SIGINT, 0, args...)
			said("interrupted after "+d.String(), status, errOut)
		case 3:
			n := 8 + f.IntN(20) // with fewer the runtime of Go ends the program before it begins
			status, errOut := f.process(0, 0, n, args...)
			said(fmt.Sprintf("%d descriptors", n), status, errOut)
		case 4:
			left := f.Int64N(400 << 10)
			if f.disk != "" {
				free := f.fill(left)
				status, errOut := f.process(0, 0, 0, args...)
				free()
				said(fmt.Sprintf("disk full after %d bytes", left), status, errOut)
			}
		case 5:
			kept := f.at("kept")
			if err := os.CopyFS(kept, os.DirFS(dir)); err != nil {
				continue // nothing is there yet
			}
			if path := f.damage(dir); path != "" {
				status, errOut := f.process(0, 0, 0, args...)
				said("damaged "+path, status, errOut)
			}
			if err := os.RemoveAll(dir); err != nil {
				f.Fatal(err)
			}
			if err := os.Rename(kept, dir); err != nil {
				f.Fatal(err)
			}
		}
	}
	status, errOut := f.process(0, 0, 0, args...)
	log = append(log, "without faults: "+errOut)
	if status != statusOK {
		f.Fatalf("without faults: status %d, %s", status, errOut)
	}
	if !whole() {
		f.Error("what is left differs from a run without faults")
	}
	if !verified() {
		f.Error("what is left does not verify")
	}
}

// tryDataset writes datasets of play and tournament, whole or in shards that are joined.
func (f *faults) tryDataset() {
	presets := []string{"ema_2016", "mcr_2006", "hkma_hktw", "zung_jung", "tenhou"}
	rules := fmt.Sprintf("base = %q\nmax_hands = 1\n", presets[f.IntN(len(presets))])
	if err := os.WriteFile(f.at("short.toml"), []byte(rules), 0o600); err != nil {
		f.Fatal(err)
	}
	args := []string{
		"--ruleset", f.at("short.toml"), "--file-matches", "64", "--quiet", "--seed", fmt.Sprint(f.Uint32()),
		"--record", []string{"matches", "hands", "decisions"}[f.IntN(3)], "--workers", fmt.Sprint(1 + f.IntN(3)),
	}
	merge := "play"
	if f.IntN(2) == 0 {
		args = append([]string{"play", "--agents", fast, "--matches", fmt.Sprint(70 + f.IntN(130))}, args...)
	} else {
		merge = "tournament"
		args = append([]string{"tournament", "run", "--agents", fiveAgents, "--rounds", fmt.Sprint(4 + f.IntN(12))}, args...)
	}
	began := time.Now()
	if status, errOut := f.process(0, 0, 0, append(args, "--out", f.at("whole"))...); status != statusOK {
		f.Fatal(errOut)
	}
	took := time.Since(began)
	verified := func(dir string) func() bool {
		return func() bool { status, _ := f.process(0, 0, 0, "verify", "--quiet", dir); return status == statusOK }
	}
	equal := func(one, other string) func() bool {
		return func() bool { return cmp.Equal(files(f.T, one), files(f.T, other)) }
	}
	if f.IntN(2) == 0 {
		f.endure(took, append(args, "--out", f.at("run")), f.at("run"), equal(f.at("whole"), f.at("run")), verified(f.at("run")))
		return
	}
	join := []string{merge, "merge", "--quiet", "--out", f.at("joined")}
	for n := range 2 {
		shard := append(slices.Clone(args), "--shard", fmt.Sprintf("%d/2", n+1), "--out")
		dir, other := f.at(fmt.Sprint(n)), f.at(fmt.Sprint("whole", n))
		if status, errOut := f.process(0, 0, 0, append(shard, other)...); status != statusOK {
			f.Fatal(errOut)
		}
		f.endure(took/2, append(shard, dir), dir, equal(other, dir), verified(dir))
		join = append(join, dir)
	}
	f.endure(took/3, join, f.at("joined"), equal(f.at("whole"), f.at("joined")), verified(f.at("joined")))
}

// tryLeague plays in a league.
func (f *faults) tryLeague() {
	rules := shortRules(f.T)
	made := func(name string) string {
		dir := f.at(name)
		ok(f.T, "league", "init", dir, "--ruleset", rules, "--anchor", "greedy", "--luck", "none", "--seed", "1")
		ok(f.T, "league", "add", dir, "random", "random")
		ok(f.T, "league", "add", dir, "tsumogiri", "tsumogiri")
		return dir
	}
	whole, dir := made("whole"), made("run")
	run := func(dir string) []string {
		return []string{"league", "run", dir, "--total", "200", "--quiet"}
	}
	began := time.Now()
	ok(f.T, run(whole)...)
	took := time.Since(began)
	// A damaged database may be one that cannot be read.
	standings := func(dir string) string {
		out, errOut, _ := sparrowhall(f.T, "", "league", "standings", dir, "--json")
		f.noPanic(errOut, nil)
		return out
	}
	f.endure(took, run(dir), dir, func() bool { return standings(whole) == standings(dir) }, func() bool {
		status, _ := f.process(0, 0, 0, "league", "check", dir, "--sample", "0.3", "--quiet")
		return status == statusOK
	})
}

// server is a process that serves and is ended and started again.
type server struct {
	*faults
	args        []string
	descriptors int
	cmd         *exec.Cmd
	errOut      bytes.Buffer
	out         *bufio.Reader
}

func (s *server) start() {
	s.Helper()
	s.errOut.Reset()
	s.cmd = exec.Command("sh", append([]string{"-c", `ulimit -n "$0"; exec "$@"`, strconv.Itoa(s.descriptors), os.Args[0]}, s.args...)...)
	s.cmd.Stderr, s.cmd.Env = &s.errOut, s.environ()
	s.out = bufio.NewReader(start(s.T, s.cmd))
}

// line returns the next line that the server prints, nothing when it has ended.
func (s *server) line() string {
	line, _ := s.out.ReadString('\n')
	return line
}

// end ends the server by a signal. It may have ended before.
func (s *server) end(signal syscall.Signal) {
	s.Helper()
	_ = s.cmd.Process.Signal(signal)
	_ = s.cmd.Wait()
	s.noPanic(s.errOut.String(), s.args)
}

// tryHall lets bots play ranked matches at a hall. What has ended for a bot must count.
func (f *faults) tryHall() {
	const bots = 3
	dir := newTestLeague(f.T)
	address := freeAddress(f.T)
	hall := &server{faults: f, descriptors: 256, args: []string{
		"league", "serve", dir, "--tables", "4", "--listen", address, "--gather", "20ms", "--quiet",
	}}
	if f.IntN(3) == 0 {
		hall.descriptors = 40 + f.IntN(40)
	}
	tokens := make([]string, bots)
	for i := range tokens {
		out := strings.TrimSpace(ok(f.T, "league", "add", dir, fmt.Sprint("bot", i), "remote"))
		tokens[i] = out[strings.LastIndex(out, "\n")+1:]
	}
	hall.start()
	hall.line()
	ctx, cancel := context.WithCancel(f.Context())
	defer cancel()
	ended := make([]atomic.Int64, bots)
	stop := make(chan struct{})
	var playing sync.WaitGroup
	for i, token := range tokens {
		random := rand.New(rand.NewPCG(f.Uint64(), 0))
		playing.Go(func() {
			validated := false
			for {
				select {
				case <-stop:
					return
				default:
				}
				cut, slow := -1, random.IntN(4) == 0
				if random.IntN(2) == 0 {
					cut = random.IntN(20)
				}
				path := "/ws/ranked"
				if !validated {
					path, cut = "/ws/validate", -1
				}
				limited, done := context.WithTimeout(ctx, time.Minute)
				last, _ := visitHall(limited, http.DefaultClient, "ws://"+address+path, token, func() bool {
					if slow {
						time.Sleep(50 * time.Millisecond)
					}
					cut--
					return cut != -1
				})
				done()
				switch {
				case strings.Contains(last, `"passed":true`):
					validated = true
				case validated && strings.Contains(last, "end_game"): // the match of a test does not count
					ended[i].Add(1)
				default:
					time.Sleep(20 * time.Millisecond) // the hall may not be there
				}
			}
		})
	}
	var log []string
	for range 2 + f.IntN(3) {
		time.Sleep(f.between(300*time.Millisecond, 2*time.Second))
		switch f.IntN(4) {
		case 0, 1:
			log = append(log, "killed")
			hall.end(syscall.SIGKILL)
			hall.start()
			hall.line()
		case 2:
			log = append(log, "interrupted")
			hall.end(syscall.SIGINT)
			hall.start()
			hall.line()
		case 3:
			if f.disk != "" {
				left := f.Int64N(100 << 10)
				log = append(log, fmt.Sprintf("disk full after %d bytes", left))
				free := f.fill(left)
				time.Sleep(f.between(100*time.Millisecond, 2*time.Second))
				if f.IntN(2) == 0 {
					log = append(log, "and killed")
					hall.end(syscall.SIGKILL)
				}
				free()
				if hall.cmd.ProcessState != nil {
					hall.start()
					hall.line()
				}
			}
		}
	}
	time.Sleep(time.Second)
	close(stop)
	playing.Wait()
	hall.end(syscall.SIGINT)
	if status := hall.cmd.ProcessState.ExitCode(); status != statusOK {
		f.Errorf("after %v the hall ends with status %d: %s", log, status, &hall.errOut)
	}
	// Matches that have ended but do not count yet do so when the hall is there again.
	hall.start()
	hall.line()
	if !poll.Until(func() bool {
		n := played(f.T, dir)
		for i := range ended {
			if n[fmt.Sprint("bot", i)] < ended[i].Load() {
				return false
			}
		}
		return true
	}) {
		f.Errorf("after %v matches count %v; ended have %v", log, played(f.T, dir), &ended)
	}
	hall.end(syscall.SIGINT)
	ok(f.T, "league", "check", dir, "--sample", "1", "--quiet")
}

// tryTable lets a person play a match. The match must be that of a run without faults, and no answer
// after which another question came may be asked for again.
func (f *faults) tryTable() {
	rules := f.at("short.toml")
	if err := os.WriteFile(rules, []byte("base = \"tenhou\"\nmax_hands = 2\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	seed := fmt.Sprint(f.Uint32())
	args := func(out string) []string {
		return []string{"table", "--ruleset", rules, "--seed", seed, "--agents", "value,greedy,random", "--pace", "0s", "--out", out}
	}
	whole := &server{faults: f, descriptors: 256, args: args(f.at("whole"))}
	whole.start()
	var want []string
	visitTable(whole, func(q string) bool { want = append(want, q); return true })
	whole.end(syscall.SIGINT)

	dir := f.at("run")
	s := &server{faults: f, descriptors: 256, args: args(dir)}
	next := 0 // of want, the first question whose answer may be lost
	var log []string
	for tries := 0; ; tries++ {
		s.start()
		cut, asked, first := 1<<30, 0, next
		if tries < 4 {
			cut = f.IntN(len(want))
		}
		free := func() {}
		visitTable(s, func(q string) bool {
			if asked == 0 && first > 0 && q != want[first] && first+1 < len(want) && q == want[first+1] {
				first++ // the last answer was kept
			}
			if first+asked >= len(want) || q != want[first+asked] {
				f.Errorf("after %v: question %d is %s", log, first+asked, q)
				return false
			}
			next = first + asked
			asked++
			if asked < cut {
				return true
			}
			switch f.IntN(3) {
			case 0:
				log = append(log, fmt.Sprint("killed at question ", next))
				_ = s.cmd.Process.Kill()
			case 1:
				log = append(log, fmt.Sprint("page closed and table interrupted at question ", next))
				return false
			case 2:
				if f.disk != "" && cut < 1<<30 {
					log = append(log, fmt.Sprint("disk full at question ", next))
					free = f.fill(0)
				}
				cut = 1 << 30
			}
			return true
		})
		free()
		s.end(syscall.SIGINT)
		if _, err := os.Stat(filepath.Join(dir, "match-0001", "manifest.json")); err == nil || f.Failed() {
			break
		}
		if tries == 20 {
			f.Fatalf("after %v the match does not end: %s", log, &s.errOut)
		}
	}
	if !cmp.Equal(files(f.T, f.at("whole/match-0001")), files(f.T, filepath.Join(dir, "match-0001"))) {
		f.Errorf("after %v the match is another one", log)
	}
	ok(f.T, "verify", "--quiet", filepath.Join(dir, "match-0001"))
}

var keyOfPerson = regexp.MustCompile(`^player 0\s+(http://\S+/)#(\w+)\n$`)

// visitTable answers the questions of the first person of a table until the match is over, the page
// gets no more, or each, which is called before an answer, returns false.
func visitTable(s *server, each func(question string) bool) {
	found := keyOfPerson.FindStringSubmatch(s.line())
	if found == nil {
		return // it could not start
	}
	ask := func(method, path, body string) (*http.Response, error) {
		r, err := http.NewRequestWithContext(s.Context(), method, found[1]+path, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "Bearer "+found[2])
		return http.DefaultClient.Do(r)
	}
	page, err := ask("GET", "events", "")
	if err != nil {
		return
	}
	defer page.Body.Close()
	kind := ""
	for lines := bufio.NewReader(page.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case name == "event":
			kind = value
		case name == "data" && kind == "replay":
			return
		case name == "data" && kind == "question":
			var q struct {
				Question int64
				Legal    []int
			}
			if err := json.Unmarshal([]byte(value), &q); err != nil {
				s.Fatal(err)
			}
			text := fmt.Sprint(q.Legal)
			if len(q.Legal) > 0 && !each(text) {
				return
			}
			h := fnv.New32()
			_, _ = io.WriteString(h, text)
			body := fmt.Sprintf(`{"question":%d}`, q.Question)
			if n := len(q.Legal); n > 0 {
				body = fmt.Sprintf(`{"question":%d,"action":%d}`, q.Question, q.Legal[int(h.Sum32()>>1)%n])
			}
			if r, err := ask("POST", "answer", body); err == nil {
				r.Body.Close()
			}
		}
	}
}

// tryServe plays over gRPC at a server to which others connect and whose process is killed. A client
// must get the batches that it gets of a server without faults, or an error.
func (f *faults) tryServe() {
	address := freeAddress(f.T)
	s := &server{faults: f, descriptors: 256, args: []string{"serve", "--listen", address, "--log", "off", "--drain", "1s"}}
	if f.IntN(3) == 0 {
		s.descriptors = 30 + f.IntN(40)
	}
	open := &envv1.Open{
		Rules: &envv1.Open_Preset{Preset: []string{"ema_2016", "hkma_hktw", "mcr_2006"}[f.IntN(3)]}, Tables: 8, Seed: f.Uint64(),
		Seats: []string{"external", "greedy", "random", "external"}, Observation: "planes", AutoReset: true,
	}
	const steps = 60
	var pause atomic.Int64 // between the requests of a slow client
	// play returns the batches up to an error.
	play := func() (batches [][]byte, err error) {
		c, err := client.Dial(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return nil, err
		}
		defer c.Close()
		p, err := c.Play(f.Context())
		if err != nil {
			return nil, err
		}
		_, b, err := p.Open(open)
		for err == nil && len(batches) < steps {
			text, err := proto.MarshalOptions{Deterministic: true}.Marshal((*envv1.Batch)(b))
			if err != nil {
				return nil, err
			}
			batches = append(batches, text)
			time.Sleep(time.Duration(pause.Load()))
			var a client.Answers
			for i := range b.Len() {
				if legal := b.Legal(i); b.Asked(i) {
					a.Add(b, i, legal.First())
				}
			}
			if b, err = p.Act(&a); err != nil {
				return batches, err
			}
		}
		return batches, err
	}
	s.start()
	s.line()
	want, err := play()
	if err != nil || len(want) != steps {
		f.Fatalf("%d batches, %v", len(want), err)
	}
	var log []string
	for range 3 {
		pause.Store(int64(f.between(0, 5*time.Millisecond)))
		stop := make(chan struct{})
		var others sync.WaitGroup
		for range f.IntN(60) {
			kind, n := f.IntN(3), f.IntN(200)
			others.Go(func() {
				c, err := net.Dial("tcp", address)
				if err != nil {
					return
				}
				defer c.Close()
				switch kind {
				case 0: // silent
					<-stop
				case 1: // cut
					_, _ = c.Write(bytes.Repeat([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 9)[:n])
				case 2: // slow
					for _, b := range []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") {
						_, _ = c.Write([]byte{b})
						time.Sleep(10 * time.Millisecond)
					}
				}
			})
		}
		// A timer that fires at the end must not meet the process that is started then.
		killed, process := f.IntN(2) == 0, s.cmd.Process
		timer := time.AfterFunc(f.between(0, 500*time.Millisecond), func() {
			if killed {
				_ = process.Kill()
			}
		})
		log = append(log, fmt.Sprint("killed: ", killed))
		got, err := play()
		timer.Stop()
		close(stop)
		others.Wait()
		if err != nil && !killed {
			f.Errorf("after %v: %v", log, err)
		}
		for i, b := range got {
			if !bytes.Equal(b, want[i]) {
				f.Errorf("after %v: batch %d differs", log, i)
			}
		}
		if killed {
			s.end(syscall.SIGKILL)
			s.start()
			s.line()
		}
	}
	if got, err := play(); err != nil || !cmp.Equal(want, got) {
		f.Errorf("after %v: %v, or other batches", log, err)
	}
	s.end(syscall.SIGTERM)
	if status := s.cmd.ProcessState.ExitCode(); status != statusOK {
		f.Errorf("after %v the server ends with status %d: %s", log, status, &s.errOut)
	}
}
