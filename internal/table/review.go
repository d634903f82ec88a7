package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/sparrowhall/sparrowhall/internal/analysis/review"
	"github.com/sparrowhall/sparrowhall/internal/pages/viewer"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// ReviewDeals is the number of deals of the unseen tiles at a decision that is reviewed, the
// default of the verb review.
const ReviewDeals = 100

// finished is a finished match, with a review of the people's choices once a page has opened it.
type finished struct {
	match *sim.Match
	names [sim.NumPlayers]string

	mu     sync.Mutex
	begun  bool
	judged int // decisions so far
	found  *review.Review
	err    error

	making sync.Mutex
	pages  [2][]byte // without the review and with it, once they are made
}

// review begins the review on its first call. It returns the review, or nil and the number of
// decisions judged so far.
func (f *finished) review(s *Sitting) (found *review.Review, judged int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.begun {
		f.begun = true
		go f.compute(s)
	}
	return f.found, f.judged, f.err
}

// compute reviews the choices of the people. One match is reviewed at a time, by one worker, so
// that the next match can go on beside it.
func (f *finished) compute(s *Sitting) {
	s.reviewing.Lock()
	defer s.reviewing.Unlock()
	o := review.Options{NewJudge: s.o.Judge, Deals: ReviewDeals, Workers: 1, Done: func(decisions int) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.judged += decisions
	}}
	for _, seat := range s.seats {
		if seat.agent == nil {
			o.Players |= seat.player.Bit()
		}
	}
	found, err := review.Match(s.ctx, s.rules, f.match, o)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.found, f.err = found, err
}

// page returns the page of a finished match, with the review if it is not nil. It is made once: who
// reads it again and again takes no time from those who play.
func (f *finished) page(r *ruleset.Rules, found *review.Review) ([]byte, error) {
	f.making.Lock()
	defer f.making.Unlock()
	page := &f.pages[0]
	if found != nil {
		page = &f.pages[1]
	}
	if *page == nil {
		var b bytes.Buffer
		if err := viewer.Write(&b, r, f.match, f.names, [sim.NumPlayers]sim.Agent{}, found); err != nil {
			return nil, err
		}
		*page = b.Bytes()
	}
	return *page, nil
}

// WriteFinished writes the viewer of a finished match by its name in the messages of the page, with its
// review if that is asked for. While the review is computed it writes nothing and returns the number of
// choices judged so far, otherwise -1.
func (s *Sitting) WriteFinished(w io.Writer, name string, reviewed bool) (judged int, err error) {
	f := s.games.get(name)
	if f == nil || reviewed && s.o.Judge == nil {
		return -1, errors.New("no such match")
	}
	var found *review.Review
	if reviewed {
		if found, judged, err = f.review(s); err != nil {
			return -1, fmt.Errorf("the match cannot be reviewed: %w", err)
		}
		if found == nil {
			return judged, nil
		}
	}
	text, err := f.page(s.rules, found)
	if err == nil {
		_, err = w.Write(text)
	}
	return -1, err
}
