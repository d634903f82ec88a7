package heuristic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/configs"
	"github.com/sparrowhall/sparrowhall/internal/option"
	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
)

//go:generate go test -run ^TestDocs$ . -update

// TestDocs holds the tables of options and weights in docs/agents.md.
func TestDocs(t *testing.T) {
	const page, heading = "../../../docs/agents.md", "| option | default | allowed | meaning |\n| --- | --- | --- | --- |\n"
	golden.HoldBlock(t, page, "options of value", heading+optionRows(valueOptions))
	golden.HoldBlock(t, page, "options of expert", heading+optionRows(expertOptionList))
	var b strings.Builder
	b.WriteString(strings.Replace(heading, "option", "weight", 1))
	for _, w := range defaults {
		fmt.Fprintf(&b, "| `%s` | %s | %s to %s | %s |\n", w.Name, option.FormatThousandths(w.Value), option.FormatThousandths(w.Min), option.FormatThousandths(w.Max), w.meaning)
	}
	golden.HoldBlock(t, page, "weights of value", b.String())
}

func optionRows[P any](options []option.Option[P]) string {
	var b strings.Builder
	for _, o := range options {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", o.Name, o.Usual, o.Allowed, o.Meaning)
	}
	return b.String()
}

// TestMargins holds the margins that the table of options names.
func TestMargins(t *testing.T) {
	for _, f := range configs.Families {
		want := "0.015"
		if f.Name == "riichi" {
			want = "0.008"
		}
		if got := option.FormatThousandths(f.Traits.Margin); got != want {
			t.Errorf("%s: margin %s, the table names %s", f.Name, got, want)
		}
	}
}
