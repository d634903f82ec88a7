package league

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/sparrowhall/sparrowhall/internal/export/seal"
)

// wallsOf says where the walls of a round or test come from.
type wallsOf struct {
	Round int64 `json:"round,omitempty"`
	Test  int64 `json:"test,omitempty"`
	// State is that of a round: playing, counted or abandoned; of a test playing or ended.
	State string `json:"state"`
	// Seed is that of public walls, once they have been played.
	Seed uint64 `json:"seed,string,omitempty"`
	// Sealed is the commitment. The secret is added when the round has ended, so that no reader
	// knows walls that are yet to come.
	Sealed *seal.Info `json:"sealed,omitempty"`
}

// WallsVersion returns a text that changes when a round or test begins. A server that keeps
// [WallsFile] has to render it again then: a commitment has to be there before the first hand.
func (s *Site) WallsVersion(ctx context.Context) (version string, err error) {
	err = s.league.db.QueryRowContext(ctx, `SELECT (SELECT coalesce(max(id), 0) FROM rounds) || ' ' || (SELECT coalesce(max(id), 0) FROM tests)`).Scan(&version)
	return version, err
}

// wallsPart is the number of rounds of a part of the list of walls.
const wallsPart = 1000

// wallsFile returns the name of part n. [WallsFile] has the newest rounds: it is made for each new one,
// which would take ever longer if it had all.
func wallsFile(n int64) string { return fmt.Sprintf("walls-%d.json", n) }

// wallsParts returns the number of parts before the rounds of [WallsFile], at least wallsPart if there
// are parts.
func (l *League) wallsParts(ctx context.Context) (n int64, err error) {
	return n, l.db.QueryRowContext(ctx, `SELECT max(0, coalesce(max(id), 0) / ? - 1) FROM rounds`, wallsPart).Scan(&n)
}

// walls writes where the walls of the rounds from part first to before part end come from. Those of
// [WallsFile], and all tests, are from first on, with end 0.
func (s *Site) walls(ctx context.Context, w io.Writer, first, end int64) error {
	type row struct {
		wallsOf
		plan []byte
	}
	rounds, err := queryAll(ctx, s.league.db, func(r *row) []any { return []any{&r.Round, &r.State, &r.plan} },
		`SELECT id, state, plan FROM rounds WHERE source = '' AND id >= ?1 * ?3 AND (?2 = 0 OR id < ?2 * ?3) ORDER BY id`, first, end, wallsPart)
	if err != nil {
		return err
	}
	tests, err := queryAll(ctx, s.league.db, func(r *row) []any { return []any{&r.Test, &r.State, &r.plan} },
		`SELECT id, CASE ended WHEN '' THEN 'playing' ELSE 'ended' END, plan FROM tests WHERE ? = 0 ORDER BY id`, end)
	if err != nil {
		return err
	}
	list := []wallsOf{}
	for _, r := range append(rounds, tests...) {
		var p plan
		if err := json.Unmarshal(r.plan, &p); err != nil {
			return err
		}
		switch r.Sealed = p.Sealed; {
		case r.State == playing:
			if r.Sealed != nil {
				r.Sealed = &seal.Info{Commitment: p.Sealed.Commitment}
			}
		case r.Sealed == nil && r.Test > 0:
			r.Seed = s.league.deriveSeed("test", r.Test)
		case r.Sealed == nil:
			r.Seed = p.Seed
		}
		list = append(list, r.wallsOf)
	}
	j := json.NewEncoder(w)
	j.SetIndent("", " ")
	all := map[string]any{"format": "sparrowhall league walls 1", "walls": list}
	if end == 0 && first > 0 {
		all["earlier"] = fmt.Sprintf("%s to %s", wallsFile(0), wallsFile(first-1))
	}
	return j.Encode(all)
}
