// Command browser is the program inside a page that needs no server: the worker of the page calls its
// function serve, and it calls the worker's function reply with the parts of the answer.
//
//	GOOS=js GOARCH=wasm go build -ldflags='-s -w' -o sparrowhall.wasm ./cmd/browser
//
// The verb site of sparrowhall makes the page. Its last reply to a request has no text.
package main

import (
	"context"
	"runtime/debug"
	"syscall/js"

	"github.com/sparrowhall/sparrowhall/internal/browser"
)

func main() {
	// The browser gives the program one thread, so a collection stops the table. There is memory for few.
	debug.SetGCPercent(400)
	p := browser.Program{Fault: func(err error) { js.Global().Call("fault", err.Error()) }}
	js.Global().Set("serve", js.FuncOf(func(_ js.Value, args []js.Value) any {
		number := args[0]
		r := browser.Request{Path: args[1].String(), Key: args[2].String(), Body: args[3].String(), Last: int64(args[4].Float())}
		go func() {
			p.Serve(context.Background(), r, func(status int, text string) {
				js.Global().Call("reply", number, status, text)
			})
			js.Global().Call("reply", number, 0, js.Null())
		}()
		return nil
	}))
	js.Global().Call("ready")
	select {} // calls of serve go on
}
