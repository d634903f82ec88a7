package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// shown has the types of events that other programs show.
var shown = []sim.EventType{
	sim.EvDraw, sim.EvDiscard, sim.EvChi, sim.EvPon, sim.EvOpenKan, sim.EvClosedKan, sim.EvAddedKan, sim.EvKita,
	sim.EvIndicator, sim.EvWin, sim.EvAbort, sim.EvExhausted,
}

// followed is what NewFollower returns, as far as it is tested here.
type followed interface {
	SetRoundWind(tile.Wind)
	StartHand(sim.MatchState, []tile.Face) error
	Apply(sim.Event) error
	Ask() (sim.View, bool, error)
}

// feed applies the events of a hand as player p sees them.
func feed(f followed, p sim.Player, t *sim.Table, start sim.MatchState, events []sim.Event) error {
	var dealt []tile.Face
	begun := false
	for _, e := range events {
		e = e.SeenBy(p, &t.Rules().Flow)
		switch {
		case e.Type == sim.EvSeats:
			if _, wind, drawn := e.Seats(); drawn {
				f.SetRoundWind(wind)
			}
		case e.Type == sim.EvHandStart:
			begun = true
		case e.Type == sim.EvDeal && e.Player == p:
			tiles, _ := e.Deal()
			for _, face := range tiles {
				if face != tile.NoFace {
					dealt = append(dealt, face)
				}
			}
		}
		if begun && len(dealt) == t.Rules().HandSize {
			if err := f.StartHand(start, dealt); err != nil {
				return err
			}
			begun = false
		}
		if !slices.Contains(shown, e.Type) || e.Type == sim.EvIndicator && e.Ura() {
			continue
		}
		if begun { // the dealer's extra tile is dealt to another one before the player has all of his
			continue
		}
		if err := f.Apply(e); err != nil {
			return err
		}
	}
	return nil
}

// TestFollow checks that at each decision of random matches a follower has the view of the player
// and the same re-deals, under every preset that can be followed.
func TestFollow(t *testing.T) {
	refused := 0
	for _, name := range configs.Names() {
		r := load(t, name)
		if _, err := sim.NewFollower(r, 0, 1); err != nil {
			refused++
			if !strings.Contains(err.Error(), "cannot be followed") {
				t.Error(err)
			}
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decisions := 0
			for seed := range uint64(sample(1, 40)) {
				var players [sim.NumPlayers]followed
				for p := range r.NumSeats() {
					players[p], _ = sim.NewFollower(r, sim.Player(p), seed)
				}
				table := sim.NewTable(r, seed)
				var events []sim.Event
				for !table.Over() {
					start := table.MatchState()
					show := func() {
						for p := range sim.Player(r.NumSeats()) {
							if err := feed(players[p], p, &table, start, events); err != nil {
								t.Fatalf("seed %d, player %d: %v", seed, p, err)
							}
						}
						events = events[:0]
					}
					events = table.StartHand(events[:0])
					for p := range table.RestOfHand() {
						show()
						v := table.View(p)
						if ph := v.Phase(); ph == sim.PhaseTurn || ph == sim.PhaseClaim || ph == sim.PhaseRob {
							decisions++
							got, ok, err := players[p].Ask()
							if err != nil || !ok {
								t.Fatalf("seed %d, player %d is not asked in %v: %v", seed, p, ph, err)
							}
							if v.Legal() != got.Legal() || v.Rand() != got.Rand() || v.Hand() != got.Hand() {
								t.Fatalf("seed %d, player %d: legal %v, want %v", seed, p, got.Legal(), v.Legal())
							}
							if decisions%8 == 0 { // it reads everything, and is slow
								if diff := look(v).differs(look(got)); diff != "" {
									t.Fatalf("seed %d, player %d: %s", seed, p, diff)
								}
							}
							if decisions%16 == 0 {
								want, again := v.Redeal(seed), got.Redeal(seed)
								ready := v.Ready(0) | v.Ready(1) | v.Ready(2) | v.Ready(3)
								for q := range sim.Player(sim.NumPlayers) {
									if ready == 0 && want.View(q).Hand() != again.View(q).Hand() {
										t.Fatalf("seed %d, player %d: player %d is dealt other tiles again", seed, p, q)
									}
								}
							}
						}
						a := v.RandomAction()
						if ph := v.Phase(); ph == sim.PhaseDeclare {
							a = sim.ActTenpai
						} else if ph == sim.PhaseBetween {
							a = sim.ActPass
						}
						var err error
						if events, err = table.Step(p, a, events); err != nil {
							t.Fatal(err)
						}
					}
					show()
				}
			}
			if decisions == 0 {
				t.Error("no decision was compared")
			}
		})
	}
	if refused != 4 { // those with flowers
		t.Errorf("%d presets cannot be followed", refused)
	}
}
