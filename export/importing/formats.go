package importing

import (
	"github.com/sparrowhall/sparrowhall/sim/record"
	"github.com/sparrowhall/sparrowhall/sim/record/botzone"
	"github.com/sparrowhall/sparrowhall/sim/record/majiang"
	"github.com/sparrowhall/sparrowhall/sim/record/mjai"
	"github.com/sparrowhall/sparrowhall/sim/record/tenhou"
)

// Formats lists the forms of records that can be read; a new one needs a line here
// and a page in docs/formats.md.
var Formats = []*record.Format{tenhou.Format, mjai.Format, majiang.Format, botzone.Format}
