package env_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/internal/testkit/golden"
)

//go:generate go test -run ^TestDocs$ . -update

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
	golden.HoldBlock(t, "../docs/serving.md", "metrics", "| metric | meaning |\n| --- | --- |\n"+strings.Join(rows, ""))
}
