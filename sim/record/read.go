package record

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/sparrowhall/sparrowhall/sim"
)

// Format is a record format of another program that can be read.
type Format struct {
	// Name is the name of the format on the command line.
	Name string
	// Ruleset is the default preset for replaying records.
	Ruleset string
	// Suffixes are the file name suffixes by which files of a folder are selected; ".gz"
	// may follow.
	Suffixes []string
	// Split splits the text of a file into records of one match each, for a
	// bufio.Scanner. It skips white space before a record. Text that is no record
	// becomes a token that Parse rejects, so that the records after it are found.
	Split bufio.SplitFunc
	// Parse parses a record. line is the line of the file on which it begins, from 1.
	// The error of a fault at a place in the record is a *PlaceError.
	Parse func(text []byte, line int) (*Game, error)
	// KnobsFromName returns the knobs that follow from the match date in the name of a
	// file. It is nil if the format has no such names.
	KnobsFromName func(name string) map[string]any
	// HasDuplicates is set if the source publishes a match in several records of
	// different detail.
	HasDuplicates bool
	// ParseWalls parses a text that has only the walls of a match, and the id of the
	// match if given; the walls are nil for other texts. It is nil if the format has no
	// such texts.
	ParseWalls func(text []byte) (id string, walls *sim.Wall)
}

// Text is the text of one record of a file.
type Text struct {
	// Number counts the records of the file from 0, Line its lines from 1.
	Number, Line int
	Text         []byte
	// Err is set if the text cannot be parsed, or not beyond its end.
	Err error
}

// maxRecord is the largest size of a record in bytes. Files may have any size.
const maxRecord = 4 << 20

// readSize is the initial size of the read buffer in bytes.
const readSize = 1 << 18

var errTooLarge = fmt.Errorf("it is larger than %d MB; no record of a match is", maxRecord>>20)

// Texts returns the records of a file, which may be compressed by gzip. It reads no
// further than the current record. Callers may keep each text. An error comes last, for a
// file that cannot be read or is empty.
func (f *Format) Texts(r io.Reader) iter.Seq2[Text, error] {
	return func(yield func(Text, error) bool) {
		in, err := unpack(r)
		if err != nil {
			yield(Text{}, err)
			return
		}
		c := &cutter{split: f.Split, line: 1}
		s := bufio.NewScanner(filler{in})
		s.Buffer(make([]byte, readSize), 2*maxRecord)
		s.Split(c.cut)
		n := 0
		for ; s.Scan(); n++ {
			t := Text{Number: n, Line: c.at, Err: c.err}
			if t.Err == nil {
				t.Text = bytes.Clone(s.Bytes())
				if n := validPrefix(t.Text); n < len(t.Text) {
					t.Err, t.Text = fmt.Errorf("byte %d of the record is not UTF-8", n), t.Text[:n]
				}
			}
			if !yield(t, nil) {
				return
			}
		}
		switch err := s.Err(); {
		case errors.Is(err, io.ErrUnexpectedEOF):
			yield(Text{}, errors.New("the gzip file is truncated"))
		case err != nil:
			yield(Text{}, err)
		case n == 0:
			yield(Text{}, errors.New("the file is empty"))
		}
	}
}

// Read parses the records of a file one after another. It continues after an error of a
// record. An error of the file comes last.
func (f *Format) Read(r io.Reader) iter.Seq2[*Game, error] {
	return func(yield func(*Game, error) bool) {
		for t, err := range f.Texts(r) {
			var g *Game
			if err == nil {
				g, err = f.ParseText(&t)
			}
			if !yield(g, err) {
				return
			}
		}
	}
}

// ParseText parses the record in a text.
func (f *Format) ParseText(t *Text) (*Game, error) {
	if t.Err != nil && len(t.Text) == 0 {
		return nil, t.Err
	}
	g, err := f.Parse(t.Text, t.Line)
	if t.Err != nil && (err != nil || g.Truncation == nil) {
		return nil, t.Err
	} else if t.Err != nil {
		g.Truncation.Message = t.Err.Error() // what it ends by is no fault of the record
	}
	return g, err
}

// unpack decompresses a file if needed and skips a byte order mark.
func unpack(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the gzip file is truncated")
		}
		if err != nil {
			return nil, err
		}
		in = bufio.NewReader(z)
	}
	const mark = "\ufeff"
	if begin, _ := in.Peek(len(mark)); string(begin) == mark {
		if _, err := in.Discard(len(mark)); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// filler fills the buffer at each read. A bufio.Scanner scans its whole buffer after each
// read. With the small reads of gzip it would scan a large record hundreds of times, with
// filler once each time that the buffer doubles.
type filler struct{ io.Reader }

func (f filler) Read(p []byte) (int, error) {
	n, err := io.ReadFull(f.Reader, p)
	// The next read returns the end of the file again as io.EOF.
	if errors.Is(err, io.ErrUnexpectedEOF) && n > 0 {
		err = nil
	}
	return n, err
}

// cutter splits a file, counts its lines and skips records that are too large.
type cutter struct {
	split bufio.SplitFunc
	// line is the line of the next byte, at that of the current record.
	line, at int
	err      error
	// skipping is set while the rest of a too large record is skipped.
	skipping bool
}

func (c *cutter) cut(data []byte, atEOF bool) (advance int, token []byte, err error) {
	c.err = nil
	skip := 0
	if c.skipping {
		// The next record begins on a new line.
		if skip = bytes.IndexByte(data, '\n') + 1; skip == 0 {
			return len(data), nil, nil
		}
		c.skipping = false
	}
	advance, token, err = c.split(data[skip:], atEOF)
	if advance == 0 && token == nil && err == nil && len(data) >= skip+maxRecord {
		// All scanned lines are skipped, so that no byte is scanned twice.
		token, c.skipping = data[skip:skip], true
		if advance = bytes.LastIndexByte(data[skip:], '\n'); advance <= 0 {
			advance = len(data) - skip
		}
	}
	if c.skipping || len(token) > maxRecord {
		c.err = errTooLarge
	}
	advance += skip
	c.at = c.line
	if token != nil {
		c.at += bytes.Count(data[:offset(data, token)], []byte{'\n'})
	}
	c.line += bytes.Count(data[:advance], []byte{'\n'})
	return advance, token, err
}

// offset returns the index of a token in the data of which it is a subslice.
func offset(data, token []byte) int { return cap(data) - cap(token) }

// validPrefix returns the length of the longest valid UTF-8 prefix.
func validPrefix(text []byte) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}
