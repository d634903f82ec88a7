package importing

import (
	"github.com/sparrowhall/sparrowhall/internal/record/botzone"
	"github.com/sparrowhall/sparrowhall/internal/record/mahjongsoul"
	"github.com/sparrowhall/sparrowhall/internal/record/majiang"
	"github.com/sparrowhall/sparrowhall/internal/record/mjai"
	"github.com/sparrowhall/sparrowhall/internal/record/tenhou"
	"github.com/sparrowhall/sparrowhall/sim/record"
)

// Formats are the formats of records that can be imported. docs/formats.md describes each.
var Formats = []*record.Format{tenhou.Format, mjai.Format, majiang.Format, botzone.Format, mahjongsoul.Format}
