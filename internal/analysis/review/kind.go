package review

import "github.com/sparrowhall/sparrowhall/ruleset"

// Kind is what a decision is about.
type Kind uint8

// The kinds of decisions.
const (
	Efficiency Kind = iota // discards that make the hand slower or cheaper
	Defense                // discards whose danger outweighs what the hand gains or loses
	Calls                  // calls, kans and passing on them
	Ready                  // declaring ready or not, riichi among them
	Wins                   // winning or passing a win
	Placement              // choices that cost places at the end and no points to speak of
	Others                 // all else, such as abortive draws
	numKinds
)

// String returns the name of the kind.
func (k Kind) String() string {
	return [...]string{"efficiency", "defense", "calls", "ready", "wins", "placement", "others"}[k]
}

// MarshalText returns the name of the kind.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Title returns the name of the kind under the rules, where declaring ready may be riichi.
func (k Kind) Title(r *ruleset.Rules) string {
	if k == Ready && r.Ready == ruleset.Riichi {
		return "riichi"
	}
	return k.String()
}
