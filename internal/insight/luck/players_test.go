package luck_test

import (
	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/internal/insight/luck"
)

func init() { luck.NewPlayer = agents.New }
