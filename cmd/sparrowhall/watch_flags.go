package main

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/sparrowhall/sparrowhall/export/dataset"
	"github.com/sparrowhall/sparrowhall/internal/admission"
	"github.com/sparrowhall/sparrowhall/internal/table"
	"github.com/sparrowhall/sparrowhall/sim"
)

// watchFlag is the flag of verbs whose tables spectators may watch in the browser.
type watchFlag struct{ address string }

func (o *watchFlag) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.address, "watch", "", "show the tables on a page at host:port of this machine; without a value, any free port")
	cmd.Flags().Lookup("watch").NoOptDefVal = "127.0.0.1:0"
}

// gallery is the page of --watch. Nil is that without the flag.
type gallery struct {
	*table.Gallery
	server  *http.Server
	address string // of the page, with its key
}

// serve serves the page of --watch until Close.
func (o *watchFlag) serve(allowHidden bool) (*gallery, error) {
	if o.address == "" {
		return nil, nil
	}
	l, err := admission.Listen(o.address, admission.ThisMachine)
	if errors.Is(err, admission.ErrReach) {
		return nil, usagef("--watch: %w, and the page is for this machine; name a loopback address, and forward its port to watch from elsewhere", err)
	} else if err != nil {
		return nil, fmt.Errorf("--watch: %w", err)
	}
	g := &gallery{Gallery: table.NewGallery(table.GalleryOptions{AllowHidden: allowHidden, Pace: table.Pace})}
	g.server = admission.NewServer(g.Handler())
	g.address = fmt.Sprintf("http://%s/#%s", l.Addr(), g.Key())
	go func() { _ = g.server.Serve(admission.New(l, admission.Limits{Connections: maxPages})) }()
	return g, nil
}

// Close ends the page.
func (g *gallery) Close() {
	if g != nil {
		_ = g.server.Close()
	}
}

// watchRunFlags are the flags of verbs that play matches which spectators may watch.
type watchRunFlags struct {
	watchFlag
	allowHidden bool
}

func (o *watchRunFlags) add(cmd *cobra.Command) {
	o.watchFlag.add(cmd)
	cmd.Flags().BoolVar(&o.allowHidden, "allow-hidden", false, "let the page of --watch show all hands at once")
}

func (o *watchRunFlags) check(sealed bool) error {
	switch {
	case o.allowHidden && o.address == "":
		return usagef("--allow-hidden is for the page of --watch; use both")
	case sealed && o.address != "":
		return usagef("--watch: a sealed run is shown once its seed is revealed: by replay, when the run is complete")
	}
	return nil
}

// show lets spectators watch the matches of a job until the function it returns is called, and
// prints the address of the page.
func (o *watchRunFlags) show(cmd *cobra.Command, run *dataset.Run, job *sim.Job) (end func(), err error) {
	g, err := o.serve(o.allowHidden)
	if g == nil {
		return func() {}, err
	}
	room := g.Open(table.RoomOptions{
		Ruleset: run.Ruleset, Tables: job.Tables(), AgentName: func(number uint8) string { return run.Agents[number] },
	})
	job.Watch = room
	fmt.Fprintf(cmd.ErrOrStderr(), "watch %s\n", g.address)
	return func() { room.Close(); g.Close() }, nil
}
