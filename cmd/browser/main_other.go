//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "browser: runs in a page alone; build it with GOOS=js GOARCH=wasm")
	os.Exit(1)
}
