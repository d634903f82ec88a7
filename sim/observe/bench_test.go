package observe_test

import (
	"testing"

	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// BenchmarkAppend encodes decisions of matches between greedy players.
func BenchmarkAppend(b *testing.B) {
	for _, name := range []string{"planes", "events", "features", "text"} {
		b.Run(name, func(b *testing.B) {
			for _, preset := range []string{"ema_2016", "zung_jung", "hk_old_style", "mcr_2006", "hkma_hktw", "taiwanese"} {
				b.Run(preset, func(b *testing.B) {
					spec, err := observe.Lookup(name)
					if err != nil {
						b.Fatal(err)
					}
					r := load(b, preset)
					points := positions(b, r, &eagers, 7, 256)
					e, dst := spec.NewEncoder(), make([][]byte, len(spec.Tensors))
					views := make([]sim.View, len(points))
					for i := range points {
						views[i] = points[i].table.View(points[i].player)
					}
					b.ReportAllocs()
					for i := 0; b.Loop(); i++ {
						for j := range dst {
							dst[j] = dst[j][:0]
						}
						n := i % len(points)
						e.Append(dst, views[n], &points[n].history)
					}
					size := 0
					for _, d := range dst {
						size += len(d)
					}
					b.ReportMetric(float64(size), "bytes")
				})
			}
		})
	}
}
