package league

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/arena"
	"github.com/sparrowhall/sparrowhall/internal/contest/league/foreign"
	"github.com/sparrowhall/sparrowhall/sim"
)

var mergeOptions = MergeOptions{Sample: 0.1, Workers: 2}

func fork(t *testing.T, l *League, number int64, matches uint64) *League {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "fork #1 at 50%41")
	if err := l.Fork(t.Context(), dir, number); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	run(t, f, matches)
	return f
}

// merge merges a folder and returns the error as text.
func merge(t *testing.T, l *League, dir string) (Merged, string) {
	t.Helper()
	m, err := l.Merge(t.Context(), dir, mergeOptions)
	if err != nil {
		return m, err.Error()
	}
	return m, ""
}

// Forks play other matches than the league and each other, and come back once.
func TestMergeForks(t *testing.T) {
	l := newLeague(t, settings(t), "random", "tsumogiri")
	run(t, l, 32)
	one, two := fork(t, l, 1, 48), fork(t, l, 2, 32)
	run(t, l, 16)
	if m, err := merge(t, l, one.dir); err != "" || m.Matches != 48 || m.Replayed == 0 || m.Replays == 0 {
		t.Fatalf("%+v, %s", m, err)
	}
	if m, err := merge(t, l, two.dir); err != "" || m.Matches != 32 {
		t.Fatalf("%+v, %s", m, err)
	}
	if _, err := merge(t, l, one.dir); !strings.Contains(err, errDuplicate.Error()) {
		t.Error(err)
	}
	run(t, one, 16) // what is new comes in later
	if m, err := merge(t, l, one.dir); err != "" || m.Matches != 16 {
		t.Errorf("%+v, %s", m, err)
	}
	s := standingsOf(t, l, View{})
	if s.Matches != 32+48+32+16+16 {
		t.Errorf("%d matches", s.Matches)
	}
	if n, err := l.Check(t.Context(), MergeOptions{Sample: 1, Workers: 2}); err != nil || n != s.Matches {
		t.Errorf("%d matches, %v", n, err)
	}
	run(t, l, 16)
}

// Matches of a fork count in the season in which they were played, also when the league has begun
// another one since, under other rules.
func TestMergeForkOfEarlierSeason(t *testing.T) {
	set := settings(t)
	l := newLeague(t, set, "random", "tsumogiri")
	run(t, l, 16)
	one := fork(t, l, 1, 32)
	other, err := configs.Change("ema_2016", map[string]any{"rounds": 1, "kiriage_mangan": true})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.BeginSeason(t.Context(), "Two", other); err != nil {
		t.Fatal(err)
	}
	run(t, l, 16)
	two := fork(t, l, 2, 16)
	if err := l.BeginSeason(t.Context(), "Three", set.Ruleset); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from    *League
		matches int
	}{{one, 32}, {two, 16}} {
		if m, err := merge(t, l, c.from.dir); err != "" || m.Matches != c.matches {
			t.Fatalf("%+v, %s", m, err)
		}
	}
	for season, want := range map[int64]int{1: 48, 2: 32, 3: 0} {
		if n := standingsOf(t, l, View{Season: season}).Matches; n != want {
			t.Errorf("season %d has %d matches, want %d", season, n, want)
		}
	}
	if n, err := l.Check(t.Context(), MergeOptions{Sample: 1, Workers: 2}); err != nil || n != 80 {
		t.Errorf("%d matches, %v", n, err)
	}
}

// tournament plays a tournament of built-in players and returns its folder. A name such as mine@1=greedy
// is that of a bot for which the player greedy plays.
func tournament(t *testing.T, rules *configs.Ruleset, seed uint64, schedule sim.Schedule, names ...string) string {
	t.Helper()
	s, err := arena.New(arena.Plan{Seed: seed, Agents: len(names), Selection: arena.EveryLineup, Repeats: len(names) < 4, Seatings: 4, Rounds: 4})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	specs := slices.Clone(names)
	for i, name := range names {
		bot, spec, found := strings.Cut(name, "=")
		if names[i] = bot; found {
			specs[i] = spec
		}
	}
	r := &dataset.Run{
		Ruleset: rules, Seed: seed, Matches: s.Matches(), Agents: names, Record: schema.Matches, FileMatches: 64,
		Tournament: &dataset.Tournament{Schedule: s},
	}
	w, err := dataset.Create(dir, r, false)
	if err != nil {
		t.Fatal(err)
	}
	if schedule == nil {
		schedule = s
	}
	job := &sim.Job{Rules: rules.Rules(), Schedule: schedule, Count: s.Matches(), Keep: r.Keep(), Workers: 2}
	job.NewAgent = func(n int) sim.Agent {
		f, err := agents.New(specs[n])
		if err != nil {
			panic(err)
		}
		return f()
	}
	if err := errors.Join(sim.Run(t.Context(), job, w.NewBlock, (*dataset.Block).Add, w.Append), w.Close()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Each dataset that does not count is refused by what is wrong with it, and the league goes
// on.
func TestMergeRefused(t *testing.T) {
	set := settings(t)
	l := newLeague(t, set, "random", "tsumogiri")
	four := []string{"greedy", "random", "tsumogiri", "value"}
	refused := func(dir, want string) {
		t.Helper()
		before := standingsOf(t, l, View{}).Matches
		if _, err := merge(t, l, dir); !strings.Contains(err, want) {
			t.Errorf("%q; want %q", err, want)
		}
		if now := standingsOf(t, l, View{}).Matches; now != before {
			t.Errorf("%q: %d matches were added", want, now-before)
		}
	}
	other, err := configs.Open("tenhou")
	if err != nil {
		t.Fatal(err)
	}
	refused(tournament(t, other, 1, nil, "greedy", "random"), "another ruleset")
	refused(tournament(t, set.Ruleset, 1, nil, four...), `its agent "value" is no bot of the league`)
	refused(t.TempDir(), "")
	// The choices are those of other matches.
	strange, err := arena.New(arena.Plan{Seed: 99, Agents: 2, Selection: arena.EveryLineup, Repeats: true, Seatings: 4, Rounds: 4})
	if err != nil {
		t.Fatal(err)
	}
	refused(tournament(t, set.Ruleset, 2, strange, "greedy", "random"), "row 0")
	// A tournament, and the same one again.
	good := tournament(t, set.Ruleset, 3, nil, "greedy", "random")
	if m, err := merge(t, l, good); err != "" || m.Matches != 48 {
		t.Fatalf("%+v, %s", m, err)
	}
	refused(good, errDuplicate.Error())
	// The same walls and lineups in another dataset.
	refused(tournament(t, set.Ruleset, 3, nil, "random", "greedy"), "duplicate set 1 is in round 1")
	// Another version of a player: what is random here played as greedy.
	fake := newLeague(t, set)
	add(t, fake, "random", "tsumogiri")
	run(t, fake, 16)
	refused(fake.dir, "random@1 has the fingerprint")
	// Another player under the name of a built-in one, beside a bot that no other machine can play.
	if _, _, err := l.AddRemote(t.Context(), "mine", "me"); err != nil {
		t.Fatal(err)
	}
	refused(tournament(t, set.Ruleset, 8, nil, "greedy=tsumogiri", "mine@1=greedy"), ", greedy@1, plays ")
	// A changed file, and a changed manifest.
	changed := fork(t, l, 5, 16)
	rounds, err := changed.rounds(t.Context(), counted)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(changed.roundDir(rounds[0].id), "*.arrow"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	if err := os.WriteFile(files[0], text, 0o644); err != nil {
		t.Fatal(err)
	}
	refused(changed.dir, filepath.Base(files[0]))
	if _, err := changed.Check(t.Context(), mergeOptions); err == nil || !strings.Contains(err.Error(), "round 2") {
		t.Error(err)
	}
	manifest := filepath.Join(changed.roundDir(rounds[0].id), "manifest.json")
	if text, err = os.ReadFile(manifest); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(manifest, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
	refused(changed.dir, "manifest")
	// A round that counts has a digest, with which its manifest is compared.
	bare := fork(t, l, 7, 16)
	if _, err := bare.db.Exec(`UPDATE rounds SET digest = NULL WHERE state = 'counted'`); err != nil {
		t.Fatal(err)
	}
	refused(bare.dir, "league.db is damaged: round 2 counts without the digest of its dataset; restore a backup")
	// Another version of the engine.
	old := fork(t, l, 6, 16)
	if _, err := old.db.Exec(`UPDATE rounds SET engine = 0`); err != nil {
		t.Fatal(err)
	}
	refused(old.dir, "version 0 of the engine")
	if m, err := merge(t, l, tournament(t, set.Ruleset, 9, nil, "greedy", "mine@1=tsumogiri")); err != "" || m.Replays != maxReplays {
		t.Errorf("%+v, %s", m, err)
	}
	run(t, l, 16)
}

// What a merge is given it only reads: nothing is written there, what a killed process left in its
// journal counts, and another schema is refused before it can do anything.
func TestMergeForeign(t *testing.T) {
	l := newLeague(t, settings(t), "random", "tsumogiri")
	run(t, l, 16)
	f := fork(t, l, 1, 16) // its database is open, so that it has a journal
	if info, err := os.Stat(filepath.Join(f.dir, databaseName+"-wal")); err != nil || info.Size() == 0 {
		t.Fatalf("no journal: %v", err)
	}
	contents := func(dir string) (all []string) {
		t.Helper()
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			all = append(all, fmt.Sprintf("%s %x", path, sha256.Sum256(text)))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	before := contents(f.dir)
	if m, err := merge(t, l, f.dir); err != "" || m.Matches != 16 {
		t.Fatalf("%+v, %s", m, err)
	}
	if after := contents(f.dir); !slices.Equal(before, after) {
		t.Errorf("a merge changed the folder it reads: %q, %q", before, after)
	}
	for _, change := range []string{
		`CREATE TRIGGER t AFTER INSERT ON bots BEGIN DELETE FROM bots; END`,
		`CREATE VIEW v AS SELECT * FROM bots`,
		`DROP TABLE figures; CREATE VIEW figures AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS round, i AS bot FROM n`,
	} {
		bad := fork(t, l, 2, 16)
		if _, err := bad.db.Exec(change); err != nil {
			t.Fatal(err)
		}
		if _, err := merge(t, l, bad.dir); !strings.Contains(err, "other tables") {
			t.Errorf("%s: %s", change, err)
		}
		if _, err := Open(t.Context(), bad.dir); err == nil || !strings.Contains(err.Error(), "other tables") {
			t.Errorf("%s: %v", change, err)
		}
	}
	long := fork(t, l, 3, 16)
	if _, err := long.db.Exec(`UPDATE bots SET author = printf('%.*c', 20000000, 'x')`); err != nil {
		t.Fatal(err)
	}
	if _, err := merge(t, l, long.dir); !strings.Contains(err, "too big") {
		t.Errorf("a text of 20 MB: %s", err)
	}
	linked := t.TempDir()
	if err := os.Symlink(filepath.Join(f.dir, databaseName), filepath.Join(linked, databaseName)); err != nil {
		t.Fatal(err)
	}
	if _, err := merge(t, l, linked); !strings.Contains(err, "not a regular file") {
		t.Errorf("a link: %s", err)
	}
	// What is no file, such as a pipe, is refused before it is opened, which would wait.
	special := fork(t, l, 5, 16)
	rounds, err := special.rounds(t.Context(), counted)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(special.roundDir(rounds[len(rounds)-1].id), "matches-000000.arrow"), filepath.Join(special.dir, lockName)} {
		if err := errors.Join(os.RemoveAll(name), os.Symlink(os.DevNull, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := merge(t, l, special.dir); !strings.Contains(err, filepath.Base(name)+" is not a regular file") {
			t.Errorf("%s that is a device: %s", name, err)
		}
	}
	manifest := filepath.Join(special.roundDir(rounds[len(rounds)-1].id), "manifest.json")
	if err := errors.Join(os.Remove(manifest), os.Symlink(os.DevNull, manifest)); err != nil {
		t.Fatal(err)
	}
	if _, err := special.Check(t.Context(), mergeOptions); err == nil || !strings.Contains(err.Error(), "manifest.json is not a regular file") {
		t.Errorf("a manifest that is a device: %v", err)
	}
	// Nor does a reader change a folder: a backup, or a database of another program.
	backup, stranger := t.TempDir(), t.TempDir()
	if err := l.snapshot(t.Context(), filepath.Join(backup, databaseName)); err != nil {
		t.Fatal(err)
	}
	other, err := sql.Open("sqlite", foreign.URI(filepath.Join(stranger, databaseName)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec(`CREATE TABLE notes (text)`); err != nil {
		t.Fatal(err)
	}
	other.Close()
	for dir, want := range map[string]string{backup: "", stranger: "schema version 0", t.TempDir(): ErrNoLeague.Error()} {
		before := contents(dir)
		reader, err := Open(t.Context(), dir)
		if err == nil {
			_, err = reader.NewSite(t.Context(), SiteOptions{})
			reader.Close()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
		if after := contents(dir); !slices.Equal(before, after) {
			t.Errorf("a reader changed the folder: %q, %q", before, after)
		}
	}
	busy := fork(t, l, 4, 16)
	if err := busy.Lock(); err != nil {
		t.Fatal(err)
	}
	if _, err := merge(t, l, busy.dir); !strings.Contains(err, ErrBusy.Error()) {
		t.Errorf("a league that plays: %s", err)
	}
}

// forge replaces a text in the manifest of a dataset, and its checksum as one who knows the form
// would.
func forge(t *testing.T, dir, old, new string) {
	t.Helper()
	path := filepath.Join(dir, "manifest.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	body := string(text[:bytes.LastIndex(text, []byte(`  "sha256": "`))])
	if !strings.Contains(body, old) {
		t.Fatalf("%s has no %q", path, old)
	}
	body = strings.ReplaceAll(body, old, new)
	body += fmt.Sprintf("  \"sha256\": \"%x\"\n}\n", sha256.Sum256([]byte(body)))
	if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Shards that another engine played, or under a ruleset of the same name with other knobs, are
// refused by name, be they tournaments or forks, and the league goes on.
func TestMergeOtherRules(t *testing.T) {
	set := settings(t)
	l := newLeague(t, set, "random")
	engines := [2]string{fmt.Sprintf(`"engine_version": %d`, engineVersion), fmt.Sprintf(`"engine_version": %d`, engineVersion+1)}

	newer := tournament(t, set.Ruleset, 1, nil, "greedy", "random")
	forge(t, newer, engines[0], engines[1])
	played := fork(t, l, 1, 16)
	rounds, err := played.rounds(t.Context(), counted)
	if err != nil {
		t.Fatal(err)
	}
	forge(t, played.roundDir(rounds[0].id), engines[0], engines[1])

	other, err := configs.Change("ema_2016", map[string]any{"rounds": 1, "kiriage_mangan": true})
	if err != nil {
		t.Fatal(err)
	}
	other.Name = set.Ruleset.Name
	changed := fork(t, l, 2, 16)
	if err := changed.BeginSeason(t.Context(), "Other rules", other); err != nil {
		t.Fatal(err)
	}
	run(t, changed, 16)
	// A manifest that states the signature of the league's ruleset over other knobs.
	forged := tournament(t, other, 2, nil, "greedy", "random")
	now, hash := set.Ruleset.Hash(), other.Hash()
	forge(t, forged, fmt.Sprintf("%x", hash), fmt.Sprintf("%x", now))

	for _, c := range []struct{ dir, want string }{
		{newer, fmt.Sprintf("version %d of the engine played it; this is version %d", engineVersion+1, engineVersion)},
		{played.dir, "its manifest has changed since its results were counted"},
		{tournament(t, other, 1, nil, "greedy", "random"), fmt.Sprintf("another ruleset: it has the signature %.8x", hash)},
		{changed.dir, "round 2: another ruleset"},
		{forged, "the knobs have hash"},
	} {
		if _, err := merge(t, l, c.dir); !strings.Contains(err, c.want) || !strings.Contains(err, c.dir) {
			t.Errorf("%q; want %q", err, c.want)
		}
	}
	if n := standingsOf(t, l, View{}).Matches; n != 0 {
		t.Errorf("%d matches were added", n)
	}
	run(t, l, 16)
}
