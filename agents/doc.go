// Package agents is the registry of players by name: the built-in ones, neural networks, and
// bridges to programs outside.
//
// # The idea
//
// A spec names a player, with options after a colon. [New] checks it once and returns a
// constructor, so that a mistake shows before the first match, and each seat gets a player of its
// own:
//
//	newAgent, err := agents.New("value:defence=off")
//	seats := [sim.NumPlayers]sim.Agent{newAgent(), newAgent(), newAgent(), newAgent()}
//	match := sim.Match{Seed: 1}
//	match.Play(rules, &seats)
//
// [Names] lists the built-in players, [Outside] networks and bridges. docs/agents.md describes
// their options and strength.
//
// # Duties of the caller
//
//   - An agent is for one seat and one goroutine at a time: it keeps scratch memory and caches. It
//     may go from match to match, under other rules too. [Share] lets many matches take turns
//     with a few agents.
//   - What comes from clients goes through [NewServed] or [NewServedNetworks]. New reads files and
//     starts programs that a spec names.
//   - The answer of an agent is checked where it plays, not here: an illegal one forfeits.
//
// # Promises
//
// The play of random, tsumogiri, greedy, value and expert-1 does not move under a given engine,
// since results are cited against them: testdata/signatures.txt has a hash of it for each preset.
// An answer depends on the view and on the stream of the decision alone, so a match is the same
// wherever it is played.
//
// Example in example_test.go writes an agent and plays it. docs/contributing/agent.md describes how
// to add one to the registry.
package agents
