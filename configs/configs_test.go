package configs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

func folder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func preset(t *testing.T, name string) *Ruleset {
	t.Helper()
	r, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPresetsDescribeThemselves(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Names() {
		r := preset(t, name)
		if r.Name != name || r.Description == "" || seen[r.Description] {
			t.Errorf("%s: name %q, description %q", name, r.Name, r.Description)
		}
		seen[r.Description] = true
	}
}

func TestPresetsDiffer(t *testing.T) {
	seen := map[[32]byte]string{}
	for _, name := range Names() {
		h := preset(t, name).Hash()
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s are the same", name, other)
		}
		seen[h] = name
	}
}

// A ruleset written out in full is the same ruleset.
func TestTOMLRoundTrip(t *testing.T) {
	for _, name := range Names() {
		r := preset(t, name)
		folder(t, map[string]string{"copy.toml": r.TOML()})
		c, err := Open("copy.toml")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.Hash() != r.Hash() || c.TOML() != r.TOML() {
			t.Errorf("%s: the copy is\n%s", name, c.TOML())
		}
	}
}

func TestLoad(t *testing.T) {
	r, err := Load("hkma_league_a")
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "hkma_league_a" || r.Family != "riichi" || r.StartingPoints != 30000 || r.MultiWin != ruleset.WinNearest ||
		r.RiichiMinPoints != ruleset.NoLimit || r.Scorer == nil || r.Hash != preset(t, "hkma_league_a").Hash() {
		t.Errorf("loaded %+v", r)
	}
}

func TestBase(t *testing.T) {
	folder(t, map[string]string{
		"house.toml":        "description = \"ours\"\nbase = \"ema_2016\"\nkiriage_mangan = true\n",
		"deep/harder.toml":  "base = \"../house.toml\"\nmin_win = 2\nfamily = \"riichi\"\n",
		"deep/hardest.toml": "base = \"harder.toml\"\nmin_win = 4\n[score_multiplier_by_winds]\n2 = 0.5\n4 = 1\n",
	})
	want, err := LoadWith("ema_2016", map[string]any{
		"kiriage_mangan": true, "min_win": 4.0, "score_multiplier_by_winds": map[string]any{"2": 0.5, "4": int64(1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Load("deep/hardest.toml")
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "hardest.toml" || got.MinWin != 4 || got.Hash != want.Hash {
		t.Errorf("deep/hardest.toml: %+v, want %+v", got, want)
	}
	r := preset(t, "house.toml")
	if r.Name != "house.toml" || r.Base != "ema_2016" || r.Description != "ours" {
		t.Errorf("house.toml: %+v", r)
	}
	if r := preset(t, "deep/harder.toml"); r.Description != "" {
		t.Errorf("deep/harder.toml has the description %q of its base", r.Description)
	}
}

// A preset is meant even where a file has its name.
func TestPresetBeforeFile(t *testing.T) {
	folder(t, map[string]string{"wrc": "base = \"tenhou\"\n"})
	if r := preset(t, "wrc"); r.Hash() == preset(t, "tenhou").Hash() {
		t.Error("wrc is the file of that name")
	}
	if r := preset(t, "./wrc"); r.Hash() != preset(t, "tenhou").Hash() {
		t.Error("./wrc is not the file")
	}
}

func TestFileErrors(t *testing.T) {
	full := preset(t, "ema_2016").TOML()
	families := familyNames() + `, "parlor"`
	folder(t, map[string]string{"a.toml": `base = "b.toml"`, "b.toml": `base = "a.toml"`, "broken.toml": "base = \"wrc\"\nmin_win = 0\n"})
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{
			"syntax", "base = \"wrc\"\nmin_win = \n",
			[]string{"x.toml:2: unexpected character U+000A at start of value"},
		},
		{
			"no quotes", "base = ema_2016 # the preset\nmin_win = 1\n",
			[]string{`x.toml:1: base: text without quotes; put it in quotes: base = "ema_2016"`},
		},
		{
			"three players in another family", "base = \"mcr_2006\"\nseats = 3\n",
			[]string{"x.toml:2: seats: rulesets of family mcr are for four players: leave it out"},
		},
		{
			"two players", "base = \"tenhou\"\nseats = 2\n",
			[]string{"x.toml:2: seats: 2 is out of range; allowed: integer 3..4"},
		},
		{
			"a knob of three players", "base = \"tenhou\"\nkita = \"bonus\"\n",
			[]string{"x.toml:2: kita: is a knob of three players: needs seats = 3"},
		},
		{
			"places of four players", "base = \"tenhou\"\nseats = 3\nplacement = [20, 10, -10, -20]\n",
			[]string{"x.toml:3: placement: [20, 10, -10, -20] has 4 elements; allowed: list of 3: "},
		},
		{
			"what three players cannot have", "base = \"tenhou\"\nseats = 3\nseat_rotation = \"mcr_table\"\n",
			[]string{"x.toml: hands_per_round: 4: with three players at most 3", "x.toml:3: seat_rotation: the table of seats is of four", "x.toml: placement: the base has four places", "x.toml: chi_from: three", "x.toml: multi_win: two players at most", "x.toml: suufon_renda: there are three", "x.toml: suucha_riichi: there are three", "x.toml: honba_value: 300", "x.toml: oka: 20: 3 times"},
		},
		{
			"a number of 22 digits", "base = \"wrc\"\nmin_win = 1000000000000000000000\n",
			[]string{"x.toml:2: min_win: the number is too large for any knob; `sparrowhall rules knobs` lists what each allows"},
		},
		{
			"a number of 22 digits in a list", "base = \"hk_old_style\"\npoints_table = [1, 1000000000000000000000]\n",
			[]string{"x.toml:2: points_table: the number is too large for any knob; `sparrowhall rules knobs` lists what each allows"},
		},
		{
			"no quotes around a word", "base = \"wrc\"\nmulti_win = nearest\n",
			[]string{`x.toml:2: multi_win: text without quotes; put it in quotes: multi_win = "nearest"`},
		},
		{
			"twice", "base = \"wrc\"\nmin_win = 1\n\nmin_win = 2\n",
			[]string{"x.toml:4: min_win: key min_win is already defined"},
		},
		{
			"unknown knob", "base = \"wrc\"\nkiriage = true\n",
			[]string{"x.toml:2: kiriage: unknown knob; allowed: base, description, family and the knobs of family riichi, nearest kiriage_mangan, "},
		},
		{
			"what no ruleset has", "base = \"wrc\"\njoker = 8\nvoid_suit = true\nlimit = 10\n",
			[]string{
				"x.toml:2: joker: unknown knob: no ruleset has tiles that stand for others; see docs/variants.md for what a file can express",
				"x.toml:3: void_suit: unknown knob: no ruleset has suits that a player must get rid of; see docs/variants.md",
				"x.toml:4: limit: unknown knob: caps are points_cap (hkos, mcr), fan_cap (hktw, taiwanese), ",
			},
		},
		{
			"words of tables that several knobs stand for", "base = \"wrc\"\nfuriten = false\nhead_bump = true\n",
			[]string{
				"x.toml:2: furiten: unknown knob: furiten is river_lock, by own discards, and pass_lock, ",
				"x.toml:3: head_bump: unknown knob: several wins on one tile are multi_win",
			},
		},
		{
			"commas in a number", "base = \"wrc\"\nstarting_points = -25,000 # each\n",
			[]string{"x.toml:2: starting_points: a number is written without commas: starting_points = -25000"},
		},
		{
			"prices in the order of the file", "base = \"wrc\"\n[patterns]\nriichi = 0\nippatsu = 0\n",
			[]string{"x.toml:3: patterns.riichi: 0 is out of range", "x.toml:4: patterns.ippatsu: 0 is out of range"},
		},
		{
			"points to start with alone", "base = \"ema_2016\"\nstarting_points = 25000\n",
			[]string{"x.toml: oka: 0: 4 times the gap between return_points and starting_points is 20, in thousands: set oka = 20, or both points alike and oka = 0"},
		},
		{
			"a knob of several other families", "base = \"wrc\"\npoints_cap = 10\n",
			[]string{"x.toml:2: points_cap: is a knob of family mcr, hkos; allowed: the knobs of family riichi"},
		},
		{
			"name of the rule text", "base = \"wrc\"\nkuikae_forbidden = \"none\"\n",
			[]string{`x.toml:2: kuikae_forbidden: is called swap_ban here; allowed: "none", "same_tile" or "same_and_other_end"`},
		},
		{
			"knob left out", "base = \"wrc\"\ninfraction_mode = \"simulate\"\n",
			[]string{"x.toml:2: infraction_mode: rulesets have no such knob: illegal actions are always refused"},
		},
		{
			"knob of another family", "base = \"wrc\"\n\nsmoke_break = true\n",
			[]string{"x.toml:3: smoke_break: is a knob of family parlor; allowed: the knobs of family riichi"},
		},
		{
			"riichi's knob in another family", "smoke_break = true\naka_dora = [1, 1, 1]\nfamily = \"parlor\"\n",
			[]string{"x.toml:2: aka_dora: is a knob of family riichi; allowed: the knobs of family parlor", "x.toml: a file without a base gives every knob"},
		},
		{
			"all at once", "ready_kan = 1\nbase = \"wrc\"\n# a remark\nrounds = 5\nplacement = [\n  15,\n  5,\n]\nkuitan = \"yes\"\n",
			[]string{
				`x.toml:1: ready_kan: 1 is not a word; allowed: "never", "waits_same" or "waits_and_shape_same"`,
				"x.toml:4: rounds: 5 is out of range; allowed: integer 1..4",
				"x.toml:5: placement: [15, 5] has 2 elements; allowed: list of 4: decimal -100000..100000 in steps of 0.025",
				`x.toml:9: kuitan: "yes" is neither true nor false; allowed: true or false`,
			},
		},
		{
			"table", "base = \"wrc\"\n\n[score_multiplier_by_winds]\n2 = 1\n5 = 1\n",
			[]string{`x.toml:3: score_multiplier_by_winds: "5" is not one of its keys; allowed: table with keys of 1, 2, 3, 4: `},
		},
		{
			"knob as a table", "base = \"wrc\"\nkuitan.open = true\n",
			[]string{"x.toml:2: kuitan: { open = true } is neither true nor false; allowed: true or false"},
		},
		{
			"tables", "base = \"wrc\"\n[[kuitan]]\nopen = true\n[[kuitan]]\n",
			[]string{"x.toml:2: kuitan: [{ open = true }, {}] is neither true nor false; allowed: true or false"},
		},
		{
			"contradiction", "base = \"wrc\"\nplacement = [15, 5, -5, -10]\n",
			[]string{"x.toml:2: placement: adds up to 5, must be 0"},
		},
		{
			"contradiction with the base", "base = \"wrc\"\nstarting_points = 25000\n",
			[]string{"x.toml: oka: "},
		},
		{
			"neither family nor base", "min_win = 1\n",
			[]string{`x.toml: family: missing, as is base; allowed: base, a preset or file to start from, or family with all knobs, one of ` + families},
		},
		{"empty", "", []string{"x.toml: family: missing, as is base"}},
		{
			"unknown family", "\nfamily = \"go\"\n",
			[]string{`x.toml:2: family: there is no family "go"; allowed: ` + families},
		},
		{
			"other family than the base", "base = \"wrc\"\nfamily = \"parlor\"\n",
			[]string{`x.toml:2: family: "parlor" is not the family of the base wrc; allowed: "riichi", or leave it out`},
		},
		{"base is no text", "base = 1\n", []string{"x.toml:1: base: 1 is no text; allowed: text"}},
		{
			"unknown base", "base = \"ema2016\"\n",
			[]string{`x.toml:1: base: unknown ruleset "ema2016", neither a file nor a preset; nearest presets: ema_2016, `},
		},
		{"missing base file", "base = \"no/such.toml\"\n", []string{"x.toml:1: base: open no/such.toml: no such file or directory"}},
		{"cycle", "base = \"a.toml\"\n", []string{"b.toml:1: base: a.toml starts from itself: x.toml -> a.toml -> b.toml -> a.toml"}},
		{"itself", "base = \"x.toml\"\n", []string{"x.toml:1: base: x.toml starts from itself: x.toml -> x.toml"}},
		{"broken base", "base = \"broken.toml\"\nmin_win = 1\n", []string{"broken.toml:2: min_win: 0: a win needs a yaku, so at least 1"}},
		{
			"incomplete", strings.NewReplacer("hand_size = 13\n", "", "rinshan_pao = false\n", "").Replace(full),
			[]string{"x.toml: a file without a base gives every knob; missing: hand_size, rinshan_pao"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			Families = append(Families, &parlorFamily)
			defer func() { Families = Families[:len(Families)-1] }()
			if err := os.WriteFile("x.toml", []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := Load("x.toml")
			if _, ok := errors.AsType[Errors](err); !ok {
				t.Fatalf("error %v", err)
			}
			got := strings.Split(err.Error(), "\n")
			if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
				t.Errorf("errors\n%s\nwant\n%s", err, strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestLoadUnknown(t *testing.T) {
	folder(t, map[string]string{"dir/x.toml": ""})
	for name, want := range map[string]string{
		"tenho":       `unknown ruleset "tenho", neither a file nor a preset; nearest presets: tenhou, `,
		"":            `unknown ruleset "", neither a file nor a preset; nearest presets: `,
		"absent.toml": "open absent.toml: no such file or directory",
		"dir":         "read dir: is a directory",
	} {
		if _, err := Load(name); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("Load(%q): %v, want %s", name, err, want)
		}
	}
}

func TestParseReadsNoFile(t *testing.T) {
	folder(t, map[string]string{"house.toml": `base = "wrc"`})
	r, err := Parse("guest", []byte("base = \"wrc\"\nmin_win = 3\n"))
	if err != nil || r.Name != "guest" || r.MinWin != 3 {
		t.Errorf("parsed %+v, %v", r, err)
	}
	for _, base := range []string{"house.toml", "./house.toml", "/etc/passwd", "absent"} {
		_, err := Parse("guest", []byte("base = '"+base+"'"))
		if want := "guest:1: base: unknown ruleset"; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("base %s: error %v, want %s", base, err, want)
		}
	}
}

func TestWith(t *testing.T) {
	r, err := LoadWith("ema_2016", map[string]any{"kan_min_wall": 0})
	if err != nil || r.Name != "ema_2016" || r.KanMinWall != 0 || r.Hash == preset(t, "ema_2016").Hash() {
		t.Errorf("ema_2016 with kan_min_wall 0: %+v, %v", r, err)
	}
	for want, overrides := range map[string]map[string]any{
		"a: unknown knob": {"a": 1, "b": 2},
		"oka: ":           {"oka": 1},
		"base: unknown":   {"base": "wrc"},
	} {
		if _, err := LoadWith("ema_2016", overrides); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("overrides %v: error %v, want %s", overrides, err, want)
		}
	}
	if _, err := LoadWith("ema", nil); err == nil {
		t.Error("an unknown base is taken")
	}
}

// FuzzParse holds that no text makes the reader panic or take long, that faults
// have a place, are few and short, and that what is taken can be written and read again.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"ema_2016", "ema_2016_en"} {
		text, err := presets.ReadFile(name + ".toml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("base = 'wrc'\nplacement = [1e400, nan, -inf, 0x7fffffffffffffff]\n")
	f.Add("base = 'wrc'\n[[kuitan]]\n[[kuitan]]\na.b.c = {}\n")
	f.Add("family = \"riichi\"\n\"\" = 1979-05-27\n")
	for _, b := range bombs() {
		if len(b.text) <= maxBytes {
			f.Add(b.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		var o opener
		start := time.Now()
		r, err := o.read(source{file: "fuzz", name: "fuzz"}, []byte(text))
		if took := time.Since(start); took > 5*time.Second {
			t.Fatalf("read in %v", took)
		}
		if err != nil {
			errs, ok := errors.AsType[Errors](err)
			if !ok || len(errs) == 0 || !strings.HasPrefix(err.Error(), "fuzz:") {
				t.Fatalf("error without a place: %v", err)
			}
			if len(errs) > maxErrors+1 || len(err.Error()) > (maxErrors+1)*(maxText+maxKey+100) {
				t.Fatalf("%d errors of %d bytes", len(errs), len(err.Error()))
			}
			return
		}
		o = opener{}
		c, err := o.read(source{file: "copy", name: "fuzz"}, []byte(r.TOML()))
		if err != nil {
			t.Fatal(err)
		}
		if c.Hash() != r.Hash() || c.Description != r.Description {
			t.Fatalf("%+v became %+v", r, c)
		}
	})
}

// parlor is a second family, to tell its knobs from riichi's.
type parlor struct {
	ruleset.Flow
	SmokeBreak bool `knob:"smoke_break" doc:"a pause between the rounds"`
}

var parlorFamily = ruleset.Family{Name: "parlor", New: func() ruleset.Config { return new(parlor) }}

func (p *parlor) Check() []ruleset.Problem { return nil }
func (p *parlor) Compile() ruleset.Scorer  { return nil }

// TestTraits checks that every family has a scale, and that its list names flow knobs that there
// are.
func TestTraits(t *testing.T) {
	for _, f := range Families {
		if f.Traits.Scale <= 0 {
			t.Errorf("%s: a scale of %d", f.Name, f.Traits.Scale)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a family may list a knob that is not optional")
		}
	}()
	wrong := ruleset.Family{Name: "wrong", New: Families[0].New, FlowKnobs: "aka_dora wall"}
	wrong.Knobs(wrong.New())
}
