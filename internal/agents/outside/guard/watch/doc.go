// Package watch is the guard process of package guard on Linux. It runs in the init function
// of this executable, before the rest is initialised, and so imports nothing that must be
// initialised first; paths are joined by hand.
package watch
