// Package experiment plays rulesets by line-ups of agents over walls, and keeps what it has
// played. A sweep, a balance, a tuning of rulesets and the adaptation of an agent are plans of
// this package.
//
// # The idea
//
// A [Cell] is one ruleset, one [Lineup] and the walls of its run. All cells of a line-up have the
// same walls (common random numbers), so rulesets differ by their rules and not by luck. What a
// cell plays depends on the cell alone. So it can be kept, played by any machine, and played again
// with the same bytes.
//
//	plan := &experiment.Plan{Dir: "runs/sweep", Rulesets: rulesets, Lineups: lineups, NewAgent: agents.New, Workers: 2, Progress: progress}
//	matches, err := plan.Create()
//	err = plan.Play(ctx)
//	results, err := stats.Collect(ctx, plan.Cells[0].Dirs(), nil, nil)
//
// # Main types
//
//   - [Plan] keeps its cells as datasets, in a folder for each. [Plan.Adapt] adds agents that are
//     tuned for each ruleset.
//   - [Parts] keeps partial figures of cells instead, where matches are not needed: a tuning of
//     rulesets plays thousands of cells. [stats.Join] joins them to the figures of one dataset, to
//     the last bit.
//   - [Shards] finds the datasets that several machines have played, for [dataset.Merge].
//
// Both ways keep the same promises. What is there is not played again, so the same command
// continues an interrupted one. What another plan has written is refused. A shard is the same
// division of the walls ([dataset.Run.Shard]), and what is joined from shards has the bytes of one
// machine.
//
// # Duties of the caller
//
//   - Set Workers and Progress, call Adapt before Create and Create before Play.
//   - Use NewAgent and Lineup.NewAgent that return an agent of its own each time: workers play at
//     the same time.
//   - Describe to [OpenParts] all that decides the parts. A difference that is not in the
//     description is found at the earliest when they are joined.
//   - Give machines that share a folder of parts a different Shard each, and a Wait, or expect
//     [ErrWaiting]. It is no failure: the same call succeeds when the other shards are done.
//   - Set Force only for a folder whose results may be lost.
//
// Example in example_test.go compares two rulesets. docs/reports.md describes the figures.
package experiment
