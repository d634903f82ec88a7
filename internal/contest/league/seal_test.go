package league

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/sim"
)

func sealedSettings(t *testing.T) Settings {
	t.Helper()
	s := settings(t)
	s.Seed = nil
	return s
}

// wallsFileOf returns the file of the site that says where the walls come from.
func wallsFileOf(t *testing.T, l *League) []wallsOf { return wallsPartOf(t, l, WallsFile) }

// wallsPartOf returns such a file by its name.
func wallsPartOf(t *testing.T, l *League, name string) (list []wallsOf) {
	t.Helper()
	site, err := l.NewSite(t.Context(), SiteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := site.Render(t.Context(), &b, name); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &struct{ Walls *[]wallsOf }{&list}); err != nil {
		t.Fatal(err)
	}
	return list
}

// What is made for each new round does not grow with the rounds of a league, and all are in parts.
func TestWallsParts(t *testing.T) {
	l := newLeague(t, sealedSettings(t))
	if err := l.exec(t.Context(), `WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 3500)
		INSERT INTO rounds (id, season, engine, state, plan, source) SELECT id, 1, 0, 'abandoned', '{}', '' FROM n`); err != nil {
		t.Fatal(err)
	}
	next := int64(1)
	for _, name := range []string{"walls-0.json", "walls-1.json", WallsFile} {
		list := wallsPartOf(t, l, name)
		if len(list) > 2*wallsPart {
			t.Errorf("%s has %d rounds", name, len(list))
		}
		for _, w := range list {
			if w.Round != next {
				t.Fatalf("%s has round %d, want %d", name, w.Round, next)
			}
			next++
		}
	}
	if next != 3501 {
		t.Errorf("%d rounds", next-1)
	}
	// The number of parts follows from the rounds that there are, in a database of others too.
	if err := l.exec(t.Context(), `UPDATE rounds SET id = 1 << 62 WHERE id = 3500; UPDATE bots SET fingerprint = 'x'`); err != nil {
		t.Fatal(err)
	}
	site, err := l.NewSite(t.Context(), SiteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := site.WriteSite(t.Context(), t.TempDir()); err != nil {
		t.Error(err)
	}
}

// The rounds and tests of a league without a seed are sealed: the site has the commitment while they
// are played and the secret afterwards, and each dataset is that of its commitment.
func TestSealed(t *testing.T) {
	l := newLeague(t, sealedSettings(t), "random", "tsumogiri")
	printed := map[int64]string{}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := RunOptions{Total: 128, Workers: 1, Sealed: func(round int64, commitment string) {
		if was := printed[round]; was != "" && was != commitment {
			t.Errorf("round %d goes on with another seal", round)
		}
		printed[round] = commitment
	}}
	o.Played = func(*sim.Match, []Bot) { cancel() }
	if _, err := l.Run(ctx, o); ctx.Err() == nil {
		t.Fatal(err)
	}
	open := wallsFileOf(t, l)
	if n := len(open); n == 0 || open[n-1].State != playing || open[n-1].Sealed == nil || open[n-1].Sealed.Seed+open[n-1].Sealed.Salt != "" {
		t.Fatalf("while a round is played: %+v", open)
	}
	begun, err := l.openRounds(t.Context())
	if err != nil || len(begun) == 0 {
		t.Fatalf("%v, %v", begun, err)
	}
	dir := t.TempDir()
	if err := l.Fork(t.Context(), dir, 1); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, databaseName))
	if secret := begun[0].plan.Sealed; err != nil || bytes.Contains(text, []byte(secret.Seed)) || bytes.Contains(text, []byte(secret.Salt)) {
		t.Errorf("a fork has the secret of a round in work, or %v", err)
	}
	if open[len(open)-1].Sealed.Commitment != printed[open[len(open)-1].Round] {
		t.Errorf("printed %v, published %+v", printed, open)
	}
	o.Played = nil
	if _, err := l.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Test(t.Context(), TestOptions{New: "greedy", Old: "random", Elo1: 100, Alpha: 0.05, Beta: 0.05, Rounds: 8, Run: RunOptions{Workers: 2}}); err != nil {
		t.Fatal(err)
	}
	list := wallsFileOf(t, l)
	if tests := list[len(list)-1]; tests.Test != 1 || tests.State != "ended" {
		t.Errorf("%+v", list)
	}
	for _, w := range list {
		s, err := w.Sealed.Parse()
		if err != nil || !s.Known() || w.Seed != 0 {
			t.Fatalf("%+v: %v", w, err)
		}
		if w.Round == 0 {
			continue
		}
		d, err := dataset.Open(l.roundDir(w.Round))
		if err != nil {
			t.Fatal(err)
		}
		if d.Run.Seal == nil || d.Run.Seal.Commitment != s.Commitment || w.Sealed.Commitment != printed[w.Round] {
			t.Errorf("round %d is not that of its commitment", w.Round)
		}
		if err := d.Verify(t.Context(), 2, func(int) {}); err != nil {
			t.Error(err)
		}
	}
	// A fork plays other walls, and its rounds come back.
	f := fork(t, l, 1, 16)
	if m, err := merge(t, l, f.dir); err != "" || m.Matches != 16 {
		t.Errorf("%+v, %s", m, err)
	}
}
