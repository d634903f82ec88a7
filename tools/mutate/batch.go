package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// A batch is a set of changed sources with one mutant or many in them. Of many,
// all of one package, each is a copy of the body of its function that runs if the
// environment names its number: they are compiled once instead of one by one.
type batch struct {
	overlay string // file of go's flag -overlay; empty for the sources as they are
	// number has the number of each mutant, from 1; empty if the batch is one mutant.
	number map[*mutant]int
}

// mutantVariable is the environment variable with the number of the mutant that runs.
const mutantVariable = "SPARROWHALL_MUTANT"

// mutantFile is the source file that is added to a package with a batch in it.
const mutantFile = `package %s

import (
	"os"
	"strconv"
)

var chosenMutant = func() int {
	n, _ := strconv.Atoi(os.Getenv("` + mutantVariable + `"))
	return n
}()
`

// canShare reports whether a mutant can be one of many. Package-level values
// cannot be copied, and a function cannot have a label twice.
func (m *mutant) canShare() bool { return m.in != nil && !m.in.labels }

// apply returns the bytes [from, to) of src with the mutant in them.
func (m *mutant) apply(src []byte, from, to int) []byte {
	return bytes.Join([][]byte{src[from:m.from], []byte(m.text), src[m.to:to]}, nil)
}

// singleBatch returns the batch of one mutant, in a folder that is the caller's to remove.
func (m *mutator) singleBatch(x *mutant) (*batch, error) {
	src, err := os.ReadFile(filepath.Join(m.root, x.file))
	if err != nil {
		return nil, err
	}
	return m.newBatch(map[string][]byte{x.file: x.apply(src, 0, len(src))}, nil)
}

// copyLines are the lines of the copy of a mutant in the changed file.
type copyLines struct {
	x        *mutant
	from, to int
}

// sharedBatch returns the batch of the mutants of a list, all of one package, that compile, and
// those that do not.
func (m *mutator) sharedBatch(list []*mutant) (b *batch, broken []*mutant, err error) {
	number := map[*mutant]int{}
	for i, x := range list {
		number[x] = i + 1
	}
	for {
		changed := map[string][]byte{}
		copies := map[string][]copyLines{} // by the name of the file
		var name []byte
		for _, x := range list {
			if changed[x.file] != nil {
				continue
			}
			src, err := os.ReadFile(filepath.Join(m.root, x.file))
			if err != nil {
				return nil, nil, err
			}
			name = packageClause.FindSubmatch(src)[1]
			base := filepath.Base(x.file)
			changed[x.file], copies[base] = withCopies(src, x.file, list, number)
		}
		changed[filepath.Join(list[0].pkg, "chosenmutant.go")] = fmt.Appendf(nil, mutantFile, name)
		if b, err = m.newBatch(changed, number); err != nil {
			return nil, nil, err
		}
		_, err := m.binary(list[0].pkg, b)
		if err == nil {
			return b, broken, nil
		}
		var left []*mutant
		for _, x := range list {
			if blames(err.Error(), x, copies) {
				broken = append(broken, x)
			} else {
				left = append(left, x)
			}
		}
		os.RemoveAll(filepath.Dir(b.overlay))
		if len(left) == len(list) {
			return nil, nil, err
		}
		if list = left; len(list) == 0 {
			return nil, broken, nil
		}
	}
}

var (
	packageClause = regexp.MustCompile(`(?m)^package (\w+)`)
	compileError  = regexp.MustCompile(`(?m)([^/\s]+\.go):(\d+):\d+: `)
)

// blames reports whether the compiler blames the copy of a mutant.
func blames(complaints string, x *mutant, copies map[string][]copyLines) bool {
	for _, match := range compileError.FindAllStringSubmatch(complaints, -1) {
		line, _ := strconv.Atoi(match[2])
		for _, c := range copies[match[1]] {
			if c.x == x && c.from <= line && line <= c.to {
				return true
			}
		}
	}
	return false
}

// withCopies returns a file with the copies of all of the mutants that are in it.
// The list is in any order.
func withCopies(src []byte, file string, list []*mutant, number map[*mutant]int) (out []byte, copies []copyLines) {
	at := map[int][]*mutant{} // by the place where their function's body begins
	for _, x := range list {
		if x.file == file {
			at[x.in.from] = append(at[x.in.from], x)
		}
	}
	line := func() int { return 1 + bytes.Count(out, []byte("\n")) }
	for i, c := range src {
		for _, x := range at[i] {
			out = append(out, '\n')
			from := line()
			out = fmt.Appendf(out, "if chosenMutant == %d {\n%s\n", number[x], x.apply(src, x.in.from, x.in.to))
			if !x.in.results {
				out = append(out, "return\n"...)
			}
			copies = append(copies, copyLines{x, from, line()})
			out = append(out, "}\n"...)
		}
		out = append(out, c)
	}
	return out, copies
}

// newBatch writes changed files, named relative to the module.
func (m *mutator) newBatch(files map[string][]byte, number map[*mutant]int) (*batch, error) {
	dir, err := os.MkdirTemp(m.tmp, "m")
	if err != nil {
		return nil, err
	}
	replace := map[string]string{}
	for name, text := range files {
		changed := filepath.Join(dir, filepath.Base(name))
		replace[filepath.Join(m.root, name)] = changed
		err = errors.Join(err, os.WriteFile(changed, text, 0o644))
	}
	overlay, err2 := json.Marshal(map[string]any{"Replace": replace})
	b := &batch{overlay: filepath.Join(dir, "overlay.json"), number: number}
	return b, errors.Join(err, err2, os.WriteFile(b.overlay, overlay, 0o644))
}
