package table

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/gofrs/flock"

	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/sim"
)

// games are the finished matches of a sitting.
type games struct {
	mu   sync.Mutex
	list map[string]*finished // by the random name in the addresses of its pages
}

// add adds a match of players with names and returns its own, which cannot be guessed: the replay
// shows all hands.
func (g *games) add(m *sim.Match, names [sim.NumPlayers]string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.list == nil {
		g.list = map[string]*finished{}
	}
	name := newKey()
	g.list[name] = &finished{match: m, names: names}
	return name
}

// get returns the match of that name, nil if there is none.
func (g *games) get(name string) *finished {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.list[name]
}

// drawWalls sets the seed and the seal of match number n, of one that is in progress those it began
// with.
func (s *Sitting) drawWalls(n uint64) error {
	s.seed, s.seal = 0, nil
	switch {
	case s.o.From != nil: // the walls are kept
		return nil
	case s.o.Seed != nil:
		s.seed = *s.o.Seed + n
		return nil
	}
	drawn, err := s.journaledSeal(n)
	if err != nil {
		return err
	}
	if drawn == nil {
		drawn = seal.New()
	}
	s.seed, s.seal = drawn.Seed(), drawn
	return nil
}

// journaledSeal returns the seal in the journal of match number n, nil if it has none. What is no
// journal, a device for instance, is refused by openJournal.
func (s *Sitting) journaledSeal(n uint64) (*seal.Seal, error) {
	if s.o.Out == "" {
		return nil, nil
	}
	if info, err := os.Stat(s.journalName(n)); err != nil || !info.Mode().IsRegular() {
		return nil, nil
	}
	text, err := os.ReadFile(s.journalName(n))
	if err != nil {
		return nil, err
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	var head journalHead
	if json.Unmarshal(line, &head) != nil || head.Sealed == nil {
		return nil, nil
	}
	found, err := head.Sealed.Parse()
	if err == nil && !found.Known() {
		err = errors.New("it has no seed; remove the file to begin the match again")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.journalName(n), err)
	}
	return found, nil
}

// rotation returns the schedule of a match: one seed, and players who keep their seats.
func (s *Sitting) rotation() sim.Rotation {
	r := sim.Rotation{Seats: len(s.seats), Seed: s.seed, KeepSeats: true}
	if s.seal != nil {
		r.Seed, r.Secret = s.seal.Seed(), s.seal.Secret()
	}
	return r
}

// agentNames returns the names of the players in what is kept. Those of the lobby are not among
// them: people may change within a match, which goes on from its journal by the names it began with.
func (s *Sitting) agentNames() (names []string) {
	for p := range s.seats {
		names = append(names, s.o.Agents[p].Name)
	}
	return names
}

func (s *Sitting) folder(n uint64) string {
	return filepath.Join(s.o.Out, fmt.Sprintf("match-%04d", n+1))
}

// storeMatch publishes the replay of a finished match and writes the match into its folder.
func (s *Sitting) storeMatch(n uint64, m *sim.Match) error {
	name := s.games.add(m, s.names())
	pages := replayData{Address: "/replay/" + name, Sealed: s.seal.Info(true)}
	if s.o.Judge != nil {
		pages.Review = "/review/" + name
	}
	s.publish("replay", pages)
	if s.o.Out == "" {
		return nil
	}
	// The folder of the match has its name on the disk before the answers go.
	if err := errors.Join(s.writeDataset(n, m), tempdir.Sync(s.o.Out)); err != nil {
		return err
	}
	return os.Remove(s.journalName(n))
}

// firstMatch returns the number of the first match that Options.Out does not have yet.
func (s *Sitting) firstMatch() (uint64, error) {
	if s.o.Out == "" {
		if s.o.Resume != nil {
			return s.o.Resume.Match, nil
		}
		return 0, nil
	}
	for n := uint64(0); ; n++ {
		if complete, err := s.hasDataset(n); err != nil || !complete {
			return n, err
		}
	}
}

// lockFolder makes the folder of --out and keeps other tables out of it until unlock is called.
func (s *Sitting) lockFolder() (unlock func(), err error) {
	if s.o.Out == "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(s.o.Out, 0o777); err != nil {
		return nil, err
	}
	// The lock is on the folder itself, so it leaves no file.
	lock := flock.New(s.o.Out, flock.SetFlag(os.O_RDONLY))
	if ok, err := lock.TryLock(); err != nil {
		return nil, err
	} else if !ok {
		return nil, fmt.Errorf("%s: another table plays here; end it, or use another --out", s.o.Out)
	}
	return func() { _ = lock.Unlock() }, nil
}

// journal stores the answers of the match in progress, so that the match continues after the
// program has been ended. It is a text file: a [journalHead], then the number of an action on each
// line. Before the action that is played for a player who forfeits there is a line by
// [forfeitLine]. A nil file stores nothing.
type journal struct {
	file          journalFile
	actions       []sim.Action // of the recorded match of a branch, and of an earlier process
	branchActions int          // number of actions of the recorded match, which the file does not have
	// forfeits are the illegal answers among them, by the number of the action.
	forfeits map[int]*sim.Forfeit
}

// journalFile is the file of a journal.
type journalFile interface {
	io.ReadWriteSeeker
	io.Closer
	Name() string
	Sync() error
	Truncate(size int64) error
}

// openFile opens or makes the file of a journal. Its secret gives the walls of the match in progress,
// so other users must not read it.
func openFile(name string) (journalFile, error) {
	return tempdir.ContinueFile(name, 0o600)
}

// forfeitLine is the form of a forfeit: the player, the answer and the reason.
const forfeitLine = "forfeit %d %d %q\n"

// journalHead is the first line of a journal: the settings that the match depends on.
type journalHead struct {
	Ruleset string   `json:"ruleset"` // hash
	Seed    uint64   `json:"seed"`
	Agents  []string `json:"agents"`
	Engine  int      `json:"engine"`
	// Sealed has the secret of a sealed match. The dataset of the match reveals it.
	Sealed *seal.Info `json:"sealed,omitempty"`
	Wall   string     `json:"wall,omitempty"` // of the first hand
	// From is the moment from which a branch goes on.
	From *source `json:"from,omitempty"`
}

func (s *Sitting) journalName(n uint64) string { return s.folder(n) + ".journal" }

// openJournal opens the journal of match number n. A journal of another match, such as one
// under other rules, is an error.
func (s *Sitting) openJournal(n uint64) (*journal, error) {
	j := &journal{forfeits: map[int]*sim.Forfeit{}}
	if b := s.o.From; b != nil {
		j.actions, j.branchActions = slices.Clone(b.actions), len(b.actions)
		for _, f := range b.forfeits {
			// What has forfeited is the agent, not another that sits there now.
			if seat := s.seats[f.Player]; seat.agent != nil && seat.name == b.names[f.Player] {
				j.forfeits[f.Decision] = new(f)
			}
		}
	}
	if s.o.Out == "" {
		if r := s.o.Resume; r != nil && r.Match == n {
			j.actions = r.Actions
		}
		return j, nil
	}
	run := s.rotation()
	hash := s.o.Ruleset.Hash()
	wall := ""
	if s.o.Ruleset.FirstWall != nil {
		wall = sim.FormatFirstWall(s.o.Ruleset.FirstWall)
	}
	head, err := json.Marshal(journalHead{hex.EncodeToString(hash[:]), run.Seed, s.agentNames(), sim.EngineVersion, s.seal.Info(true), wall, s.o.From.source()})
	if err != nil {
		return nil, err
	}
	f, err := s.openFile(s.journalName(n))
	if err != nil {
		return nil, err
	}
	j.file = f
	if err := j.read(head, len(s.seats)); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", f.Name(), err), f.Close())
	}
	return j, nil
}

// errOtherMatch is the error of a journal of another match.
var errOtherMatch = errors.New("a match with another ruleset, seed, agents or program is in progress here; use these, or another --out")

// read reads the whole lines of the file, of a match with that many seats, and leaves it at their
// end.
func (j *journal) read(head []byte, seats int) error {
	end, number := int64(0), 0
	for lines := bufio.NewReader(j.file); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break // the end, or a line that was being written
		}
		text := bytes.TrimSuffix(line, []byte("\n"))
		number++
		if number == 1 {
			if !bytes.Equal(text, head) {
				return errOtherMatch
			}
		} else if f := (sim.Forfeit{Decision: len(j.actions)}); bytes.HasPrefix(text, []byte("forfeit ")) {
			if _, err := fmt.Sscanf(string(line), forfeitLine, &f.Player, &f.Answer, &f.Reason); err != nil || f.Player < 0 || int(f.Player) >= seats {
				return fmt.Errorf("line %d: %q is no forfeit; remove the file to begin the match again", number, text)
			}
			j.forfeits[f.Decision] = &f
		} else {
			a, err := strconv.ParseUint(string(text), 10, 8)
			if err != nil || sim.Action(a) >= sim.NumAllActions {
				return fmt.Errorf("line %d: %q is no action; remove the file to begin the match again", number, text)
			}
			j.actions = append(j.actions, sim.Action(a))
		}
		end += int64(len(line))
	}
	if err := j.file.Truncate(end); err != nil {
		return err
	}
	if _, err := j.file.Seek(end, 0); err != nil {
		return err
	}
	if end == 0 {
		_, err := j.file.Write(append(head, '\n'))
		return errors.Join(j.sync(err), tempdir.Sync(filepath.Dir(j.file.Name())))
	}
	return nil
}

// recorded returns action number n of the recorded match or of an earlier process, NoAction
// after the last one.
func (j *journal) recorded(n int) sim.Action {
	if n < len(j.actions) {
		return j.actions[n]
	}
	return sim.NoAction
}

func (j *journal) add(n int, a sim.Action) error {
	if j.file == nil || n < len(j.actions) {
		return nil
	}
	_, err := fmt.Fprintln(j.file, uint8(a))
	return j.sync(err)
}

// addForfeit appends a forfeit, before the action that is played for the player.
func (j *journal) addForfeit(f *sim.Forfeit) error {
	if j.file == nil || j.forfeits[f.Decision] != nil {
		return nil
	}
	_, err := fmt.Fprintf(j.file, forfeitLine, f.Player, uint8(f.Answer), f.Reason)
	return j.sync(err)
}

// sync brings an answer that was written to the disk. What a person has seen the table accept must
// survive a power failure, and at the pace of people the milliseconds do not show.
func (j *journal) sync(err error) error { return errors.Join(err, j.file.Sync()) }

// Close closes the file.
func (j *journal) Close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}
