package importing

import (
	"github.com/sparrowhall/sparrowhall/sim/record"
	"github.com/sparrowhall/sparrowhall/sim/record/botzone"
	"github.com/sparrowhall/sparrowhall/sim/record/majiang"
	"github.com/sparrowhall/sparrowhall/sim/record/mjai"
	"github.com/sparrowhall/sparrowhall/sim/record/tenhou"
)

// Formats are the formats of records that can be imported. docs/formats.md describes each.
var Formats = []*record.Format{tenhou.Format, mjai.Format, majiang.Format, botzone.Format}
