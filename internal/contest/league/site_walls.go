package league

import (
	"context"
	"encoding/json"
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

// walls writes where the walls of all rounds and tests of the league come from.
func (s *Site) walls(ctx context.Context, w io.Writer) error {
	type row struct {
		wallsOf
		plan []byte
	}
	rounds, err := queryAll(ctx, s.league.db, func(r *row) []any { return []any{&r.Round, &r.State, &r.plan} },
		`SELECT id, state, plan FROM rounds WHERE source = '' ORDER BY id`)
	if err != nil {
		return err
	}
	tests, err := queryAll(ctx, s.league.db, func(r *row) []any { return []any{&r.Test, &r.State, &r.plan} },
		`SELECT id, CASE ended WHEN '' THEN 'playing' ELSE 'ended' END, plan FROM tests ORDER BY id`)
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
	return j.Encode(map[string]any{"format": "sparrowhall league walls 1", "walls": list})
}
