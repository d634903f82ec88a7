package stats

import "github.com/sparrowhall/sparrowhall/internal/digits"

// level is the probability below which a difference is called clear.
const level = 0.05

// Scale returns the factor by which a figure of this unit is multiplied for text, and the sign
// after it: shares are in percent, their differences in percentage points.
func (u Unit) Scale() (scale float64, sign string) {
	switch u {
	case Share:
		return 100, "%"
	case Gap:
		return 100, " pp"
	}
	return 1, ""
}

// Text returns a number of the unit that has no interval.
func (u Unit) Text(x float64) string {
	scale, sign := u.Scale()
	return digits.Significant(scale*x) + sign
}

// Text returns the estimate with its interval, with the decimals that its error supports, or
// "-" if it has no cases.
func (e *Estimate) Text(u Unit) string {
	if e.Count == 0 {
		return "-"
	}
	if !e.Low.Known() {
		return u.Text(e.Value)
	}
	scale, sign := u.Scale()
	err := e.Error
	if err == 0 {
		err = float64(e.High-e.Low) / 4
	}
	places := digits.Places(scale * err)
	return digits.Fixed(scale*e.Value, places) + sign +
		" [" + digits.Fixed(scale*float64(e.Low), places) + ", " + digits.Fixed(scale*float64(e.High), places) + "]"
}

// Rounded returns the value alone, with the decimals that its error supports.
func (e *Estimate) Rounded(u Unit) string {
	scale, sign := u.Scale()
	return digits.Fixed(scale*e.Value, digits.Places(scale*e.Error)) + sign
}

// CountText returns the number of cases.
func (e *Estimate) CountText() string { return digits.Exact(e.Count) }

// Text returns the difference with its interval, and a star if it is clear; "-" if there is
// nothing to compare.
func (d *Difference) Text(u Unit) string {
	if !d.P.Known() {
		return "-"
	}
	if u == Share {
		u = Gap
	}
	scale, sign := u.Scale()
	places := digits.Places(scale * d.Error)
	text := digits.Signed(scale*d.Value, places) + sign
	if d.Low.Known() {
		text += " [" + digits.Signed(scale*float64(d.Low), places) + ", " + digits.Signed(scale*float64(d.High), places) + "]"
	}
	if d.Clear() {
		text += " *"
	}
	return text
}

// Absolute returns the absolute value and its interval.
func (d *Difference) Absolute() (value, low, high float64) {
	if d.Value < 0 {
		return -d.Value, -float64(d.High), -float64(d.Low)
	}
	return d.Value, float64(d.Low), float64(d.High)
}

// Clear reports whether the difference is significant at 5 % after the correction for the
// number of comparisons.
func (d *Difference) Clear() bool { return d.Adjusted < level }

// Text returns the quantile with its interval, both exact, as they are values of cases.
func (q *Quantile) Text() string {
	return digits.Exact(q.Value) + " [" + digits.Exact(q.Low) + ", " + digits.Exact(q.High) + "]"
}

// Text returns the number of matches with its interval.
func (w *MatchWorth) Text() string {
	e := Estimate{Value: w.Worth, Count: 1, Low: w.Low, High: w.High, Error: float64(w.High-w.Low) / 4}
	return e.Text(Times) + " matches"
}

// Text returns the component as a share in percent with its interval, or "-" if it is missing.
func (c *Component) Text() string {
	if !c.Share.Known() {
		return "-"
	}
	e := Estimate{Value: float64(c.Share), Low: c.Low, High: c.High, Count: 1, Error: float64(c.Error)}
	return e.Text(Share)
}
