package outside

import (
	"slices"
	"testing"

	agentv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/agent/v1"
	"github.com/sparrowhall/sparrowhall/ruleset"
)

// TestFill holds that a batch replaces the one before it in a request, whose memory is used
// again.
func TestFill(t *testing.T) {
	q := func(id uint32, mask, tensor byte) *question {
		return &question{agentID: id, rules: &ruleset.Rules{}, mask: []byte{mask}, observation: [][]byte{{tensor}}}
	}
	var r agentv1.ActRequest
	large, small := []*question{q(1, 2, 3), q(4, 5, 6)}, []*question{q(7, 8, 9)}
	fill(&r, large)
	fill(&r, small)
	if r.Rows != 1 || !slices.Equal(r.Asker, []byte{7, 0, 0, 0}) || !slices.Equal(r.Mask, []byte{8}) || !slices.Equal(r.Observation[0], []byte{9}) {
		t.Errorf("the second batch became %v", &r)
	}
	if n := testing.AllocsPerRun(10, func() { fill(&r, large) }); n != 0 {
		t.Errorf("a batch as large as an earlier one allocates %v times", n)
	}
}
