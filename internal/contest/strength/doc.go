// Package strength rates agents by the matches of duplicate sets: in tournaments, leagues and
// suites.
//
// # The idea
//
// A match is a ranking, and a ranking is a series of choices: of the first among all, of the second
// among the others and so on. In the model of Plackett and Luce an agent is chosen with a
// probability proportional to the exponential of its strength. One fit finds all strengths at once,
// so agents that never met are on one scale.
//
// Matches on the same walls are not independent, so no figure counts matches as evidence: every
// interval comes from the spread of duplicate sets, by Student's t. There is one model, one fit and
// one covariance, so that the same matches have the same ratings and intervals wherever they are
// printed.
//
//	p, err := strength.NewPool(agents)
//	p.Add(p.Sets(), set) // for each duplicate set
//	ratings, err := p.Fit()
//	fmt.Println(ratings.Rating(0).Text(0), ratings.Difference(0, 1).Text(0))
//
// # Main types
//
//   - [Pool] has the matches, [Ratings] the result of its fit. A league adds to a pool as it grows,
//     and a suite fixes the ratings of its opponents by [Pool.Fix].
//   - [HeadToHead] has the results of pairs and the [State] of each: only a pair that is compared
//     has an interval and an order.
//   - [Contest] plays a tournament, which a [Tally] counts. A [Stopper] may end it early: a [Trial]
//     of two agents, or a [Leader] that is clear of all others.
//   - [Standings] are the figures of a tournament, [Result] adds what was played, as text and JSON,
//     and [Page] shows it in a browser.
//
// # Duties of the caller
//
//   - Number the clusters of a pool so that all matches on the same walls are in one. Apart, they
//     make intervals too narrow.
//   - Give a Tally, a Trial and a Contest the matches in their order, from the first of a duplicate
//     set on.
//   - Pass luck whose mean is zero whatever the agents do, as that of internal/insight/luck.
//     Anything else biases the ratings.
//   - Look at a Stopper at the numbers of matches that it names, and at no others. Looks that are
//     chosen by the results make its error rate higher than stated.
//   - Print the State of a pair that is not compared instead of an order. A fixed rating counts as
//     exact.
//   - The types are for one goroutine. [Contest.Play] plays in parallel and adds in order.
//
// Figures are floating-point numbers, added in the order of the matches, so they are the same for
// any number of workers.
//
// Example in example_test.go rates three agents. docs/contests.md describes the figures.
package strength
