package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sparrowhall/sparrowhall/internal/sanitize"
	"github.com/sparrowhall/sparrowhall/sim"
)

const (
	// maxName is the most characters of a name that a person chooses in the lobby.
	maxName = 24
	// sitTime is how long a seat that was taken in the lobby waits for its page.
	sitTime = 30 * time.Second
)

// The errors of requests that concern the key of a page, or a seat.
var (
	errWrongKey = errors.New("the key of the page is wrong, or its seat was left; open the address that the program printed, or the link to share")
	errTaken    = errors.New("the seat is not free; choose another one")
)

// sitBody is the body of a request to sit down.
type sitBody struct {
	Player sim.Player `json:"player"`
	Name   string     `json:"name"`
}

// sit gives a free seat to a person with a name, and returns the new key of its page. No other key
// opens the seat then, such as one of an address that was printed and not opened.
func (s *Sitting) sit(b sitBody) (key string, err error) {
	if b.Player < 0 || int(b.Player) >= len(s.seats) {
		return "", fmt.Errorf("player %d; allowed: 0 to %d", b.Player, len(s.seats)-1)
	}
	if err := sanitize.CheckLine("name", b.Name, maxName); err != nil {
		return "", err
	}
	// Of two people with one name who sit down at once, the second finds the name of the first.
	s.seating.Lock()
	defer s.seating.Unlock()
	for p, name := range s.names() {
		if p != int(b.Player) && strings.EqualFold(name, b.Name) {
			return "", fmt.Errorf("another player has the name %q; choose another one", b.Name)
		}
	}
	seat := s.seats[b.Player]
	seat.mu.Lock()
	defer seat.mu.Unlock()
	if !seat.isFree() {
		return "", errTaken
	}
	seat.key, seat.name, seat.sat = newKey(), b.Name, time.Now()
	return seat.key, nil
}

// isFree reports whether a person may take the seat: no page has had its key, and who took it in the
// lobby has not come within [sitTime]. The seat's mu is held.
func (s *seat) isFree() bool { return s.agent == nil && !s.opened && time.Since(s.sat) > sitTime }

// leave frees the seat of the page with the key, which opens nothing from then on. It reports
// whether the key was that of the seat. name is the name of the seat without a person.
func (s *seat) leave(key, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key != s.key {
		return false
	}
	if s.page != nil {
		s.page.end("left")
		s.page, s.left = nil, time.Now()
	}
	s.key, s.name, s.opened, s.sat = newKey(), name, false, time.Time{}
	return true
}

// marks returns what the pages show of the players.
func (s *Sitting) marks() *seatsData {
	d, pausing := &seatsData{}, false
	for _, seat := range s.seats {
		seat.mu.Lock()
		waits := seat.question != nil && seat.question.legal.Len() == 0
		pausing = pausing || waits
		d.Names = append(d.Names, seat.name)
		d.Away = append(d.Away, seat.agent == nil && seat.page == nil)
		d.Ready = append(d.Ready, seat.agent == nil && seat.question == nil)
		d.Free = append(d.Free, seat.isFree())
		seat.mu.Unlock()
	}
	if !pausing {
		clear(d.Ready)
	}
	return d
}

// awaitPeople waits until every person of several has sat down, or a substitute may play: else the
// clock would answer for those who are on the way. It is an error if ctx ends.
func (s *Sitting) awaitPeople(ctx context.Context) error {
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	missing := func(seat *seat) bool {
		seat.mu.Lock()
		free := seat.isFree()
		seat.mu.Unlock()
		return free && !(seat.substitute != nil && seat.away(s.o.Away))
	}
	for s.shareKey != "" && slices.ContainsFunc(s.seats, missing) {
		select {
		case <-look.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}
