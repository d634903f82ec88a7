package net

import (
	"embed"
	"fmt"
	"sync"

	"github.com/sparrowhall/sparrowhall/sim"
)

// weights has a network FAMILY.safetensors for some families.
//
//go:embed weights/*.safetensors
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
		for _, file := range files {
			var data []byte
			if data, err = weights.ReadFile("weights/" + file.Name()); err != nil {
				break
			}
			var f *tensorFile
			var n *network
			if f, err = parseSafetensors(data); err == nil {
				n, err = parse(f, newAgent)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", file.Name(), err)
				break
			}
			embedded.networks[n.family] = n
		}
		embedded.err = err
	})
	return embedded.networks, embedded.err
}
