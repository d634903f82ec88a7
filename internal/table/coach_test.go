package table

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

func expertCoach() sim.Adviser {
	newAgent, err := agents.New("expert")
	if err != nil {
		panic(err)
	}
	return newAgent().(sim.Adviser)
}

// TestCoach advises at the decisions of matches of all families. The advice is the same with other
// hidden tiles, agrees with the shanten of the rules, and has sentences for all it says.
func TestCoach(t *testing.T) {
	english := sentences("en")
	for _, preset := range []string{"ema_2016", "mcr_2006", "universal", "hkma_hktw", "hk_old_style", "taiwanese", sanma} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			r, err := configs.LoadWith(preset, map[string]any{"max_hands": int64(2)})
			if err != nil {
				t.Fatal(err)
			}
			newAgent, err := agents.New("value")
			if err != nil {
				t.Fatal(err)
			}
			m := &sim.Match{Seed: 3}
			m.Play(r, &[sim.NumPlayers]sim.Agent{newAgent(), newAgent(), newAgent(), newAgent()})
			c, other := &coach{adviser: expertCoach()}, &coach{adviser: expertCoach()}
			advised, reasons, compared := 0, map[string]bool{}, 0
			err = m.ReplaySteps(r, func(before *sim.Table, p sim.Player, _ sim.Action, _ []sim.Event) {
				if before == nil {
					return
				}
				v := before.View(p)
				a := c.advise(v)
				if a == nil {
					return
				}
				advised++
				dealt := v.Redeal(uint64(advised))
				text, _ := json.Marshal(a)
				if same, _ := json.Marshal(other.advise(dealt.View(p))); string(same) != string(text) {
					t.Fatalf("decision %d: with other hidden tiles the advice is\n%s\nnot\n%s", advised, same, text)
				}
				if legal := v.Legal(); !legal.Has(sim.Action(a.Best)) {
					t.Errorf("best is %d, which is not legal", a.Best)
				}
				for i, o := range a.Options {
					if o.Loss != nil {
						compared++
					}
					if i == 0 && len(a.Options) > 1 && o.Loss != nil && o.Action != a.Best {
						t.Errorf("the first option is %d, the best %d", o.Action, a.Best)
					}
					if o.Tile != int(tile.NoFace) && len(o.Reasons) != len(a.Rivals) {
						t.Errorf("%d reasons against %d rivals", len(o.Reasons), len(a.Rivals))
					}
					for _, why := range o.Reasons {
						reasons[why.Key] = true
						if english[why.Key] == "" {
							t.Errorf("no sentence %q", why.Key)
						}
						if safe := why.Key == "coach_genbutsu" || why.Key == "coach_passed"; safe && len(a.Rivals) == 1 && o.DealIn != nil && *o.DealIn > 0.2 {
							t.Errorf("a safe discard deals in with %v", *o.DealIn)
						}
					}
					for _, u := range o.Useful {
						if u[1] < 0 || u[1] > 4 {
							t.Errorf("%d tiles of kind %d", u[1], u[0])
						}
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if advised < 10 || compared < 10 {
				t.Errorf("advice at %d decisions, %d options compared", advised, compared)
			}
			if len(reasons) < 3 {
				t.Errorf("reasons %v only", reasons)
			}
		})
	}
}

// TestCoachOfSeat plays with two people: each receives advice on the own questions alone, and
// spectators receive none.
func TestCoachOfSeat(t *testing.T) {
	o := options(t, "ema_2016", "greedy", 1)
	o.Agents[1] = Agent{}
	o.Coach, o.Watch = expertCoach, true
	s := serve(t, o)
	played := make(chan map[int64]bool, 2)
	for p := range sim.Player(2) {
		go func() { played <- s.advised(t, s.Key(p)) }()
	}
	first, second := <-played, <-played
	if len(first) == 0 || len(second) == 0 {
		t.Error("a person received no advice")
	}
	for q := range first {
		if second[q] {
			t.Errorf("both people received advice on question %d", q)
		}
	}
	s.follow(t, s.WatchKey(), "", func(m received) bool {
		if m.kind == "advice" {
			t.Errorf("spectators receive %s", m.data)
		}
		return m.kind != "replay"
	})
}

// advised plays a match as the person with a key and returns the questions on which advice came.
func (s *served) advised(t *testing.T, key string) map[int64]bool {
	numbers := map[int64]bool{}
	var a advice
	s.follow(t, key, "", func(m received) bool {
		switch m.kind {
		case "advice":
			if err := json.Unmarshal([]byte(m.data), &a); err != nil {
				t.Error(err)
			}
		case "question":
			q := questionOf(t, m)
			if a.Question != q.Question {
				if len(q.Legal) > 1 {
					t.Errorf("no advice on question %d of %v", q.Question, q.Legal)
				}
				s.answerFirst(t, key, q)
				break
			}
			if !slices.Contains(q.Legal, a.Best) {
				t.Errorf("advice %d on a question of %v", a.Best, q.Legal)
			}
			numbers[a.Question] = true
			s.answer(t, key, q.Question, a.Best)
		}
		return m.kind != "replay"
	})
	return numbers
}

// answerFirst answers a question by its only action, or goes on.
func (s *served) answerFirst(t *testing.T, key string, q questionData) {
	action := -1
	if len(q.Legal) > 0 {
		action = q.Legal[0]
	}
	s.answer(t, key, q.Question, action)
}
