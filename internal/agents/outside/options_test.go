package outside

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
)

//go:generate go test -run ^TestDocs$ . -update

// TestDocs holds the table of options in docs/bots.md.
func TestDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString("| option | of | allowed | default | meaning |\n| --- | --- | --- | --- | --- |\n")
	for _, o := range options {
		usual := ""
		if o.usual != "" {
			usual = "`" + o.usual + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", o.name, strings.ReplaceAll(o.agents, " ", ", "), o.values, usual, o.meaning)
	}
	golden.HoldBlock(t, "../../../docs/bots.md", "options", b.String())
}
