package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progressEvery is how often a line of progress is written where there is no
// terminal.
const progressEvery = 5 * time.Second

// maxSeconds is the longest time that is told, 285 years: a Duration holds little
// more.
const maxSeconds = 9e9

// progress shows how far long work has come: as a bar on a terminal, as lines
// elsewhere.
type progress struct {
	w     io.Writer
	what  string
	total uint64
	done  uint64
	// known is how many of those done were there before the work began.
	known uint64
	// open tells that the work may end before all is done.
	open  bool
	now   func() time.Time
	start time.Time
	last  time.Time
	bar   *progressbar.ProgressBar
	mu    sync.Mutex // of done, known, last and bar
}

// newProgress begins the work on total things of a kind. A nil writer gets
// nothing.
func newProgress(w io.Writer, what string, total uint64, now func() time.Time) *progress {
	p := &progress{w: w, what: what, total: total, now: now, start: now(), last: now()}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = progressbar.NewOptions64(int64(total),
			progressbar.OptionSetWriter(w),
			progressbar.OptionSetDescription(what),
			progressbar.OptionShowCount(),
			progressbar.OptionShowIts(),
			progressbar.OptionSetItsString(what),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// add notes that n more are done. Any goroutine may call it.
func (p *progress) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += uint64(n)
	switch now := p.now(); {
	case p.w == nil:
	case p.bar != nil:
		p.bar.Add(n)
	case now.Sub(p.last) >= progressEvery && p.done < p.total:
		p.last = now
		rate := p.rate()
		if p.open {
			fmt.Fprintf(p.w, "%d of at most %d %s, %s %s/s\n", p.done, p.total, p.what, rateOf(rate), p.what)
			return
		}
		left := time.Duration(min(float64(p.total-p.done)/rate, maxSeconds) * float64(time.Second))
		fmt.Fprintf(p.w, "%d of %d %s, %s %s/s, %v left\n", p.done, p.total, p.what, rateOf(rate), p.what, left.Round(time.Second))
	}
}

// skip notes that n were done before.
func (p *progress) skip(n uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.known += n
	if p.bar != nil {
		p.bar.Set64(int64(p.done))
	}
}

// end clears the bar.
func (p *progress) end() {
	if p.bar != nil {
		p.bar.Clear()
	}
}

// seconds returns how long the work has taken so far.
func (p *progress) seconds() float64 { return p.now().Sub(p.start).Seconds() }

// rate returns the number done in a second, without those that were there before.
func (p *progress) rate() float64 { return float64(p.done-p.known) / p.seconds() }

// rateOf writes a rate, with decimals where it would be 0 or little more without.
func rateOf(rate float64) string {
	if rate < 10 {
		return fmt.Sprintf("%.2g", rate)
	}
	return fmt.Sprintf("%.0f", rate)
}
