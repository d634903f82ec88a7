package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/export/schema"
	"github.com/sparrowhall/sparrowhall/internal/digits"
	"github.com/sparrowhall/sparrowhall/internal/sanitize"
)

func newVerifyCommand() *cobra.Command {
	var work workFlags
	var asJSON bool
	var keyFile, sealFile string
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Replay the matches of a dataset and compare",
		Long: `Verify compares the files of a dataset with the checksums of its manifest,
replays every match from its seed and its actions, and compares every row. It
names the file, the row and the first difference. Of an incomplete dataset it
verifies what is there. With --key the dataset must be signed with that key.`,
		Example: "  sparrowhall verify runs/first",
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := dataset.Open(args[0])
			if err != nil {
				return err
			}
			err = checkKey(cmd.Context(), keyFile, d.CheckSignature)
			if err == nil {
				err = unseal(cmd.Context(), d, sealFile)
			}
			if err == nil {
				p := work.progress(cmd, "matches", d.Matches())
				err = d.Verify(cmd.Context(), work.workers, p.Add)
				p.End()
			}
			err = explainInterrupt(err)
			if err != nil && !asJSON {
				return err
			}
			return errors.Join(printResult(cmd, asJSON, verifyJSON(d, err), func(p *printer) {
				p.verified(args[0], d, keyFile != "")
			}), err)
		},
	}
	work.addWork(cmd, "matches replayed")
	cmd.Flags().StringVar(&keyFile, "key", "", "PEM file of the public ed25519 key that signed the dataset")
	sealFileFlag(cmd, &sealFile, sealHelp)
	jsonFlag(cmd, &asJSON)
	return cmd
}

// verified prints what has been verified.
func (p *printer) verified(dir string, d *dataset.Dataset, byKey bool) {
	m := d.Manifest
	dir = sanitize.Line(dir)
	rows := ""
	for _, t := range d.Run.Tables() {
		rows += fmt.Sprintf(", %d rows of %s", m.Rows[t], t)
	}
	play := "play"
	if d.Matches() == 1 {
		play = "plays"
	}
	p.printf("%s: %s of %s %s as recorded%s\n", dir, digits.Count(d.Matches(), "match"), sanitize.Line(m.Ruleset.Name), play, rows)
	if !m.Complete {
		p.printf("%s is incomplete: the run has %s\n", dir, digits.Count(m.Matches, "match"))
	}
	if m.Sealed != nil && m.Sealed.Seed != "" {
		p.printf("%s was sealed; its seed is that of the commitment %s\n", dir, m.Sealed.Commitment)
	}
	if _, err := d.Signature(); err != nil {
		return
	}
	if byKey {
		p.printf("%s is signed with the key\n", dir)
	} else {
		p.printf("%s is signed; --key checks with which key\n", dir)
	}
}

func verifyJSON(d *dataset.Dataset, err error) any {
	answer := struct {
		OK       bool                   `json:"ok"`
		Complete bool                   `json:"complete"`
		Signed   bool                   `json:"signed"`
		Sealed   string                 `json:"sealed,omitempty"`
		Matches  uint64                 `json:"matches"`
		Rows     map[schema.Table]int64 `json:"rows"`
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
	if diff, ok := errors.AsType[*dataset.Difference](err); ok {
		answer.File, answer.Row = diff.File, &diff.Row
	}
	return answer
}
