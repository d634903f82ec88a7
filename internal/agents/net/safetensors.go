package net

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/sparrowhall/sparrowhall/sim"
	"github.com/sparrowhall/sparrowhall/sim/observe"
)

// maxFile is the largest file in bytes.
const maxFile = 64 << 20

// The formats of files, with the version of their metadata.
const (
	netFormat, netVersion       = "sparrowhall net", 1
	moduleFormat, moduleVersion = "sparrowhall module", 1
)

// tensor is the entry of a tensor in a safetensors header.
type tensor struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
	data    []byte
	read    bool // whether the network has such a tensor
}

// tensorFile is a parsed safetensors file: the length of a header, the header in JSON, and
// the bytes of the tensors.
type tensorFile struct {
	metadata map[string]string
	tensors  map[string]*tensor
	err      error // the first error of a tensor
}

// parseSafetensors parses a file and checks that its tensors fill it exactly.
func parseSafetensors(data []byte) (*tensorFile, error) {
	if len(data) < 8 {
		return nil, errors.New("not a safetensors file: it has fewer than 8 bytes")
	}
	length := binary.LittleEndian.Uint64(data)
	if length > uint64(len(data)-8) {
		return nil, errors.New("not a safetensors file, or truncated: its header is longer than the file")
	}
	header, body := data[8:8+length], data[8+length:]
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(header, &entries); err != nil {
		return nil, fmt.Errorf("not a safetensors file: its header is not JSON: %w", err)
	}
	f := &tensorFile{tensors: map[string]*tensor{}}
	end := 0
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		if name == "__metadata__" {
			if err := json.Unmarshal(entries[name], &f.metadata); err != nil {
				return nil, fmt.Errorf("its metadata are not strings: %w", err)
			}
			continue
		}
		t := new(tensor)
		if err := json.Unmarshal(entries[name], t); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		from, to := t.Offsets[0], t.Offsets[1]
		if from < 0 || to < from || to > len(body) {
			return nil, fmt.Errorf("tensor %q is truncated: its bytes are %d to %d of %d", name, from, to, len(body))
		}
		t.data = body[from:to]
		end += to - from
		f.tensors[name] = t
	}
	if end != len(body) {
		return nil, fmt.Errorf("it is damaged: its tensors have %d bytes of %d", end, len(body))
	}
	return f, nil
}

// check compares the metadata with the versions of this program, and the digest.
func (f *tensorFile) check(version, tableVersion int) error {
	for _, want := range []struct {
		key, what string
		n         int
	}{
		{"version", "files", version},
		{"action_table_version", "the action table", tableVersion},
	} {
		if got := f.metadata[want.key]; got != strconv.Itoa(want.n) {
			return fmt.Errorf("it is of version %q of %s, this program has version %d: export the network again", got, want.what, want.n)
		}
	}
	digest := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f.tensors)) {
		digest.Write([]byte(name))
		digest.Write(f.tensors[name].data)
	}
	if got := hex.EncodeToString(digest.Sum(nil)); got != f.metadata["sha256"] {
		return errors.New("it is damaged: its tensors do not match its digest")
	}
	return nil
}

// observation returns the spec of the observation that the file names, for tables of so many
// players.
func (f *tensorFile) observation(seats int, newAgent func(spec string) (func() sim.Agent, error)) (*observe.Spec, error) {
	spec, err := observe.LookupWithAgents(f.metadata["observation"], newAgent)
	if err != nil {
		return nil, fmt.Errorf("its observation is unknown: %w", err)
	}
	spec = spec.For(seats)
	// Version 3 differs from 1, which is of four players too, where marks of discards are hidden alone.
	if got := f.metadata["observation_version"]; got != strconv.Itoa(spec.Version) && (spec.Seats != 0 || got != "1") {
		return nil, fmt.Errorf("it reads version %q of the observation %s, this program has version %d: train the network again", got, spec.Name, spec.Version)
	}
	return spec, nil
}

func (f *tensorFile) metadataInt(key string, least, most int) (int, error) {
	n, err := strconv.Atoi(f.metadata[key])
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("its %s is %q; allowed: %d to %d", key, f.metadata[key], least, most)
	}
	return n, nil
}

// tensor returns the numbers of a tensor of type I16 or I32 and marks it as read. An error is
// kept for finish; the numbers are zero then.
func (f *tensorFile) tensor(name, dtype string, shape ...int) []int32 {
	t, ok := f.tensors[name]
	n := 1
	for _, d := range shape {
		n *= d
	}
	size := map[string]int{"I16": 2, "I32": 4}[dtype]
	switch {
	case f.err != nil:
	case !ok:
		f.err = fmt.Errorf("the tensor %q is missing", name)
	case t.DType != dtype || !slices.Equal(t.Shape, shape):
		f.err = fmt.Errorf("the tensor %q is %s %v, want %s %v", name, t.DType, t.Shape, dtype, shape)
	case len(t.data) != n*size:
		f.err = fmt.Errorf("the tensor %q has %d bytes, want %d", name, len(t.data), n*size)
	}
	list := make([]int32, n)
	if f.err != nil {
		return list
	}
	t.read = true
	for i := range list {
		if size == 2 {
			list[i] = int32(int16(binary.LittleEndian.Uint16(t.data[2*i:])))
		} else {
			list[i] = int32(binary.LittleEndian.Uint32(t.data[4*i:]))
		}
	}
	return list
}

// finish returns the first error of a tensor, or that a tensor was not read.
func (f *tensorFile) finish() error {
	for _, name := range slices.Sorted(maps.Keys(f.tensors)) {
		if f.err == nil && !f.tensors[name].read {
			f.err = fmt.Errorf("the tensor %q is not part of this network", name)
		}
	}
	return f.err
}
