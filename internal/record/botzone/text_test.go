package botzone_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/record/botzone"
	"github.com/sparrowhall/sparrowhall/internal/testkit/recordtest"
	"github.com/sparrowhall/sparrowhall/internal/testkit/rulestest"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

var update = flag.Bool("update", false, "rewrite the sample matches")

const samplePath = "../testdata/sample.txt"

// The sample is of two matches, a claim that lost and a win among them.
func TestTextSample(t *testing.T) {
	r := rulestest.Rules(t, "botzone", nil)
	if *update {
		var text []byte
		for _, seed := range []uint64{4, 3} {
			m := &sim.Match{Index: seed, Seed: seed, Keep: sim.KeepValues | sim.KeepChoices}
			m.Play(r, recordtest.Agents(t, "greedy"))
			one, err := botzone.WriteText(r, m)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, one...)
		}
		if err := os.WriteFile(samplePath, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	games, err := recordtest.ParseAll(botzone.Format, []byte(sample(t)))
	if err != nil || len(games) != 2 {
		t.Fatalf("%d games, error %v", len(games), err)
	}
	for i, g := range games {
		m := &sim.Match{}
		if d := record.Replay(r, g, m); len(d) > 0 || !g.Hands[0].WallFilledIn || !m.WallsFilledIn {
			t.Errorf("match %d: %v, filled %v", i, d, g.Hands[0].WallFilledIn)
		}
	}
}

func sample(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(samplePath)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// one returns the second sample with a part of it changed.
func one(t testing.TB, old, with string) string {
	t.Helper()
	text := sample(t)
	text = text[strings.LastIndex(text, "Match"):]
	if !strings.Contains(text, old) {
		t.Fatalf("no %q in the sample", old)
	}
	return strings.Replace(text, old, with, 1)
}

func TestTextErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{one(t, "Wind", "Wynd"), `line 2: "Wynd" begins no line of a match and was not read; want Match, Wind, Player, Huang, Fan or Score`},
		{one(t, "Wind ", "Wind 4"), `line 2: round wind "4`},
		{one(t, "Wind ", "# "), `line 2: "#" begins no line of a match and was not read`},
		{one(t, "Match ", "Match a "), "line 1: want Match and its id, before everything else"},
		{one(t, "Player 0 Deal", "Player 4 Deal"), "line 3: want Player, 0 to 3 and what he did"},
		{one(t, "Player 0 Deal", "Player 0 Deal W1"), "line 3: player 0 is dealt 14 tiles; want 13, once"},
		{one(t, "Player 1 Deal", "Player 0 Deal"), "line 4: player 0 is dealt 13 tiles; want 13, once"},
		{one(t, "Player 0 Draw ", "Player 0 Draw X"), `is no tile`},
		{one(t, "Player 0 Draw ", "Player 0 Takes "), `line 7: "Takes" is nothing a player does; want Deal, Draw, Play, Chi, Peng, Gang, AnGang, BuGang or Hu`},
		{one(t, "Player 0 Play ", "Player 0 Peng "), "is out of place; the last tile is"},
		{one(t, "Player 0 Play ", "Player 0 Play W1 "), "line 8: Play names 2 tiles; want 1"},
		{one(t, "Score ", "Score 1 "), "Score has more than 4 numbers; the others were not read"},
		{one(t, "Score ", "Score x"), `is no score`},
		{one(t, "*1", "*x"), `"x" is no count of fan`},
		{one(t, "Fan ", "Fan x"), `the sum of the fan is "x`},
		{one(t, "Fan ", "Huang\nFan "), "Huang after the end of the match"},
		{one(t, "\nPlayer", " Ignore Player 1 Peng W1\nPlayer"), "line 2: Wind has more than 2 numbers; the others were not read"},
		{one(t, "Hu ", "Hu W9 Ignore Player 9 Hu "), `the win is on W9, but the last tile is`},
		{strings.Replace(one(t, "Fan", "Fan"), " Hu ", " HU ", 1), `"HU" is nothing a player does`},
		{one(t, "\nFan", " Ignore Player 9 Hu W1\nFan"), `"Ignore Player 9 Hu W1"; want Ignore Player, 0 to 3, the claim and the tile`},
		{one(t, "\nFan", " Ignore Player 1 Chi\nFan"), "the ignored Chi does not name its middle tile"},
		{one(t, "\nFan", " Ignore Player 1 Play W1\nFan"), `"Play W1" cannot be ignored; want Peng, Gang, Hu, or Chi with the middle tile of a chow`},
		{strings.Join(strings.SplitAfter(one(t, "Fan", "Fan"), "\n")[:20], ""), "line 20: the match ends here without Hu or Huang"},
		{"Match 1\nHuang\n", "line 2: the match has no line Wind"},
		{"Match 1\nWind 0\nHuang\n", "player 0 is dealt and draws 0 tiles; his wall has 34"},
	} {
		if got := recordtest.Complaints(botzone.Format, test.text); !strings.Contains(got, test.want) {
			t.Errorf("complaints %q, want %q", got, test.want)
		}
	}
}

// A bad match takes none along, whatever the form of those around it.
func TestPacks(t *testing.T) {
	r, m := play(t, 3)
	log := string(judge(t, r, m, true))
	good := sample(t)
	for _, test := range []struct {
		name, text  string
		games, errs int
	}{
		{"text", good + "Match 7\nPlayer 0 Draw\n" + good, 4, 1},
		{"text before a match", "hello\n" + good, 2, 1},
		{"no end of line", strings.TrimSpace(good), 2, 0},
		{"CRLF", strings.ReplaceAll(good, "\n", "\r\n"), 2, 0},
		{"array", "[" + log + ",\n" + log + "]", 2, 0},
		{"array with a bad one", "[" + log + ",\n{\"logs\":[1]},\n" + log + "]", 2, 1},
		{"array of a local judge", `[{"_id":"x",` + log[1:] + "]", 1, 0},
		{"lines", log + "\n{\"logs\":[{\n" + log + "\n" + log, 3, 1},
	} {
		games, errs := 0, 0
		for _, err := range botzone.Format.Read(strings.NewReader(test.text)) {
			if err != nil {
				errs++
			} else {
				games++
			}
		}
		if games != test.games || errs != test.errs {
			t.Errorf("%s: %d games, %d errors; want %d, %d", test.name, games, errs, test.games, test.errs)
		}
	}
}

// Of readings of a hand that tie the sum decides, and the names are noted.
func TestTies(t *testing.T) {
	r := rulestest.Rules(t, "botzone", nil)
	for _, test := range []struct {
		text string
		note bool
		want string
	}{
		{one(t, "*1", "x*1"), true, "the hand has "},
		{one(t, "Fan ", "Fan 1"), false, "points, by the rules"},
	} {
		d := record.Replay(r, recordtest.Parse(t, botzone.Format, []byte(test.text)), &sim.Match{})
		if len(d) != 1 || d[0].Note != test.note || !strings.Contains(d[0].Message, test.want) || !strings.HasPrefix(d[0].Place, "line ") {
			t.Errorf("differences %+v, want one with %q, a note: %v", d, test.want, test.note)
		}
	}
}

// A match that a player ended by breaking the protocol is played up to there and
// has his forfeit, whether or not the table would have asked him.
func TestFaults(t *testing.T) {
	r, m := play(t, 3)
	good := string(judge(t, r, m, true))
	asked, others := 0, 0
	for p := range sim.Player(4) {
		for _, cut := range []int{6, 7, 8, 20, 30} {
			turns := strings.SplitAfter(good, `,{"output":`)
			turns = turns[:min(cut, len(turns)-1)]
			text := strings.Join(turns, "") + `{"command":"finish","content":{`
			for q := range sim.Player(4) {
				score := "10"
				if q == p {
					score = "-30"
				}
				text += `"` + string(rune('0'+q)) + `":` + score
				if q < 3 {
					text += ","
				}
			}
			text += `},"display":{"action":"WA","player":` + string(rune('0'+p)) + `}}}]}`
			g := recordtest.Parse(t, botzone.Format, []byte(text))
			got := &sim.Match{}
			if d := record.Replay(r, g, got); len(d) > 0 {
				t.Errorf("player %d after %d turns: %v", p, cut, d)
				continue
			}
			if got.Forfeited != p.Bit() || got.Final.Points[p] != -30 || got.Truncated {
				t.Errorf("player %d after %d turns: forfeited %v, points %v", p, cut, got.Forfeited, got.Final.Points)
			}
			n := slices.IndexFunc(got.Events, func(e sim.Event) bool { return e.Type == sim.EvForfeit })
			if got.Events[n-1].Type == sim.EvDraw && got.Events[n-1].Player != p {
				others++
			} else {
				asked++
			}
		}
	}
	if asked == 0 || others == 0 {
		t.Errorf("%d faults of players who are asked, %d of others", asked, others)
	}
	// Rules without such an end do not have it.
	g := recordtest.Parse(t, botzone.Format, []byte(strings.Replace(good, `"action":"HU"`, `"action":"WH"`, 1)))
	free := *r
	free.ForfeitPoints = 0
	if d := record.Replay(&free, g, &sim.Match{}); len(d) != 1 || !strings.Contains(d[0].Message, "forfeit_points = 0") {
		t.Errorf("differences %v", d)
	}
}

// The logs of local judges leave out what wraps requests and responses, or the end.
func TestCompactLogs(t *testing.T) {
	r := rulestest.Rules(t, "botzone", nil)
	m := &sim.Match{Seed: 3, Keep: sim.KeepValues | sim.KeepChoices}
	m.Play(r, recordtest.Agents(t, "greedy"))
	log, err := botzone.WriteLog(r, m, [4]string{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(log)
	bare := strings.NewReplacer(`{"output":{"command":"request","content":{`, "{", `"}}}`, `"}`, `{"response":`, "", `,"verdict":"OK"}`, "").Replace(text)
	if bare == text {
		t.Fatal("nothing is left out")
	}
	end := strings.Index(text, `,{"output":{"command":"finish"`)
	after := strings.Index(text[end:], `}],"players"`) + end + 1
	scores, err := json.Marshal(m.Final.Points)
	if err != nil {
		t.Fatal(err)
	}
	open := `{"scores":` + string(scores) + `,` + text[1:end] + text[after:]
	for name, text := range map[string]string{
		"bare strings": bare,
		"no fan value": strings.ReplaceAll(text, `,"value":`, `,"was":`),
		"scores":       open,
	} {
		recordtest.CheckReplay(t, r, recordtest.Parse(t, botzone.Format, []byte(text)), m)
		if t.Failed() {
			t.Fatalf("%s: %.300s", name, text)
		}
	}
}
