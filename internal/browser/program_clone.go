//go:build !js && !program

package browser

import "embed"

// program is the program for browsers of a release; there is none in a clone.
var program *embed.FS
