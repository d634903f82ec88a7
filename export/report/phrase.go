package report

import "strings"

// phrase tells in words that a figure has changed. The sentence has "%" where the
// amount stands, "@" for whom it is of, and "{more|less}" where it depends on the
// direction; noun is what did not change where it did not.
type phrase struct{ sentence, noun string }

// phrases are the figures that answers speak of. What they leave out either follows
// from these or is told by tables.
var phrases = map[[2]string]phrase{
	{sectionMatch, "hands"}:              {"matches last % {longer|shorter}", "length of matches"},
	{sectionMatch, "lead"}:               {"the first ends % {further|less far} ahead of the second", "lead of the first at the end"},
	{sectionMatch, "spread"}:             {"the first and the last end % {further apart|closer together}", "points between first and last"},
	{sectionMatch, "lead_changes"}:       {"the lead passes to another % {more|less} often a match", "changes of the lead"},
	{sectionMatch, "last_hand_decides"}:  {"the last hand decides % {more|less} often", "how often the last hand decides"},
	{sectionMatch, "comeback_from_last"}: {"the last at half-time wins % {more|less} often", "comebacks from the last place"},
	{sectionMatch, "wire_to_wire"}:       {"one player leads all the way % {more|less} often", "matches led all the way"},
	{sectionMatch, "truncated"}:          {"matches are cut off % {more|less} often", "matches cut off"},
	{sectionSeat, "points"}:              {"who starts @ ends with % {more|less}", "points of who starts @"},
	{sectionSeat, "rank"}:                {"who starts @ comes % {lower|higher}", "rank of who starts @"},
	{sectionDealer, "first_mover_edge"}:  {"the first mover's edge in wins is % {larger|smaller}", "first mover's edge in wins"},
	{sectionDealer, "points_edge"}:       {"the first mover's edge is % a hand {larger|smaller}", "first mover's edge in points"},
	{sectionDealer, "stays"}:             {"the dealer deals again % {more|less} often", "how often the dealer deals again"},
	{sectionHand, "won"}:                 {"hands are won % {more|less} often", "how often hands are won"},
	{sectionHand, "aborted"}:             {"hands are broken off % {more|less} often", "abortive draws"},
	{sectionHand, "self_draw"}:           {"hands are won by self-draw % {more|less} often", "hands won by self-draw"},
	{sectionHand, "discard"}:             {"hands are won on a discard % {more|less} often", "hands won on a discard"},
	{sectionHand, "rob"}:                 {"kans are robbed in % {more|fewer} of the hands", "kans robbed"},
	{sectionHand, "flower"}:              {"hands are won by flowers alone % {more|less} often", "hands won by flowers alone"},
	{sectionHand, "several_winners"}:     {"several players win a hand % {more|less} often", "hands with several winners"},
	{sectionHand, "discards"}:            {"hands last % {longer|shorter}", "length of hands"},
	{sectionHand, "ready"}:               {"players declare ready % {more|less} often", "how often players declare ready"},
	{sectionHand, "open"}:                {"players call % {more|less} often", "how often players call"},
	{sectionWin, "value"}:                {"wins are worth % {more|less}", "value of wins"},
	{sectionWin, "value_self_draw"}:      {"wins by self-draw are worth % {more|less}", "value of wins by self-draw"},
	{sectionWin, "value_discard"}:        {"wins on a discard are worth % {more|less}", "value of wins on a discard"},
	{sectionWin, "turns"}:                {"wins come % {later|earlier}", "turn of wins"},
	{sectionWin, "open"}:                 {"the winner has called % {more|less} often", "wins after a call"},
	{sectionWin, "value_open"}:           {"wins after a call are worth % {more|less}", "value of wins after a call"},
	{sectionWin, "ready"}:                {"the winner has declared ready % {more|less} often", "wins after ready"},
	{sectionWin, "value_ready"}:          {"wins after ready are worth % {more|less}", "value of wins after ready"},
	{sectionWin, "value_silent"}:         {"silent wins are worth % {more|less}", "value of silent wins"},
	{sectionAgent, "placement"}:          {"@ scores % {more|less}", "placement points of @"},
	{sectionAgent, "points"}:             {"@ ends with % {more|less}", "points of @"},
	{sectionAgent, "rank"}:               {"@ comes % {lower|higher}", "rank of @"},
	{sectionAgent, "win"}:                {"@ wins % {more|less} of the hands", "wins of @"},
	{sectionAgent, "deal_in"}:            {"@ gives the winning tile % {more|less} often", "deal-ins of @"},
	{sectionAgent, "ready"}:              {"@ declares ready % {more|less} often", "how often @ declares ready"},
	{sectionAgent, "call"}:               {"@ calls % {more|less} often", "how often @ calls"},
	{sectionPattern, "frequency"}:        {"@ is in % {more|fewer} of the wins", "wins with @"},
	{sectionLedger, "awards"}:            {"% {more|less} a hand is paid in mid-hand", "what is paid in mid-hand"},
	{sectionLedger, "owed"}:              {"% {more|less} is owed after a hand", "what is owed"},
}

func phraseOf(k Key) (phrase, bool) {
	p, ok := phrases[[2]string{k.Section, k.Name}]
	return p, ok
}

// of names the figure where it is said that it did not change.
func (p phrase) of(k Key) string { return strings.ReplaceAll(p.noun, "@", k.whom()) }

// whom names what a figure is of in a sentence.
func (k Key) whom() string {
	if k.Section == sectionSeat && k.Of != "" {
		return strings.ToUpper(k.Of[:1]) + k.Of[1:]
	}
	return k.Of
}

// say returns the sentence for an amount, which is up if it is more.
func (p phrase) say(k Key, amount string, up bool) string {
	text := p.sentence
	if before, rest, ok := strings.Cut(text, "{"); ok {
		ways, after, _ := strings.Cut(rest, "}")
		more, less, _ := strings.Cut(ways, "|")
		if !up {
			more = less
		}
		text = before + more + after
	}
	return strings.ReplaceAll(strings.Replace(text, "%", amount, 1), "@", k.whom())
}
