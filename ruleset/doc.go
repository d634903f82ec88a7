// Package ruleset defines the rules of a game of mahjong as plain data.
//
// # The idea
//
// One state machine, package sim, plays all families. What differs in the flow of a hand is a
// knob that it reads: [Flow]. What truly differs is supplied by the family behind an interface:
// [Scorer] answers which shapes win, what a hand is worth, and who pays whom. [Rules] is both
// together. Packages configs and those below this one make them:
//
//	rules, err := configs.Load("ema_2016")
//	rules.Value(&win, &value) // value.Points, value.Patterns
//	rules.Settle(&settlement) // settlement.Payments
//
// # Main types
//
//   - [Rules] is one ruleset, complete and checked, [Flow] its knobs for the table.
//   - [Win] is a complete hand and how it was won, [Value] what it is worth.
//   - [Settlement] is the winners of a hand and the payments, [Ledger] debts that outlast it.
//   - [Final] ranks the players at the end of a match.
//   - [Pattern] names an element of value: a yaku, a fan, a tai.
//
// # Duties of the caller
//
//   - Rules are never changed once made. Any number of tables and goroutines share them.
//   - Amounts are integers in units of [Flow.Unit]: one point, or half of one.
//   - Chairs are counted from the first dealer of a round. Which player sits there is the table's
//     business.
//   - With three players arrays of [NumPlayers] keep their length; [Flow.NumSeats] says how many of
//     their elements count.
//   - The Scorer's methods allocate nothing and depend on their arguments alone. A new family must
//     keep that, since they run at every decision.
//
// ExampleKnob_Set in this package changes a knob; ExampleScore in package cases scores a hand.
package ruleset
