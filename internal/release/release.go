// Package release has the version of what is built from this module.
//
//	fmt.Println(release.Version)
package release

import (
	"fmt"
	"strings"
)

// Version is that of the program, of its library and of the Python package, which refuses
// those of another version.
const Version = "0.1.0"

// Made returns what made a page, for its foot: the version of the program, that of its engine, and parts such as
// [Rules], seeds and commands.
func Made(engine int, parts ...string) string {
	return strings.Join(append([]string{fmt.Sprintf("sparrowhall %s, engine %d", Version, engine)}, parts...), " · ")
}

// Rules names a ruleset by its name and the start of its hash in hexadecimal.
func Rules(name, hash string) string { return fmt.Sprintf("%s %.16s", name, hash) }
