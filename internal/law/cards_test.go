package law

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCards checks that each fitted file stands in the card beside it, README.md in the folder
// weights.
func TestCards(t *testing.T) {
	isFitted := func(rel string) bool {
		return within(rel, "internal") && strings.Contains(rel, "/weights/") && filepath.Ext(rel) != ".md"
	}
	found := 0
	eachFile(t, isFitted, func(rel string, _ []byte) {
		found++
		folder, name, _ := strings.Cut(rel, "/weights/")
		path := filepath.Join(folder, "weights", "README.md")
		card, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(card), "`"+name+"`") {
			t.Errorf("%s lacks %s: how it was made, its results and limits", path, name)
		}
	})
	if found == 0 {
		t.Error("no fitted file was found")
	}
}
