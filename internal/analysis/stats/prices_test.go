package stats

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/export/dataset"
)

// Prices on a line but for two: these are found, with the prices of the line.
func TestPrices(t *testing.T) {
	p := &datasetSums{Run: &dataset.Manifest{}}
	var s Summary
	for i := range 12 {
		frequency := math.Exp2(-float64(i)) / 2
		price := int(math.Exp2(float64(i) / 2))
		switch i {
		case 4:
			price = 40 // 4 on the line
		case 10:
			price = 3 // 32 on the line
		}
		id := fmt.Sprint("p", i)
		p.Prices = append(p.Prices, patternPrice{id, price, 99})
		s.Figures = append(s.Figures, Figure{Key: Key{SectionPattern, "frequency", id}, Estimate: Estimate{Value: frequency, Sum: 1e6 * frequency, Count: 1e6}})
	}
	list := p.prices(&s)
	suggested := map[string]int{}
	for _, q := range list {
		if q.Suggested > 0 {
			suggested[q.Pattern] = q.Suggested
		}
		if math.Abs(q.Off) < farOff && q.Suggested > 0 {
			t.Errorf("%+v is near the line", q)
		}
	}
	if near := func(x, y int) bool { return x-y <= 3 && y-x <= 3 }; !near(suggested["p4"], 4) || !near(suggested["p10"], 32) || len(suggested) > 4 {
		t.Errorf("suggested %v, want about 4 for p4 and 32 for p10: %+v", suggested, list)
	}
	if !slices.IsSortedFunc(list, func(a, b PatternPrice) int {
		return int(math.Copysign(1, math.Abs(b.Off)-math.Abs(a.Off)))
	}) || list[0].Pattern != "p10" && list[0].Pattern != "p4" {
		t.Errorf("the farthest does not come first: %+v", list)
	}
	for i := range p.Prices {
		p.Prices[i].Price = 100 - 5*i
	}
	p.Prices[3].Price = 1
	for _, q := range p.prices(&s) {
		if q.Suggested > 0 {
			t.Errorf("what is rarer is cheaper, and yet %+v", q)
		}
	}
	s.Figures = s.Figures[:leastPrices-1]
	if list := p.prices(&s); list != nil {
		t.Errorf("a line through %d patterns: %+v", leastPrices-1, list)
	}
}

// Prices of the ruleset come before those of the list, and what is switched off or
// counted in multiples of the limit has none.
func TestPricesOf(t *testing.T) {
	r, err := configs.Change("ema_2016", map[string]any{"patterns.pinfu": 3, "patterns.honitsu": []any{4, 1}, "patterns.chiitoitsu": "off"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, p := range pricesOf(r) {
		got[p.ID] = p.Price
	}
	for id, want := range map[string]int{"pinfu": 3, "honitsu": 4, "chiitoitsu": 0, "tanyao": 1, "daisangen": 0} {
		if got[id] != want {
			t.Errorf("%s costs %d, want %d", id, got[id], want)
		}
	}
}

func TestTheilSen(t *testing.T) {
	slope, start := theilSen([]float64{0, 1, 2, 3, 4, 5, 6}, []float64{1, 3, 5, 100, 9, 11, -50})
	if math.Abs(slope-2) > 0.5 || math.Abs(start-1) > 1 {
		t.Errorf("slope %v from %v, want about 2 from 1", slope, start)
	}
}
