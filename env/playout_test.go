package env_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/env"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

func int32s(column []byte) (list []int32) {
	for i := 0; i < len(column); i += 4 {
		list = append(list, int32(binary.LittleEndian.Uint32(column[i:])))
	}
	return list
}

// What came of an action is what comes when it is taken and the same player finishes
// the hand at the table itself; the tables stay as they are, and the answer does not
// depend on the number of workers.
func TestPlayout(t *testing.T) {
	for _, name := range searchRules {
		var before *envv1.PlayedOut
		for _, workers := range []int{1, 3} {
			e := newEnv(t, env.Options{Workers: workers})
			s := transports["process"](t, e)
			o := withRules(name, &envv1.Open{Tables: 40, Seed: 4, Episode: envv1.Episode_EPISODE_HAND})
			seats := rulesOf(t, o).NumSeats()
			o.Seats = []string{env.External, "eager", "eager", "eager"}[:seats]
			_, b, err := s.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			p := newPlayer()
			p.take(t, b)
			for range 3 { // into the hand
				b = p.act(t, s)
				p.take(t, b)
			}
			var tables []uint32
			var players, actions []uint8
			for i := range b.Len() {
				if !b.Asked(i) {
					continue
				}
				legal := b.Legal(i)
				for _, a := range []uint8{uint8(legal.First()), uint8(legal.Nth(legal.Len() - 1))} {
					tables, players, actions = append(tables, b.TableOf(i)), append(players, b.Player[i]), append(actions, a)
				}
			}
			if len(tables) < 40 {
				t.Fatalf("%d rows", len(tables))
			}
			got, err := s.Playout(tables, players, actions, "eager")
			if err != nil {
				t.Fatal(err)
			}
			if before != nil && (!slices.Equal(before.Reward, got.Reward) || !slices.Equal(before.Owed, got.Owed) || !slices.Equal(before.Points, got.Points)) {
				t.Errorf("%s: another answer with %d workers", name, workers)
			}
			before = got
			rewards, points := int32s(got.Reward), int32s(got.Points)
			if len(rewards) != len(tables) || len(points) != seats*len(tables) || (len(got.Owed) > 0) != (name == "hkma_hktw") {
				t.Fatalf("%s: %d rewards and %d points for %d rows", name, len(rewards), len(points), len(tables))
			}
			if !slices.ContainsFunc(rewards, func(r int32) bool { return r != 0 }) {
				t.Errorf("%s: nobody won or lost anything", name)
			}
		}
	}
}

// What is told of the client's last action in a hand is what comes of it at the table,
// where the same players finish the hand.
func TestPlayoutComesTrue(t *testing.T) {
	for _, name := range searchRules {
		s := transports["process"](t, newEnv(t, env.Options{}))
		o := withRules(name, &envv1.Open{Tables: 16, Seed: 2, Episode: envv1.Episode_EPISODE_HAND, AutoReset: true})
		o.Seats = []string{env.External, "eager", "eager", "eager"}[:rulesOf(t, o).NumSeats()]
		_, b, err := s.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		told := map[uint32][2]int32{}
		checked, moved := 0, 0
		for range 150 {
			p := newPlayer()
			var tables []uint32
			var players, actions []uint8
			lasts := 0
			for i := range b.Len() {
				r := rowOf(b, i, lasts)
				if b.Asked(i) {
					a := choose(&r)
					p.answers.Add(b, i, a)
					tables, players, actions = append(tables, b.TableOf(i)), append(players, b.Player[i]), append(actions, uint8(a))
					continue
				}
				lasts++
				if b.FlagsOf(i)&envv1.RowFlag_ROW_FLAG_FIRST != 0 {
					continue
				}
				if want := [2]int32{b.RewardOf(i), b.OwedOf(i)}; told[b.TableOf(i)] != want {
					t.Fatalf("%s, table %d: %v was told, and %v came", name, b.TableOf(i), told[b.TableOf(i)], want)
				} else if want != [2]int32{} {
					moved++
				}
				checked++
			}
			out, err := s.Playout(tables, players, actions, "eager")
			if err != nil {
				t.Fatal(err)
			}
			rewards, owed := int32s(out.Reward), int32s(out.Owed)
			for i, table := range tables {
				told[table] = [2]int32{rewards[i]}
				if len(owed) > 0 {
					told[table] = [2]int32{rewards[i], owed[i]}
				}
			}
			b = p.act(t, s)
		}
		if checked < 20 || moved == 0 {
			t.Errorf("%s: %d hands ended, %d with a change", name, checked, moved)
		}
	}
}

// What is wrong with a row or the player is told, and nothing changes.
func TestPlayoutRefused(t *testing.T) {
	s := transports["process"](t, newEnv(t, env.Options{}))
	_, b, err := s.Open(&envv1.Open{Rules: preset("tenhou"), Tables: 2, Seats: []string{env.External, "eager", "eager", "eager"}})
	if err != nil {
		t.Fatal(err)
	}
	legal := b.Legal(0)
	a := uint8(legal.First())
	for _, c := range []struct {
		table          uint32
		player, action uint8
		agent          string
		want           envv1.ErrorCode
	}{
		{2, 0, a, "eager", envv1.ErrorCode_ERROR_CODE_UNKNOWN_TABLE},
		{0, 1, a, "eager", envv1.ErrorCode_ERROR_CODE_UNKNOWN_PLAYER},
		{0, 9, a, "eager", envv1.ErrorCode_ERROR_CODE_UNKNOWN_PLAYER},
		{0, 0, 177, "eager", envv1.ErrorCode_ERROR_CODE_ILLEGAL_ACTION},
		{0, 0, 255, "eager", envv1.ErrorCode_ERROR_CODE_ILLEGAL_ACTION},
		{0, 0, a, "nobody", envv1.ErrorCode_ERROR_CODE_BAD_SEATS},
		{0, 0, a, string(make([]byte, 300)), envv1.ErrorCode_ERROR_CODE_BAD_SEATS},
	} {
		refused(t, c.want, func() error {
			_, err := s.Playout([]uint32{c.table}, []uint8{c.player}, []uint8{c.action}, c.agent)
			return err
		})
	}
	if _, err := s.Playout([]uint32{0}, nil, []uint8{a}, "eager"); err == nil {
		t.Error("a column is missing and nobody minds")
	}
	if out, err := s.Playout(nil, nil, nil, "eager"); err != nil || len(out.Reward) != 0 {
		t.Errorf("no rows: %v", err)
	}
}
