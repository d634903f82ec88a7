package observe_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// TestDocs keeps the tables of docs/observations.md.
func TestDocs(t *testing.T) {
	var b strings.Builder
	var tensors, ofThree []observe.Tensor
	in := map[string][]string{}
	fmt.Fprintf(&b, "\n## Encodings\n\nSchema version %d.\n\n", observe.Version)
	fmt.Fprint(&b, "| encoding | bytes | tensors | for |\n| --- | --- | --- | --- |\n")
	for _, name := range append(observe.Names(), "advice", observe.Oracle().Name) {
		s := observe.Oracle()
		if name != s.Name {
			s = adviceOf(t, name)
		}
		var list []string
		three := s.For(3)
		for i, x := range s.Tensors {
			list = append(list, "`"+x.Name+"`")
			if in[x.Name] == nil {
				tensors, ofThree = append(tensors, x), append(ofThree, three.Tensors[i])
			}
			in[x.Name] = append(in[x.Name], "`"+name+"`")
		}
		size := fmt.Sprint(s.Size())
		if s.Size() == 0 {
			size = "varies"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, size, strings.Join(list, ", "), s.Doc)
	}
	fmt.Fprintf(&b, "| with each | %d | `%s` | what may be answered |\n", observe.Mask.Size(), observe.Mask.Name)
	for _, x := range append(tensors, observe.Mask) {
		describe(&b, &x, in[x.Name])
	}
	fmt.Fprint(&b, "\nMembers of the object, in this order:\n\n| member | type | meaning |\n| --- | --- | --- |\n")
	// The tensor of texts has come before the mask.
	text := b.String()
	i := strings.LastIndex(text, "\n### `mask`")
	j := strings.LastIndex(text, "\nMembers of")
	var members strings.Builder
	members.WriteString(text[j:])
	for _, m := range observe.TextMembers() {
		fmt.Fprintf(&members, "| `%s` | %s | %s |\n", m.Name, m.Type, m.Doc)
	}
	var three strings.Builder
	describeThree(&three, tensors, ofThree)
	golden.HoldBlock(t, "../../docs/observations.md", "encodings", text[1:i]+members.String()+text[i:j]+three.String())
}

// describeThree writes what differs in tensors where three play.
func describeThree(b *strings.Builder, tensors, ofThree []observe.Tensor) {
	fmt.Fprintf(b, "\n## Three players\n\nSchema version %d. ", observe.VersionOfThree)
	fmt.Fprint(b, "The tensors are those above, with the same names, types and shapes, and bit 180 of the mask is `kita`. ")
	fmt.Fprint(b, "Player 2 is the one before; fields, rows and runs of player 3 stay 0. What else differs:\n\n")
	fmt.Fprint(b, "| tensor | field | values | meaning |\n| --- | --- | --- | --- |\n")
	for i, x := range tensors {
		for j, f := range ofThree[i].Fields {
			if old := x.Fields[j]; f.Name != old.Name || f.High != old.High {
				fmt.Fprintf(b, "| `%s` | `%s` | %s | %s |\n", x.Name, f.Name, bounds(f.Low, f.High), f.Doc)
			}
		}
		for j, p := range ofThree[i].BitFields {
			if old := x.BitFields[j]; p.Doc != old.Doc {
				fmt.Fprintf(b, "| `%s` | `%s` | %d bits | %s |\n", x.Name, p.Name, p.Width, p.Doc)
			}
		}
	}
	fmt.Fprintf(b, "\nIn `events` type %d is `kita`.\n", len(ofThree[slices.IndexFunc(ofThree, func(x observe.Tensor) bool { return x.Name == "events" })].BitFields[2].Values)-1)
}

func describe(b *strings.Builder, x *observe.Tensor, in []string) {
	fmt.Fprintf(b, "\n### `%s`\n\n", x.Name)
	if x.DType == observe.Text {
		fmt.Fprintf(b, "%s.\n", capital(x.Doc))
		return
	}
	where := ""
	if in != nil {
		where = ", in " + strings.Join(in, ", ")
	}
	fmt.Fprintf(b, "%s %v, %d bytes%s. %s.\n", x.DType, x.Shape, x.Size(), where, capital(x.Doc))
	if x.Fields != nil {
		axis := "first"
		if x.LastAxis {
			axis = "last"
		}
		fmt.Fprintf(b, "\n| index on the %s axis | field | values | meaning |\n| --- | --- | --- | --- |\n", axis)
		for _, f := range x.Fields {
			index := fmt.Sprint(f.First)
			if f.Count > 1 {
				index += fmt.Sprintf("-%d", f.First+f.Count-1)
			}
			fmt.Fprintf(b, "| %s | `%s` | %s | %s |\n", index, f.Name, bounds(f.Low, f.High), f.Doc)
		}
	} else if x.BitFields == nil && x.DType != observe.Bit {
		fmt.Fprintf(b, "\nValues: %s.\n", bounds(x.Low, x.High))
	}
	if x.BitFields != nil {
		fmt.Fprint(b, "\n| bits | part | meaning |\n| --- | --- | --- |\n")
		for _, p := range x.BitFields {
			fmt.Fprintf(b, "| %d-%d | `%s` | %s |\n", p.Shift, p.Shift+p.Width-1, p.Name, p.Doc)
		}
		for _, p := range x.BitFields {
			if p.Values != nil {
				fmt.Fprintf(b, "\nThe values of `%s`:", p.Name)
				for i, name := range p.Values {
					fmt.Fprintf(b, " %d `%s`%s", i, name, map[bool]string{true: ".\n", false: ","}[i == len(p.Values)-1])
				}
			}
		}
	}
}

func bounds(low, high int64) string {
	if high == 1<<31-1 {
		if low == 0 {
			return "0 or more"
		}
		return "any int32"
	}
	return fmt.Sprintf("%d to %d", low, high)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// TestActions keeps the action table, as a page and in a form for other
// languages.
func TestActions(t *testing.T) {
	var b strings.Builder
	_, first := sim.ActionTable(4)
	version, all := sim.ActionTable(3)
	fmt.Fprintf(&b, "Version %d; version %d has one more, %d.\n", sim.ActionTableVersion, version, all-1)
	fmt.Fprint(&b, "\n| id | text | meaning |\n| --- | --- | --- |\n")
	code, err := os.ReadFile("../action.go")
	if err != nil {
		t.Fatal(err)
	}
	meanings := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\tAct\w+ +Action = (\d+) +// (.*)$`).FindAllStringSubmatch(string(code), -1) {
		meanings[m[1]] = m[2]
	}
	texts := []string{}
	for a := range sim.Action(all) {
		text := a.String()
		if back, err := sim.ParseAction(text); err != nil || back != a || slices.Contains(texts, text) {
			t.Errorf("%q is read as %v, %v", text, back, err)
		}
		texts = append(texts, text)
		fmt.Fprintf(&b, "| %d | `%s` | %s |\n", a, text, meanings[fmt.Sprint(int(a))])
	}
	golden.HoldBlock(t, "../../docs/actions.md", "actions", b.String())
	for path, table := range map[string]map[string]any{
		"testdata/actions.json":       {"version": sim.ActionTableVersion, "actions": texts[:first]},
		"testdata/actions_three.json": {"version": version, "actions": texts},
	} {
		list, err := json.MarshalIndent(table, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		golden.Hold(t, path, string(list)+"\n")
	}
}
