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

// refuseLuck refuses to copy tables whose rewards are luck-adjusted.
func (s *Scheduler) refuseLuck() *Refusal {
	if s.Config.Luck == nil {
		return nil
	}
	return Refuse(BadOption, "tables with luck-adjusted rewards are not copied; open them without luck_adjusted")
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
