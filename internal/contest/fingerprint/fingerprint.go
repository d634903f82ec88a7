// Package fingerprint computes the checksums of what plays for a bot, and compares recorded answers with
// those of a player.
//
//	sum, err := fingerprint.Compute(rules, "mjai:python3 bot.py")
package fingerprint

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"

	"github.com/sparrowhall/sparrowhall/agents"
	"github.com/sparrowhall/sparrowhall/ruleset"
	"github.com/sparrowhall/sparrowhall/sim"
)

// Compute returns the SHA-256, in hexadecimal, of an agent spec and of what it plays by:
//
//   - for a built-in player, and net with the networks of the program, all actions of a match
//     against itself, so that a new version that plays differently has another fingerprint;
//   - for a player with files, such as a network or a program, the files that the spec names;
//   - for an agent at an address nothing more: what answers there cannot be checked.
func Compute(r *ruleset.Rules, spec string) (string, error) {
	newAgent, err := agents.New(spec)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", spec)
	name, options, _ := strings.Cut(spec, ":")
	if spec == "net" || slices.Contains(agents.Names(), name) {
		for option := range strings.SplitSeq(options, ",") {
			if _, path, ok := strings.Cut(option, "="); ok && isFile(path) {
				if err := hashFile(h, path); err != nil {
					return "", err
				}
			}
		}
		var players [sim.NumPlayers]sim.Agent
		for p := range r.NumSeats() {
			players[p] = newAgent()
			if err := sim.StartAgent(players[p], r); err != nil {
				return "", err
			}
		}
		m := sim.Match{Seed: 1}
		m.Play(r, &players)
		for _, a := range m.Actions {
			h.Write([]byte{byte(a)})
		}
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	if name == "net" { // programs are not started here
		if err := sim.StartAgent(newAgent(), r); err != nil {
			return "", err
		}
	}
	files, err := filesOf(options)
	if err != nil {
		return "", fmt.Errorf("the agent %q: %w", spec, err)
	}
	for _, path := range files {
		if err := hashFile(h, path); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// filesOf returns the files that the options of an external agent name. A program that is
// found by PATH counts if no other file does: most often it is the interpreter of one.
func filesOf(options string) (files []string, err error) {
	if isFile(options) {
		return []string{options}, nil
	}
	words, err := shellquote.Split(options)
	if err != nil {
		return nil, err
	}
	program := ""
	for _, word := range words {
		if isFile(word) {
			files = append(files, word)
		} else if found, err := exec.LookPath(word); err == nil && program == "" {
			program = found
		}
	}
	if len(files) == 0 && program != "" {
		files = append(files, program)
	}
	return files, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func hashFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// CompareActions replays a recorded match. The error names the first answer that is not that of the
// player's agent, which must follow from the view alone; a player whose agent is nil may answer as it
// likes. names are those of the players.
func CompareActions(r *ruleset.Rules, m *sim.Match, agents *[sim.NumPlayers]sim.Agent, names *[sim.NumPlayers]string) error {
	var wrong error
	decision := 0
	err := m.ReplaySteps(r, func(before *sim.Table, p sim.Player, a sim.Action, _ []sim.Event) {
		if before == nil {
			return
		}
		if decision++; wrong != nil || agents[p] == nil {
			return
		}
		if want := agents[p].Act(before.View(p)); want != a {
			wrong = fmt.Errorf("decision %d: player %d, %s, plays %v; the recorded move is %v", decision-1, p, names[p], want, a)
		}
	})
	return errors.Join(err, wrong)
}
