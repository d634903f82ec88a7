package importing

import (
	"github.com/jansou/jansou/sim/record"
	"github.com/jansou/jansou/sim/record/botzone"
	"github.com/jansou/jansou/sim/record/majiang"
	"github.com/jansou/jansou/sim/record/mjai"
	"github.com/jansou/jansou/sim/record/tenhou"
)

// Formats lists the forms of records that can be read; a new one needs a line here
// and a page in docs/formats.md.
var Formats = []*record.Format{tenhou.Format, mjai.Format, majiang.Format, botzone.Format}
