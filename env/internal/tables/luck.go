package tables

import (
	"math"

	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
	"github.com/sparrowhall/sparrowhall/sim"
)

// handLuck measures by the linear estimate what the tiles of an episode have brought.
type handLuck struct {
	variate *luck.LinearControlVariate
	sum     luck.Points
	paid    [sim.NumPlayers]int32 // what earlier rewards of a player lack
}

// AdjustLuck makes rewards luck-adjusted: each lacks what the tiles since the player's last decision
// have brought, whose mean is zero. At the end of the episode it would be too late for a learner: a
// hand that looks good was mostly lucky, so its value would be no higher than that of another. Then
// a decision that makes a hand better would be worth nothing until the end. A Reset of all tables
// must follow, and tables must not be copied. The error reports that there is no estimate for the rules.
func (s *Scheduler) AdjustLuck() error {
	f, err := luck.ValueFunctionFor(s.Config.Rules)
	if err != nil {
		return err
	}
	for n := range s.tables {
		s.tables[n].luck = &handLuck{variate: luck.NewLinearControlVariate(s.Config.Rules, &f.Linear)}
	}
	return nil
}

// follow takes the events of a step.
func (l *handLuck) follow(events []sim.Event) {
	if l == nil {
		return
	}
	for _, e := range events {
		more := l.variate.Follow(e)
		l.sum.Add(&more)
	}
}

// clear forgets what an episode has brought.
func (l *handLuck) clear() { l.sum, l.paid = luck.Points{}, [sim.NumPlayers]int32{} }

// units returns the luck of a player, rounded to the nearest unit.
func (l *handLuck) units(p sim.Player) int32 {
	return int32(math.Round(float64(l.sum[p]) / luck.Unit))
}
