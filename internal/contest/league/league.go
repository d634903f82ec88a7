// Package league keeps a league: a folder of bots and their matches that grows for years.
//
//	l, err := league.Init(ctx, dir, league.Settings{Ruleset: rules, Seed: new(uint64(1)), Anchor: "value"})
//	bot, err := l.Add(ctx, league.NewBot{Name: "mine", Agent: "mjai:./bot"})
//	played, err := l.Run(ctx, league.RunOptions{Matches: 1000})
//	table, err := l.Standings(ctx, league.View{})
//
// The folder has an SQLite database with the bots, seasons and results, and a dataset for
// each round of matches, which can be played again. A round counts once: its results and the
// mark that it is whole are committed in one transaction. docs/contests.md describes the
// folder for those who run a league.
package league

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the driver

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/export/seal"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// The names of the files of a league.
const (
	databaseName = "league.db"
	lockName     = "league.lock"
	matchesName  = "matches"
	testsName    = "tests"
)

// AnchorRating is the rating of the anchor, in Elo points.
const AnchorRating = 1500

// ErrNoLeague is the error of a folder that is not a league.
var ErrNoLeague = errors.New("the folder is no league; league init makes one")

// ErrBusy is the error of a league that another process has locked.
var ErrBusy = errors.New("another process is playing in this league")

// League is an open league. Its methods are for one goroutine.
type League struct {
	dir  string
	db   *sql.DB
	lock *flock.Flock

	// seed draws what is sampled, and without seals the walls.
	seed   uint64
	sealed bool
	anchor int64 // id of the anchor
	luck   Luck
	season Season
	rules  *configs.Ruleset
	// now returns the time for dates of the database.
	now func() time.Time
}

// Luck is the way in which the luck of matches is measured.
type Luck string

// The ways to measure luck; see [matchluck.Options].
const (
	NoLuck     Luck = "none"
	FastLuck   Luck = "fast"
	StrongLuck Luck = "strong"
)

// Settings are the properties of a new league.
type Settings struct {
	Ruleset *configs.Ruleset
	// Title is the title of the first season, "Season 1" if it is empty.
	Title string
	// Seed, if not nil, is the seed of all matches: then who knows it knows all walls. Otherwise
	// each round and test has a seal of its own; see docs/contests.md#sealed-walls.
	Seed *uint64
	// Anchor is the agent whose rating is [AnchorRating], a built-in player. It is the first
	// bot of the league.
	Anchor string
	// Luck is the luck by which ratings are adjusted.
	Luck Luck
}

// Init makes a league in a folder, which must be empty or missing.
func Init(ctx context.Context, dir string, s Settings) (l *League, err error) {
	if err := makeFolder(dir); err != nil {
		return nil, err
	}
	if l, err = makeDatabase(ctx, dir); err != nil {
		return nil, err
	}
	l.rules, l.luck, l.sealed = s.Ruleset, s.Luck, s.Seed == nil
	if l.sealed {
		l.seed = seal.DrawSeed()
	} else {
		l.seed = *s.Seed
	}
	// The database is written at the end in one transaction, so that a league is whole or
	// missing.
	err = l.inTransaction(ctx, func(tx *sql.Tx) error {
		hash, err := insertRuleset(ctx, tx, s.Ruleset)
		if err != nil {
			return err
		}
		title := cmp.Or(s.Title, "Season 1")
		if err := sanitize.CheckLine("title", title, maxText); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO seasons (title, ruleset, began) VALUES (?, ?, ?)`, title, hash, l.date()); err != nil {
			return err
		}
		bot, err := l.insertBot(ctx, tx, NewBot{Name: s.Anchor, Agent: s.Anchor, Author: "sparrowhall"})
		if err != nil {
			return err
		}
		for key, value := range map[string]string{
			"seed": strconv.FormatUint(l.seed, 10), "sealed": strconv.FormatBool(l.sealed), "luck": string(s.Luck), "anchor": strconv.FormatInt(bot.ID, 10),
		} {
			if _, err := tx.ExecContext(ctx, `INSERT INTO settings (key, value) VALUES (?, ?)`, key, value); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, l.Close(), removeDatabase(dir), os.Remove(filepath.Join(dir, matchesName)))
	}
	return l, l.read(ctx)
}

// makeFolder makes the folder of a new league, which must be empty or missing.
func makeFolder(dir string) error {
	switch entries, err := os.ReadDir(dir); {
	case err == nil && len(entries) > 0:
		return fmt.Errorf("%s: the folder is not empty; name a new one", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return os.MkdirAll(filepath.Join(dir, matchesName), 0o755)
}

// Open opens the league in a folder.
func Open(ctx context.Context, dir string) (*League, error) {
	if !exists(filepath.Join(dir, databaseName)) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoLeague)
	}
	l, err := openDatabase(ctx, dir)
	if err == nil {
		if err = l.read(ctx); err != nil {
			l.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return l, nil
}

// Close closes the league.
func (l *League) Close() error {
	err := l.db.Close()
	if l.lock != nil {
		err = errors.Join(err, l.lock.Unlock())
	}
	return err
}

// Ruleset returns the ruleset of the current season.
func (l *League) Ruleset() *configs.Ruleset { return l.rules }

// Rules returns the rules of the current season.
func (l *League) Rules() *ruleset.Rules { return l.rules.Rules() }

// Season returns the current season.
func (l *League) Season() Season { return l.season }

func (l *League) seats() int { return l.rules.Config.Common().NumSeats() }

// read reads the settings and the current season.
func (l *League) read(ctx context.Context) error {
	for key, value := range map[string]any{"seed": &l.seed, "sealed": &l.sealed, "luck": &l.luck, "anchor": &l.anchor} {
		switch err := l.db.QueryRowContext(ctx, `SELECT value FROM settings WHERE key = ?`, key).Scan(value); {
		case errors.Is(err, sql.ErrNoRows):
			return ErrNoLeague
		case err != nil:
			return err
		}
	}
	seasons, err := l.Seasons(ctx)
	if err != nil {
		return err
	}
	if len(seasons) == 0 {
		return ErrNoLeague
	}
	l.season = seasons[len(seasons)-1]
	l.rules, err = l.ruleset(ctx, l.season.Ruleset)
	return err
}

// Season is a span of time with one ruleset.
type Season struct {
	// ID is its number, from 1.
	ID int64 `json:"season"`
	// Title is its name.
	Title string `json:"title"`
	// Ruleset is the hash of the ruleset in hexadecimal, Name its name.
	Ruleset string `json:"ruleset_hash"`
	Name    string `json:"ruleset"`
	// Began is a date, such as 2026-11-23.
	Began string `json:"began"`
}

// Seasons returns the seasons from the first to the current one.
func (l *League) Seasons(ctx context.Context) ([]Season, error) {
	return queryAll(ctx, l.db, func(s *Season) []any { return []any{&s.ID, &s.Title, &s.Ruleset, &s.Name, &s.Began} },
		`SELECT s.id, s.title, s.ruleset, r.name, s.began FROM seasons s JOIN rulesets r ON r.hash = s.ruleset ORDER BY s.id`)
}

// BeginSeason begins a season. rules is nil to keep the ruleset. The matches of earlier seasons
// stay.
func (l *League) BeginSeason(ctx context.Context, title string, rules *configs.Ruleset) error {
	if err := sanitize.CheckLine("title", title, maxText); err != nil {
		return err
	}
	if err := l.Lock(); err != nil {
		return err
	}
	open, err := l.openRounds(ctx)
	if err != nil {
		return err
	}
	if len(open) > 0 {
		return errors.New("a round of the season is not complete; league run continues it")
	}
	err = l.inTransaction(ctx, func(tx *sql.Tx) error {
		hash := l.season.Ruleset
		if rules != nil {
			var err error
			if hash, err = insertRuleset(ctx, tx, rules); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO seasons (title, ruleset, began) VALUES (?, ?, ?)`, title, hash, l.date())
		return err
	})
	if err != nil {
		return err
	}
	return l.read(ctx)
}

// insertRuleset stores a ruleset and returns its hash.
func insertRuleset(ctx context.Context, tx *sql.Tx, r *configs.Ruleset) (string, error) {
	hash := r.Hash()
	text := hex.EncodeToString(hash[:])
	_, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO rulesets (hash, name, text) VALUES (?, ?, ?)`, text, r.Name, r.TOML())
	return text, err
}

func (l *League) ruleset(ctx context.Context, hash string) (*configs.Ruleset, error) {
	var name, text string
	if err := l.db.QueryRowContext(ctx, `SELECT name, text FROM rulesets WHERE hash = ?`, hash).Scan(&name, &text); err != nil {
		return nil, err
	}
	r, err := configs.Read(name, []byte(text))
	if err != nil {
		return nil, fmt.Errorf("this version does not read the ruleset of the season: %w; league season --ruleset begins one with a ruleset that it knows", err)
	}
	r.Name = name
	if now := r.Hash(); hex.EncodeToString(now[:]) != hash {
		return nil, fmt.Errorf("the ruleset %s has the signature %.16x in this version and %.16s in the league; league season --ruleset begins a season with the new one", name, now, hash)
	}
	return r, nil
}

// Lock prevents other processes from playing and from adding bots, until the league is closed.
// The error is [ErrBusy] if another process has locked the league.
func (l *League) Lock() error {
	if l.lock != nil {
		return nil
	}
	lock := flock.New(filepath.Join(l.dir, lockName))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("%s: %w", l.dir, ErrBusy)
	}
	l.lock = lock
	return l.allowReaders(context.Background())
}

func (l *League) date() string { return l.now().UTC().Format(time.DateOnly) }

// newSeal returns the seal of a new round or test, nil if the walls are public. It is stored before
// the first hand is dealt; the dataset reveals it when it is complete.
func (l *League) newSeal() *seal.Info {
	if !l.sealed {
		return nil
	}
	return seal.New().Info(true)
}

// setSeal seals the run of a round or test.
func setSeal(run *dataset.Run, i *seal.Info) error {
	if i == nil {
		return nil
	}
	s, err := i.Parse()
	if err == nil && !s.Known() {
		err = errors.New("the seal has no seed")
	}
	if err != nil {
		return fmt.Errorf("%s is damaged: %w", databaseName, err)
	}
	run.SetSeal(s)
	return nil
}

// deriveSeed returns a seed for a purpose and a number, made of the seed of the league.
func (l *League) deriveSeed(what string, n int64) uint64 {
	text := fmt.Sprintf("sparrowhall league %s %d %d", what, l.seed, n)
	sum := sha256.Sum256([]byte(text))
	return binary.LittleEndian.Uint64(sum[:]) >> 1
}

// engineVersion is the version of the engine that plays.
const engineVersion = sim.EngineVersion

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
