package env_test

import (
	"os"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sparrowhall/sparrowhall/env"
)

// docs/serving.md lists every metric.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/serving.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, c := range newEnv(t, env.Options{}).Collectors() {
		descriptions := make(chan *prometheus.Desc, 1)
		c.Describe(descriptions)
		d := (<-descriptions).String()
		name := strings.Split(d, `"`)[1]
		if !strings.Contains(page, "\n| `"+name) {
			t.Errorf("%s is not listed", name)
		}
	}
}
