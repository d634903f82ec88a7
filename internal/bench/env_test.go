package bench

import (
	"testing"
	"time"
)

func TestMeasureEnv(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		f, err := MeasureEnv(t.Context(), network, "ema_2016", "planes", 64, 40*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if f.DecisionsPerSecond <= 0 || f.BytesPerDecision < 100 || f.BarePerSecond <= 0 {
			t.Errorf("%s: %+v", network, f)
		}
		if f.AllocationsPerDecision > 5 {
			t.Errorf("%s: %v allocations a decision at 64 tables", network, f.AllocationsPerDecision)
		}
	}
}

// BenchmarkEnv is the environment with 1,024 tables: one iteration is a whole
// measurement.
func BenchmarkEnv(b *testing.B) {
	for _, network := range []string{"tcp", "unix"} {
		b.Run(network, func(b *testing.B) {
			for b.Loop() {
				f, err := MeasureEnv(b.Context(), network, "ema_2016", "planes", 1024, 2*time.Second)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(f.DecisionsPerSecond, "decisions/s")
				b.ReportMetric(f.BytesPerDecision, "B/decision")
				b.ReportMetric(f.AllocationsPerDecision, "allocs/decision")
				b.ReportMetric(100*f.OfBare, "%bare")
			}
		})
	}
}
