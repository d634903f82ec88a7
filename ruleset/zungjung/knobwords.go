package zungjung

// This file lists the words of the knobs that have words, one row for each: the
// constant, the word in files, and what it means. The program reads the rows by
// ruleset.RegisterWords, to read and write files and to fill docs/knobs.md.

// Exclusion is a value of the knob pattern_exclusion.
type Exclusion uint8

const (
	BySeries   Exclusion = iota // series: of each series, such as 4.2
	ByCategory                  // category: of each category, such as 4
)

// PayoffScheme is a value of the knob payoff_scheme.
type PayoffScheme uint8

const (
	Competition  PayoffScheme = iota // competition: the giver pays what the others save beyond the par score
	Uniform                          // uniform: all pay the same
	DiscarderAll                     // discarder_all: the giver pays for all
)
