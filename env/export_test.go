package env

import "github.com/prometheus/client_golang/prometheus"

// Collectors returns the metrics.
func (e *Env) Collectors() []prometheus.Collector { return e.metrics.collectors() }

// Drain is drain.
func (e *Env) Drain() { e.drain() }

// ErrClosed is what a closed Inline returns.
var ErrClosed = errClosed
