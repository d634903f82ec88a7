package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/contest/rating"
	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
)

func TestKnobsPage(t *testing.T) {
	golden.Hold(t, "../../docs/knobs.md", configs.KnobsPage())
	if out, _, status := sparrowhall(t, "", "rules", "knobs"); status != statusOK || out != configs.KnobsPage() {
		t.Errorf("rules knobs: status %d, out\n%s", status, out)
	}
}

func TestPatternsPage(t *testing.T) {
	golden.Hold(t, "../../docs/patterns.md", configs.PatternsPage())
	if out, _, status := sparrowhall(t, "", "rules", "patterns"); status != statusOK || out != configs.PatternsPage() {
		t.Errorf("rules patterns: status %d, out\n%s", status, out)
	}
}

// TestPythonRulesets compares what the Python package knows of presets, families and suites before it
// has a program to ask.
func TestPythonRulesets(t *testing.T) {
	var b strings.Builder
	b.WriteString("\"\"\"Presets, families and suites of the program, from ``go generate ./cmd/sparrowhall``.\"\"\"\n\nPRESETS = (\n")
	for _, name := range configs.Names() {
		fmt.Fprintf(&b, "    %q,\n", name)
	}
	b.WriteString(")\n\n# Standard deviation of the difference of two players' points gained in a hand, by family.\nSPREAD = {\n")
	for _, f := range configs.Families {
		if f.Traits.HandSpread <= 0 {
			t.Errorf("family %s: Traits.HandSpread is %d; it must be positive", f.Name, f.Traits.HandSpread)
		}
		fmt.Fprintf(&b, "    %q: %d.0,\n", f.Name, f.Traits.HandSpread)
	}
	b.WriteString("}\n\n# The ruleset of each suite of ratings; \"\" where rulesets are drawn.\nSUITES = {\n")
	for _, name := range rating.Names() {
		s, err := rating.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "    %q: %q,\n", name, s.Ruleset)
	}
	b.WriteString("}\n")
	golden.Hold(t, "../../python/src/sparrowhall/_rulesets.py", b.String())
}

// TestPrices prices patterns in a file and on the command line: shown, compared,
// refused with place and nearest name.
func TestPrices(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a.toml":   "base = \"ema_2016\"\n[patterns]\npinfu = 2\nhonitsu = [3, 1]\n",
		"b.toml":   "base = \"a.toml\"\npatterns.pinfu = \"listed\"\npatterns.chiitoitsu = \"off\"\n",
		"bad.toml": "base = \"ema_2016\"\n[patterns]\npinfuu = 2\npinfu = [1, 2]\ndaisuushii = 9\n",
		"no.toml":  "base = \"tenhou\"\nkuitan = false\n[patterns]\ntanyao = [2, 1]\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, _, _ := sparrowhall(t, "", "rules", "diff", "a.toml", "b.toml")
	want := "knob                 a.toml        b.toml\npatterns.pinfu       2             \"listed\" (1)\npatterns.chiitoitsu  \"listed\" (2)  \"off\"\n"
	if out != want {
		t.Errorf("rules diff:\n%s\nwant\n%s", out, want)
	}
	if out, _, _ := sparrowhall(t, "", "rules", "show", "b.toml"); !strings.HasSuffix(out, "\n[patterns]\nchiitoitsu = \"off\"\nhonitsu = [3, 1]\n") {
		t.Errorf("rules show:\n%s", out)
	}
	for args, want := range map[string]string{
		"rules check bad.toml": `sparrowhall: bad.toml:3: patterns.pinfuu: unknown pattern; allowed: the patterns of family riichi, nearest pinfu, ittsu, renhou
sparrowhall: bad.toml:4: patterns.pinfu: [1, 2]: the pattern has one price; allowed: integer 1..13, "off" or "listed"
sparrowhall: bad.toml:5: patterns.daisuushii: 9 is out of range; allowed: integer 1..6, "off" or "listed"
`,
		"rules check no.toml":                              "sparrowhall: no.toml:4: patterns.tanyao: 1 in an open hand, but kuitan = false forbids it there",
		"sweep --ruleset mcr_2006 --knob patterns.pinfu=2": "sparrowhall: --knob: patterns.pinfu: unknown pattern; allowed: the patterns of family mcr, nearest ",
	} {
		if _, errOut, status := sparrowhall(t, "", strings.Fields(args)...); status == statusOK || !strings.HasPrefix(errOut, want) {
			t.Errorf("%s: %s, want %s", args, errOut, want)
		}
	}
}

func TestRulesList(t *testing.T) {
	out, _, status := sparrowhall(t, "", "rules", "list")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if status != statusOK || len(lines) != 1+len(configs.Names()) {
		t.Errorf("status %d, out\n%s", status, out)
	}
	for _, want := range []string{
		"preset              family     base           description\n",
		"ema_2016            riichi                    EMA Riichi Rules 2016, Chinese edition\n",
		"hkma_league_a_body  riichi     hkma_league_a  Hong Kong",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	out, _, _ = sparrowhall(t, "", "rules", "list", "--json")
	var list []rulesetJSON
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(r rulesetJSON) bool { return r.Name == "ema_2016_en" })
	if len(list) != len(configs.Names()) || i < 0 || list[i].Base != "ema_2016" || len(list[i].Hash) != 64 {
		t.Errorf("rules list --json:\n%s", out)
	}
}

// What show prints is the ruleset it was asked for.
func TestRulesShow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "copy.toml")
	for _, name := range configs.Names() {
		out, _, status := sparrowhall(t, "", "rules", "show", name)
		if status != statusOK {
			t.Fatalf("status %d", status)
		}
		if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
		diff, errOut, status := sparrowhall(t, "", "rules", "diff", name, file)
		if status != statusOK || diff != "no difference\n" {
			t.Errorf("%s and its copy: status %d, err %s, out\n%s", name, status, errOut, diff)
		}
	}
	out, _, _ := sparrowhall(t, "", "rules", "show", "ema_2016", "--json")
	var r rulesetJSON
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Family != "riichi" || r.Knobs["starting_points"] != 30000.0 || r.Knobs["riichi_min_points"] != "none" {
		t.Errorf("rules show --json:\n%s", out)
	}
}

func TestRulesCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	for file, text := range map[string]string{
		"good.toml": "base = \"wrc\"\nmin_win = 2\n",
		"bad.toml":  "base = \"wrc\"\nmin_win = \"two\"\nminwin = 2\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, errOut, status := sparrowhall(t, "", "rules", "check", "good.toml")
	if status != statusOK || errOut != "" || !strings.HasPrefix(out, "good.toml: a complete ruleset of family riichi, hash ") {
		t.Errorf("good.toml: status %d, err %q, out %q", status, errOut, out)
	}
	out, errOut, status = sparrowhall(t, "", "rules", "check", "bad.toml")
	want := "sparrowhall: bad.toml:2: min_win: \"two\" is not an integer; allowed: integer 0..1000\n" +
		"sparrowhall: bad.toml:3: minwin: unknown knob; allowed: base, description, family and the knobs of family riichi, nearest min_win, "
	if status != statusFailure || out != "" || !strings.HasPrefix(errOut, want) {
		t.Errorf("bad.toml: status %d, out %q, err\n%s", status, out, errOut)
	}
	type answer struct {
		OK     bool
		Errors []configs.Error
	}
	for file, want := range map[string]answer{
		"good.toml": {OK: true, Errors: []configs.Error{}},
		"bad.toml": {Errors: []configs.Error{
			{File: "bad.toml", Line: 2, Key: "min_win"},
			{File: "bad.toml", Line: 3, Key: "minwin"},
		}},
		"absent.toml": {Errors: []configs.Error{{File: "absent.toml"}}},
	} {
		out, _, status := sparrowhall(t, "", "rules", "check", file, "--json")
		var got answer
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		for i, e := range got.Errors {
			if e.Message == "" {
				t.Errorf("%s: no message for %+v", file, e)
			}
			got.Errors[i].Message = ""
		}
		if diff := cmp.Diff(want, got); diff != "" || (status == statusOK) != want.OK {
			t.Errorf("%s: status %d, %s", file, status, diff)
		}
	}
}

// TestInherited lists what a ruleset half converted from another game keeps of its base, and
// nothing for a preset.
func TestInherited(t *testing.T) {
	t.Chdir(t.TempDir())
	for file, text := range map[string]string{
		"base.toml": "base = \"ema_2016\"\nready = \"none\"\nriver_lock = \"off\"\npass_lock = \"off\"\ndead_wall = 14\n",
		"half.toml": "base = \"base.toml\"\nmin_win = 3\nplacement = [15, 5, -5, -15]\nhonba_value = 0\npatterns.pinfu = 1\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list := []string{
		"payments by fu and han with limits (points_table)", "payments between the dealer and another times 2 (dealer_factor)",
		"dora indicators (patterns.dora)", "3000 points from hands that are not ready at an exhausted wall (noten_total)",
	}
	out, _, _ := sparrowhall(t, "", "rules", "check", "half.toml")
	if want := "\nIt does not set, and so keeps from base.toml:\n  " + strings.Join(list, "\n  ") + "\n"; !strings.HasSuffix(out, want) {
		t.Errorf("rules check:\n%s\nwant\n%s", out, want)
	}
	out, _, _ = sparrowhall(t, "", "rules", "show", "half.toml")
	if want := "\n# Not set, and so kept from base.toml:\n#   " + strings.Join(list, "\n#   ") + "\nfamily = "; !strings.Contains(out, want) {
		t.Errorf("rules show:\n%s\nwant\n%s", out, want)
	}
	var got struct{ Inherited []string }
	out, _, _ = sparrowhall(t, "", "rules", "check", "half.toml", "--json")
	if err := json.Unmarshal([]byte(out), &got); err != nil || !slices.Equal(got.Inherited, list) {
		t.Errorf("rules check --json: %v, %v", err, got.Inherited)
	}
	if out, _, _ := sparrowhall(t, "", "rules", "show", "ema_2016_en"); strings.Contains(out, "Not set") {
		t.Errorf("a preset keeps something:\n%.300s", out)
	}
}

func TestRulesDiff(t *testing.T) {
	out, _, status := sparrowhall(t, "", "rules", "diff", "ema_2016", "ema_2016_en")
	want := `knob                    ema_2016     ema_2016_en
counter_on_draw_passed  "keep"       "plus_one"
tenpai_declaration      "automatic"  "optional_in_order"
`
	if status != statusOK || out != want {
		t.Errorf("status %d, out\n%s", status, out)
	}
	out, _, _ = sparrowhall(t, "", "rules", "diff", "hkma_league_a", "hkma_league_b", "--json")
	var got []configs.Difference
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	differences := []configs.Difference{{Knob: "starting_points", A: 30000.0, B: 25000.0}, {Knob: "return_points", A: 35000.0, B: 30000.0}}
	if diff := cmp.Diff(differences, got, cmp.AllowUnexported(configs.Difference{})); diff != "" {
		t.Error(diff)
	}
	if out, _, _ := sparrowhall(t, "", "rules", "diff", "wrc", "wrc", "--json"); out != "[]\n" {
		t.Errorf("wrc and itself differ in %s", out)
	}
}

func TestRulesUnknown(t *testing.T) {
	for _, args := range []string{"show mleage", "check mleage", "diff wrc mleage", "diff mleage wrc"} {
		out, errOut, status := sparrowhall(t, "", append([]string{"rules"}, strings.Fields(args)...)...)
		want := `sparrowhall: unknown ruleset "mleage", neither a file nor a preset; nearest presets: mleague, `
		if status != statusUsage || out != "" || !strings.HasPrefix(errOut, want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("rules %s: status %d, out %q, err %q", args, status, out, errOut)
		}
	}
}
