package proto

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
)

//go:generate go test -run ^TestDocs$ . -update

const docs = "../docs"

// The pages of the protocol are what the comments of the definitions contain.
func TestDocs(t *testing.T) {
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	for _, name := range []string{"env", "agent"} {
		files, err := compiler.Compile(context.Background(), fmt.Sprintf("sparrowhall/%s/v1/%[1]s.proto", name))
		if err != nil {
			t.Fatal(err)
		}
		golden.Hold(t, filepath.Join(docs, "protocol", name+".md"), filePage(t, files[0]))
		if name == "env" {
			golden.Hold(t, filepath.Join(docs, "serving.md"), withClient(t, withColumns(t, files[0])))
		}
	}
}

// withColumns returns docs/serving.md with the table of columns as it is.
func withColumns(t *testing.T, f protoreflect.FileDescriptor) string {
	old, err := os.ReadFile(filepath.Join(docs, "serving.md"))
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(old), "<!-- columns -->\n")
	if !ok {
		t.Fatal("docs/serving.md has no place for the columns")
	}
	var b bytes.Buffer
	b.WriteString("<!-- columns -->\n\n| message | column | type | bytes a row | unit | range |\n| --- | --- | --- | --- | --- | --- |\n")
	for m := range each(f.Messages()) {
		for field := range each(m.Fields()) {
			if c, ok := columnOf(t, field); ok {
				fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s |\n", link(m, "protocol/env.md"), field.Name(), c.kind, c.bytes, c.unit, c.bounds)
			}
		}
	}
	rest := regexp.MustCompile(`^(\n\|.*(\n\|.*)*\n)?`).ReplaceAllLiteralString(after, "")
	return before + b.String() + rest
}

// withClient returns docs/serving.md with the client in JavaScript as it is.
func withClient(t *testing.T, page string) string {
	text, err := os.ReadFile(filepath.Join(docs, "clients", "client.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)(<!-- client -->\n[^\n]*\n```js\n).*?\n```\n")
	if len(block.FindAllString(page, -1)) != 1 {
		t.Fatal("docs/serving.md has no place for the client")
	}
	return block.ReplaceAllStringFunc(page, func(old string) string {
		return block.FindStringSubmatch(old)[1] + string(text) + "```\n"
	})
}

// filePage returns the page of a file.
func filePage(t *testing.T, f protoreflect.FileDescriptor) string {
	const source = "https://github.com/sparrowhall/sparrowhall/blob/main/proto/"
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n<!-- written by go generate ./proto -->\nThis page is for authors of clients and policies: the services, messages and codes of [%s](%s%s), made of its comments.\n\n",
		f.Package(), filepath.Base(f.Path()), source, f.Path())
	syntax := f.SourceLocations().ByPath(protoreflect.SourcePath{12})
	for _, c := range syntax.LeadingDetachedComments {
		b.WriteString(paragraphs(c))
	}
	for s := range each(f.Services()) {
		fmt.Fprintf(&b, "## %s\n\n%s", s.Name(), paragraphs(comment(t, s)))
		for m := range each(s.Methods()) {
			fmt.Fprintf(&b, "### %s\n\n%s of %s, answered by %s of %s.\n\n%s", m.Name(),
				capital(number(m.IsStreamingClient())), link(m.Input(), ""), number(m.IsStreamingServer()), link(m.Output(), ""), paragraphs(comment(t, m)))
		}
	}
	b.WriteString("## Messages\n\n")
	for m := range each(f.Messages()) {
		fmt.Fprintf(&b, "### %s\n\n%s", m.Name(), paragraphs(comment(t, m)))
		writeFields(t, &b, m)
	}
	if f.Enums().Len() > 0 {
		b.WriteString("## Enumerations\n\n")
	}
	for e := range each(f.Enums()) {
		fmt.Fprintf(&b, "### %s\n\n%s| value | number | meaning |\n| --- | --- | --- |\n", e.Name(), paragraphs(comment(t, e)))
		for v := range each(e.Values()) {
			fmt.Fprintf(&b, "| `%s` | %d | %s |\n", v.Name(), v.Number(), line(comment(t, v)))
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeFields writes the table of the fields of a message, with widths where it has columns.
func writeFields(t *testing.T, b *bytes.Buffer, m protoreflect.MessageDescriptor) {
	columns := false
	for field := range each(m.Fields()) {
		_, ok := columnOf(t, field)
		columns = columns || ok
	}
	switch {
	case m.Fields().Len() == 0:
		return
	case columns:
		b.WriteString("| field | number | type | bytes a row | unit | range | meaning |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	default:
		b.WriteString("| field | number | type | meaning |\n| --- | --- | --- | --- |\n")
	}
	for field := range each(m.Fields()) {
		kind, meaning, middle := typeOf(field), line(comment(t, field)), ""
		c, ok := columnOf(t, field)
		if ok {
			kind, meaning = "column of "+c.kind, c.meaning
		}
		if columns {
			middle = fmt.Sprintf(" %s | %s | %s |", c.bytes, c.unit, c.bounds)
		}
		fmt.Fprintf(b, "| `%s` | %d | %s |%s %s |\n", field.Name(), field.Number(), kind, middle, meaning)
	}
	b.WriteByte('\n')
}

// column is what the comment of a column begins with.
type column struct{ kind, bytes, unit, bounds, meaning string }

var (
	columnComment = regexp.MustCompile(`^Column of (?:(\S+) )?(bytes|u?int\d+)(?: in ([^,:]+))?(?:, ([^:]+))?: (.*)$`)
	widths        = map[string]string{"uint8": "1", "uint32": "4", "int32": "4", "uint64": "8"}
)

// columnOf returns what the comment of a column begins with; other fields are no columns.
func columnOf(t *testing.T, field protoreflect.FieldDescriptor) (column, bool) {
	text := line(comment(t, field))
	if !strings.HasPrefix(text, "Column") {
		return column{}, false
	}
	m := columnComment.FindStringSubmatch(text)
	if m == nil || field.Kind() != protoreflect.BytesKind {
		t.Fatalf("%s: the comment of a column of bytes begins %q, not by its type", field.FullName(), text)
	}
	times, kind, unit, bounds, meaning := m[1], m[2], m[3], m[4], capital(m[5])
	if kind == "bytes" {
		return column{"bytes", times, unit, bounds, meaning}, true
	}
	width, ok := widths[kind]
	if !ok {
		t.Fatalf("%s: %s has no width", field.FullName(), kind)
	}
	if times != "" {
		kind, width = times+" "+kind, width+" * "+times
	}
	if bounds == "" {
		bounds = "any"
	}
	return column{kind, width, unit, bounds, meaning}, true
}

// typeOf returns the type of a field in words.
func typeOf(field protoreflect.FieldDescriptor) string {
	kind := field.Kind().String()
	if m := field.Message(); m != nil {
		kind = link(m, "")
	} else if e := field.Enum(); e != nil {
		kind = link(e, "")
	}
	switch one := field.ContainingOneof(); {
	case field.IsList():
		return "repeated " + kind
	case field.HasOptionalKeyword():
		return "optional " + kind
	case one != nil:
		return fmt.Sprintf("%s, one of `%s`", kind, one.Name())
	}
	return kind
}

// list is a list of descriptors.
type list[D any] interface {
	Len() int
	Get(int) D
}

// each yields the descriptors of a list.
func each[D any](l list[D]) func(yield func(D) bool) {
	return func(yield func(D) bool) {
		for i := range l.Len() {
			if !yield(l.Get(i)) {
				return
			}
		}
	}
}

func comment(t *testing.T, d protoreflect.Descriptor) string {
	c := d.ParentFile().SourceLocations().ByDescriptor(d).LeadingComments
	if c == "" {
		t.Fatalf("%s has no comment", d.FullName())
	}
	return c
}

// paragraphs returns a comment as Markdown, a line for each paragraph.
func paragraphs(c string) string {
	var b strings.Builder
	for p := range strings.SplitSeq(c, "\n\n") {
		b.WriteString(line(p) + "\n\n")
	}
	return b.String()
}

// line returns a comment as one line that may stand in a table.
func line(c string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(c), " "), "|", `\|`)
}

func link(d protoreflect.Descriptor, page string) string {
	return fmt.Sprintf("[%s](%s#%s)", d.Name(), page, strings.ToLower(string(d.Name())))
}

func number(stream bool) string {
	if stream {
		return "a stream"
	}
	return "a message"
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
