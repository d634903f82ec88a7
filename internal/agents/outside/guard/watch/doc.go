// Package watch is the guard process of package guard on Linux. It runs in the init function
// of this executable, before the rest is initialized, and so imports nothing that must be
// initialized first; paths are joined by hand.
package watch
