package tables

import "fmt"

// Code is the kind of a Refusal. Its values are those of ErrorCode in the protocol.
type Code int32

// The kinds of refusals of this package.
const (
	BadObservation Code = 5
	BadOption      Code = 6
	BadLength      Code = 8
	UnknownTable   Code = 9
	UnknownPlayer  Code = 10
	NotAsked       Code = 11
	StaleStep      Code = 12
	IllegalAction  Code = 13
	Duplicate      Code = 14
	NotWaiting     Code = 17
)

// Refusal is why a request was not carried out. A refused request has changed nothing.
type Refusal struct {
	// Code is the kind.
	Code Code
	// Reason is the reason and the remedy, for people.
	Reason string
	// Row, Table and Player are at fault; -1 for none.
	Row, Table, Player int
}

// Error returns the reason.
func (r *Refusal) Error() string { return "env: " + r.Reason }

// Refuse returns a refusal of a whole request.
func Refuse(code Code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Reason: fmt.Sprintf(format, args...), Row: -1, Table: -1, Player: -1}
}

// AtRow sets the row at fault.
func (r *Refusal) AtRow(row int) *Refusal {
	r.Row = row
	return r
}

// AtTable sets the table at fault.
func (r *Refusal) AtTable(table uint32) *Refusal {
	r.Table = int(table)
	return r
}

// AtPlayer sets the table and the player at fault.
func (r *Refusal) AtPlayer(table uint32, player uint8) *Refusal {
	r.Player = int(player)
	return r.AtTable(table)
}
