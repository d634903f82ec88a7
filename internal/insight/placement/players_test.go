package placement_test

import (
	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/insight/placement"
)

func init() { placement.NewPlayer = agents.New }
