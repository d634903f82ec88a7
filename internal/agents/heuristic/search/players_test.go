package search_test

import (
	"github.com/sparrowhall/sparrowhall/internal/agents/heuristic"
	"github.com/sparrowhall/sparrowhall/internal/agents/heuristic/search"
)

func init() { search.NewValue = heuristic.NewValue }
