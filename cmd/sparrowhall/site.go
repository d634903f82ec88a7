package main

import (
	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/internal/browser"
)

func newSiteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "site",
		Short:   "Make pages that need no server",
		Example: "  sparrowhall site play --out public",
	}
	addVerbs(cmd, newSitePlayCommand())
	return cmd
}

func newSitePlayCommand() *cobra.Command {
	var out, html string
	cmd := &cobra.Command{
		Use:   "play {--out DIR | --html FILE}",
		Short: "Write a page with the whole game in it",
		Long: `Play writes a folder for any web server of files: a table against the built-in
players under every preset, replay and review of records, and scores of hands.
All is computed in the browser. With --html it writes one file instead, which a
browser opens from the disk.

A release has the program for browsers inside. In a clone of the repository the
go command builds it. docs/play-in-browser.md describes the page.`,
		Example: `  sparrowhall site play --out public
  python3 -m http.server --bind 127.0.0.1 --directory public
  sparrowhall site play --html sparrowhall.html`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case (out == "") == (html == ""):
				return usagef("name the folder to write by --out, or the file by --html")
			case html != "":
				return browser.WriteSingle(cmd.Context(), html)
			}
			return browser.Write(cmd.Context(), out)
		},
	}
	cmd.Flags().StringVar(&html, "html", "", "file to write: a page with everything inside")
	cmd.Flags().StringVar(&out, "out", "", "folder to write to, new or empty")
	return cmd
}
