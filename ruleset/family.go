package ruleset

import (
	"fmt"
	"sync"
)

// Family is a rule family: what a configuration file of it may say. Adding a
// family is a package with one of these and a line in package configs.
type Family struct {
	// Name is what a file's family key says.
	Name string
	// New returns a configuration with every knob at its zero value.
	New func() Config
	// Undefined explains, by key, knobs that the family's rule text mentions
	// but that a ruleset cannot have, and why.
	Undefined map[string]string

	// What its knobs are is read from the tags of its configuration once.
	described sync.Once
	fields    []field
}

// Config is the knobs of one family: a pointer to a struct that embeds Flow and
// adds the family's own fields, all with knob tags.
type Config interface {
	// Common returns the embedded Flow.
	Common() *Flow
	// Check returns every contradiction between knobs, each naming the key that
	// should change; nil if there is none. Ranges and words have been checked
	// before.
	Check() []Problem
	// Compile returns the scorer for the knobs.
	Compile() Scorer
}

// Problem is something wrong with one knob.
type Problem struct {
	// Key is the name of the knob in a file.
	Key string
	// Message says what is wrong with its value, and what is allowed.
	Message string
}

// Problems collects what is wrong with a configuration.
type Problems []Problem

// Need records that the knob of a key must be as the message says, unless ok.
func (p *Problems) Need(ok bool, key, format string, args ...any) {
	if !ok {
		*p = append(*p, Problem{Key: key, Message: fmt.Sprintf(format, args...)})
	}
}
