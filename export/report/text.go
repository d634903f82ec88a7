package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Text returns the estimate for people: a value with its interval, shares in
// percent.
func (e *Estimate) Text(u Unit) string {
	if e.Count == 0 {
		return "-"
	}
	scale, sign := 1.0, ""
	if u == Share {
		scale, sign = 100, "%"
	}
	digits := decimals(scale * e.Error)
	if !e.Low.Known() {
		return strconv.FormatFloat(scale*e.Value, 'f', -1, 64) + sign
	}
	if e.Error == 0 {
		digits = decimals(scale * float64(e.High-e.Low) / 4)
	}
	text := fixed(scale*e.Value, digits) + sign
	return text + " [" + fixed(scale*float64(e.Low), digits) + ", " + fixed(scale*float64(e.High), digits) + "]"
}

// Text returns the difference for people, marked with a star where it is clear
// also among all comparisons made.
func (d *Difference) Text(u Unit) string {
	scale, sign := 1.0, ""
	if u == Share {
		scale, sign = 100, " pp"
	}
	if !d.P.Known() && !d.Low.Known() {
		return "-"
	}
	digits := decimals(scale * d.Error)
	text := signed(scale*d.Value, digits) + sign + " [" + signed(scale*float64(d.Low), digits) + ", " + signed(scale*float64(d.High), digits) + "]"
	if d.Clear() {
		text += " *"
	}
	return text
}

// Clear tells whether the difference is there at a level of 5 % for all
// comparisons together.
func (d *Difference) Clear() bool { return d.Adjusted < level }

// decimals returns how many decimals show two digits of an error.
func decimals(err float64) int {
	if err <= 0 || math.IsNaN(err) || math.IsInf(err, 0) {
		return 2
	}
	return min(max(1-int(math.Floor(math.Log10(err))), 0), 6)
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

// CountText returns a number of cases.
func (e *Estimate) CountText() string { return strconv.FormatFloat(e.Count, 'f', -1, 64) }

// Text returns the quantile with its interval.
func (q *Quantile) Text() string {
	f := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	return fmt.Sprintf("%s [%s, %s]", f(q.Value), f(q.Low), f(q.High))
}

// Text returns the component as a share in percent.
func (c *Component) Text() string {
	if !c.Share.Known() {
		return "-"
	}
	e := Estimate{Value: float64(c.Share), Low: c.Low, High: c.High, Count: 1, Error: float64(c.High-c.Low) / 4}
	return e.Text(Share)
}

// Text returns a number of matches.
func (n Number) matches() string {
	if !n.Known() || math.IsInf(float64(n), 0) {
		return "no end in sight"
	}
	return strconv.FormatFloat(float64(n), 'f', 0, 64)
}

// NeededText returns how many matches tell the two agents apart.
func (p *Pair) NeededText() string {
	return fmt.Sprintf("%s [%s, %s]", p.Needed.matches(), p.NeededLow.matches(), p.NeededHigh.matches())
}
