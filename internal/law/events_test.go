package law

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// readers are the packages that read the events of whole matches, with the types of events
// that they leave out: what a form or a table has no place for, or what others imply.
var readers = map[string]string{
	"internal/pages/board":      "EvKanDone EvKitaDone",
	"export/schema":             "EvAddedKan EvClosedKan EvFlower EvFlowerChoice EvIndicator EvKanDone EvKita EvKitaDone EvMatchEnd EvPlacement EvReveal EvSeats EvTruncated",
	"internal/pages/viewer":     "EvDebt EvDeclare EvIndicator EvKanDone EvKitaDone EvPay EvPlacement EvReady EvReveal EvSeats EvTruncated",
	"internal/analysis/whatif":  "EvAbort EvAddedKan EvChi EvClosedKan EvDeal EvDeclare EvDiscard EvDraw EvFlower EvFlowerChoice EvForfeit EvKanDone EvKita EvKitaDone EvOpenKan EvPon EvReady EvReveal EvSeats",
	"internal/insight/luck":     "EvAbort EvDeclare EvExhausted EvFlowerChoice EvForfeit EvKanDone EvMatchEnd EvPlacement EvReveal EvTruncated EvValue",
	"sim/observe":               "EvDebt EvForfeit EvHandEnd EvKanDone EvKitaDone EvMatchEnd EvPay EvPlacement EvReveal EvSeats EvTruncated EvValue",
	"sim/record":                "EvDebt EvKanDone EvKitaDone EvMatchEnd EvPlacement EvReveal EvSeats EvTruncated EvValue",
	"internal/record/botzone":   "EvAbort EvDebt EvDeclare EvFlowerChoice EvHandEnd EvIndicator EvKanDone EvKita EvKitaDone EvMatchEnd EvPay EvPlacement EvReady EvReveal EvValue",
	"internal/record/mjai":      "EvDebt EvFlower EvFlowerChoice EvForfeit EvKanDone EvKitaDone EvPlacement EvTruncated",
	"internal/record/tenhou":    "EvDebt EvDeclare EvFlower EvFlowerChoice EvForfeit EvKanDone EvKitaDone EvMatchEnd EvPlacement EvReveal EvSeats EvTruncated",
	"internal/pages/transcript": "EvKanDone EvKitaDone",
}

// TestEvents checks that a new type of event is read everywhere, or left out on purpose.
func TestEvents(t *testing.T) {
	var types []string
	read := map[string][]string{}
	for _, f := range sourceFiles(t) {
		if f.isTest() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if name := n.Names[0].Name; f.folder == "sim" && strings.HasPrefix(name, "Ev") {
					types = append(types, name)
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "sim" {
					read[f.folder] = append(read[f.folder], n.Sel.Name)
				}
			}
			return true
		})
	}
	if len(types) < 30 {
		t.Fatalf("sim has the events %v", types)
	}
	for folder, leaves := range readers {
		for _, typ := range types {
			reads, left := slices.Contains(read[folder], typ), slices.Contains(strings.Fields(leaves), typ)
			switch {
			case !reads && !left:
				t.Errorf("%s ignores sim.%s: read it there, or list it in readers as left out", folder, typ)
			case reads && left:
				t.Errorf("%s reads sim.%s: take it out of what readers leave out", folder, typ)
			}
		}
	}
}
