package strength

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Shared is a folder in which the processes of several machines play one tournament together, also
// one that ends by its results or pairs by them.
//
//	s, err := strength.OpenShared(dir, run)
//	warning, err := c.PlayShared(ctx, job, s) // c has the standings of all machines then
//	job.Journal = s                 // for a contest that writes the dataset
//
// A process takes the next block of matches that no other plays, and adds the file of the block when
// it is whole. Each process reads all blocks in their order, so the end, the pairings and the
// standings are those of one machine, whichever process has played a block. A block of a process that is
// silent for some time is played by another. The first file of a block stays.
type Shared struct {
	dir   string
	rules *ruleset.Rules
	host  string
	name  string // of this process, in claims and blocks: a random text, its number and the host
	// silence is how long a process may be silent before its claims end.
	silence time.Duration

	mu    sync.Mutex
	next  uint64           // the first block that is not read
	known uint64           // the first match whose players are not known yet
	done  map[uint64]bool  // blocks from next on that have a file
	beats map[string]*beat // by process
	nodes *Nodes

	blocks blockCache
}

// beat is the last sign of life of a process, and the time at which this process saw it change.
type beat struct {
	text string
	at   time.Time
}

const (
	beatTime = 5 * time.Second
	pollTime = 200 * time.Millisecond
	// ahead is the most blocks that are played ahead of the first missing one. More would be of no
	// use if that one decides.
	ahead = 256
)

// sharedBlock is the file of a block, after the SHA-256 of what follows: standings are made of it, and a
// damaged bit would change them.
type sharedBlock struct {
	Node    string
	Seconds float64
	Matches []sharedMatch
}

// sharedMatch is a match of a block: what the standings need, and what it is replayed from.
type sharedMatch struct {
	Rows      []schema.MatchRow
	Luck      *luck.Points
	Forfeited sim.Players
	Actions   []byte
}

// OpenShared opens the folder of a tournament, which it makes if it is missing. The error is that of
// the folder of another tournament.
func OpenShared(dir string, run *dataset.Run) (*Shared, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	hash, plan := run.Ruleset.Hash(), run.Tournament.Schedule.Plan
	plan.Secret = nil
	text, err := json.MarshalIndent(map[string]any{
		"sparrowhall_shared": 1, "engine_version": sim.EngineVersion, "ruleset": fmt.Sprintf("%x", hash), "first_wall": run.Ruleset.FirstWall,
		"agents": run.Agents, "sealed": run.Seal.Info(false), "plan": plan, "until_clear": run.Tournament.UntilClear, "accept": run.Tournament.Accept,
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	s := &Shared{dir: dir, rules: run.Ruleset.Rules(), silence: 6 * beatTime, done: map[uint64]bool{}, beats: map[string]*beat{}, nodes: NewNodes(run.Tournament.Schedule, run.Agents)}
	s.host, err = hostName()
	s.name = fmt.Sprintf("%.8s.%d.%s", rand.Text(), os.Getpid(), filepath.Base(s.host))
	if err == nil {
		err = s.add("tournament.json", func(w io.Writer) error { _, err := w.Write(text); return err })
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	there, err := os.ReadFile(s.path("tournament.json"))
	if err == nil && !bytes.Equal(there, text) {
		err = fmt.Errorf("%s: another tournament, or another version of the program, plays here; use its flags, or another folder", dir)
	}
	return s, err
}

// hostName returns the name of the machine. Where it can be known, the start of the system and the
// container follow, since several may have one name and all have numbers of processes of their own.
func hostName() (string, error) {
	host, err := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	if len(boot) > 8 {
		host += fmt.Sprintf("-%s-%s", boot[:8], strings.Trim(space, "pid:[]"))
	}
	return host, err
}

func (s *Shared) path(name string) string { return filepath.Join(s.dir, name) }
func blockName(n uint64) string           { return fmt.Sprintf("block-%08d.gob", n) }
func claimName(n uint64) string           { return fmt.Sprintf("claim-%08d", n) }

// add adds a file that appears when it is whole. One that is there stays: the error is fs.ErrExist.
func (s *Shared) add(name string, write func(io.Writer) error) error {
	temp := s.path(fmt.Sprintf(".%s-%s", name, rand.Text()))
	err := tempdir.WriteFile(temp, write)
	if err == nil {
		err = os.Link(temp, s.path(name))
	}
	return errors.Join(err, os.Remove(temp))
}

// block reads a block, nil if it is missing.
func (s *Shared) block(n uint64) (*sharedBlock, error) {
	text, err := os.ReadFile(s.path(blockName(n)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	b := &sharedBlock{}
	if err == nil {
		sum, rest := text[:min(sha256.Size, len(text))], text[min(sha256.Size, len(text)):]
		if want := sha256.Sum256(rest); !bytes.Equal(sum, want[:]) {
			err = errors.New("its checksum differs")
		} else {
			err = gob.NewDecoder(bytes.NewReader(rest)).Decode(b)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; remove it to play its matches again", s.path(blockName(n)), err)
	}
	return b, nil
}

// claim takes the first block that no living process plays. It reports whether there is one.
func (s *Shared) claim() (n uint64, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n = s.next; n < s.next+ahead && n*sim.BlockSize < s.known; n++ {
		if s.done[n] {
			continue
		}
		if _, err := os.Lstat(s.path(blockName(n))); err == nil {
			s.done[n] = true
			continue
		}
		owner, err := os.ReadFile(s.path(claimName(n)))
		if err == nil && !s.isSilent(string(owner)) {
			continue
		}
		// Two processes that end a claim at once play the block twice, which the first file decides.
		if err == nil {
			_ = os.Remove(s.path(claimName(n)))
		}
		switch err := s.add(claimName(n), func(w io.Writer) error { _, err := io.WriteString(w, s.name); return err }); {
		case errors.Is(err, fs.ErrExist):
		case err != nil:
			return 0, false, err
		default:
			return n, true, nil
		}
	}
	return 0, false, nil
}

// isSilent reports whether a process has given no sign of life for too long. The caller holds mu.
// Clocks of machines differ, so what counts is how long this process has seen no change.
func (s *Shared) isSilent(name string) bool {
	// Of this machine it is known at once.
	if number, here := strings.CutSuffix(name, "."+s.host); here {
		_, number, _ = strings.Cut(number, ".")
		if pid, err := strconv.Atoi(number); err == nil && hasEnded(pid) {
			return true
		}
	}
	text, _ := os.ReadFile(s.path(beatName(name))) // none is a text too
	b := s.beats[name]
	if b == nil || b.text != string(text) {
		s.beats[name] = &beat{string(text), time.Now()}
		return false
	}
	return time.Since(b.at) > s.silence
}

// hasEnded reports whether a process of this machine is known to have ended.
func hasEnded(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

func beatName(process string) string { return "node-" + filepath.Base(process) + ".json" }

// live gives signs of life until ctx ends.
func (s *Shared) live(ctx context.Context) error {
	tick := time.NewTicker(min(beatTime, s.silence/6))
	defer tick.Stop()
	for n := 1; ; n++ {
		text := fmt.Sprintf("{\"process\": %q, \"signs_of_life\": %d}\n", s.name, n)
		if err := tempdir.ReplaceFile(s.path(beatName(s.name)), []byte(text)); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// PlayShared plays the tournament together with the other processes of a folder, up to its end. It
// returns a warning of a process that has played otherwise than the others, empty if none has.
func (c *Contest) PlayShared(ctx context.Context, job *sim.Job, s *Shared) (warning string, err error) {
	c.shared, s.known = s, c.firstRounds()
	job.Schedule = guardedSchedule{job.Schedule, &c.pairing}
	working, stop := context.WithCancel(ctx)
	defer stop()
	g, working := errgroup.WithContext(working)
	workers := 1
	if all := *job; job.Workers != 1 { // as many as for a run of very many blocks
		all.Count = 1 << 20
		workers = all.Tables()
		if job.Overlap {
			workers /= sim.BlockSize
		}
	}
	for range workers {
		g.Go(func() error { return c.playFree(working, *job) })
	}
	g.Go(func() error { return s.live(working) })
	err = c.playAll(working, job)
	stop()
	if others := g.Wait(); err == nil || errors.Is(err, context.Canceled) && ctx.Err() == nil {
		err = others
	}
	if err = cmp.Or(context.Cause(ctx), err); err != nil {
		return "", err
	}
	return s.nodes.WriteFile(s.path("nodes.json"))
}

// firstRounds returns the number of the first match whose players the matches so far do not decide.
func (c *Contest) firstRounds() uint64 {
	if t := c.Run.Tournament.Schedule; t.Plan.Selection == arena.Swiss {
		return min(c.End, (c.Next/t.MatchesPerRound()+1)*t.MatchesPerRound())
	}
	return c.End
}

// guardedSchedule lets results be added while matches are played.
type guardedSchedule struct {
	sim.Schedule
	mu *sync.RWMutex
}

func (g guardedSchedule) Match(index uint64) (seed uint64, agents [sim.NumPlayers]uint8) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.Schedule.Match(index)
}

// playFree plays block after block until ctx ends.
func (c *Contest) playFree(ctx context.Context, job sim.Job) error {
	for ctx.Err() == nil {
		n, ok, err := c.shared.claim()
		if err != nil {
			return err
		}
		if !ok {
			select {
			case <-time.After(pollTime):
			case <-ctx.Done():
			}
			continue
		}
		err = c.playClaimed(ctx, job, n)
		_ = os.Remove(c.shared.path(claimName(n))) // or it ends by silence
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// playClaimed plays a block and adds its file.
func (c *Contest) playClaimed(ctx context.Context, job sim.Job, n uint64) error {
	job.First, job.Workers, job.Keep = n*sim.BlockSize, 1, 0
	job.Count = min(sim.BlockSize, c.Run.Matches-job.First)
	begin, played := time.Now(), &sharedBlock{Node: c.shared.name}
	err := sim.Run(ctx, &job, c.newBlock, func(b *luckBlock, m *sim.Match) error {
		x := sharedMatch{Forfeited: m.Forfeited}
		for _, a := range m.Actions {
			x.Actions = append(x.Actions, byte(a))
		}
		played.Matches = append(played.Matches, x)
		return b.add(m)
	}, func(b *luckBlock) error {
		for i := range played.Matches {
			rows := slices.Clone(b.block.Rows[i*c.Run.Tournament.Schedule.NumSeats():][:c.Run.Tournament.Schedule.NumSeats()])
			for p := range rows {
				// Actions are there once, and names in the run. A seed of a sealed run is a secret.
				rows[p].Actions, rows[p].Name, rows[p].Ruleset, rows[p].Seed = nil, "", "", 0
			}
			played.Matches[i].Rows, played.Matches[i].Luck = rows, b.luckOf(i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	played.Seconds = time.Since(begin).Seconds()
	var text bytes.Buffer
	if err := gob.NewEncoder(&text).Encode(played); err != nil {
		return err
	}
	sum := sha256.Sum256(text.Bytes())
	err = c.shared.add(blockName(n), func(w io.Writer) error {
		_, err := w.Write(append(sum[:], text.Bytes()...))
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return err
}

// takeTo adds the matches up to number end, end excluded, as they come.
func (c *Contest) takeTo(ctx context.Context, end uint64) error {
	s := c.shared
	for c.Next < end {
		n := c.Next / sim.BlockSize
		b, err := s.block(n)
		if err != nil {
			return err
		}
		if b == nil {
			select {
			case <-time.After(pollTime / 4):
				continue
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		c.pairing.Lock()
		for i := range b.Matches {
			c.add(b.Matches[i].Rows, b.Matches[i].Luck)
			s.nodes.Add(b.Node, b.Matches[i].Rows)
		}
		s.nodes.AddTime(b.Node, b.Seconds)
		c.pairing.Unlock()
		c.Next += uint64(len(b.Matches))
		s.mu.Lock()
		delete(s.done, n)
		s.next, s.known = n+1, c.firstRounds()
		s.mu.Unlock()
	}
	return nil
}

// Recall implements sim.Journal: it replays the match as it was played. The block of a match that a
// tournament has ended with is there, and those before.
func (s *Shared) Recall(m *sim.Match) (known bool, err error) {
	b, err := s.blocks.get(m.Index/sim.BlockSize, s.block)
	if err != nil || b == nil {
		return false, err
	}
	x := &b.Matches[m.Index%sim.BlockSize]
	var actions []sim.Action
	for _, a := range x.Actions {
		actions = append(actions, sim.Action(a))
	}
	return true, m.Replay(s.rules, actions, x.Forfeited)
}

// Record implements sim.Journal.
func (s *Shared) Record(m *sim.Match) error {
	return fmt.Errorf("%s: match %d is missing", s.dir, m.Index)
}

// Luck returns the luck of a match that [Shared.Recall] has replayed, nil if it was not measured.
func (s *Shared) Luck(match uint64) *luck.Points {
	if b, err := s.blocks.get(match/sim.BlockSize, s.block); err == nil && b != nil {
		return b.Matches[match%sim.BlockSize].Luck
	}
	return nil
}

// blockCache keeps the blocks that were read last.
type blockCache struct {
	mu   sync.Mutex
	kept map[uint64]*sharedBlock
}

func (c *blockCache) get(n uint64, read func(uint64) (*sharedBlock, error)) (*sharedBlock, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.kept[n]; b != nil {
		return b, nil
	}
	b, err := read(n)
	if len(c.kept) >= ahead || c.kept == nil {
		c.kept = map[uint64]*sharedBlock{}
	}
	c.kept[n] = b
	return b, err
}
