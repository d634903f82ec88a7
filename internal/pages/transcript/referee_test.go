package transcript_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/pages/transcript"
	"github.com/sparrowhall/sparrowhall/sim"
)

// book is what a referee of a preset knows of its payments, by the pages of the rules. Amounts are
// in points.
type book struct {
	game  string
	seats int // 4 if 0
	start int
	half  bool // points are counted in halves

	// Riichi.
	honba, noten      int
	counted, kiriage  bool
	honbaEach, ownOwn bool // honba for every winner; sticks go back to winners first
	nagashi           bool
	leftover          string
	pao               []string
	paoClosed         bool
	paoPart, paoHonba bool // the liable player covers the pattern alone; pays the honba of a win on a discard

	// Zung Jung.
	immunity bool
}

// books has the presets of docs/rulesets.md. Those of one base differ in nothing that payments
// depend on but what is written here.
var books = func() map[string]book {
	two, three := []string{"daisangen", "daisuushii"}, []string{"daisangen", "daisuushii", "suukantsu"}
	ema := book{game: "riichi", start: 30000, honba: 300, noten: 3000, honbaEach: true, ownOwn: true, leftover: "split", pao: two}
	league := book{game: "riichi", start: 30000, honba: 300, noten: 3000, kiriage: true, leftover: "split", pao: three, paoClosed: true}
	tenhou := book{game: "riichi", start: 25000, honba: 300, noten: 3000, counted: true, nagashi: true, leftover: "first", pao: two, paoClosed: true, paoHonba: true}
	all := map[string]book{
		"ema_2016": ema, "ema_2016_en": ema, "hkma_league_a": league, "tenhou": tenhou,
		"wrc":     {game: "riichi", start: 30000, honba: 300, noten: 3000, counted: true, kiriage: true, leftover: "void", pao: three, paoClosed: true, paoPart: true},
		"mleague": {game: "riichi", start: 25000, honba: 300, noten: 3000, kiriage: true, leftover: "split", pao: three, paoClosed: true, paoPart: true},

		"mcr_2006": {game: "mcr"}, "botzone": {game: "mcr"},
		"universal": {game: "zungjung"}, "zung_jung": {game: "zungjung", immunity: true},
		"hkma_hktw": {game: "hktw", half: true}, "taiwanese": {game: "taiwanese", half: true}, "hk_old_style": {game: "hkos"},
	}
	change := func(base, name string, f func(b *book)) {
		b := all[base]
		f(&b)
		all[name] = b
	}
	change("hkma_league_a", "hkma_league_b", func(b *book) { b.start = 25000 })
	change("hkma_league_a", "hkma_league_a_body", func(b *book) { b.kiriage = false })
	change("hkma_league_b", "hkma_league_b_body", func(b *book) { b.kiriage = false })
	change("tenhou", "mahjong_soul", func(b *book) { b.paoPart = true })
	for base, name := range map[string]string{"tenhou": "tenhou_sanma", "mahjong_soul": "mahjong_soul_sanma"} {
		change(base, name, func(b *book) { b.seats, b.start, b.honba, b.noten = 3, 35000, 200, 2000 })
	}
	return all
}()

// laid is a set on the table.
type laid struct {
	what, tile string
	giver      int
}

// won is a win as the text has it.
type won struct {
	player, giver int // giver -1 for a self-draw
	rob, flowers  bool
	tile          string
	patterns      []string
	counts        []int
	worth         []string
}

// discard is a discard in its order.
type discard struct {
	player  int
	tile    string
	claimed bool
}

// referee reads a transcript and computes every payment of it again. It knows nothing but the text
// and its book.
type referee struct {
	book
	dealer, repeats, sticks int
	winds                   map[int]string
	points                  []int // in halves where the book says so
	debts                   map[[2]int]int
	runs                    map[[2]int]int
	melds                   map[int][]laid
	liable                  map[int]map[string]int // by player, the giver by pattern
	flowers                 map[int]string
	grass, sets             map[int]bool
	order                   []discard
	broken                  int // discards before the last call
	tenpai, ownSticks       map[int]bool
	exhausted               bool
	wins                    []won
	want, got               []string
	net                     map[string]int
	problems                []string
	payments                int
}

var (
	handLine  = regexp.MustCompile(`^hand \d+: round [ESWN], dealer (\d)(?:, (\d+) (?:repeats?|honba))?(?:, (\d+) sticks?)?$`)
	turnLine  = regexp.MustCompile(`^  (\d) ([ESWN])  (.*)$`)
	payLine   = regexp.MustCompile(`^       (the pot|\d) pays ([\d.]+) to (the pot|\d) \((.*)\)$`)
	winText   = regexp.MustCompile(`^wins on (\w+) of (\d)`)
	callText  = regexp.MustCompile(`^(chi|pon|open kan) (\w+) of (\d) with`)
	worthLine = regexp.MustCompile(` points$`)
	deck      = regexp.MustCompile(`([a-z_\d]+) (-?\d+)`)
)

func (r *referee) fail(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// text returns points as the text has them.
func (r *referee) text(points int) string {
	if !r.half {
		return strconv.Itoa(points)
	}
	return strconv.FormatFloat(float64(points)/2, 'f', -1, 64)
}

func (r *referee) number(text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		r.fail("%q is no number", text)
	}
	if r.half {
		n *= 2
	}
	return int(n)
}

// pay expects a payment.
func (r *referee) pay(from, to, points int, reason string) {
	if points > 0 && from != to {
		r.want = append(r.want, fmt.Sprintf("%d pays %s to %d (%s)", from, r.text(points), to, reason))
	}
}

// next returns the player n seats after p.
func (r *referee) next(p, n int) int {
	seats := "ESWN"[:r.seats]
	at := seats[(strings.Index(seats, r.winds[p])+n)%r.seats]
	for q, w := range r.winds {
		if w == string(at) {
			return q
		}
	}
	r.fail("no player sits %d after %d", n, p)
	return p
}

// others returns the other players in turn.
func (r *referee) others(p int) (list []int) {
	for n := 1; n < r.seats; n++ {
		list = append(list, r.next(p, n))
	}
	return list
}

// read reads the whole text.
func (r *referee) read(text string) {
	if r.seats == 0 {
		r.seats = 4
	}
	r.points = slices.Repeat([]int{r.start}, r.seats)
	r.debts, r.runs, r.winds = map[[2]int]int{}, map[[2]int]int{}, map[int]string{}
	body, _, _ := strings.Cut(text, "\nstandings\n")
	for line := range strings.Lines(body) {
		r.line(strings.TrimRight(line, "\n"))
	}
	r.endMatch()
}

func (r *referee) line(line string) {
	switch {
	case handLine.MatchString(line):
		m := handLine.FindStringSubmatch(line)
		*r = referee{book: r.book, points: r.points, debts: r.debts, runs: r.runs, problems: r.problems, payments: r.payments}
		r.dealer, _ = strconv.Atoi(m[1])
		r.repeats, _ = strconv.Atoi(m[2])
		r.sticks, _ = strconv.Atoi(m[3])
		r.winds, r.melds, r.flowers = map[int]string{}, map[int][]laid{}, map[int]string{}
		r.liable, r.tenpai, r.ownSticks = map[int]map[string]int{}, map[int]bool{}, map[int]bool{}
		r.grass, r.sets, r.net = map[int]bool{}, map[int]bool{}, map[string]int{}
	case payLine.MatchString(line):
		m := payLine.FindStringSubmatch(line)
		n := r.number(m[2])
		for i, sign := range map[int]int{1: -1, 3: 1} {
			if m[i] != "the pot" {
				p, _ := strconv.Atoi(m[i])
				r.points[p] += sign * n
			}
		}
		r.payments++
		r.got = append(r.got, strings.TrimSpace(line))
	case strings.Contains(line, " owes ") && strings.HasPrefix(line, "       "):
		r.got = append(r.got, strings.TrimSpace(line))
	case turnLine.MatchString(line):
		m := turnLine.FindStringSubmatch(line)
		p, _ := strconv.Atoi(m[1])
		r.winds[p] = m[2]
		actions, _, _ := strings.Cut(m[3], "  ")
		for action := range strings.SplitSeq(actions, ", ") {
			r.action(p, action)
		}
	case strings.HasPrefix(line, "       the wall is exhausted"):
		r.exhausted = true
	case strings.HasPrefix(line, "       points "):
		r.endHand(line)
	case len(r.wins) > 0 && worthLine.MatchString(line):
		r.wins[len(r.wins)-1].worth = strings.Split(strings.TrimSpace(line), ", ")
	case len(r.wins) > 0 && r.wins[len(r.wins)-1].worth == nil && !strings.Contains(line, "indicator"):
		w := &r.wins[len(r.wins)-1]
		for _, m := range deck.FindAllStringSubmatch(line, -1) {
			n, _ := strconv.Atoi(m[2])
			w.patterns, w.counts = append(w.patterns, m[1]), append(w.counts, n)
		}
	}
}

func (r *referee) action(p int, action string) {
	word, rest, _ := strings.Cut(action, " ")
	switch {
	case word == "discards":
		r.order = append(r.order, discard{player: p, tile: plain(strings.TrimSuffix(rest, "*"))})
		r.chase()
	case callText.MatchString(action):
		m := callText.FindStringSubmatch(action)
		giver, _ := strconv.Atoi(m[3])
		r.order[len(r.order)-1].claimed = true
		r.broken = len(r.order)
		r.melds[p] = append(r.melds[p], laid{m[1], plain(m[2]), giver})
		r.feed(p, giver)
	case strings.HasPrefix(action, "closed kan "):
		r.melds[p] = append(r.melds[p], laid{"closed kan", plain(action[len("closed kan "):]), -1})
		if r.game == "hktw" {
			for _, q := range r.others(p) {
				r.pay(q, p, 10, "award")
			}
		}
	case strings.HasPrefix(action, "added kan "):
		for i := range r.melds[p] {
			if m := &r.melds[p][i]; m.what == "pon" && m.tile == plain(action[len("added kan "):]) {
				m.what = "added kan"
			}
		}
	case word == "flower":
		r.flower(p, rest[0])
	case action == "takes the award" && r.game == "hktw": // elsewhere it only declines the win
		if len(r.flowers[p]) == 8 {
			for _, q := range r.others(p) {
				r.pay(q, p, 80, "award")
			}
			break
		}
		for _, q := range r.others(p) {
			if len(r.flowers[q]) == 1 {
				r.pay(q, p, 60, "award")
			}
		}
	case action == "riichi", action == "double riichi":
		r.sticks++
		r.ownSticks[p] = true
		r.want = append(r.want, fmt.Sprintf("%d pays 1000 to the pot (riichi)", p))
	case action == "tenpai":
		r.tenpai[p] = true
	case word == "wins":
		w := won{player: p, giver: -1, flowers: strings.Contains(action, "flowers")}
		if m := winText.FindStringSubmatch(action); m != nil {
			w.tile = plain(m[1])
			w.giver, _ = strconv.Atoi(m[2])
		}
		r.wins = append(r.wins, w)
	case action == "robbing the kan":
		r.wins[len(r.wins)-1].rob = true
	case strings.HasPrefix(action, "robbing the eighth of "):
		r.wins[len(r.wins)-1].giver, _ = strconv.Atoi(action[len("robbing the eighth of "):])
	}
}

// plain returns a tile without its red color.
func plain(tile string) string { return strings.Replace(tile, "0", "5", 1) }

// flower pays for flowers that make a set of four numbers or one color.
func (r *referee) flower(p int, f byte) {
	r.flowers[p] += string(f)
	if r.game != "hktw" {
		return
	}
	have := func(pairs ...string) bool {
		for _, pair := range pairs {
			if !strings.ContainsAny(r.flowers[p], pair) {
				return false
			}
		}
		return true
	}
	if !r.grass[p] && have("15", "26", "37", "48") {
		r.grass[p] = true
		for _, q := range r.others(p) {
			r.pay(q, p, 5, "award")
		}
	}
	for i, set := range [][]string{{"1", "2", "3", "4"}, {"5", "6", "7", "8"}} {
		if have(set...) && !r.sets[2*p+i] {
			r.sets[2*p+i] = true
			for _, q := range r.others(p) {
				r.pay(q, p, 10, "award")
			}
		}
	}
}

// chase lets the first of four players pay who discard one kind in a row.
func (r *referee) chase() {
	if r.game != "hktw" || len(r.order)-r.broken < 4 {
		return
	}
	last := r.order[len(r.order)-4:]
	for i := 1; i < 4; i++ {
		if last[i].tile != last[0].tile || last[i].player != r.next(last[i-1].player, 1) {
			return
		}
	}
	points := 20
	if strings.ContainsAny(last[0].tile, "19z") {
		points = 10
	}
	for _, q := range r.others(last[0].player) {
		r.pay(last[0].player, q, points, "award")
	}
}

// feed notes for what the giver of the newest meld of p becomes liable.
func (r *referee) feed(p, giver int) {
	melds := r.melds[p]
	last := melds[len(melds)-1]
	if r.liable[p] == nil {
		r.liable[p] = map[string]int{}
	}
	has := func(kinds string) bool {
		if last.what == "chi" || !strings.Contains(kinds, last.tile) {
			return false
		}
		for kind := range strings.FieldsSeq(kinds) {
			if !slices.ContainsFunc(melds, func(m laid) bool {
				return m.tile == kind && m.what != "chi" && (m.what != "closed kan" || r.paoClosed)
			}) {
				return false
			}
		}
		return true
	}
	kans, open := 0, 0
	for _, m := range melds {
		if strings.HasSuffix(m.what, "kan") {
			kans++
		}
		if m.what != "closed kan" {
			open++
		}
	}
	dragons, winds := has("5z 6z 7z"), has("1z 2z 3z 4z")
	switch r.game {
	case "riichi":
		for i, is := range []bool{dragons, winds, kans == 4 && last.what == "open kan"} {
			if is && i < len(r.pao) {
				r.liable[p][r.pao[i]] = giver
			}
		}
	case "hkos":
		if _, already := r.liable[p]["all"]; !already && (open == 4 || dragons || winds) {
			r.liable[p]["all"] = giver
		}
	}
}

// settle expects the payments of the hand.
func (r *referee) settle() {
	switch r.game {
	case "riichi":
		r.settleRiichi()
	case "hktw":
		r.settlePull()
	default:
		for i := range r.wins {
			r.settleSum(&r.wins[i])
		}
	}
}

// check compares the stated worth of a win.
func (r *referee) check(w *won, want ...string) {
	if !slices.Equal(w.worth, want) {
		r.fail("player %d wins %q, the referee says %q", w.player, w.worth, want)
	}
}

func sum(list []int) (n int) {
	for _, x := range list {
		n += x
	}
	return n
}

// settleSum settles a win of a game in which a hand is worth the sum of its patterns.
func (r *referee) settleSum(w *won) {
	hand := sum(w.counts)
	dealt := func(p int) bool { return p == r.dealer || w.player == r.dealer }
	switch r.game {
	case "mcr":
		r.check(w, "minimum 8", fmt.Sprintf("%d points", hand))
		for _, p := range r.others(w.player) {
			part := hand
			if w.giver >= 0 && w.giver != p {
				part = 0
			}
			r.pay(p, w.player, 8+part, fmt.Sprintf("win: base 8, hand %d", part))
		}
	case "taiwanese":
		r.check(w, fmt.Sprintf("%d tai", hand), fmt.Sprintf("%d points", 30+10*hand))
		for _, p := range r.others(w.player) {
			if w.giver >= 0 && w.giver != p {
				continue
			}
			points, reason := 30+10*hand, fmt.Sprintf("win: base 30, hand %d", 10*hand)
			if dealt(p) {
				points += 10 * (1 + 2*r.repeats)
				reason += fmt.Sprintf(", dealer 10, streak %d", 20*r.repeats)
			}
			r.pay(p, w.player, 2*points, reason)
		}
	case "hkos":
		r.settleOldStyle(w, hand)
	case "zungjung":
		r.settleZungJung(w, hand)
	}
}

func (r *referee) settleOldStyle(w *won, hand int) {
	faan := min(hand, 10)
	share := []int{1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128}[faan]
	alone := -1
	if giver, ok := r.liable[w.player]["all"]; ok && w.giver < 0 {
		alone = giver
	}
	if w.rob {
		alone = w.giver
	}
	total := 4 * share
	if w.giver < 0 || w.rob {
		total = 6 * share
	}
	worth := []string{fmt.Sprintf("%d faan", faan)}
	if hand > 10 {
		worth = append(worth, "limit")
	}
	r.check(w, append(worth, "minimum 3", fmt.Sprintf("%d points", total))...)
	for _, p := range r.others(w.player) {
		switch {
		case alone >= 0 && w.rob:
			r.pay(alone, w.player, 2*share, "win")
		case alone >= 0:
			r.pay(alone, w.player, 2*share, "win: liability")
		case w.giver < 0:
			r.pay(p, w.player, 2*share, "win")
		case w.giver == p:
			r.pay(p, w.player, 4*share, "win")
		}
	}
}

func (r *referee) settleZungJung(w *won, hand int) {
	points := hand
	worth := []string{}
	if hand > 320 && slices.Max(w.counts) < 320 {
		points, worth = 320, append(worth, "limit")
	}
	if r.immunity && len(w.counts) == 0 {
		points = 1
	}
	responsible := w.giver
	if r.immunity && w.giver >= 0 {
		for _, d := range slices.Backward(r.order) {
			if d.tile == w.tile {
				responsible = d.player
			}
			if d.player == w.player {
				break
			}
		}
		if responsible == w.player {
			responsible = -1
		}
	}
	r.check(w, append(worth, fmt.Sprintf("%d points", points))...)
	amount := func(p, giver int) int {
		switch {
		case giver < 0:
			return points
		case giver == p:
			return 3*points - 2*min(points, 25)
		}
		return min(points, 25)
	}
	for _, p := range r.others(w.player) {
		pays := amount(p, responsible)
		reason := fmt.Sprintf("win: hand %d", pays)
		if pays != amount(p, w.giver) {
			reason = "win: same-round immunity"
		}
		r.pay(p, w.player, pays, reason)
	}
}

// settlePull enters the wins of a hand into the debts.
func (r *referee) settlePull() {
	if len(r.wins) == 0 {
		return
	}
	owed, items, winners := map[[2]int]int{}, map[[2]int]string{}, map[int]bool{}
	for i := range r.wins {
		w := &r.wins[i]
		winners[w.player] = true
		hand := sum(w.counts)
		r.check(w, fmt.Sprintf("%d points", hand))
		for _, p := range r.others(w.player) {
			if w.giver >= 0 && w.giver != p {
				continue
			}
			key := [2]int{w.player, p}
			owed[key], items[key] = hand, fmt.Sprintf("hand %d", hand)
			if (p == r.dealer || w.player == r.dealer) && !w.flowers {
				owed[key] += 1 + 2*r.repeats
				items[key] += fmt.Sprintf(", dealer 1, streak %d", 2*r.repeats)
			}
		}
	}
	for key, debt := range maps.Clone(r.debts) {
		again, wins := owed[key]
		_, won := owed[[2]int{key[1], key[0]}]
		switch {
		case wins:
			grown := (3*debt + 1) / 2
			r.debts[key] = grown + again
			r.runs[key]++
			r.want = append(r.want, fmt.Sprintf("%d owes %d %d from %d in a row: debt %d of %d, %s",
				key[1], key[0], r.debts[key], r.runs[key], grown, debt, items[key]))
			delete(owed, key)
		case won:
			r.collect(key, debt/2)
		case len(winners) == 1 && winners[key[0]]:
		default:
			r.collect(key, debt)
		}
	}
	for key, points := range owed {
		r.debts[key], r.runs[key] = points, 1
		r.want = append(r.want, fmt.Sprintf("%d owes %d %d from 1 in a row: %s", key[1], key[0], points, items[key]))
	}
}

// collect ends a debt.
func (r *referee) collect(key [2]int, points int) {
	r.pay(key[1], key[0], 2*points, fmt.Sprintf("debt: %d of %d", points, r.debts[key]))
	r.want = append(r.want, fmt.Sprintf("%d owes %d nothing now", key[1], key[0]))
	delete(r.debts, key)
}

func hundreds(points int) int { return (points + 99) / 100 * 100 }

// limits are the bases that have a name.
var limits = map[int]string{2000: "mangan", 3000: "haneman", 4000: "baiman", 6000: "sanbaiman", 8000: "counted yakuman"}

// basis returns the base of a win and the words for it.
func (r *referee) basis(w *won) (base int, words []string) {
	if n, ok := strings.CutSuffix(w.worth[0], " × yakuman"); ok {
		times, _ := strconv.Atoi(n)
		return 8000 * times, []string{w.worth[0]}
	}
	han, fu := sum(w.counts), 0
	if len(w.worth) > 1 {
		fu, _ = strconv.Atoi(strings.TrimSuffix(w.worth[1], " fu"))
	}
	base = min(fu<<(2+han), 2000)
	if han >= 5 {
		base = 2000
	}
	for _, limit := range [][2]int{{6, 3000}, {8, 4000}, {11, 6000}} {
		if han >= limit[0] {
			base = limit[1]
		}
	}
	if han >= 13 && r.counted {
		base = 8000
	}
	if base == 1920 && r.kiriage {
		base = 2000
	}
	words = []string{fmt.Sprintf("%d han", han), fmt.Sprintf("%d fu", fu)}
	if name := limits[base]; name != "" {
		words = append(words, name)
	}
	return base, words
}

// shares returns what a win of a base costs each player.
func (r *referee) shares(w *won, base int) map[int]int {
	own := map[int]int{}
	if w.giver >= 0 {
		own[w.giver] = hundreds(4 * base)
		if w.player == r.dealer {
			own[w.giver] = hundreds(6 * base)
		}
		return own
	}
	for _, p := range r.others(w.player) {
		own[p] = hundreds(base)
		if p == r.dealer || w.player == r.dealer {
			own[p] = hundreds(2 * base)
		}
	}
	return own
}

func (r *referee) settleRiichi() {
	if len(r.wins) == 0 {
		r.settleDraw()
		return
	}
	sticks := make([]int, len(r.wins))
	for i := range r.wins {
		w := &r.wins[i]
		base, words := r.basis(w)
		whole, total := r.shares(w, base), 0
		for _, n := range whole {
			total += n
		}
		r.check(w, append(words, fmt.Sprintf("%d points", total))...)
		owed, liable := maps.Clone(whole), -1
		for pattern, giver := range r.liable[w.player] {
			j := slices.Index(w.patterns, pattern)
			if j < 0 {
				continue
			}
			if liable >= 0 {
				r.fail("player %d has two liable players", w.player)
			}
			liable = giver
			part := base
			if r.paoPart {
				part = 8000 * w.counts[j]
			}
			owed = r.shares(w, base-part)
			cost := 0
			for _, n := range r.shares(w, part) {
				cost += n
			}
			if w.giver >= 0 {
				owed[w.giver] += cost / 2
				cost /= 2
			}
			owed[liable] += cost
		}
		for _, p := range r.others(w.player) {
			reason := "win"
			if owed[p] != whole[p] {
				reason = "win: liability"
			} else if w.player == r.dealer || w.giver < 0 && p == r.dealer {
				reason = "win: dealer"
			}
			r.pay(p, w.player, owed[p], reason)
		}
		r.payHonba(w, i, liable)
		if r.ownOwn && r.ownSticks[w.player] {
			sticks[i]++
			r.sticks--
		}
	}
	sticks[0] += r.sticks
	r.sticks = 0
	for i, n := range sticks {
		if n > 0 {
			r.want = append(r.want, fmt.Sprintf("the pot pays %d to %d (sticks: %d × 1000)", 1000*n, r.wins[i].player, n))
		}
	}
}

func (r *referee) payHonba(w *won, i, liable int) {
	total := r.honba * r.repeats
	each := r.honba / (r.seats - 1)
	switch {
	case r.repeats == 0, i > 0 && !r.honbaEach:
	case w.giver < 0 && liable >= 0, w.giver >= 0 && liable >= 0 && r.paoHonba:
		r.pay(liable, w.player, total, fmt.Sprintf("honba: %d × %d", r.repeats, r.honba))
	case w.giver >= 0:
		r.pay(w.giver, w.player, total, fmt.Sprintf("honba: %d × %d", r.repeats, r.honba))
	default:
		for _, p := range r.others(w.player) {
			r.pay(p, w.player, each*r.repeats, fmt.Sprintf("honba: %d × %d", r.repeats, each))
		}
	}
}

// settleDraw expects the payments at an exhausted wall. Who of two pays whom is open, so the noten
// payments are compared by player.
func (r *referee) settleDraw() {
	if !r.exhausted {
		return
	}
	river := false
	for p := range r.seats {
		own, only := 0, true
		for _, d := range r.order {
			if d.player == p {
				own++
				only = only && !d.claimed && strings.ContainsAny(d.tile, "19z")
			}
		}
		if r.nagashi && own > 0 && only {
			river = true
			for q, points := range r.shares(&won{player: p, giver: -1}, 2000) {
				r.pay(q, p, points, "nagashi")
			}
		}
	}
	if n := len(r.tenpai); !river && n > 0 && n < r.seats {
		for p := range r.seats {
			if r.tenpai[p] {
				r.net[strconv.Itoa(p)] += r.book.noten / n
			} else {
				r.net[strconv.Itoa(p)] -= r.book.noten / (r.seats - n)
			}
		}
	}
}

// compare compares the payments of the text with those of the referee.
func (r *referee) compare(where string) {
	rest := r.got[:0:0]
	for _, line := range r.got {
		if m := payLine.FindStringSubmatch("       " + line); m != nil && m[4] == "noten" {
			r.net[m[1]] += r.number(m[2])
			r.net[m[3]] -= r.number(m[2])
			continue
		}
		rest = append(rest, line)
	}
	slices.Sort(rest)
	slices.Sort(r.want)
	if !slices.Equal(rest, r.want) {
		r.fail("%s: the text has\n\t%s\nthe referee\n\t%s", where, strings.Join(rest, "\n\t"), strings.Join(r.want, "\n\t"))
	}
	for p, n := range r.net {
		if n != 0 {
			r.fail("%s: the noten payments of player %s are off by %d", where, p, n)
		}
	}
	r.got, r.want = nil, nil
}

func (r *referee) endHand(line string) {
	r.settle()
	r.compare(line)
	stated, _, _ := strings.Cut(strings.TrimPrefix(line, "       points "), ";")
	var own []string
	for _, n := range r.points {
		own = append(own, r.text(n))
	}
	if got := strings.Join(own, " "); got != stated {
		r.fail("points %s, the referee has %s", stated, got)
	}
}

// endMatch expects what is paid after the last hand.
func (r *referee) endMatch() {
	for key, debt := range maps.Clone(r.debts) {
		r.collect(key, debt)
	}
	if r.sticks > 0 && r.leftover != "void" && r.game == "riichi" {
		// The points at the end of the last hand rank the players.
		before := slices.Clone(r.points)
		for _, line := range r.got {
			m := payLine.FindStringSubmatch("       " + line)
			p, _ := strconv.Atoi(m[3])
			before[p] -= r.number(m[2])
		}
		var first []int
		for p, n := range before {
			if n == slices.Max(before) {
				first = append(first, p)
			}
		}
		if r.leftover == "first" {
			first = first[:1]
		}
		each := 1000 * r.sticks / len(first) / 100 * 100
		for i, p := range first {
			n := each
			if i == 0 {
				n = 1000*r.sticks - each*(len(first)-1)
			}
			reason := "sticks"
			if n%1000 == 0 {
				reason += fmt.Sprintf(": %d × 1000", n/1000)
			}
			r.want = append(r.want, fmt.Sprintf("the pot pays %d to %d (%s)", n, p, reason))
		}
	}
	r.compare("end of the match")
}

// TestReferee recomputes every payment of matches of every preset from the transcripts alone, by a
// second account of the rules.
func TestReferee(t *testing.T) {
	matches := 5
	if os.Getenv("SPARROWHALL_LONG") != "" {
		matches = 1000
	}
	for _, preset := range configs.Names() {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			rules, err := configs.LoadWith(preset, nil)
			if err != nil {
				t.Fatal(err)
			}
			b, ok := books[rules.Name]
			if !ok {
				t.Fatalf("the referee has no book of %s", preset)
			}
			var seated [sim.NumPlayers]sim.Agent
			names := [sim.NumPlayers]string{"greedy", "value", "greedy", "random"}
			for p, name := range names {
				factory, err := agents.New(name)
				if err != nil {
					t.Fatal(err)
				}
				seated[p] = factory()
			}
			payments := 0
			m := &sim.Match{Keep: sim.KeepValues}
			for seed := range uint64(matches) {
				m.Seed = seed
				m.Play(rules, &seated)
				text := write(t, transcript.New(rules, m, names))
				r := referee{book: b}
				r.read(text)
				payments += r.payments
				for _, problem := range r.problems {
					t.Errorf("seed %d: %s", seed, problem)
				}
				if len(r.problems) > 0 {
					return
				}
			}
			if payments < matches {
				t.Errorf("%d payments in %d matches", payments, matches)
			}
			t.Logf("%d payments of %d matches", payments, matches)
		})
	}
}
