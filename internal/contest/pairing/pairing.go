// Package pairing chooses who plays whom in the next round of a league: the matches that make
// the order of the bots most certain.
//
//	met := pairing.NewMeetings(bots)
//	p := pairing.New(4, ratings, active, met)
//	lineups := p.Lineups(pairing.Tables(matches, left, 4), pairing.SetsPerTable)
package pairing

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/sparrowhall/sparrowhall/internal/contest/strength"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Pairer chooses who plays whom in the next round, given all matches so far.
//
// What counts is the order of the bots, most of all at the top. Each pair has a weight: how
// likely its order is wrong, over the fourth power of the place of the lower of the two. The gain
// of a lineup is the first-order decrease of the weighted variances of rating differences. That is
// the trace of U C I C, with the covariance C of the ratings, the Laplacian U of the weights and
// the information I of a duplicate set. After each choice C is updated as if the matches were
// played, so that a round does not repeat one lineup. One table in eight is for the pairs that
// have met least often.
//
// This is greedy L-optimal design, by a linear criterion of the covariance (Atkinson and Donev,
// Optimum experimental designs, 1992; Glickman and Jensen, Adaptive paired comparison design,
// 2005).
type Pairer struct {
	seats      int
	elo        []float64
	covariance *mat.SymDense // of elo
	// met is the number of duplicate sets of each pair.
	met [][]float64
}

// New returns a pairer of some agents of a pool: active has their numbers in r, which is nil
// before the first match, and in met, the number of duplicate sets of each pair.
func New(seats int, r *strength.Ratings, active []int, met [][]float64) *Pairer {
	n := len(active)
	p := &Pairer{seats: seats, elo: make([]float64, n), covariance: mat.NewSymDense(n, nil), met: make([][]float64, n)}
	for i, a := range active {
		p.met[i] = make([]float64, n)
		if r != nil {
			p.elo[i] = r.Elo[a]
		}
		for j, b := range active {
			p.met[i][j] = met[a][b]
			if r != nil {
				p.covariance.SetSym(i, j, r.Covariance.At(a, b))
			}
		}
	}
	for i := range n {
		if v := p.covariance.At(i, i); r == nil || v > PriorDeviation*PriorDeviation {
			for j := range n {
				p.covariance.SetSym(i, j, 0)
			}
			p.covariance.SetSym(i, i, PriorDeviation*PriorDeviation)
		}
	}
	return p
}

// PriorDeviation is the standard deviation of the rating of a bot without matches, in Elo points.
const PriorDeviation = 300

// setInformation is the information of a duplicate set on the difference between two of its
// agents, in 1/Elo²: in the model of Plackett and Luce a match of four equal agents has
// 1/16 + 1/18 + 1/24 for each pair, and a set has four matches.
const setInformation = 4 * 0.16 / (strength.Elo * strength.Elo)

// Lineups returns the lineups of the next round, each for a number of duplicate sets.
func (p *Pairer) Lineups(tables int, sets float64) [][sim.NumPlayers]uint8 {
	var list [][sim.NumPlayers]uint8
	for i := range tables {
		gains := p.pairGains
		if i%tablesPerMeeting == tablesPerMeeting-1 {
			gains = p.meetingGains
		}
		lineup := p.bestLineup(gains())
		list = append(list, lineup)
		p.update(lineup[:p.seats], sets)
	}
	return list
}

// SeatGuest returns the lineup of one match of a hall, in which agent 0 sits. isGuest reports which
// agents cannot sit there twice.
func (p *Pairer) SeatGuest(isGuest func(agent int) bool) [][sim.NumPlayers]uint8 {
	return [][sim.NumPlayers]uint8{p.fillLineup(p.pairGains(), []int{0}, isGuest)}
}

// tablesPerMeeting is the number of tables of which one is for pairs that seldom met.
const tablesPerMeeting = 8

// pairGains returns the gain of a duplicate set from each pair of its agents.
func (p *Pairer) pairGains() *mat.SymDense {
	n := len(p.elo)
	places := make([]float64, n)
	for i := range n {
		places[i] = 1
		for j := range n {
			if p.elo[j] > p.elo[i] {
				places[i]++
			}
		}
	}
	laplacian := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i + 1; j < n; j++ {
			deviation := math.Sqrt(p.variance(i, j))
			apart := (p.elo[i] - p.elo[j]) / deviation
			weight := max(math.Exp(-apart*apart/2), leastWeight) / deviation / math.Pow(max(places[i], places[j]), topPower)
			laplacian.SetSym(i, j, -weight)
			laplacian.SetSym(i, i, laplacian.At(i, i)+weight)
			laplacian.SetSym(j, j, laplacian.At(j, j)+weight)
		}
	}
	var half, full mat.Dense // C U and C U C
	half.Mul(p.covariance, laplacian)
	full.Mul(&half, p.covariance)
	gains := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i + 1; j < n; j++ {
			// A match of a pair that is far apart has little information.
			behind := 1 / (1 + math.Exp((p.elo[i]-p.elo[j])/strength.Elo)) // probability
			gain := full.At(i, i) + full.At(j, j) - full.At(i, j) - full.At(j, i)
			gains.SetSym(i, j, gain*4*behind*(1-behind))
		}
	}
	return gains
}

// The weight of a pair.
const (
	leastWeight = 0.1 // however clear the order, so that ratings at the top become more precise
	topPower    = 4   // by which the weight falls with the place of the lower of the two
)

// meetingGains returns gains by which pairs that met least often come first, close ones before
// others.
func (p *Pairer) meetingGains() *mat.SymDense {
	n := len(p.elo)
	gains := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i + 1; j < n; j++ {
			gains.SetSym(i, j, 1/(1+p.met[i][j])/(1+math.Abs(p.elo[i]-p.elo[j])/PriorDeviation))
		}
	}
	return gains
}

// variance returns the variance of the difference of two agents.
func (p *Pairer) variance(i, j int) float64 {
	c := p.covariance
	return max(c.At(i, i)+c.At(j, j)-2*c.At(i, j), 1e-6)
}

// bestLineup returns a lineup with a high sum of the gains of its pairs: the best pair, then the
// agents that add most.
func (p *Pairer) bestLineup(gains *mat.SymDense) [sim.NumPlayers]uint8 {
	best, most := []int{0, 1}, math.Inf(-1)
	for i := range p.elo {
		for j := i + 1; j < len(p.elo); j++ {
			if w := gains.At(i, j); w > most {
				best, most = []int{i, j}, w
			}
		}
	}
	return p.fillLineup(gains, best, func(int) bool { return false })
}

// fillLineup seats the agents that add most beside some. Fewer agents than seats sit there more than
// once, but for those that cannot.
func (p *Pairer) fillLineup(gains *mat.SymDense, seated []int, once func(agent int) bool) (lineup [sim.NumPlayers]uint8) {
	for len(seated) < p.seats {
		next, most := -1, math.Inf(-1)
		for i := range p.elo {
			if slices.Contains(seated, i) && (len(p.elo) >= p.seats || once(i)) {
				continue
			}
			sum := 0.0
			for _, j := range seated {
				if i != j {
					sum += gains.At(i, j)
				}
			}
			if sum > most {
				next, most = i, sum
			}
		}
		seated = append(seated, next)
	}
	slices.Sort(seated)
	for i, a := range seated {
		lineup[i] = uint8(a)
	}
	return lineup
}

// update adds the information of duplicate sets of a lineup to the covariance.
func (p *Pairer) update(lineup []uint8, sets float64) {
	for x, i := range lineup {
		for _, j := range lineup[x+1:] {
			if i == j {
				continue
			}
			p.met[i][j] += sets
			p.met[j][i] += sets
			p.addInformation(int(i), int(j), sets*setInformation)
		}
	}
}

// addInformation adds information on the difference of two agents by the Sherman-Morrison
// formula.
func (p *Pairer) addInformation(i, j int, information float64) {
	n := len(p.elo)
	direction := make([]float64, n)
	for k := range n {
		direction[k] = p.covariance.At(k, i) - p.covariance.At(k, j)
	}
	scale := information / (1 + information*p.variance(i, j))
	for k := range n {
		for m := k; m < n; m++ {
			p.covariance.SetSym(k, m, p.covariance.At(k, m)-scale*direction[k]*direction[m])
		}
	}
}

// SetsPerTable is the number of duplicate sets that a lineup of a round plays.
const SetsPerTable = 4

// Tables returns the number of lineups of the next round: a sixteenth of all before, since
// ratings are fitted once for each round, but no more than the matches left to play need.
func Tables(matches, left uint64, seats int) int {
	perTable := uint64(SetsPerTable * seats)
	tables := max(leastTables, min(matches/perTable/16, mostTables))
	return int(max(1, min(tables, 1+(max(left, 1)-1)/perTable)))
}

const (
	leastTables = 8
	mostTables  = 1024
)

// Meetings has the number of duplicate sets of each pair of the bots of a pool.
type Meetings [][]float64

// NewMeetings returns the meetings of n agents that have not met.
func NewMeetings(n int) Meetings {
	m := make(Meetings, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

// Add counts a duplicate set.
func (m Meetings) Add(set []strength.Ranking) {
	r := &set[0]
	for x, a := range r.Agents[:r.Seats] {
		for _, b := range r.Agents[x+1 : r.Seats] {
			if a != b {
				m[a][b]++
				m[b][a]++
			}
		}
	}
}
