package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/sparrowhall/sparrowhall/export"
)

// Text returns the estimate for people: a value with its interval, shares in
// percent.
func (e *Estimate) Text(u Unit) string {
	if e.Count == 0 {
		return "-"
	}
	scale, sign := 1.0, ""
	switch u {
	case Share:
		scale, sign = 100, "%"
	case Gap:
		scale, sign = 100, " pp"
	}
	digits := decimals(scale * e.Error)
	if !e.Low.Known() {
		return short(scale*e.Value) + sign
	}
	if e.Error == 0 {
		digits = decimals(scale * float64(e.High-e.Low) / 4)
	}
	text := fixed(scale*e.Value, digits) + sign
	return text + " [" + fixed(scale*float64(e.Low), digits) + ", " + fixed(scale*float64(e.High), digits) + "]"
}

// Rounded returns the value alone, to the decimals that its error leaves.
func (e *Estimate) Rounded(u Unit) string {
	switch u {
	case Share:
		return fixed(100*e.Value, decimals(100*e.Error)) + "%"
	case Gap:
		return fixed(100*e.Value, decimals(100*e.Error)) + " pp"
	}
	return fixed(e.Value, decimals(e.Error))
}

// Text returns the difference for people, marked with a star where it is clear
// also among all comparisons made.
func (d *Difference) Text(u Unit) string {
	scale, sign := 1.0, ""
	if u == Share || u == Gap {
		scale, sign = 100, " pp"
	}
	if !d.P.Known() {
		return "-"
	}
	digits := decimals(scale * d.Error)
	text := signed(scale*d.Value, digits) + sign
	if d.Low.Known() {
		text += " [" + signed(scale*float64(d.Low), digits) + ", " + signed(scale*float64(d.High), digits) + "]"
	}
	if d.Clear() {
		text += " *"
	}
	return text
}

// Clear tells whether the difference is there at a level of 5 % for all
// comparisons together.
func (d *Difference) Clear() bool { return d.Adjusted < level }

// decimals returns how many decimals show an error with one digit, or with two
// where the first is small: by the rounding rule of the Particle Data Group.
func decimals(err float64) int {
	if err <= 0 || math.IsNaN(err) || math.IsInf(err, 0) {
		return 2
	}
	size := math.Floor(math.Log10(err))
	digits := -int(size)
	if err < 3.55*math.Pow(10, size) {
		digits++
	}
	return min(max(digits, 0), 6)
}

// fixed writes a number with some decimals, without the sign of one that rounds
// to zero.
func fixed(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

func signed(x float64, digits int) string {
	s := fixed(x, digits)
	if x > 0 && strings.Trim(s, "0.") != "" {
		s = "+" + s
	}
	return s
}

// short writes a number that has no error to tell its decimals.
func short(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e6)/1e6+0, 'f', -1, 64) // no -0
}

// whole writes a number of cases.
func whole(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// CountText returns the number of cases.
func (e *Estimate) CountText() string { return whole(e.Count) }

// Text returns the quantile with its interval.
func (q *Quantile) Text() string {
	return short(q.Value) + " [" + short(q.Low) + ", " + short(q.High) + "]"
}

// Text returns the component as a share in percent.
func (c *Component) Text() string {
	if !c.Share.Known() {
		return "-"
	}
	e := Estimate{Value: float64(c.Share), Low: c.Low, High: c.High, Count: 1, Error: float64(c.High-c.Low) / 4}
	return e.Text(Share)
}

// numberText writes a number with two decimals.
func numberText(n export.Number) string {
	if !n.Known() {
		return "-"
	}
	return fixed(float64(n), 2)
}

// matchesText writes a number of matches.
func matchesText(n export.Number) string {
	if !n.Known() || math.IsInf(float64(n), 0) {
		return "∞"
	}
	return strconv.FormatFloat(float64(n), 'f', 0, 64)
}

// NeededText returns how many matches tell the two agents apart.
func (p *Pair) NeededText() string {
	if !p.Needed.Known() {
		return "-"
	}
	return matchesText(p.Needed) + " [" + matchesText(p.NeededLow) + ", " + matchesText(p.NeededHigh) + "]"
}
