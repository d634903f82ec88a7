//go:build !js && !program

package browser

import "embed"

// released is the program for browsers of a release; there is none in a clone.
var released *embed.FS
