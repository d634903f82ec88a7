package env

import (
	"fmt"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// refusal is why a request was not carried out. A session that refuses a request
// has changed nothing.
type refusal struct {
	code   envv1.ErrorCode
	reason string
	// row, table and player are -1 where none is at fault.
	row, table, player int
}

func (r *refusal) Error() string { return "env: " + r.reason }

// proto returns the refusal as the wire has it.
func (r *refusal) proto() *envv1.Error {
	e := &envv1.Error{Code: r.code, Message: r.reason}
	for _, f := range [...]struct {
		n  int
		to **uint32
	}{{r.row, &e.Row}, {r.table, &e.Table}, {r.player, &e.Player}} {
		if f.n >= 0 {
			n := uint32(f.n)
			*f.to = &n
		}
	}
	return e
}

// refuse returns a refusal of a whole request.
func refuse(code envv1.ErrorCode, format string, args ...any) *refusal {
	return &refusal{code: code, reason: fmt.Sprintf(format, args...), row: -1, table: -1, player: -1}
}

// at says which row of the request is at fault.
func (r *refusal) at(row int) *refusal {
	r.row = row
	return r
}

// of says which table the refusal is about.
func (r *refusal) of(table uint32) *refusal {
	r.table = int(table)
	return r
}

// by says which player the refusal is about.
func (r *refusal) by(player uint32) *refusal {
	r.player = int(player)
	return r
}
