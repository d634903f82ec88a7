package report_test

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/analysis/findings"
	"github.com/sparrowhall/sparrowhall/internal/analysis/report"
	"github.com/sparrowhall/sparrowhall/internal/analysis/stats"
	"github.com/sparrowhall/sparrowhall/internal/insight/policydiff"
)

// variant writes a ruleset file and returns its path.
func variant(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// An answer names the knobs, puts clear effects first, the largest of them at the top,
// and says of every other headline within which bound it did not change.
func TestAnswers(t *testing.T) {
	names := []string{"greedy", "greedy", "greedy", "greedy"}
	base := play(t, "ema_2016", 128, schema.Hands, names...)
	other := play(t, variant(t, "other", "base = \"ema_2016\"\none_shot = false\nnoten_total = 6000\n[patterns]\npinfu = 3\n"), 128, schema.Hands, names...)
	r := collect(t, base, other, play(t, "universal", 16, schema.Hands, names...))
	if len(r.Answers) != 1 {
		t.Fatalf("%d answers; there is nothing to say of another family", len(r.Answers))
	}
	a := r.Answers[0]
	if want := "noten_total = 6000 instead of 3000, one_shot = false instead of true, patterns.pinfu = 3 instead of listed (1)"; a.Title != want {
		t.Errorf("title %q, want %q", a.Title, want)
	}
	texts := map[string]string{}
	for i, e := range a.Effects {
		texts[e.Key.String()] = e.Text
		if !e.Clear() || i > 0 && e.Magnitude() > a.Effects[i-1].Magnitude() {
			t.Errorf("effect %d, of size %v, adjusted probability %v: %s", i, e.Size, e.Adjusted, e.Text)
		}
		if math.Signbit(e.Size) != math.Signbit(e.Value) {
			t.Errorf("%s: size %v of a difference of %v", e.Text, e.Size, e.Value)
		}
	}
	for _, e := range a.Priced {
		texts[e.Key.String()] = e.Text
	}
	if text := texts["pattern frequency, ippatsu"]; !strings.HasPrefix(text, "ippatsu is in ") || !strings.Contains(text, " fewer of the wins: 0.0 % instead of ") {
		t.Errorf("without ippatsu: %q", text)
	}
	if text := texts["win value"]; !strings.HasPrefix(text, "wins are worth ") || !strings.Contains(text, " more: ") {
		t.Errorf("with more for pinfu: %q", text)
	}
	said := len(a.Bounded) + len(a.Same)
	for _, k := range stats.Headlines {
		if _, clear := texts[k.String()]; clear {
			said++
		}
	}
	if said != len(stats.Headlines) {
		t.Errorf("%d of %d headlines are spoken of: %+v", said, len(stats.Headlines), a)
	}
	for _, b := range a.Bounded {
		if bound := max(math.Abs(float64(b.Low)), math.Abs(float64(b.High))); b.Clear() || bound < math.Abs(b.Value) || !strings.HasSuffix(b.Text, " at most)") {
			t.Errorf("%s: %+v", b.Text, b.Difference)
		}
		if b.Name == "lead_changes" && !strings.HasSuffix(b.Text, " times a match at most)") {
			t.Errorf("%s: no unit", b.Text)
		}
	}
	if s := strings.Join(sentencesOf(a.Sentences()), "\n"); !strings.Contains(s, "Not shown to change: ") {
		t.Errorf("sentences:\n%s", s)
	}
}

// What follows from the rule text, whatever is played, is no effect: points at the end of
// matches with other starting points, placement points where places are worth something else,
// amounts where payments differ, and events that a ruleset does not have.
func TestRuleTextIsNoEffect(t *testing.T) {
	names := []string{"greedy", "tsumogiri", "greedy", "greedy"}
	base := play(t, "ema_2016", 256, schema.Hands, names...)
	for name, test := range map[string]struct {
		text   string
		priced []stats.Key
	}{
		"start":      {"starting_points = 40000\nreturn_points = 40000\n", nil},
		"placement":  {"placement = [45, 15, -15, -45]\n", nil},
		"price":      {"[patterns]\nriichi = 3\n", []stats.Key{{Section: stats.SectionWin, Name: "value"}, {Section: stats.SectionWin, Name: "value_ready"}}},
		"payment":    {"noten_total = 30000\n", []stats.Key{{Section: stats.SectionMatch, Name: "spread"}}},
		"off":        {"[patterns]\nriichi = \"off\"\n", []stats.Key{{Section: stats.SectionPattern, Name: "frequency", Of: "riichi"}}},
		"one shot":   {"one_shot = false\n", []stats.Key{{Section: stats.SectionPattern, Name: "frequency", Of: "ippatsu"}, {Section: stats.SectionWin, Name: "value"}}},
		"red fives":  {"aka_dora = [1, 1, 1]\n", []stats.Key{{Section: stats.SectionPattern, Name: "frequency", Of: "aka_dora"}, {Section: stats.SectionWin, Name: "value"}}},
		"aborts":     {"kyuushu_kyuuhai = true\n", []stats.Key{{Section: stats.SectionHand, Name: "aborted"}}},
		"one winner": {"multi_win = \"nearest\"\n", []stats.Key{{Section: stats.SectionHand, Name: "several_winners"}}},
	} {
		t.Run(name, func(t *testing.T) {
			r := collect(t, base, play(t, variant(t, name, "base = \"ema_2016\"\n"+test.text), 256, schema.Hands, names...))
			a := r.Answers[0]
			priced := map[stats.Key]bool{}
			for _, s := range a.Priced {
				priced[s.Key] = true
			}
			for _, k := range test.priced {
				if !priced[k] {
					t.Errorf("%s is not among %v", k, a.Priced)
				}
			}
			if len(test.priced) == 0 && len(a.Effects)+len(a.Priced) > 0 {
				t.Errorf("the play is the same: %v, %v", a.Effects, a.Priced)
			}
			for _, s := range a.Effects {
				u := r.Meaning(s.Key).Unit
				if (u == stats.Points || u == stats.Placement) && name != "aborts" && name != "one winner" || priced[s.Key] || slices.Contains(test.priced, s.Key) {
					t.Errorf("an effect: %s", s.Text)
				}
			}
			if text := strings.Join(sentencesOf(a.Sentences()), "\n"); strings.Contains(text, "From the rule text itself, at least in part: ") != (len(test.priced) > 0) {
				t.Errorf("sentences:\n%s", text)
			}
		})
	}
}

// Sentences of the summary have the units of bounds, what few other answers are, and capitals.
func TestSummarySentences(t *testing.T) {
	names := []string{"greedy", "greedy", "greedy", "greedy"}
	base := play(t, "ema_2016", 128, schema.Hands, names...)
	r := collect(t, base, play(t, variant(t, "other", "base = \"ema_2016\"\nnoten_total = 12000\n"), 128, schema.Hands, names...))
	for _, test := range []struct {
		changed int
		want    string
	}{
		{0, "Players do not play differently: in the same position they answer alike, in all of 66511 decisions of 100 matches. What"},
		{2, "Players play almost alike: in the same position they answer otherwise in only 2 of 66511 decisions of 100 matches."},
		{3000, "Players play differently: in the same position they answer otherwise in 4.51 % of 66511 decisions of 100 matches."},
	} {
		r.Answers[0].Response = &policydiff.Difference{Matches: 100, Decisions: 66511, Changed: test.changed}
		if players := r.Summary().Sections("")[0].Players; len(players) != 1 || !strings.HasPrefix(players[0], test.want) {
			t.Errorf("%d answers differ: %q", test.changed, players)
		}
	}
	bounds := strings.Join(r.Summary().Sections("")[0].Unchanged, "\n")
	for _, want := range []string{
		`Changes of the lead: by less than \S+ times a match\.`, `The dealer's edge in points: by less than \S+ points a hand\.`,
		`(?m)^.*: no difference in any of 128 matches, so less than 2.84 % of such matches differ\.$`,
	} {
		if !regexp.MustCompile(want).MatchString(bounds) {
			t.Errorf("no %q in\n%s", want, bounds)
		}
	}
	for _, f := range r.Summary().Sections("")[0].Findings {
		if first := f.Number[0]; first >= 'a' && first <= 'z' || !strings.HasSuffix(f.Number, ".") {
			t.Errorf("%q", f.Number)
		}
	}
	alone := collect(t, play(t, "ema_2016", 256, schema.Hands, "greedy", "tsumogiri", "greedy", "greedy")).Summary()
	text := strings.Join(append(alone.Parts()[1].Lines, alone.Sections("")[0].Unchanged...), "\n")
	for _, want := range []string{`the mean of the players\. Mean rank \d`, `The dealer wins .* than the others do on average|The dealer's edge in wins: less than .* either way`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// What does not change under several rulesets is a table, with a column for each of a few rulesets.
func TestBounds(t *testing.T) {
	names := []string{"greedy", "greedy", "greedy", "greedy"}
	dirs := []string{play(t, "ema_2016", 64, schema.Hands, names...)}
	for _, text := range []string{"noten_total = 12000", "ura_dora = false"} {
		dirs = append(dirs, play(t, variant(t, "other", "base = \"ema_2016\"\n"+text+"\n"), 64, schema.Hands, names...))
	}
	for len(dirs) < 11 {
		s := collect(t, dirs...).Summary()
		part := s.Parts()[len(s.Parts())-2]
		if len(s.Bounds.Head) != min(len(dirs), 9) || len(part.Table.Rows) != len(s.Bounds.Rows) || len(s.Bounds.Rows) < 10 {
			t.Fatalf("%d datasets: %d columns, %d rows", len(dirs), len(s.Bounds.Head), len(s.Bounds.Rows))
		}
		for _, row := range part.Table.Rows {
			for _, cell := range row.Cells {
				if !regexp.MustCompile(`^(\d[\d.]*|same|few|differs)$`).MatchString(cell) {
					t.Errorf("%d datasets, %s: %q", len(dirs), row.Label, row.Cells)
				}
			}
		}
		dirs = append(dirs, dirs[1:]...)
	}
	if t.Failed() {
		return
	}
	s := collect(t, dirs[:10]...).Summary()
	if len(s.Bounds.Head) != 3 || s.Bounds.Head[1].String() != "largest bound of 9 rulesets" {
		t.Errorf("nine rulesets: %v", s.Bounds.Head)
	}
}

// A dataset beside itself changes nothing.
func TestAnswerOfNothing(t *testing.T) {
	dir := play(t, "mcr_2006", 12, schema.Hands, "greedy", "greedy", "greedy", "greedy")
	r := collect(t, dir, dir)
	a := r.Answers[0]
	if len(a.Effects)+len(a.Bounded) > 0 || len(a.Changes) > 0 || a.Title != "mcr_2006 beside mcr_2006" {
		t.Errorf("%+v", a)
	}
	if s := sentencesOf(a.Sentences()); len(s) != 1 || !strings.HasPrefix(s[0], "The same in every match: length of matches, ") {
		t.Errorf("sentences: %q", s)
	}
}

// Every sentence has a place for the amount, and both directions where it has one.
func TestPhrases(t *testing.T) {
	for _, language := range findings.Languages {
		phrases, err := report.Phrases("12 pp", language)
		if err != nil {
			t.Fatal(err)
		}
		if len(phrases) < 40 {
			t.Errorf("%s: %d phrases", language, len(phrases))
		}
		for key, text := range phrases {
			more, less := text[0], text[1]
			if more == less || strings.ContainsAny(more+less+text[2], "%@{|}") || !strings.Contains(more, "12 pp") || !strings.Contains(less, "12 pp") || text[2] == "" {
				t.Errorf("%s: %q", key, text)
			}
		}
	}
}

func sentencesOf(list []findings.Text) (texts []string) {
	for _, t := range list {
		texts = append(texts, t.String())
	}
	return texts
}
