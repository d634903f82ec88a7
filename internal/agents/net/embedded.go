package net

import (
	"embed"
	"fmt"
	"sync"

	"github.com/sparrowhall/sparrowhall/sim"
)

// weights has a network FAMILY.safetensors for some families.
//
//go:embed weights
var weights embed.FS

// embedded are the parsed networks by family.
var embedded = struct {
	once     sync.Once
	networks map[string]*network
	err      error
}{}

// loadEmbedded returns the embedded networks, which it parses once.
func loadEmbedded(newAgent func(spec string) (func() sim.Agent, error)) (map[string]*network, error) {
	embedded.once.Do(func() {
		embedded.networks = map[string]*network{}
		files, err := weights.ReadDir("weights")
		for _, f := range files {
			var data []byte
			if data, err = weights.ReadFile("weights/" + f.Name()); err != nil {
				break
			}
			var n *network
			if n, err = parse(data, newAgent); err != nil {
				err = fmt.Errorf("%s: %w", f.Name(), err)
				break
			}
			embedded.networks[n.family] = n
		}
		embedded.err = err
	})
	return embedded.networks, embedded.err
}
