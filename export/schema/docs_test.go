package schema

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
)

//go:generate go test -run ^TestDocs$ . -update

const page = "../../docs/datasets.md"

// The page on datasets has the columns as they are.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := string(b)
	for table := range NumTables {
		mark := fmt.Sprintf("<!-- columns of %v -->\n", table)
		if strings.Count(want, mark) != 1 {
			t.Fatalf("%q stands %d times in %s", mark, strings.Count(want, mark), page)
		}
		old := regexp.MustCompile(regexp.QuoteMeta(mark) + `(\n\|.*(\n\|.*)*\n)?`)
		want = old.ReplaceAllLiteralString(want, mark+"\n"+columnsTable(table))
	}
	golden.Hold(t, page, want)
}

func columnsTable(table Table) string {
	var b strings.Builder
	b.WriteString("| column | type | unit | meaning |\n| --- | --- | --- | --- |\n")
	writeColumns(&b, "", newLayout(Options{}, 4, true, inPoints, nil).Schema(table).Fields())
	return b.String()
}

func writeColumns(b *strings.Builder, prefix string, fields []arrow.Field) {
	for _, f := range fields {
		metadata := f.Metadata.ToMap()
		typ, inner := f.Type.String(), []arrow.Field(nil)
		switch list := f.Type.(type) {
		case *arrow.DictionaryType:
			typ = "word"
		case *arrow.ListType:
			typ = "list of structs"
			inner = list.Elem().(*arrow.StructType).Fields()
		case *arrow.FixedSizeListType:
			typ = fmt.Sprintf("%v[%d]", list.Elem(), list.Len())
		}
		if f.Nullable {
			typ += " or null"
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s | %s |\n", prefix, f.Name, typ, metadata["unit"], metadata["description"])
		writeColumns(b, prefix+f.Name+".", inner)
	}
}
