// Mutate changes the rules and the table in small ways, one at a time, and tells
// which changes no test notices.
//
//	go run ./internal/mutate -n 400 -seed 1
//
// The sample is stratified: every package has a share of it that grows with its
// places to change. What does not compile, or compiles to the same binary, is
// replaced by the next of the same package. A mutant is caught if a test of its
// own package fails or does not end in time, or, if none does, one of a package
// that uses it. The same seed and the same sources give the same sample and the
// same answers.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// packages are the folders that are changed.
var packages = []string{
	"ruleset", "ruleset/tile", "ruleset/hand", "ruleset/cases",
	"ruleset/riichi", "ruleset/mcr", "ruleset/hktw", "ruleset/zungjung", "sim",
}

// dependants are the folders whose tests are asked about a mutant that the tests
// of its own package let pass; quick ones first.
var dependants = map[string][]string{
	"ruleset":          {"ruleset/riichi", "ruleset/hktw", "configs", "sim"},
	"ruleset/tile":     {"ruleset/hand", "ruleset", "ruleset/cases", "ruleset/riichi", "ruleset/mcr", "sim"},
	"ruleset/hand":     {"ruleset", "ruleset/riichi", "ruleset/mcr", "ruleset/hktw", "ruleset/zungjung", "sim"},
	"ruleset/cases":    {"cmd/jansou"},
	"ruleset/riichi":   {"ruleset", "configs", "sim"},
	"ruleset/mcr":      {"ruleset", "configs", "sim"},
	"ruleset/hktw":     {"ruleset", "configs", "sim"},
	"ruleset/zungjung": {"ruleset", "configs", "sim"},
	"sim":              {"sim/observe", "sim/record"},
}

func main() {
	m := &mutator{}
	only := ""
	flag.IntVar(&m.n, "n", 400, "number of mutants")
	flag.Uint64Var(&m.seed, "seed", 1, "seed of the sample")
	flag.IntVar(&m.jobs, "j", max(1, runtime.NumCPU()/2), "mutants tried at a time")
	flag.StringVar(&m.root, "C", ".", "root of the module")
	flag.StringVar(&only, "packages", "", "folders, separated by commas, whose part of the sample is tried; all if empty")
	flag.Float64Var(&m.least, "least", 0, "fail if a smaller share is caught, in percent")
	flag.StringVar(&m.logFile, "log", "", "file of verdicts: those in it are taken over, new ones are added")
	flag.BoolVar(&m.own, "own", false, "ask the tests of a mutant's own package alone")
	flag.Parse()
	if only != "" {
		m.only = strings.Split(only, ",")
	}
	if err := m.run(); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

type mutator struct {
	n     int
	seed  uint64
	jobs  int
	root  string
	least float64
	own   bool
	only  []string

	logFile string
	log     map[string]verdict // by what String says of the mutant

	tmp string
	mu  sync.Mutex
	// plain is the digest of the binary of each package's tests without a change.
	plain map[string][sha256.Size]byte
	// cost is the processor time that the tests of a package take without a change.
	cost map[string]time.Duration
}

// verdict is what became of a mutant.
type verdict string

const (
	caught      verdict = "caught"      // by a test of its package
	caughtLater verdict = "caught-by"   // by a test of a package that uses it
	survived    verdict = "survived"    // by none
	invalid     verdict = "invalid"     // it does not compile
	same        verdict = "same-binary" // it changes nothing
)

func (m *mutator) run() (err error) {
	if m.root, err = filepath.Abs(m.root); err != nil {
		return err
	}
	if m.tmp, err = os.MkdirTemp("", "mutate"); err != nil {
		return err
	}
	defer os.RemoveAll(m.tmp)
	m.plain, m.cost = map[string][sha256.Size]byte{}, map[string]time.Duration{}

	if err := m.readLog(); err != nil {
		return err
	}
	all := map[string][]*mutant{}
	total := 0
	for _, pkg := range packages {
		list, err := sites(m.root, pkg)
		if err != nil {
			return err
		}
		// Each package has its own order, so that it does not matter which others
		// are looked at.
		h := fnv.New64a()
		h.Write([]byte(pkg))
		rand.New(rand.NewPCG(m.seed, h.Sum64())).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		all[pkg] = list
		total += len(list)
	}
	var sum tally
	for _, pkg := range packages {
		if m.only != nil && !slices.Contains(m.only, pkg) {
			continue
		}
		want := share(m.n, len(packages), len(all[pkg]), total)
		fmt.Printf("== %s: %d of %d places\n", pkg, want, len(all[pkg]))
		one, err := m.try(pkg, all[pkg], want)
		if err != nil {
			return err
		}
		fmt.Printf("== %s: %v\n", pkg, &one)
		sum.add(&one)
	}
	fmt.Printf("== all: %v\n", &sum)
	if sum.percent() < m.least {
		return fmt.Errorf("%.1f %% caught, want %.1f %%", sum.percent(), m.least)
	}
	return nil
}

// report prints a verdict and adds it to the log.
func (m *mutator) report(v verdict, x *mutant, by string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	line := fmt.Sprintf("%-11s %v | %s\n", v, x, by)
	fmt.Print(line)
	if m.logFile == "" {
		return nil
	}
	f, err := os.OpenFile(m.logFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}

// readLog takes over the verdicts of earlier runs on the same sources.
func (m *mutator) readLog() error {
	m.log = map[string]verdict{}
	if m.logFile == "" {
		return nil
	}
	text, err := os.ReadFile(m.logFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		v, rest, _ := strings.Cut(line, " ")
		of, _, _ := strings.Cut(rest, " | ")
		m.log[strings.TrimSpace(of)] = verdict(v)
	}
	return err
}

// share returns how many of n mutants a package with so many places has: half of
// them are divided equally, half by the number of places.
func share(n, packages, places, total int) int {
	return min(places, (n/2+packages-1)/packages+(n/2*places+total-1)/total)
}

// tally counts verdicts.
type tally map[verdict]int

func (t *tally) add(o *tally) {
	if *t == nil {
		*t = tally{}
	}
	for v, n := range *o {
		(*t)[v] += n
	}
}

func (t *tally) tried() int { return (*t)[caught] + (*t)[caughtLater] + (*t)[survived] }

func (t *tally) percent() float64 {
	return 100 * float64((*t)[caught]+(*t)[caughtLater]) / float64(max(1, t.tried()))
}

func (t *tally) String() string {
	return fmt.Sprintf("%d tried, %d caught by the package's tests, %d by others', %d survived (%.1f %% caught); left out: %d that do not compile, %d without effect",
		t.tried(), (*t)[caught], (*t)[caughtLater], (*t)[survived], t.percent(), (*t)[invalid], (*t)[same])
}

// try tries mutants in order until so many have been tried that count.
func (m *mutator) try(pkg string, list []*mutant, want int) (tally, error) {
	asked := []string{pkg}
	if !m.own {
		asked = append(asked, dependants[pkg]...)
	}
	for _, pkg := range asked {
		if m.cost[pkg] > 0 {
			continue
		}
		if _, err := m.binary(pkg, ""); err != nil {
			return nil, fmt.Errorf("%s: the tests do not compile without a change: %w", pkg, err)
		}
		if name, err := m.test(pkg, ""); err != nil || name != "" {
			return nil, fmt.Errorf("%s: a test fails without a change: %s %v", pkg, name, err)
		}
	}
	// The list is tried in blocks, so that the sample does not depend on how many
	// are tried at a time.
	sum := tally{}
	for len(list) > 0 && sum.tried() < want {
		block := list[:min(len(list), want-sum.tried())]
		list = list[len(block):]
		verdicts := make([]verdict, len(block))
		errs := make([]error, len(block))
		places := make(chan struct{}, m.jobs)
		var wg sync.WaitGroup
		for i, x := range block {
			if v, ok := m.log[x.String()]; ok {
				verdicts[i] = v
				continue
			}
			places <- struct{}{}
			wg.Go(func() {
				defer func() { <-places }()
				var by string
				if verdicts[i], by, errs[i] = m.judge(x); errs[i] == nil {
					errs[i] = m.report(verdicts[i], x, by)
				}
			})
		}
		wg.Wait()
		for _, v := range verdicts {
			sum[v]++
		}
		if err := errors.Join(errs...); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// judge tries one mutant. by names the test that caught it.
func (m *mutator) judge(x *mutant) (v verdict, by string, err error) {
	dir, err := os.MkdirTemp(m.tmp, "m")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(dir)
	src, err := os.ReadFile(filepath.Join(m.root, x.file))
	if err != nil {
		return "", "", err
	}
	changed := slices.Concat(src[:x.from], []byte(x.text), src[x.to:])
	changedFile := filepath.Join(dir, filepath.Base(x.file))
	if err := os.WriteFile(changedFile, changed, 0o644); err != nil {
		return "", "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(m.root, x.file): changedFile}})
	if err != nil {
		return "", "", err
	}
	overlayFile := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o644); err != nil {
		return "", "", err
	}
	digest, err := m.binary(x.pkg, overlayFile)
	switch {
	case err != nil:
		return invalid, "", nil
	case digest == m.plain[x.pkg]:
		return same, "", nil
	}
	by, err = m.test(x.pkg, overlayFile)
	if err != nil || by != "" {
		return caught, by, err
	}
	if !m.own {
		for _, pkg := range dependants[x.pkg] {
			if _, err := m.binary(pkg, overlayFile); err != nil {
				return "", "", err
			}
			if by, err = m.test(pkg, overlayFile); err != nil || by != "" {
				return caughtLater, pkg + " " + by, err
			}
		}
	}
	return survived, "", nil
}

// testBinary is where the tests of a package under an overlay are compiled to.
func (m *mutator) testBinary(pkg, overlay string) string {
	dir := m.tmp
	if overlay != "" {
		dir = filepath.Dir(overlay)
	}
	return filepath.Join(dir, strings.ReplaceAll(pkg, "/", "-")+".test")
}

// binary compiles the tests of a package and returns the digest of the binary.
func (m *mutator) binary(pkg, overlay string) (digest [sha256.Size]byte, err error) {
	file := m.testBinary(pkg, overlay)
	args := []string{"test", "-c", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-vet=off", "-o", file}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.Command("go", append(args, "./"+pkg)...)
	cmd.Dir = m.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return digest, fmt.Errorf("%w: %s", err, out)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return digest, err
	}
	digest = sha256.Sum256(b)
	if overlay == "" {
		m.plain[pkg] = digest
	}
	return digest, nil
}

var failed = regexp.MustCompile(`--- FAIL: (\S+)`)

// test runs the compiled tests of a package up to the first failure and returns
// the name of the test that failed, empty if none did. A mutant may take three times
// the processor time of the tests without a change, and ten seconds.
func (m *mutator) test(pkg, overlay string) (by string, err error) {
	file := m.testBinary(pkg, overlay)
	limit := time.Hour
	if overlay != "" {
		limit = 3*m.cost[pkg] + 10*time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*limit) // for one that sleeps
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", fmt.Sprintf(`ulimit -t %d; exec "$0" -test.failfast -test.timeout 0`, int(limit.Seconds())), file)
	cmd.Dir = filepath.Join(m.root, pkg)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOMEMLIMIT=2GiB")
	out, err := cmd.CombinedOutput()
	os.Remove(file)
	cost := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if overlay == "" {
		m.cost[pkg] = cost
	}
	switch match := failed.FindSubmatch(out); {
	case err == nil:
		return "", nil
	case match != nil:
		return string(match[1]), nil
	case ctx.Err() != nil || cost >= limit:
		return "time limit", nil
	case bytes.Contains(out, []byte("panic:")), bytes.Contains(out, []byte("fatal error:")):
		return "panic", nil
	default:
		return "", fmt.Errorf("%s: %w: %.500s", pkg, err, out)
	}
}
