package league

import (
	"context"
	"errors"
	"testing"
)

// waitingHall is a hall in which some bots wait.
type waitingHall struct {
	Hall
	guests []Guest
}

func (h *waitingHall) Gather(context.Context) ([]Guest, error) { return h.guests, nil }

// A hall with too few bots for a table waits for others: one bot that connects does not end it.
func TestFewBots(t *testing.T) {
	l := newLeague(t, sealedSettings(t))
	h := &waitingHall{}
	s, err := l.newSession(t.Context(), &RunOptions{Hall: h})
	if err != nil {
		t.Fatal(err)
	}
	s.leftOut[l.anchor] = true // its program has changed
	for n := range l.seats() {
		b, _, err := l.AddRemote(t.Context(), string(rune('a'+n)), "")
		if err != nil {
			t.Fatal(err)
		}
		h.guests = append(h.guests, Guest{ID: b.ID})
		if _, err := s.plan(t.Context(), 1); errors.Is(err, errFewBots) != (n < l.seats()-1) {
			t.Errorf("%d bots: %v", n+1, err)
		}
	}
	calls := 0
	if err := s.persist(t.Context(), func() error {
		if calls++; calls == 1 {
			return errFewBots
		}
		return nil
	}); err != nil || calls != 2 {
		t.Errorf("%d calls, %v", calls, err)
	}
	s.o.Hall = nil
	if err := s.persist(t.Context(), func() error { return errFewBots }); !errors.Is(err, errFewBots) {
		t.Errorf("a run of this machine alone: %v", err)
	}
}
