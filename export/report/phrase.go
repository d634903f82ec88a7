package report

import (
	"strings"

	"github.com/sparrowhall/sparrowhall/export/stats"
)

// phrase has the words for a figure. In the sentence on its change, "%" is replaced by the
// amount, "@" by the seat, agent or pattern, and "{more|less}" by the alternative for the
// direction. noun names the figure where it did not change.
type phrase struct{ sentence, noun string }

// phrases are the phrases by section and name of the figure. Answers leave out all other
// figures; the tables of a report have them.
var phrases = map[[2]string]phrase{
	{stats.SectionMatch, "hands"}:              {"matches last % {longer|shorter}", "length of matches"},
	{stats.SectionMatch, "lead"}:               {"the first ends % {further|less far} ahead of the second", "lead of the first at the end"},
	{stats.SectionMatch, "spread"}:             {"the first and the last end % {further apart|closer together}", "points between first and last"},
	{stats.SectionMatch, "lead_changes"}:       {"the lead passes to another % {more|less} often a match", "changes of the lead"},
	{stats.SectionMatch, "last_hand_decides"}:  {"the last hand decides % {more|less} often", "how often the last hand decides"},
	{stats.SectionMatch, "comeback_from_last"}: {"the last at half-time wins % {more|less} often", "comebacks from the last place"},
	{stats.SectionMatch, "wire_to_wire"}:       {"one player leads all the way % {more|less} often", "matches led all the way"},
	{stats.SectionMatch, "truncated"}:          {"matches are cut off % {more|less} often", "matches cut off"},
	{stats.SectionSeat, "points"}:              {"who starts @ ends with % {more|less}", "points of who starts @"},
	{stats.SectionSeat, "rank"}:                {"who starts @ comes % {lower|higher}", "rank of who starts @"},
	{stats.SectionDealer, "first_mover_edge"}:  {"the first mover's edge in wins is % {larger|smaller}", "first mover's edge in wins"},
	{stats.SectionDealer, "points_edge"}:       {"the first mover's edge is % a hand {larger|smaller}", "first mover's edge in points"},
	{stats.SectionDealer, "stays"}:             {"the dealer deals again % {more|less} often", "how often the dealer deals again"},
	{stats.SectionHand, "won"}:                 {"hands are won % {more|less} often", "how often hands are won"},
	{stats.SectionHand, "aborted"}:             {"hands are broken off % {more|less} often", "abortive draws"},
	{stats.SectionHand, "self_draw"}:           {"hands are won by self-draw % {more|less} often", "hands won by self-draw"},
	{stats.SectionHand, "discard"}:             {"hands are won on a discard % {more|less} often", "hands won on a discard"},
	{stats.SectionHand, "rob"}:                 {"kans are robbed in % {more|fewer} of the hands", "kans robbed"},
	{stats.SectionHand, "flower"}:              {"hands are won by flowers alone % {more|less} often", "hands won by flowers alone"},
	{stats.SectionHand, "several_winners"}:     {"several players win a hand % {more|less} often", "hands with several winners"},
	{stats.SectionHand, "discards"}:            {"hands last % {longer|shorter}", "length of hands"},
	{stats.SectionHand, "ready"}:               {"players declare ready % {more|less} often", "how often players declare ready"},
	{stats.SectionHand, "open"}:                {"players call % {more|less} often", "how often players call"},
	{stats.SectionWin, "value"}:                {"wins are worth % {more|less}", "value of wins"},
	{stats.SectionWin, "value_self_draw"}:      {"wins by self-draw are worth % {more|less}", "value of wins by self-draw"},
	{stats.SectionWin, "value_discard"}:        {"wins on a discard are worth % {more|less}", "value of wins on a discard"},
	{stats.SectionWin, "turns"}:                {"wins come % {later|earlier}", "turn of wins"},
	{stats.SectionWin, "open"}:                 {"the winner has called % {more|less} often", "wins after a call"},
	{stats.SectionWin, "value_open"}:           {"wins after a call are worth % {more|less}", "value of wins after a call"},
	{stats.SectionWin, "ready"}:                {"the winner has declared ready % {more|less} often", "wins after ready"},
	{stats.SectionWin, "value_ready"}:          {"wins after ready are worth % {more|less}", "value of wins after ready"},
	{stats.SectionWin, "value_silent"}:         {"silent wins are worth % {more|less}", "value of silent wins"},
	{stats.SectionAgent, "placement"}:          {"@ scores % {more|less}", "placement points of @"},
	{stats.SectionAgent, "points"}:             {"@ ends with % {more|less}", "points of @"},
	{stats.SectionAgent, "rank"}:               {"@ comes % {lower|higher}", "rank of @"},
	{stats.SectionAgent, "win"}:                {"@ wins % {more|less} of the hands", "wins of @"},
	{stats.SectionAgent, "deal_in"}:            {"@ gives the winning tile % {more|less} often", "deal-ins of @"},
	{stats.SectionAgent, "ready"}:              {"@ declares ready % {more|less} often", "how often @ declares ready"},
	{stats.SectionAgent, "call"}:               {"@ calls % {more|less} often", "how often @ calls"},
	{stats.SectionPattern, "frequency"}:        {"@ is in % {more|fewer} of the wins", "wins with @"},
	{stats.SectionLedger, "awards"}:            {"% {more|less} a hand is paid in mid-hand", "what is paid in mid-hand"},
	{stats.SectionLedger, "owed"}:              {"% {more|less} is owed after a hand", "what is owed"},
}

func phraseOf(k stats.Key) (phrase, bool) {
	p, ok := phrases[[2]string{k.Section, k.Name}]
	return p, ok
}

// nounOf returns the noun for a figure.
func (p phrase) nounOf(k stats.Key) string { return strings.ReplaceAll(p.noun, "@", subject(k)) }

// subject returns the seat, agent or pattern of a figure as in a sentence.
func subject(k stats.Key) string {
	if k.Section == stats.SectionSeat && k.Of != "" {
		return strings.ToUpper(k.Of[:1]) + k.Of[1:]
	}
	return k.Of
}

// sentenceOf returns the sentence for a change of a figure by an amount, an increase if up is
// set.
func (p phrase) sentenceOf(k stats.Key, amount string, up bool) string {
	text := p.sentence
	if before, rest, ok := strings.Cut(text, "{"); ok {
		ways, after, _ := strings.Cut(rest, "}")
		more, less, _ := strings.Cut(ways, "|")
		if !up {
			more = less
		}
		text = before + more + after
	}
	return strings.ReplaceAll(strings.Replace(text, "%", amount, 1), "@", subject(k))
}
