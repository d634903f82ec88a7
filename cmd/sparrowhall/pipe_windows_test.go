package main

import "testing"

// makePipe makes nothing: folders of Windows have no pipes.
func makePipe(*testing.T, string) {}
