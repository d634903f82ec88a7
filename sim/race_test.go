//go:build race

package sim_test

// Under the race detector a sync.Pool drops some of what it is given.
func init() { poolsKeep = false }
