// Package watch is the guard of a program, on Linux: what package guard starts, this
// executable under another name, before anything else of it runs. It imports
// nothing that would have to be set up first, so paths are joined by hand.
package watch
