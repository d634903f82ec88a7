package env_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// searchRules are rulesets with all that a copy must keep: hidden kans, debts,
// ready players, red fives, Norths set aside.
var searchRules = []string{"mcr_2006", "hkma_hktw", "tenhou", "tenhou_sanma"}

func upTo(n uint32) (list []uint32) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

func rowsOf(b *client.Batch) (list []seen) {
	lasts := 0
	for i := range b.Len() {
		list = append(list, rowOf(b, i, lasts))
		if !b.Asked(i) {
			lasts++
		}
	}
	return list
}

// A table put back goes on as if nothing had been played in between: the rows are
// those of a stream that never searched.
func TestSnapshotRestore(t *testing.T) {
	for _, name := range searchRules {
		for _, observation := range []string{"planes", "events"} {
			t.Run(name+"/"+observation, func(t *testing.T) {
				o := withRules(name, &envv1.Open{
					Tables: 6, Seed: 4, Observation: observation, Episode: envv1.Episode_EPISODE_HAND, AutoReset: true,
				})
				seat(t, o, "two")
				e := newEnv(t, env.Options{})
				s := transports["process"](t, e)
				_, b, err := s.Open(o)
				if err != nil {
					t.Fatal(err)
				}
				tables := upTo(o.Tables)
				p := newPlayer()
				p.take(t, b)
				for range 5 {
					waiting := rowsOf(b)
					handles, err := s.Snapshot(tables)
					if err != nil {
						t.Fatal(err)
					}
					// Play elsewhere, past the end of hands.
					search := newPlayer()
					search.take(t, b)
					for range 60 {
						search.take(t, search.act(t, s))
					}
					if b, err = s.Restore(tables, handles); err != nil {
						t.Fatal(err)
					}
					// Last rows are delivered once.
					asked := slices.DeleteFunc(waiting, func(r seen) bool { return r.Flags&envv1.RowFlag_ROW_FLAG_ASKED == 0 })
					if diff := cmp.Diff(asked, rowsOf(b)); diff != "" {
						t.Fatalf("rows after Restore (-before +after):\n%s", diff)
					}
					if err := s.Drop(handles); err != nil {
						t.Fatal(err)
					}
					p.answers.Reset()
					answer(t, p, b)
					for range 5 {
						b = p.act(t, s)
						p.take(t, b)
					}
				}
				compare(t, o, p.rows)
			})
		}
	}
}

// answer answers for rows that have been taken before.
func answer(t *testing.T, p *player, b *client.Batch) {
	t.Helper()
	again := newPlayer()
	again.take(t, b)
	p.answers = again.answers
}

// A fork is the same as its source, and both go the same way with the same
// answers.
func TestFork(t *testing.T) {
	for _, name := range searchRules {
		t.Run(name, func(t *testing.T) {
			s := transports["process"](t, newEnv(t, env.Options{}))
			_, b, err := s.Open(withRules(name, &envv1.Open{Tables: 4, Seed: 8, Observation: "features", AutoReset: true}))
			if err != nil {
				t.Fatal(err)
			}
			p := newPlayer()
			for range 40 {
				p.take(t, b)
				b = p.act(t, s)
			}
			p.take(t, b)
			p.answers.Reset()
			if b, err = s.Fork([]uint32{0, 1}, []uint32{2, 3}); err != nil {
				t.Fatal(err)
			}
			copies := newPlayer()
			copies.take(t, b)
			// The sources' rows still wait under their old steps.
			originals := newPlayer()
			if b, err = s.Restore([]uint32{0, 1}, keep(t, s, []uint32{0, 1})); err != nil {
				t.Fatal(err)
			}
			originals.take(t, b)
			for range 30 {
				copies.take(t, copies.act(t, s))
				originals.take(t, originals.act(t, s))
			}
			for i := range uint32(2) {
				if diff := cmp.Diff(originals.rows[i], copies.rows[i+2]); diff != "" {
					t.Errorf("table %d (-source +copy):\n%s", i, diff)
				}
			}
		})
	}
}

func keep(t *testing.T, s *client.Stream, tables []uint32) []uint64 {
	t.Helper()
	handles, err := s.Snapshot(tables)
	if err != nil {
		t.Fatal(err)
	}
	return handles
}

// A re-dealt table looks the same to the player whose view is kept; what follows
// depends on the seed and not on the true tiles.
func TestRedeal(t *testing.T) {
	for _, name := range searchRules {
		for _, o := range []struct {
			observation string
			believed    bool
		}{{"planes", false}, {"events", false}, {"planes", true}} {
			observation := o.observation
			t.Run(fmt.Sprintf("%s/%s/believed=%t", name, observation, o.believed), func(t *testing.T) {
				s := transports["process"](t, newEnv(t, env.Options{}))
				// Tables 1 to 3 are for the search.
				open := withRules(name, &envv1.Open{
					Tables: 4, Seed: 8, Observation: observation, Episode: envv1.Episode_EPISODE_HAND, AutoReset: true,
				})
				seat(t, open, "one")
				_, b, err := s.Open(open)
				if err != nil {
					t.Fatal(err)
				}
				differ := 0
				for range 60 {
					p := newPlayer()
					at := 0
					for b.TableOf(at) != 0 || !b.Asked(at) {
						at++
					}
					want := rowOf(b, at, 0)
					p.answers.Add(b, at, choose(&want))
					dealt, err := s.Redeal([]uint32{0, 0, 0}, []uint8{0, 0, 0}, []uint64{1, 1, 2}, []uint32{1, 2, 3}, o.believed)
					if err != nil {
						t.Fatal(err)
					}
					for i, r := range rowsOf(dealt) {
						if diff := cmp.Diff(want, r); diff != "" {
							t.Fatalf("table %d (-true +re-dealt):\n%s", i+1, diff)
						}
					}
					search := newPlayer()
					search.take(t, dealt)
					for range 20 {
						search.take(t, search.act(t, s))
					}
					if !slices.Equal(search.rows[1], search.rows[2]) {
						t.Fatal("two deals of one seed differ")
					}
					if !slices.Equal(search.rows[1], search.rows[3]) {
						differ++
					}
					b = p.act(t, s)
				}
				if differ < 50 {
					t.Errorf("only %d of 60 deals of two seeds differ", differ)
				}
			})
		}
	}
}

// The walls of later hands at a re-dealt table are not the true ones.
func TestRedealFuture(t *testing.T) {
	s := transports["process"](t, newEnv(t, env.Options{}))
	if _, _, err := s.Open(&envv1.Open{
		Rules: preset("ema_2016"), Tables: 2, Seed: 8, Seats: lineups["one"], Observation: "planes",
		Episode: envv1.Episode_EPISODE_HAND, AutoReset: true,
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Redeal([]uint32{0}, []uint8{0}, []uint64{5}, []uint32{1}, false); err != nil {
		t.Fatal(err)
	}
	// The first observation of the second hand shows the tiles dealt in it.
	second := func(table uint32, b *client.Batch) string {
		for {
			p := newPlayer()
			ended := false
			for i, r := range rowsOf(b) {
				if b.TableOf(i) != table {
					continue
				}
				if ended && b.Asked(i) {
					return r.Observation
				}
				ended = ended || !b.Asked(i)
				if b.Asked(i) {
					p.answers.Add(b, i, choose(&r))
				}
			}
			b = p.act(t, s)
		}
	}
	b, err := s.Restore([]uint32{0, 1}, keep(t, s, []uint32{0, 1}))
	if err != nil {
		t.Fatal(err)
	}
	if second(0, b) == second(1, b) {
		t.Error("the next hand of a re-dealt table is the true one")
	}
}

// Handles live until they are dropped and belong to no table.
func TestHandles(t *testing.T) {
	s := transports["process"](t, newEnv(t, env.Options{MaxHandles: 3}))
	_, b, err := s.Open(&envv1.Open{Rules: preset("zung_jung"), Tables: 3, Observation: "planes", AutoReset: true})
	if err != nil {
		t.Fatal(err)
	}
	want := rowOf(b, 0, 0)
	handle := keep(t, s, []uint32{0})[0]
	for range 3 {
		if b, err = s.Restore([]uint32{2, 1}, []uint64{handle, handle}); err != nil {
			t.Fatal(err)
		}
		if b.Len() != 2 || b.TableOf(0) != 1 || b.TableOf(1) != 2 {
			t.Fatalf("%d rows", b.Len())
		}
		for i := range 2 {
			if diff := cmp.Diff(want, rowOf(b, i, 0)); diff != "" {
				t.Error(diff)
			}
		}
	}
	refused(t, envv1.ErrorCode_ERROR_CODE_TOO_MANY_HANDLES, func() error { _, err := s.Snapshot([]uint32{0, 1, 2}); return err })
	keep(t, s, []uint32{1, 1})
	if err := s.Drop([]uint64{handle}); err != nil {
		t.Fatal(err)
	}
	refused(t, envv1.ErrorCode_ERROR_CODE_UNKNOWN_HANDLE, func() error { _, err := s.Restore([]uint32{0}, []uint64{handle}); return err })
	// A new Open drops all.
	if _, _, err = s.Open(&envv1.Open{Rules: preset("zung_jung"), Tables: 3, AutoReset: true}); err != nil {
		t.Fatal(err)
	}
	keep(t, s, []uint32{0, 1, 2})
}
