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

	"golang.org/x/sync/errgroup"
)

// packages are the folders that are changed; addFamilies adds those of the families.
var packages = []string{"ruleset", "ruleset/tile", "ruleset/hand", "ruleset/cases", "sim"}

// dependants are the folders whose tests run on a mutant that the tests of its own
// package do not catch; quick ones first.
var dependants = map[string][]string{
	"ruleset":       {"ruleset/riichi", "ruleset/hktw", "configs", "sim"},
	"ruleset/tile":  {"ruleset/hand", "ruleset", "ruleset/cases", "ruleset/riichi", "ruleset/mcr", "sim"},
	"ruleset/hand":  {"ruleset"},
	"ruleset/cases": {"ruleset/zungjung", "ruleset/hktw", "cmd/sparrowhall"},
	"sim":           {"sim/observe", "sim/record"},
}

// slowTests are the tests that run last, in this order, on mutants that the others do not
// catch.
var slowTests = map[string][]string{
	"ruleset/hand": {"AgainstSlow"},
	"sim":          {"Signatures|Perft|Redeal|ZungJungFlow", "Invariants|Stacked", "Knobs|MCRFans|RandomRulesets"},
}

// addFamilies adds the folders of the families, which are those with a config.go. The slow
// tests of a family compare its scorer with a second one.
func addFamilies(root string) error {
	configs, err := filepath.Glob(filepath.Join(root, "ruleset", "*", "config.go"))
	if err == nil && len(configs) == 0 {
		err = fmt.Errorf("no family below %s", filepath.Join(root, "ruleset"))
	}
	for _, c := range configs {
		pkg := "ruleset/" + filepath.Base(filepath.Dir(c))
		packages = append(packages, pkg)
		dependants[pkg] = []string{"ruleset", "configs", "sim"}
		dependants["ruleset/hand"] = append(dependants["ruleset/hand"], pkg)
		slowTests[pkg] = []string{"AgainstSlow|AgainstOracle|SecondScorer"}
	}
	dependants["ruleset/hand"] = append(dependants["ruleset/hand"], "sim")
	return err
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

	tmp    string
	output sync.Mutex
	plain  map[string]func() (testBinary, error)    // by package, without a change
	costs  map[string]func() (time.Duration, error) // CPU time by package and group of tests, without a change
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
	if err := addFamilies(m.root); err != nil {
		return err
	}
	m.prepare()
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
	m.output.Lock()
	defer m.output.Unlock()
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
	verdicts := make([]verdict, len(block))
	var g errgroup.Group
	g.SetLimit(m.jobs)
	for i, x := range block {
		if v, known := m.log[x.String()]; known {
			verdicts[i] = v
			continue
		}
		g.Go(func() error {
			v, by, err := m.judge(x)
			if err != nil {
				return err
			}
			verdicts[i] = v
			return m.report(v, x, by)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, v := range verdicts {
		sum[v]++
	}
	return nil
}

// judge runs the tests on a mutant. by names the test that caught it.
func (m *mutator) judge(x *mutant) (v verdict, by string, err error) {
	dir, err := os.MkdirTemp(m.tmp, "m")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(dir)
	overlay, err := m.writeOverlay(dir, x)
	if err != nil {
		return "", "", err
	}
	plain, err := m.plain[x.pkg]()
	if err != nil {
		return "", "", err
	}
	own, err := m.build(x.pkg, dir, overlay)
	switch {
	case err != nil:
		return invalid, "", nil
	case own.digest == plain.digest:
		return sameBinary, "", nil
	}
	if by, err = m.runTests(x.pkg, own.file); err != nil || by != "" {
		return caught, by, err
	}
	if m.own {
		return survived, "", nil
	}
	for _, pkg := range dependants[x.pkg] {
		binary, err := m.build(pkg, dir, overlay)
		if err != nil {
			return "", "", err
		}
		if by, err = m.runTests(pkg, binary.file); err != nil || by != "" {
			return caughtLater, pkg + " " + by, err
		}
	}
	return survived, "", nil
}

// writeOverlay writes the changed file of a mutant to a folder and returns the file of go's flag
// -overlay that puts it in place of the original.
func (m *mutator) writeOverlay(dir string, x *mutant) (string, error) {
	original := filepath.Join(m.root, x.file)
	src, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, filepath.Base(x.file))
	text := slices.Concat(src[:x.from], []byte(x.text), src[x.to:])
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	file := filepath.Join(dir, "overlay.json")
	return file, errors.Join(err, os.WriteFile(changed, text, 0o644), os.WriteFile(file, overlay, 0o644))
}

// testBinary is the compiled tests of a package.
type testBinary struct {
	file   string
	digest [sha256.Size]byte
}

// build compiles the tests of a package into a folder, with an overlay unless that is empty.
func (m *mutator) build(pkg, dir, overlay string) (b testBinary, err error) {
	b.file = filepath.Join(dir, strings.ReplaceAll(pkg, "/", "-")+".test")
	args := []string{"test", "-c", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-vet=off", "-o", b.file}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.Command("go", append(args, "./"+pkg)...)
	cmd.Dir = m.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return b, fmt.Errorf("%s: the tests do not compile: %w: %s", pkg, err, out)
	}
	text, err := os.ReadFile(b.file)
	b.digest = sha256.Sum256(text)
	return b, err
}

// prepare sets what is known of the tests without a change. It is computed when it is first used.
func (m *mutator) prepare() {
	m.plain, m.costs = map[string]func() (testBinary, error){}, map[string]func() (time.Duration, error){}
	for own, others := range dependants {
		for _, pkg := range append([]string{own}, others...) {
			m.plain[pkg] = sync.OnceValues(func() (testBinary, error) { return m.build(pkg, m.tmp, "") })
			for group := range m.groups(pkg) {
				m.costs[costKey(pkg, group)] = sync.OnceValues(func() (time.Duration, error) { return m.baseline(pkg, group) })
			}
		}
	}
}

func costKey(pkg string, group int) string { return fmt.Sprint(pkg, " ", group) }

// baseline returns the CPU time of a group of tests without a change. All must pass.
func (m *mutator) baseline(pkg string, group int) (time.Duration, error) {
	plain, err := m.plain[pkg]()
	if err != nil {
		return 0, err
	}
	by, cost, err := m.test(pkg, plain.file, group, time.Hour)
	if err == nil && by != "" {
		err = fmt.Errorf("%s: a test fails without a change: %s", pkg, by)
	}
	return cost, err
}

// runTests runs the tests of a package in a binary, the slow ones last, and returns the name of
// the first that fails, empty if none does.
func (m *mutator) runTests(pkg, binary string) (by string, err error) {
	for group := range m.groups(pkg) {
		cost, err := m.costs[costKey(pkg, group)]()
		if err != nil {
			return "", err
		}
		if by, _, err = m.test(pkg, binary, group, 3*cost+10*time.Second); err != nil || by != "" {
			return by, err
		}
	}
	return "", nil
}

// groups returns how many groups of tests a package has.
func (m *mutator) groups(pkg string) int {
	if m.tests != "" {
		return 1
	}
	return len(slowTests[pkg]) + 1
}

// selection returns the flags that select a group of tests.
func (m *mutator) selection(pkg string, group int) []string {
	switch {
	case m.tests != "":
		return []string{"-test.run=" + m.tests}
	case group > 0:
		return []string{"-test.run=" + slowTests[pkg][group-1]}
	case len(slowTests[pkg]) > 0:
		return []string{"-test.run=.", "-test.skip=" + strings.Join(slowTests[pkg], "|")}
	}
	return []string{"-test.run=."}
}

var failLine = regexp.MustCompile(`--- FAIL: (\S+)`)

// test runs a group of tests of a package in a binary, up to the first failure. It returns the
// name of the test that failed, empty if none did, and the CPU time it took.
func (m *mutator) test(pkg, binary string, group int, limit time.Duration) (by string, cost time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*limit) // for one that sleeps
	defer cancel()
	limit = limit.Truncate(time.Second)
	script := fmt.Sprintf(`ulimit -t %d; exec "$0" "$@"`, int(limit.Seconds()))
	args := append([]string{"-c", script, binary, "-test.failfast", "-test.timeout=0"}, m.selection(pkg, group)...)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = filepath.Join(m.root, pkg)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOMEMLIMIT=2GiB")
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
