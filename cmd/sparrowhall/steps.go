package main

import (
	"bufio"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/export/steps"
	"github.com/sparrowhall/sparrowhall/internal/nearest"
	"github.com/sparrowhall/sparrowhall/internal/plain"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

func newStepsCommand() *cobra.Command {
	var observation, shard string
	var o steps.Options
	cmd := &cobra.Command{
		Use:   "steps DIR...",
		Short: "Write what players saw and did, for learners",
		Long: `Steps plays the matches of datasets again, imported ones too, and writes every
decision to standard output as an Arrow IPC stream: what the player saw, what he
might have done, what he did, and what came of it. The columns have their meaning
in the schema; docs/python.md reads them as tensors with sparrowhall.dataset.`,
		Example: "  sparrowhall steps runs/first > first.arrows\n  sparrowhall steps runs/first --observation features --players value --shard 0/4 > mine.arrows",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if observation != "" {
				var err error
				if o.Observation, err = observe.LookupWith(observation, agents.New); err != nil {
					return usagef("--observation: %w", err)
				}
				if o.Observation.Size() == 0 {
					return usagef("--observation: %q has no fixed size; allowed: planes, events, features, advice", observation)
				}
			}
			var err error
			if o.Shard, o.Shards, err = parseShardOf(shard); err != nil {
				return err
			}
			to := cmd.OutOrStdout()
			if text, ok := to.(*plain.Writer); ok {
				to = text.W // the stream is not text
			}
			out := bufio.NewWriterSize(to, 1<<20)
			datasets := make([]*export.Dataset, len(args))
			for i, dir := range args {
				if datasets[i], err = export.Open(dir); err != nil {
					return err
				}
			}
			if err := checkPlayers(datasets, o.Players); err != nil {
				return err
			}
			w := steps.NewWriter(out, o)
			for _, d := range datasets {
				if err := w.Write(d); err != nil {
					return err
				}
			}
			return errors.Join(w.Close(), out.Flush())
		},
	}
	f := cmd.Flags()
	f.StringVar(&observation, "observation", "planes", "what the players see: planes, events, features, advice, or nothing with \"\"")
	f.BoolVar(&o.Hidden, "hidden", false, "add what is hidden: the hands of the others and the next tiles")
	f.BoolVar(&o.Shanten, "shanten", false, "add how far the hands are")
	f.StringSliceVar(&o.Players, "players", nil, "only the decisions of these agents or players, by name or number")
	f.StringVar(&shard, "shard", "0/1", "only the matches i of every n, as i/n with i from 0")
	return cmd
}

// checkPlayers returns an error for a name that nobody has who played in any of the
// datasets. The numbers of players need no look.
func checkPlayers(datasets []*export.Dataset, players []string) error {
	wanted := slices.DeleteFunc(slices.Clone(players), func(p string) bool {
		return slices.Contains([]string{"0", "1", "2", "3"}, p)
	})
	if len(wanted) == 0 {
		return nil
	}
	known := map[string]bool{}
	for _, d := range datasets {
		for _, name := range d.Run.Agents {
			known[name] = true
		}
		if d.Run.Import == nil {
			continue
		}
		for r, err := range d.Origins() {
			if err != nil {
				return err
			}
			for _, name := range r.Names {
				known[name] = true
			}
		}
	}
	delete(known, "")
	for _, name := range wanted {
		if known[name] {
			continue
		}
		names := slices.Sorted(maps.Keys(known))
		return usagef("--players: nobody is called %q; allowed: 0 to 3 and the names of those who played, nearest %s",
			name, strings.Join(nearest.To(name, names, 3), ", "))
	}
	return nil
}

// parseShardOf reads i/n.
func parseShardOf(text string) (i, n uint64, err error) {
	a, b, ok := strings.Cut(text, "/")
	i, err1 := strconv.ParseUint(a, 10, 32)
	n, err2 := strconv.ParseUint(b, 10, 32)
	if !ok || err1 != nil || err2 != nil || i >= n {
		return 0, 0, usagef("--shard: %q; allowed: i/n with i from 0 to n - 1", text)
	}
	return i, n, nil
}
