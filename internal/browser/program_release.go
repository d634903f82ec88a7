//go:build !js && program

package browser

import "embed"

//go:embed program
var embedded embed.FS

// program is the program for browsers, which .ci/browser has built.
var program = &embedded
