// Mutate changes the rules and the table in small ways, one at a time, and reports
// which changes no test notices.
//
//	go -C tools run ./mutate -n 400 -seed 1
//
// The sample is stratified: every package has a share of it that grows with its
// places to change. What does not compile, or compiles to the same binary, is
// replaced by the next of the same package. A mutant is caught if a test of its
// own package fails or does not end in time, or else a test of a package that uses
// it. Quick tests run first. The mutants of a package's functions
// are compiled together, see batch. The same seed and the same sources give the same
// sample and the same answers.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
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
	"ruleset/riichi", "ruleset/mcr", "ruleset/hktw", "ruleset/hkos", "ruleset/zungjung", "sim",
}

// dependants are the folders whose tests run on a mutant that the tests of its own
// package do not catch; quick ones first.
var dependants = map[string][]string{
	"ruleset":          {"ruleset/riichi", "ruleset/hktw", "configs", "sim"},
	"ruleset/tile":     {"ruleset/hand", "ruleset", "ruleset/cases", "ruleset/riichi", "ruleset/mcr", "sim"},
	"ruleset/hand":     {"ruleset", "ruleset/riichi", "ruleset/mcr", "ruleset/hktw", "ruleset/hkos", "ruleset/zungjung", "sim"},
	"ruleset/cases":    {"ruleset/zungjung", "ruleset/hktw", "cmd/sparrowhall"},
	"ruleset/riichi":   {"ruleset", "configs", "sim"},
	"ruleset/mcr":      {"ruleset", "configs", "sim"},
	"ruleset/hktw":     {"ruleset", "configs", "sim"},
	"ruleset/hkos":     {"ruleset", "configs", "sim"},
	"ruleset/zungjung": {"ruleset", "configs", "sim"},
	"sim":              {"sim/observe", "sim/record"},
}

// slowTests are the tests that run last, in this order, on mutants that the others do not
// catch.
var slowTests = map[string][]string{
	"ruleset/hand":     {"AgainstSlow"},
	"ruleset/riichi":   {"AgainstSlow"},
	"ruleset/mcr":      {"AgainstOracle"},
	"ruleset/hktw":     {"SecondScorer|Waits"},
	"ruleset/hkos":     {"SecondScorer"},
	"ruleset/zungjung": {"SecondScorer"},
	"sim":              {"Signatures|Perft|Redeal|ZungJungFlow", "Invariants|Stacked", "Knobs|MCRFans|RandomRulesets"},
}

func main() {
	m := &mutator{}
	only, match := "", ""
	flag.IntVar(&m.n, "n", 400, "number of mutants")
	flag.Uint64Var(&m.seed, "seed", 1, "seed of the sample")
	flag.IntVar(&m.jobs, "j", max(1, runtime.NumCPU()/2), "mutants tried at a time")
	flag.StringVar(&m.root, "C", "..", "root of the module")
	flag.StringVar(&only, "packages", "", "folders, separated by commas, whose part of the sample is tried; all if empty")
	flag.Float64Var(&m.least, "least", 0, "fail if a smaller share is caught, in percent")
	flag.StringVar(&m.logFile, "log", "", "file of verdicts: its verdicts are reused, new ones are added")
	flag.StringVar(&match, "match", "", "regular expression; only changes whose line in the report matches are drawn from")
	flag.StringVar(&m.tests, "run", "", "regular expression; only tests that match run")
	flag.BoolVar(&m.own, "own", false, "run only the tests of a mutant's own package")
	flag.Parse()
	if only != "" {
		m.only = strings.Split(only, ",")
	}
	var err error
	if m.match, err = regexp.Compile(match); err == nil {
		err = m.run()
	}
	if err != nil {
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
	match *regexp.Regexp
	tests string

	logFile string
	log     map[string]verdict // by the text of the mutant

	tmp      string
	plain    batch // no change
	mu       sync.Mutex
	binaries map[string]*testBinary     // by package and overlay
	costs    map[string]*baselineResult // by package, overlay and group of tests
}

// verdict is the result for a mutant.
type verdict string

const (
	caught      verdict = "caught"      // by a test of its package
	caughtLater verdict = "caught-by"   // by a test of a package that uses it
	survived    verdict = "survived"    // by none
	invalid     verdict = "invalid"     // it does not compile
	sameBinary  verdict = "same-binary" // it changes nothing
)

func (m *mutator) run() (err error) {
	if m.root, err = filepath.Abs(m.root); err != nil {
		return err
	}
	if m.tmp, err = os.MkdirTemp("", "mutate"); err != nil {
		return err
	}
	defer os.RemoveAll(m.tmp)
	m.binaries, m.costs = map[string]*testBinary{}, map[string]*baselineResult{}

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
		list = slices.DeleteFunc(list, func(x *mutant) bool { return !m.match.MatchString(x.String()) })
		// Each package has its own order, which does not depend on the other packages.
		h := fnv.New64a()
		h.Write([]byte(pkg))
		rand.New(rand.NewPCG(m.seed, h.Sum64())).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		all[pkg] = list
		total += len(list)
	}
	sum := tally{}
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
		fmt.Printf("== %s: %v\n", pkg, one)
		sum.add(one)
	}
	fmt.Printf("== all: %v\n", sum)
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

// readLog reads the verdicts of earlier runs on the same sources.
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
		site, _, _ := strings.Cut(rest, " | ")
		m.log[strings.TrimSpace(site)] = verdict(v)
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

func (t tally) add(o tally) {
	for v, n := range o {
		t[v] += n
	}
}

func (t tally) tried() int { return t[caught] + t[caughtLater] + t[survived] }

func (t tally) percent() float64 {
	return 100 * float64(t[caught]+t[caughtLater]) / float64(max(1, t.tried()))
}

func (t tally) String() string {
	return fmt.Sprintf("%d tried, %d caught by the package's tests, %d by others', %d survived (%.1f %% caught); left out: %d that do not compile, %d without effect",
		t.tried(), t[caught], t[caughtLater], t[survived], t.percent(), t[invalid], t[sameBinary])
}

// try tries mutants in order until the wanted number has a verdict that counts.
func (m *mutator) try(pkg string, list []*mutant, want int) (tally, error) {
	// The list is tried in blocks, so that the sample does not depend on how many
	// are tried at a time.
	sum := tally{}
	for len(list) > 0 && sum.tried() < want {
		block := list[:min(len(list), want-sum.tried())]
		list = list[len(block):]
		if err := m.tryBlock(block, sum); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// tryBlock tries all mutants of a block and counts the verdicts.
func (m *mutator) tryBlock(block []*mutant, sum tally) error {
	var single, shared []*mutant
	for _, x := range block {
		v, known := m.log[x.String()]
		switch {
		case known:
			sum[v]++
		case x.canShare():
			shared = append(shared, x)
		default:
			single = append(single, x)
		}
	}
	var b *batch
	if len(shared) > 0 {
		var broken []*mutant
		var err error
		if b, broken, err = m.sharedBatch(shared); err != nil {
			return err
		}
		for _, x := range broken {
			sum[invalid]++
			if err := m.report(invalid, x, ""); err != nil {
				return err
			}
		}
		shared = slices.DeleteFunc(shared, func(x *mutant) bool { return slices.Contains(broken, x) })
	}
	todo := slices.Concat(shared, single)
	verdicts := make([]verdict, len(todo))
	errs := make([]error, len(todo))
	places := make(chan struct{}, m.jobs)
	var wg sync.WaitGroup
	for i, x := range todo {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			var by string
			if i < len(shared) {
				verdicts[i], by, errs[i] = m.judgeShared(x, b)
			} else {
				verdicts[i], by, errs[i] = m.judgeAlone(x)
			}
			if errs[i] == nil {
				errs[i] = m.report(verdicts[i], x, by)
			}
		})
	}
	wg.Wait()
	for _, v := range verdicts {
		sum[v]++
	}
	return errors.Join(errs...)
}

// judgeAlone tries one mutant that is compiled on its own. by names the test that
// caught it.
func (m *mutator) judgeAlone(x *mutant) (v verdict, by string, err error) {
	b, err := m.singleBatch(x)
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(filepath.Dir(b.overlay))
	if _, err := m.binary(x.pkg, b); err != nil {
		return invalid, "", nil
	}
	if v, err := m.effect(x, b); err != nil || v == sameBinary {
		return v, "", err
	}
	return m.judge(x, b)
}

// judgeShared tries one mutant of a batch of many. What survives is compiled alone,
// to check that this gives another binary. It then runs the tests that the batch fails
// without a mutant, such as those that count allocations.
func (m *mutator) judgeShared(x *mutant, b *batch) (v verdict, by string, err error) {
	if v, by, err = m.judge(x, b); err != nil || v != survived {
		return v, by, err
	}
	alone, err := m.singleBatch(x)
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(filepath.Dir(alone.overlay))
	if v, err := m.effect(x, alone); err != nil || v == sameBinary {
		return v, "", err
	}
	for i := range m.groups(x.pkg) {
		c, err := m.baseline(x.pkg, b, i)
		if err != nil {
			return "", "", err
		}
		if len(c.fails) == 0 {
			continue
		}
		only := "-test.run=^(" + strings.Join(c.fails, "|") + ")$"
		if by, _, err := m.test(x.pkg, alone, 0, time.Hour, only); err != nil || by != "" {
			return caught, by, err
		}
	}
	return survived, "", nil
}

// effect reports whether a mutant that is compiled alone gives another binary.
func (m *mutator) effect(x *mutant, b *batch) (verdict, error) {
	plain, err := m.binary(x.pkg, &m.plain)
	if err != nil {
		return "", err
	}
	digest, err := m.binary(x.pkg, b)
	if err != nil {
		return invalid, nil
	}
	if digest == plain {
		return sameBinary, nil
	}
	return survived, nil
}

// judge runs the tests on a mutant of a batch.
func (m *mutator) judge(x *mutant, b *batch) (v verdict, by string, err error) {
	if by, err = m.runTests(x.pkg, x, b); err != nil || by != "" {
		return caught, by, err
	}
	if !m.own {
		for _, pkg := range dependants[x.pkg] {
			if by, err = m.runTests(pkg, x, b); err != nil || by != "" {
				return caughtLater, pkg + " " + by, err
			}
		}
	}
	return survived, "", nil
}

// testBinary is the compiled tests of a package.
type testBinary struct {
	once   sync.Once
	file   string
	digest [sha256.Size]byte
	err    error
}

// binary compiles the tests of a package with a batch, once, and returns the digest
// of the binary.
func (m *mutator) binary(pkg string, b *batch) (digest [sha256.Size]byte, err error) {
	t := m.buildTests(pkg, b)
	return t.digest, t.err
}

func (m *mutator) buildTests(pkg string, b *batch) *testBinary {
	m.mu.Lock()
	key := pkg + " " + b.overlay
	t := m.binaries[key]
	if t == nil {
		t = &testBinary{}
		m.binaries[key] = t
	}
	m.mu.Unlock()
	t.once.Do(func() {
		dir := m.tmp
		args := []string{"test", "-c", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-vet=off"}
		if b.overlay != "" {
			dir = filepath.Dir(b.overlay)
			args = append(args, "-overlay", b.overlay)
		}
		if b.number != nil {
			args = append(args, "-gcflags=-e") // all errors
		}
		t.file = filepath.Join(dir, strings.ReplaceAll(pkg, "/", "-")+".test")
		cmd := exec.Command("go", append(args, "-o", t.file, "./"+pkg)...)
		cmd.Dir = m.root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.err = fmt.Errorf("%s: the tests do not compile: %w: %s", pkg, err, out)
			return
		}
		text, err := os.ReadFile(t.file)
		t.digest, t.err = sha256.Sum256(text), err
	})
	return t
}

// runTests runs the tests of a package on a mutant, the slow ones last, and returns
// the name of the first that fails, empty if none does.
func (m *mutator) runTests(pkg string, x *mutant, b *batch) (by string, err error) {
	for i := range m.groups(pkg) {
		c, err := m.baseline(pkg, b, i)
		if err != nil {
			return "", err
		}
		if by, _, err = m.test(pkg, b, b.number[x], 3*c.cost+10*time.Second, m.selection(pkg, i, c.fails)...); err != nil || by != "" {
			return by, err
		}
	}
	return "", nil
}

// baselineResult is the result of a group of tests without a mutant.
type baselineResult struct {
	once  sync.Once
	cost  time.Duration // CPU time
	fails []string      // because functions of a batch are no longer inlined
	err   error
}

// groups returns how many groups of tests a package has.
func (m *mutator) groups(pkg string) int {
	if m.tests != "" {
		return 1
	}
	return len(slowTests[pkg]) + 1
}

// selection returns the flags that select a group of tests, some left out.
func (m *mutator) selection(pkg string, group int, without []string) []string {
	run := "."
	skip := []string{"^$"}
	for _, name := range without {
		skip = append(skip, "^"+name+"$")
	}
	switch {
	case m.tests != "":
		run = m.tests
	case group > 0:
		run = slowTests[pkg][group-1]
	default:
		skip = append(skip, slowTests[pkg]...)
	}
	return []string{"-test.run=" + run, "-test.skip=" + strings.Join(skip, "|")}
}

// baseline runs a group of tests without a mutant. All must pass; in a batch of many
// mutants up to three may fail.
func (m *mutator) baseline(pkg string, b *batch, group int) (*baselineResult, error) {
	if b.number == nil {
		b = &m.plain
	}
	m.mu.Lock()
	key := fmt.Sprint(pkg, " ", b.overlay, " ", group)
	c := m.costs[key]
	if c == nil {
		c = &baselineResult{}
		m.costs[key] = c
	}
	m.mu.Unlock()
	c.once.Do(func() {
		for {
			var by string
			by, c.cost, c.err = m.test(pkg, b, 0, time.Hour, m.selection(pkg, group, c.fails)...)
			if by == "" || c.err != nil {
				return
			}
			if b.number == nil || len(c.fails) == 3 || !strings.HasPrefix(by, "Test") {
				c.err = fmt.Errorf("%s: a test fails without a change: %s", pkg, by)
				return
			}
			by, _, _ = strings.Cut(by, "/")
			c.fails = append(c.fails, by)
		}
	})
	return c, c.err
}

var failLine = regexp.MustCompile(`--- FAIL: (\S+)`)

// test runs selected tests of a package, up to the first failure, on a mutant of a
// batch or, with number 0, on none. It returns the name of the test that failed,
// empty if none did, and the CPU time it took.
func (m *mutator) test(pkg string, b *batch, number int, limit time.Duration, selection ...string) (by string, cost time.Duration, err error) {
	t := m.buildTests(pkg, b)
	if t.err != nil {
		return "", 0, t.err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*limit) // for one that sleeps
	defer cancel()
	limit = limit.Truncate(time.Second)
	script := fmt.Sprintf(`ulimit -t %d; exec "$0" "$@"`, int(limit.Seconds()))
	args := append([]string{"-c", script, t.file, "-test.failfast", "-test.timeout=0"}, selection...)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = filepath.Join(m.root, pkg)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOMEMLIMIT=2GiB", fmt.Sprintf("%s=%d", mutantVariable, number))
	out, err := cmd.CombinedOutput()
	cost = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	switch match := failLine.FindSubmatch(out); {
	case err == nil:
		return "", cost, nil
	case match != nil:
		return string(match[1]), cost, nil
	case ctx.Err() != nil || cost > limit-time.Second/2: // the clocks differ a little
		return "time limit", cost, nil
	case cmd.ProcessState.ExitCode() < 0: // such as for lack of memory
		return "killed", cost, nil
	case bytes.Contains(out, []byte("panic:")), bytes.Contains(out, []byte("fatal error:")):
		return "panic", cost, nil
	default:
		return "", cost, fmt.Errorf("%s: %w: %.500s", pkg, err, out)
	}
}
