// Package heuristic holds the players that go by rules of thumb: random,
// tsumogiri, greedy and value. docs/agents.md tells how they play. Results are
// published against them, so their play stays as it is.
package heuristic
