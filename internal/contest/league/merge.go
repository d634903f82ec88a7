package league

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/gofrs/flock"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/contest/fingerprint"
	"github.com/sparrowhall/sparrowhall/internal/contest/league/foreign"
	"github.com/sparrowhall/sparrowhall/internal/tempdir"
	"github.com/sparrowhall/sparrowhall/internal/userfile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// MergeOptions set how datasets are checked.
type MergeOptions struct {
	// Sample is the part of the blocks of [sim.BlockSize] matches that are replayed, from 0 to
	// 1; at least one block of each dataset is. All files are compared with their checksums.
	Sample float64
	// Workers is the number of goroutines, at least 1.
	Workers int
}

// Merged is what a call of Merge has added.
type Merged struct {
	// Rounds is the number of datasets, Matches the number of their matches.
	Rounds, Matches int
	// Replayed is the number of matches whose actions were replayed, Replays the number of those
	// in which the choices of built-in players were compared.
	Replayed, Replays int
}

// Merge adds the matches of a folder: a fork of this league, another league with the same
// bots, or the dataset of a tournament. A folder is added whole or not at all. The error
// names what is refused: another ruleset, version of the engine or bot, results that are
// damaged or do not replay, and matches that the league has already.
//
// The agents of a dataset are the bots of the same labels, such as mine@2, or names, whose
// newest version is meant, or built-in players by their specs. A dataset has no
// fingerprints, so that these versions played cannot be checked. Only the choices of built-in players
// are compared, in some matches.
func (l *League) Merge(ctx context.Context, dir string, o MergeOptions) (m Merged, err error) {
	if err := l.Lock(); err != nil {
		return m, err
	}
	if open, err := l.openRounds(ctx); err != nil || len(open) > 0 {
		return m, errors.Join(err, errors.New("a round is in work; league run --matches 1 or league serve completes it"))
	}
	var sources []source
	if exists(filepath.Join(dir, databaseName)) {
		err = l.withForeign(ctx, dir, func(other *League) (err error) {
			sources, err = l.leagueSources(ctx, other)
			return err
		})
	} else {
		sources, err = l.datasetSource(ctx, dir)
	}
	if err != nil {
		return m, fmt.Errorf("%s: %w", dir, err)
	}
	var all []*results
	for i := range sources {
		r, err := l.checkSource(ctx, &sources[i], &o, &m)
		if err != nil {
			return Merged{}, fmt.Errorf("%s: %w", sources[i].dir, err)
		}
		all = append(all, r)
	}
	err = l.inTransaction(ctx, func(tx *sql.Tx) error {
		for i, r := range all {
			if err := l.adopt(ctx, tx, &sources[i], r); err != nil {
				return fmt.Errorf("%s: %w", sources[i].dir, err)
			}
			m.Rounds++
			m.Matches += int(r.matches)
		}
		return nil
	})
	if err != nil {
		return Merged{}, err
	}
	return m, nil
}

// source is a dataset to add.
type source struct {
	dir    string
	season Season // of this league
	bots   []Bot  // of this league, in the order of the dataset's agents
	d      *dataset.Dataset
	// digest is the digest of the manifest when its results were counted, "" if unknown.
	digest string
	times  map[int64]figures // of the bots, only their time
}

// leagueSources returns the datasets of another league that this one lacks.
func (l *League) leagueSources(ctx context.Context, other *League) (list []source, err error) {
	own, err := l.Bots(ctx)
	if err != nil {
		return nil, err
	}
	theirs, err := other.Bots(ctx)
	if err != nil {
		return nil, err
	}
	bots := map[int64]Bot{} // of this league, by the ids of the other
	missing := map[int64]error{}
	for i := range theirs {
		b := &theirs[i]
		k := slices.IndexFunc(own, func(o Bot) bool { return o.Name == b.Name && o.Fingerprint == b.Fingerprint })
		if k < 0 {
			missing[b.ID] = fmt.Errorf("%s has the fingerprint %.16s there, and no version of it here has; league add adds one", b.Label(), b.Fingerprint)
			continue
		}
		bots[b.ID] = own[k]
	}
	seasons, err := l.Seasons(ctx)
	if err != nil {
		return nil, err
	}
	common, err := other.Seasons(ctx)
	if err != nil {
		return nil, err
	}
	// Seasons that the other league has inherited count there, also when a new one has begun here.
	common = slices.DeleteFunc(common, func(s Season) bool { return !slices.Contains(seasons, s) })
	rounds, err := other.rounds(ctx, counted)
	if err != nil {
		return nil, err
	}
	known := 0
	for _, r := range rounds {
		if l.hasDigest(ctx, r.digest) {
			known++
			continue
		}
		s := source{dir: other.roundDir(r.id), season: l.season, digest: r.digest, times: map[int64]figures{}}
		if i := slices.IndexFunc(common, func(s Season) bool { return s.ID == r.season }); i >= 0 {
			s.season = common[i]
		}
		if err := s.season.check(r.ruleset, r.engine); err != nil {
			return nil, fmt.Errorf("round %d: %w", r.id, err)
		}
		if s.d, err = dataset.Open(s.dir); err != nil {
			return nil, fmt.Errorf("round %d: %w", r.id, err)
		}
		for _, label := range s.d.Run.Agents {
			b := find(theirs, label)
			if b == nil {
				return nil, fmt.Errorf("round %d: an agent %q that is no bot of the league", r.id, label)
			}
			if err := missing[b.ID]; err != nil {
				return nil, fmt.Errorf("round %d: %w", r.id, err)
			}
			s.bots = append(s.bots, bots[b.ID])
			var f figures
			err := other.db.QueryRowContext(ctx, `SELECT timed, nanoseconds FROM figures WHERE round = ? AND bot = ?`, r.id, b.ID).Scan(&f.Timed, &f.Nanoseconds)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return nil, err
			}
			s.times[bots[b.ID].ID] = f
		}
		list = append(list, s)
	}
	switch {
	case len(list) == 0 && known > 0:
		return nil, fmt.Errorf("%w: all its %d rounds", errDuplicate, known)
	case len(list) == 0:
		return nil, errors.New("the league has no matches of its own")
	}
	return list, nil
}

func (l *League) datasetSource(ctx context.Context, dir string) ([]source, error) {
	d, err := dataset.Open(dir)
	if err != nil {
		return nil, err
	}
	m := d.Manifest
	if err := l.season.check(m.Ruleset.Hash, int64(m.EngineVersion)); err != nil {
		return nil, err
	}
	switch {
	case d.Run.Tournament == nil:
		return nil, errors.New("it is of no tournament, so it has no duplicate sets")
	case d.Run.Import != nil:
		// Who brings records chooses walls, results and the names of the players.
		return nil, errors.New("its matches are records of another program; a league takes what was played on walls that were drawn for it")
	case d.Run.Seal != nil && !d.Run.Seal.Known():
		return nil, errors.New("it is of a sealed tournament; a league takes it when its seed is revealed")
	case !m.Complete:
		return nil, errors.New("it is not complete; the command that wrote it continues it")
	case m.FirstWall != "":
		return nil, errors.New("the wall of its first hands is given, so they are not those of the league")
	}
	if l.hasDigest(ctx, d.Digest()) {
		return nil, errDuplicate
	}
	s := source{dir: dir, season: l.season, d: d}
	bots, err := l.Bots(ctx)
	if err != nil {
		return nil, err
	}
	for _, agent := range d.Run.Agents {
		b := find(bots, agent)
		if b == nil {
			for i := range bots {
				if bots[i].Agent == agent && agents.Quick(agent) != nil {
					b = &bots[i]
				}
			}
		}
		if b == nil {
			return nil, fmt.Errorf("its agent %q is no bot of the league; league add adds it", agent)
		}
		s.bots = append(s.bots, *b)
	}
	return []source{s}, nil
}

// check returns an error if matches under a ruleset and a version of the engine do not count in
// the season.
func (s *Season) check(hash string, version int64) error {
	switch {
	case hash != s.Ruleset:
		return fmt.Errorf("another ruleset: it has the signature %.16s, and the season, %s, has %.16s", hash, s.Name, s.Ruleset)
	case version != engineVersion:
		return fmt.Errorf("version %d of the engine played it; this is version %d", version, engineVersion)
	}
	return nil
}

func (l *League) hasDigest(ctx context.Context, digest string) bool {
	var id int64
	return l.db.QueryRowContext(ctx, `SELECT id FROM rounds WHERE digest = ?`, digest).Scan(&id) == nil
}

// checkSource verifies a sample of a dataset and returns its results.
func (l *League) checkSource(ctx context.Context, s *source, o *MergeOptions, m *Merged) (*results, error) {
	now := s.d.Digest()
	switch {
	case s.digest != "" && s.digest != now:
		return nil, errors.New("its manifest has changed since its results were counted")
	case s.d.Manifest.Ruleset.Hash != s.season.Ruleset:
		return nil, s.season.check(s.d.Manifest.Ruleset.Hash, engineVersion)
	case s.d.Run.Tournament == nil:
		return nil, errors.New("it is of no tournament")
	}
	if err := s.d.Run.Tournament.AddAll(s.d); err != nil {
		return nil, err
	}
	if err := s.d.VerifyBlocks(ctx, o.Workers, l.sample(s.d, now, o.Sample), func(n int) { m.Replayed += n }); err != nil {
		return nil, err
	}
	if err := l.compareChoices(s, now, m); err != nil {
		return nil, err
	}
	lucks, err := l.measure(ctx, s.d, o.Workers)
	if err != nil {
		return nil, err
	}
	r, err := readResults(s.d, s.bots, lucks)
	if err != nil {
		return nil, err
	}
	for bot, f := range r.figures {
		f.Timed, f.Nanoseconds = s.times[bot].Timed, s.times[bot].Nanoseconds
	}
	return r, nil
}

// draw returns a number that follows from the seed of the league, which no other machine needs to
// know, and from the digest of a dataset: who sends it cannot know what is checked.
func (l *League) draw(what, digest string, n uint64) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "sparrowhall league %s %d %s %d", what, l.seed, digest, n))
	return binary.LittleEndian.Uint64(sum[:])
}

// sample returns which blocks of a dataset are replayed.
func (l *League) sample(d *dataset.Dataset, digest string, part float64) func(block uint64) bool {
	first, blocks := d.First()/sim.BlockSize, (d.Matches()+sim.BlockSize-1)/sim.BlockSize
	always := first + l.draw("block", digest, 0)%max(blocks, 1)
	return func(block uint64) bool {
		return block == always || float64(l.draw("sample", digest, block)) < part*math.MaxUint64
	}
}

// maxReplays is the most matches of a dataset of which compareChoices compares choices.
const maxReplays = 4

// compareChoices compares the choices of quick built-in players in some matches with those of this
// version: if they differ another player has played under the name.
func (l *League) compareChoices(s *source, digest string, m *Merged) error {
	seats, n := s.d.Rules().NumSeats(), s.d.Matches()
	at, done := l.draw("replay", digest, 0)%max(n, 1), 0
	for i := uint64(0); i < n && done < maxReplays; i += max(1, n/64) {
		index := s.d.First() + (at+i)%n
		_, numbers := s.d.Run.Schedule().Match(index)
		var players [sim.NumPlayers]sim.Agent
		var names [sim.NumPlayers]string
		quick := false
		for p, a := range numbers[:seats] {
			names[p], players[p] = s.bots[a].Label(), agents.Quick(s.bots[a].Agent)
			quick = quick || players[p] != nil
		}
		if !quick {
			continue
		}
		stored, err := s.d.Match(index)
		if err == nil {
			err = fingerprint.CompareActions(s.d.Rules(), stored, &players, &names)
		}
		if err != nil {
			return fmt.Errorf("match %d: %w", index, err)
		}
		done++
		m.Replays++
	}
	return nil
}

// adopt copies a dataset into the folder of the league and counts it.
func (l *League) adopt(ctx context.Context, tx *sql.Tx, s *source, r *results) error {
	id, err := l.newRoundID(ctx, tx)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO rounds (id, season, engine, state, plan, source) VALUES (?, ?, ?, ?, '{}', 'merged')`, id, s.season.ID, engineVersion, playing)
	if err != nil {
		return err
	}
	if err := l.commitResults(ctx, tx, id, r); err != nil {
		return err
	}
	to := l.roundDir(id)
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	names := []string{"manifest.json"}
	for _, f := range s.d.Manifest.Files {
		names = append(names, f.Name)
	}
	for _, name := range names {
		if err := copyFile(filepath.Join(to, name), filepath.Join(s.dir, name)); err != nil {
			return err
		}
	}
	// What is copied is what was checked.
	switch copied, err := dataset.Open(to); {
	case err != nil:
		return err
	case copied.Digest() != r.digest:
		return errors.New("its manifest changed while it was read")
	}
	return nil
}

// copyFile copies a file to the disk.
func copyFile(to, from string) error {
	in, err := userfile.OpenRegular(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// Check verifies the datasets of the league, compares what the database has of them, and returns the
// number of matches that it has replayed. The error names the rounds that are missing, have changed,
// do not replay or were counted otherwise.
func (l *League) Check(ctx context.Context, o MergeOptions) (replayed int, err error) {
	var said string
	if err := l.db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&said); err != nil {
		return 0, err
	}
	if said != "ok" {
		return 0, fmt.Errorf("%s is damaged: %s; restore a backup", databaseName, said)
	}
	rounds, err := l.rounds(ctx, counted)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, r := range rounds {
		dir := l.roundDir(r.id)
		d, err := dataset.Open(dir)
		if err == nil && d.Digest() != r.digest {
			err = errors.New("its manifest has changed since its results were counted")
		}
		if err == nil {
			err = d.VerifyBlocks(ctx, o.Workers, l.sample(d, r.digest, o.Sample), func(n int) { replayed += n })
		}
		if err == nil {
			err = l.compareResults(ctx, d, r.id)
		}
		if ctx.Err() != nil {
			return replayed, context.Cause(ctx)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("round %d: %w", r.id, err))
		}
	}
	return replayed, errors.Join(errs...)
}

// withForeign calls read with a copy of a league of another owner. It must not be played in
// meanwhile.
func (l *League) withForeign(ctx context.Context, dir string, read func(*League) error) (err error) {
	// The lock is a file, which is not made here.
	name := filepath.Join(dir, lockName)
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() { // opening a pipe would wait
		return fmt.Errorf("%s is not a regular file", lockName)
	}
	lock := flock.New(name, flock.SetFlag(os.O_RDONLY))
	switch ok, err := lock.TryRLock(); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && !ok:
		return ErrBusy
	}
	defer func() { _ = lock.Close() }()
	temp, err := tempdir.New(l.dir, ".merge-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temp.Remove()) }()
	db, err := foreign.Open(ctx, filepath.Join(dir, databaseName), temp.Path, databaseSchema)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	other := &League{dir: dir, db: db, now: l.now}
	if err := other.read(ctx); err != nil {
		return err
	}
	return read(other)
}
