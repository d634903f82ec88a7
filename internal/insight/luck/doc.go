// Package luck separates luck from play: it computes a control variate for the results of
// matches whose tiles are all known.
//
// # The idea
//
// A value function V estimates what every player can expect to gain in the rest of a hand, from
// the four hands and without the order of the wall. The luck of a random tile is V after that
// tile minus the mean of V over all tiles that could have come, with their true odds. Its mean is
// zero whatever V is, so points minus luck have the same mean as points: V decides only how much
// less they vary. This is AIVAT (Burch, Schmid, Moravčík, Morrill and Bowling, AIVAT: A New
// Variance Reduction Technique for Agent Evaluation in Imperfect Information Games, AAAI 2018)
// for a game whose hidden tiles are known afterwards. It does not need the players' strategies.
//
// Chance acts at three places: a draw, an indicator, and the deal. The deal is compared with the
// other ways to give the same hands to the players, since the mean over all deals cannot be
// enumerated. What players choose is play and never luck.
//
// # Main types
//
//   - [State] follows a match by its events: all hands, and the pool of tiles still to come.
//   - [ValueFunction] is V: a network, a fast linear function, and the weights that blend them.
//     [ValueFunctionFor] returns the embedded one for the family of the rules.
//   - [ControlVariate] measures luck by the blend, [LinearControlVariate] by the linear function
//     alone, which takes a small part of the time and explains less.
//   - [Points] is luck in 1/[Unit] of a unit of points.
//
// V has to predict what players discard. [ControlVariate.SetPolicies] names the players whose
// discards can be computed; the others are predicted by a [DiscardFeatures] model that learns from
// their earlier discards.
//
// # Duties of the caller
//
//   - Every tile must be known: the events of [sim.Match], not those of a view or of a record with
//     hidden hands.
//   - FollowMatch begins a match by itself. Before Follow of the first event of another match call
//     Reset.
//   - A control variate is for one goroutine and one ruleset. A ValueFunction may be shared.
//   - Players passed to SetPolicies must answer at once, and by what they see alone.
//   - Call SetPlacement before a match, since what a point is worth in places is computed when a
//     hand begins.
//   - Do not mix luck of different values of [Version].
//
// All arithmetic is in integers, so luck is the same on every machine. An estimate may exaggerate:
// reports subtract luck times a slope that is fitted to other matches, see docs/luck.md.
//
// Example in example_test.go plays a match and subtracts the luck from its result.
// docs/research/luck.md has the fits and the proofs.
package luck
