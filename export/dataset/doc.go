// Package dataset writes matches as datasets, reads them, and verifies them by replaying every
// match.
//
// # The idea
//
// A dataset is a folder with a manifest and numbered Arrow files of the tables in export/schema.
// Its bytes depend on the [Run] alone: rules, seed, agents, number of matches and tables, not on
// time, place or the number of workers. A file gets its name once it is whole, and the manifest
// lists it after that. So whenever the program ends, the manifest lists whole files only, and the
// same run continues after them. A journal keeps the matches of slow players that are in no whole
// file yet.
//
//	w, err := dataset.Create(dir, run, false)
//	err = w.Play(ctx, &sim.Job{NewAgent: newAgent, Workers: 2})
//
//	d, err := dataset.Open(dir)
//	for row, err := range d.MatchRows() { ... }
//	m, err := d.Match(12) // replays match 12
//
// # Main types
//
//   - [Run] is what decides the bytes, [Manifest] its record in the folder.
//   - [Writer] writes, [Block] collects the rows of the matches that are appended together.
//   - [Dataset] reads rows and replays matches.
//
// # Duties of the caller
//
//   - One Writer to a folder: a second one gets [ErrLocked]. Any number of goroutines may fill
//     blocks; the methods of the Writer are for one.
//   - Append blocks in the order of their matches, and Close the Writer whatever happened.
//     [Writer.Play] does both.
//   - Pass [Writer.Journal] to the job where agents are slow, or their matches in unfinished files
//     are lost when the program ends.
//   - Check the error of each row. It names the file and row, and nothing follows it.
//   - Rows are checked in themselves as they are read. Only [Dataset.Verify] shows that they are
//     what the rules make of the actions.
//
// ExampleOpen in example_test.go reads a dataset. docs/datasets.md describes the files.
package dataset
