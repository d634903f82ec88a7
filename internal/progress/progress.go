// Package progress shows how far long work has come: as a bar on a terminal, as lines elsewhere, and
// in a file for programs.
//
//	p := progress.New(os.Stderr, "matches", 1000)
//	p.Add(1)
//	p.End()
package progress

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/sparrowhall/sparrowhall/internal/tempdir"
)

// lineInterval is the least time between two lines.
const lineInterval = 5 * time.Second

// maxSeconds is the longest remaining time that is shown, 285 years: a Duration holds little
// more.
const maxSeconds = 9e9

// Progress counts the things that are done. Any goroutine may call its methods, except End.
type Progress struct {
	// AtMost reports whether the work may end before all things are done.
	AtMost bool

	w     io.Writer
	what  string
	total uint64
	now   func() time.Time
	start time.Time
	bar   *progressbar.ProgressBar

	mu sync.Mutex // of the fields below, and of bar
	// done counts all things, skipped those that were done before the work began.
	done, skipped uint64
	last          time.Time // of the last line
	file          string    // empty for none
	written       time.Time // when the file was written last
}

// state is the content of the file of [Progress.WriteTo].
type state struct {
	What      string  `json:"what"`
	Done      uint64  `json:"done"`
	Total     uint64  `json:"total"`
	AtMost    bool    `json:"at_most,omitempty"`
	Seconds   float64 `json:"seconds"`
	PerSecond float64 `json:"per_second"`
	// Ended is set when the work has ended, whether it was completed or not.
	Ended   bool   `json:"ended"`
	Updated string `json:"updated"`
}

// WriteTo writes the progress as JSON to a file, now, every five seconds, and at the end. The file
// is replaced at once, so that a reader never sees a part of it. The error is that of the first
// writing; later ones are ignored, as the work does not depend on them and the file has its time.
func (p *Progress) WriteTo(file string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.file = file
	return p.writeFile(false)
}

// writeFile writes the file, if there is one. The caller holds mu.
func (p *Progress) writeFile(ended bool) error {
	if p.file == "" {
		return nil
	}
	p.written = p.now()
	s := state{p.what, p.done, p.total, p.AtMost, p.Seconds(), 0, ended, p.written.UTC().Format(time.RFC3339)}
	if s.Seconds > 0 {
		s.PerSecond = p.rate()
	}
	return tempdir.WriteFile(p.file, func(w io.Writer) error { return json.NewEncoder(w).Encode(s) })
}

// New begins work on total things of a kind. A nil writer gets nothing.
func New(w io.Writer, what string, total uint64) *Progress { return newAt(w, what, total, time.Now) }

func newAt(w io.Writer, what string, total uint64, now func() time.Time) *Progress {
	p := &Progress{w: w, what: what, total: total, now: now, start: now(), last: now()}
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

// Add counts n more things as done and shows the progress.
func (p *Progress) Add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += uint64(n)
	if p.file != "" && p.now().Sub(p.written) >= lineInterval {
		_ = p.writeFile(false)
	}
	switch now := p.now(); {
	case p.w == nil:
	case p.bar != nil:
		p.bar.Add(n)
	case now.Sub(p.last) >= lineInterval && p.done < p.total:
		p.last = now
		rate := p.rate()
		if p.AtMost {
			fmt.Fprintf(p.w, "%d of at most %d %s, %s %s/s\n", p.done, p.total, p.what, FormatRate(rate), p.what)
			return
		}
		left := time.Duration(min(float64(p.total-p.done)/rate, maxSeconds) * float64(time.Second))
		fmt.Fprintf(p.w, "%d of %d %s, %s %s/s, %v left\n", p.done, p.total, p.what, FormatRate(rate), p.what, left.Round(time.Second))
	}
}

// Skip counts n things as done before the work began.
func (p *Progress) Skip(n uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	p.skipped += n
	if p.bar != nil {
		p.bar.Set64(int64(p.done))
	}
}

// End clears the bar. It may be called more than once.
func (p *Progress) End() {
	p.mu.Lock()
	_ = p.writeFile(true)
	p.mu.Unlock()
	if p.bar != nil {
		p.bar.Clear()
	}
}

// Done returns the number of things done.
func (p *Progress) Done() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// Seconds returns the wall time since the work began.
func (p *Progress) Seconds() float64 { return p.now().Sub(p.start).Seconds() }

// Rate returns the number of things done per second, without those that were skipped.
func (p *Progress) Rate() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rate()
}

func (p *Progress) rate() float64 { return float64(p.done-p.skipped) / p.Seconds() }

// FormatRate returns a rate without decimals, or with two digits if it is below 10.
func FormatRate(rate float64) string {
	if rate < 10 {
		return fmt.Sprintf("%.2g", rate)
	}
	return fmt.Sprintf("%.0f", rate)
}
