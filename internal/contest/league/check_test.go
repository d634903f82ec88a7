package league

import (
	"fmt"
	"strings"
	"testing"
)

// TestCheckFindsDamage changes a byte of each result and of each figure that a league has counted. A
// bit that fell in league.db changed standings once that the check found to be those of the files.
func TestCheckFindsDamage(t *testing.T) {
	l := newLeague(t, settings(t), "random", "tsumogiri")
	run(t, l, 32)
	check := func(change, back, want string) {
		t.Helper()
		if _, err := l.db.Exec(change); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Check(t.Context(), MergeOptions{Workers: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", change, err, want)
		}
		if _, err := l.db.Exec(back); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.db.Exec(`CREATE TEMP TABLE kept AS SELECT * FROM sets`); err != nil {
		t.Fatal(err)
	}
	for at := range 2 * recordBytes {
		check(
			fmt.Sprintf(`UPDATE sets SET results = CAST(substr(results, 1, %d) || x'05' || substr(results, %d) AS BLOB) WHERE rowid = 1`, at, at+2),
			`UPDATE sets SET results = (SELECT results FROM kept WHERE kept.round = sets.round AND kept.number = sets.number) WHERE rowid = 1`,
			"duplicate set",
		)
	}
	for _, column := range strings.Fields("matches first second third fourth points placement hands wins self_draws deal_ins readies calls decisions forfeits") {
		check(`UPDATE figures SET `+column+` = `+column+` + 64 WHERE bot = 2`, `UPDATE figures SET `+column+` = `+column+` - 64 WHERE bot = 2`, "figures of bot 2")
	}
	check(`UPDATE sets SET number = number + 64 WHERE rowid = 1`, `UPDATE sets SET number = number - 64 WHERE rowid = 1`, "duplicate set")
	if n, err := l.Check(t.Context(), MergeOptions{Sample: 1, Workers: 1}); err != nil || n != 32 {
		t.Errorf("%d matches, %v", n, err)
	}
}
