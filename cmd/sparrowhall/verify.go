package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export"
	"github.com/sparrowhall/sparrowhall/internal/plain"
)

func newVerifyCommand() *cobra.Command {
	var work workFlags
	var asJSON bool
	var keyFile, seal string
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Play the matches of a dataset again and compare",
		Long: `Verify compares the files of a dataset with the checksums of its manifest, plays
every match again from its seed and its actions, and compares every row. It names
the file, the row and the first difference. A dataset that is incomplete may be
verified as far as it goes. With --key it must be signed by the owner of that key.`,
		Example: "  sparrowhall verify runs/first",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := work.checkWork(); err != nil {
				return err
			}
			d, err := export.Open(args[0])
			if err != nil {
				return err
			}
			err = checkKey(d, keyFile)
			if err == nil {
				err = unseal(d, seal)
			}
			if err == nil {
				p := work.progress(cmd, "matches", d.Matches())
				err = d.Verify(cmd.Context(), work.workers, p.add)
				p.end()
			}
			if errors.Is(err, context.Canceled) {
				err = errors.New("interrupted")
			}
			if asJSON {
				return errors.Join(writeJSON(cmd.OutOrStdout(), verifyJSON(d, err)), err)
			}
			if err != nil {
				return err
			}
			return writeVerified(cmd.OutOrStdout(), args[0], d, keyFile != "")
		},
	}
	work.addWork(cmd, "matches played at a time")
	cmd.Flags().StringVar(&keyFile, "key", "", "PEM file of the public ed25519 key that must have signed the dataset")
	sealFileFlag(cmd, &seal, "file with the seed of a sealed run that is not complete")
	jsonFlag(cmd, &asJSON)
	return cmd
}

// checkKey returns why the dataset is not signed by a key, if one is named.
func checkKey(d *export.Dataset, file string) error {
	if file == "" {
		return nil
	}
	key, err := export.ReadPublicKey(file)
	if err == nil {
		err = d.CheckSignature(key)
	}
	if err != nil {
		return fmt.Errorf("--key: %w", err)
	}
	return nil
}

// writeVerified says what was found to be right.
func writeVerified(w io.Writer, dir string, d *export.Dataset, byKey bool) error {
	m := d.Manifest
	dir = plain.Line(dir)
	rows := ""
	for _, t := range d.Run.Tables() {
		rows += fmt.Sprintf(", %d rows of %s", m.Rows[t], t)
	}
	_, err := fmt.Fprintf(w, "%s: %d matches of %s play as recorded%s\n", dir, d.Matches(), plain.Line(m.Ruleset.Name), rows)
	if err == nil && !m.Complete {
		_, err = fmt.Fprintf(w, "%s is incomplete: the run has %d matches\n", dir, m.Matches)
	}
	if err == nil && m.Sealed != nil && m.Sealed.Seed != "" {
		_, err = fmt.Fprintf(w, "%s was sealed; its seed is that of the commitment %s\n", dir, m.Sealed.Commitment)
	}
	if err != nil {
		return err
	}
	if _, unsigned := d.Signature(); unsigned != nil {
		return nil
	}
	if byKey {
		_, err = fmt.Fprintf(w, "%s is signed by the key\n", dir)
	} else {
		_, err = fmt.Fprintf(w, "%s is signed; --key checks by whom\n", dir)
	}
	return err
}

func verifyJSON(d *export.Dataset, err error) any {
	answer := struct {
		OK       bool                   `json:"ok"`
		Complete bool                   `json:"complete"`
		Signed   bool                   `json:"signed"`
		Sealed   string                 `json:"sealed,omitempty"`
		Matches  uint64                 `json:"matches"`
		Rows     map[export.Table]int64 `json:"rows"`
		File     string                 `json:"file,omitempty"`
		Row      *int64                 `json:"row,omitempty"`
		Error    string                 `json:"error,omitempty"`
	}{OK: err == nil, Complete: d.Manifest.Complete, Matches: d.Matches(), Rows: d.Manifest.Rows}
	if _, unsigned := d.Signature(); unsigned == nil {
		answer.Signed = true
	}
	if d.Manifest.Sealed != nil {
		answer.Sealed = d.Manifest.Sealed.Commitment
	}
	if err != nil {
		answer.Error = err.Error()
	}
	if diff, ok := errors.AsType[*export.Difference](err); ok {
		answer.File, answer.Row = diff.File, &diff.Row
	}
	return answer
}
