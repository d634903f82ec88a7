package law

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
)

//go:generate go test -run ^TestReference$ . -update

// generated matches what a page takes from the code: of a package its comment, of a struct
// its members with their tags doc, of another file its text.
var generated = regexp.MustCompile(`(?s)(<!-- generated from (\S+?)(?:\.([A-Z]\w*))? -->\n).*?(<!-- end -->\n)`)

// TestReference checks that pages have what they take from the code as it stands there.
func TestReference(t *testing.T) {
	files, found := sourceFiles(t), 0
	isPage := func(rel string) bool { return within(rel, "docs") && strings.HasSuffix(rel, ".md") }
	eachFile(t, isPage, func(rel string, text []byte) {
		want := generated.ReplaceAllStringFunc(string(text), func(old string) string {
			m := generated.FindStringSubmatch(old)
			found++
			return m[1] + "\n" + reference(t, files, m[2], m[3]) + "\n" + m[4]
		})
		golden.Hold(t, filepath.Join(root, rel), want)
	})
	if found == 0 {
		t.Error("no page takes anything from the code")
	}
}

// reference returns the text that a page takes from the code.
func reference(t *testing.T, files []sourceFile, path, name string) string {
	if filepath.Ext(path) != "" {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("<!-- run: no, the text of a file -->\n```%s\n%s\n```\n", filepath.Ext(path)[1:], bytes.TrimSpace(text))
	}
	text := ""
	for _, f := range files {
		if f.folder != path || f.isTest() {
			continue
		}
		if name == "" && f.ast.Doc != nil {
			text = packageText(f.ast.Doc.Text())
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.Name == name {
				text = members(t, spec)
			}
			return true
		})
	}
	if text == "" {
		t.Errorf("%s has no text for %s.%s", root, path, name)
	}
	return text
}

// packageText returns the sections of the comment of a package. A list of elements with a
// colon each and no numbers is a table.
func packageText(text string) string {
	var b strings.Builder
	_, text, _ = strings.Cut(text, "\n# ")
	for _, block := range new(comment.Parser).Parse("# " + text).Content {
		plain := func(blocks ...comment.Block) string {
			return strings.Join(strings.Fields(string(new(comment.Printer).Comment(&comment.Doc{Content: blocks}))), " ")
		}
		switch block := block.(type) {
		case *comment.Heading:
			fmt.Fprintf(&b, "### %s\n\n", strings.TrimPrefix(plain(block), "# "))
		case *comment.Code:
			fmt.Fprintf(&b, "\t%s\n\n", strings.ReplaceAll(strings.TrimSpace(block.Text), "\n", "\n\t"))
		case *comment.List:
			table := true
			for _, item := range block.Items {
				table = table && item.Number == "" && strings.Contains(plain(item.Content...), ": ")
			}
			if table {
				b.WriteString("| element | meaning |\n| --- | --- |\n")
			}
			for _, item := range block.Items {
				element, meaning, _ := strings.Cut(plain(item.Content...), ": ")
				switch {
				case table:
					fmt.Fprintf(&b, "| %s | %s |\n", element, meaning)
				case item.Number != "":
					fmt.Fprintf(&b, "%s. %s\n", item.Number, plain(item.Content...))
				default:
					fmt.Fprintf(&b, "- %s\n", plain(item.Content...))
				}
			}
			b.WriteByte('\n')
		default:
			fmt.Fprintf(&b, "%s\n\n", plain(block))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// members returns a table of the members that the struct of a type has in JSON.
func members(t *testing.T, spec *ast.TypeSpec) string {
	text := "| member | meaning |\n| --- | --- |\n"
	for _, f := range spec.Type.(*ast.StructType).Fields.List {
		if f.Tag == nil {
			continue
		}
		tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
		name, _, _ := strings.Cut(tag.Get("json"), ",")
		if tag.Get("doc") == "" {
			t.Errorf("%s: member %s has no tag doc", spec.Name, name)
		}
		text += fmt.Sprintf("| `%s` | %s |\n", name, strings.NewReplacer("[", "`", "]", "`").Replace(tag.Get("doc")))
	}
	return text
}
