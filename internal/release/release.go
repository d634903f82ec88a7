// Package release has the version of what is built from this module.
//
//	fmt.Println(release.Version)
package release

// Version is that of the program, of its library and of the Python package, which refuses
// those of another version.
const Version = "0.1.0"
