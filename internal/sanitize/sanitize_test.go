package sanitize

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

var cases = map[string]string{
	"":                     "",
	"greedy":               "greedy",
	"\x1b[31mred\x1b[0m":   `\u001b[31mred\u001b[0m`,
	"two\nlines\r\tand":    `two\u000alines\u000d\u0009and`,
	"雀荘 ü 🀄 e\u0301":       "雀荘 ü 🀄 e\u0301",
	"\u009b31m\u007f":      `\u009b31m\u007f`,
	"\u202egnp.exe":        `\u202egnp.exe`,
	"bad \xff byte":        `bad \ufffd byte`,
	"tag \U000e0041 line2": `tag \udb40\udc41 line2`,
	"sep\u2028end":         `sep\u2028end`,
}

func TestLine(t *testing.T) {
	for text, want := range cases {
		if got := Line(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCheckLine(t *testing.T) {
	for text, want := range map[string]string{
		"雀荘 ü 🀄": "", "123456": "", "1234567": "has 7 characters; allowed: 6", "": "is empty", " ": "is empty",
		"a ": "has spaces around it", "a\nb": `a\u000ab has characters`, "\u202ea": `\u202ea has characters`, "\xff": `\ufffd has characters`,
	} {
		if err := CheckLine("name", text, 6); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// Whatever the pieces in which it is written, a text comes out the same, with its
// line feeds and tabs.
func TestWriter(t *testing.T) {
	keep := strings.NewReplacer(`\u000a`, "\n", `\u0009`, "\t")
	for text, want := range cases {
		for size := 1; size < 6; size++ {
			var b strings.Builder
			w := &Writer{W: &b}
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				if m, err := io.WriteString(w, rest[:n]); m != n || err != nil {
					t.Fatal(m, err)
				}
				rest = rest[n:]
			}
			if got := b.String(); got != keep.Replace(want) {
				t.Errorf("%q in pieces of %d: %q", text, size, got)
			}
		}
	}
}

// JSON means the same after it.
func TestWriterJSON(t *testing.T) {
	for text := range cases {
		text = strings.ToValidUTF8(text, "")
		var b strings.Builder
		if err := json.NewEncoder(&Writer{W: &b}).Encode(text); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := json.Unmarshal([]byte(b.String()), &got); err != nil || got != text {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
