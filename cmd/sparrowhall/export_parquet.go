package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/export/parquet"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

func newExportParquetCommand() *cobra.Command {
	var out string
	var names []string
	var quiet progressFlags
	cmd := &cobra.Command{
		Use:   "export-parquet DIR",
		Short: "Write the tables of a dataset as Parquet",
		Long: `Export-parquet writes the tables of a dataset as Parquet, with the columns and
types of docs/datasets.md, for Spark, BigQuery, DuckDB and the like. Each table
is a folder, partitioned by ruleset, with a file for each file of the dataset.`,
		Example: `  sparrowhall export-parquet runs/first --out runs/first-parquet \
    --table matches,hands`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				return usagef("--out is missing: which folder shall be written?")
			}
			d, err := dataset.Open(args[0])
			if err != nil {
				return err
			}
			tables := d.Run.Tables()
			if len(names) > 0 {
				tables = tables[:0]
			}
			for _, name := range names {
				var t schema.Table
				if err := t.UnmarshalText([]byte(name)); err != nil {
					return usagef("--table: %w", err)
				}
				tables = append(tables, t)
			}
			p := quiet.progress(cmd, "matches", d.Matches()*uint64(len(tables)))
			err = parquet.Write(cmd.Context(), d, out, tables, p.Add)
			p.End()
			switch {
			case errors.Is(err, parquet.ErrOccupied):
				return fmt.Errorf("%w; name another with --out", err)
			case errors.Is(err, context.Canceled):
				return errors.New("interrupted; nothing was written")
			case err != nil:
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s, %s: %s\n", digits.Count(d.Matches(), "match"), digits.Count(len(tables), "table"), sanitize.Line(out))
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "folder to write to, new or empty")
	f.StringSliceVar(&names, "table", nil, "only these tables, separated by commas")
	quiet.addProgress(cmd)
	return cmd
}
