//go:build !js && program

package browser

import "embed"

//go:embed program
var embedded embed.FS

// released is the program for browsers, which .ci/browser has built.
var released = &embedded
