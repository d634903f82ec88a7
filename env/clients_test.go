package env_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sparrowhall/sparrowhall/env"
	"github.com/sparrowhall/sparrowhall/env/client"
	"github.com/sparrowhall/sparrowhall/sim"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// TestClients plays the match of docs/clients, and lets each command of SPARROWHALL_CLIENTS,
// one a line, play it too: with the address of the server at its end it prints the same points.
func TestClients(t *testing.T) {
	address := os.Getenv("SPARROWHALL_SERVER")
	if address == "" {
		address = serve(t, newEnv(t, env.Options{}), listen(t, "127.0.0.1:0"))
	}
	want := playMatch(t, playAt(t, address))
	t.Logf("the Go client: %s", want)
	for command := range strings.Lines(os.Getenv("SPARROWHALL_CLIENTS")) {
		words := append(strings.Fields(command), address)
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Stderr = t.Output()
		printed, err := cmd.Output()
		if err != nil {
			t.Errorf("%q: %v", words, err)
			continue
		}
		if got := strings.TrimSpace(string(printed)); got != want {
			t.Errorf("%q prints %q, the Go client has %q", words, got, want)
		}
		t.Logf("%s: %s", command, printed)
	}
}

// playMatch plays a match by the first legal action and returns the points of the players.
func playMatch(t *testing.T, s *client.Stream) string {
	opened, batch, err := s.Open(&envv1.Open{Rules: &envv1.Open_Preset{Preset: "zung_jung"}, Tables: 1, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	var gained, points [sim.NumPlayers]int32
	for {
		var answers client.Answers
		for row := range batch.Len() {
			gained[batch.PlayerOf(row)] += batch.RewardOf(row)
			if batch.Asked(row) {
				legal := batch.Legal(row)
				answers.Add(batch, row, legal.First())
			}
		}
		if answers.Len() == 0 {
			break
		}
		if batch, err = s.Act(&answers); err != nil {
			t.Fatal(err)
		}
	}
	if len(batch.LastRow) != 4*len(points) {
		t.Fatalf("the last batch has %d bytes of last rows, want one row for each of %d players", len(batch.LastRow), len(points))
	}
	for i := range points {
		player := batch.PlayerOf(int(binary.LittleEndian.Uint32(batch.LastRow[4*i:])))
		points[player] = int32(binary.LittleEndian.Uint32(batch.LastPoints[4*i:]))
	}
	for player := range points {
		if want := opened.Ruleset.StartingPoints + gained[player]; points[player] != want {
			t.Errorf("player %d ends with %d points, start and rewards make %d", player, points[player], want)
		}
	}
	return strings.Trim(fmt.Sprint(points), "[]")
}
