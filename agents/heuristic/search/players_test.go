package search_test

import (
	"github.com/sparrowhall/sparrowhall/agents/heuristic"
	"github.com/sparrowhall/sparrowhall/agents/heuristic/search"
)

func init() { search.NewValue = heuristic.NewValue }
