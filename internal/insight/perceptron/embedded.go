package perceptron

import (
	"embed"
	"sync"
)

// Embedded is a folder of networks that the program embeds. Each is parsed once.
type Embedded struct {
	files  *embed.FS
	parsed sync.Map // *Network by path
}

// NewEmbedded returns the networks of embedded files.
func NewEmbedded(files *embed.FS) *Embedded { return &Embedded{files: files} }

// Get returns the network of a file, nil if there is no such file. It panics if the file is no
// network: that is a defect of the program.
func (e *Embedded) Get(path string) *Network {
	if n, ok := e.parsed.Load(path); ok {
		return n.(*Network)
	}
	var n *Network
	if data, err := e.files.ReadFile(path); err == nil {
		if n, err = Parse(data); err != nil {
			panic(err)
		}
	}
	e.parsed.Store(path, n)
	return n
}
