package away

import (
	"io"
	"maps"
	"slices"
	"strings"
)

// Protocols are those that are spoken by lines.
var Protocols = map[string]func(*Seat, io.Reader, io.Writer) error{
	"mjai":    func(s *Seat, in io.Reader, out io.Writer) error { return MJAI(s, in, out, "default") },
	"botzone": Botzone,
	"majiang": Majiang,
}

// ProtocolNames returns the names of Protocols for a message.
func ProtocolNames() string { return strings.Join(slices.Sorted(maps.Keys(Protocols)), ", ") }
