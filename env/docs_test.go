package env_test

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/sparrowhall/sparrowhall/env"
)

//go:generate go test -run ^TestDocs$ . -update

var update = flag.Bool("update", false, "rewrite the metrics in docs/serving.md")

// docs/serving.md lists every metric.
func TestDocs(t *testing.T) {
	registry := prometheus.NewRegistry()
	if _, err := env.NewServer(newEnv(t, env.Options{}), env.ServerOptions{Registry: registry}); err != nil {
		t.Fatal(err)
	}
	descriptions := make(chan *prometheus.Desc, 1000)
	registry.Describe(descriptions)
	close(descriptions)
	format := regexp.MustCompile(`fqName: "(sparrowhall\w*)", help: "([^"]*)".*variableLabels: {([^}]*)}`)
	var rows []string
	for d := range descriptions {
		if m := format.FindStringSubmatch(d.String()); m != nil {
			rows = append(rows, strings.Replace("| `"+m[1]+"{"+m[3]+"}` | ", "{}", "", 1)+m[2]+" |\n")
		}
	}
	slices.Sort(rows)
	const path = "../docs/serving.md"
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	table := "$1\n| metric | meaning |\n| --- | --- |\n" + strings.Join(rows, "") + "\n$2"
	text := regexp.MustCompile(`(?s)(<!-- metrics, generated -->\n).*?(<!-- end -->)`).ReplaceAllString(string(old), table)
	if d := cmp.Diff(text, string(old)); d != "" && !*update {
		t.Errorf("docs/serving.md is out of date (+), run go generate ./env:\n%s", d)
	} else if d != "" {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
