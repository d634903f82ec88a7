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

// Format is an outside form of records that can be read.
type Format struct {
	// Name is what the form is called on the command line.
	Name string
	// Ruleset is the preset by which records are replayed unless another is
	// named.
	Ruleset string
	// Suffixes end the names of the files that are taken out of a folder; ".gz"
	// may follow.
	Suffixes []string
	// Split cuts the text of a file into its records, one match each, as a
	// bufio.Scanner uses it. White space before a record is left out. What is no
	// record is cut so that those after it are found, and left to Parse to refuse.
	Split bufio.SplitFunc
	// Parse reads a record. line is the line of the file on which it begins, from
	// 1. Where a place in the record is at fault the error is a *PlaceError.
	Parse func(text []byte, line int) (*Game, error)
	// Dated returns the rules, by knob, that the name of a file tells because it
	// has the date of its match; nil if the form has no such names.
	Dated func(name string) map[string]any
	// Doubles tells that the place hands out one match in several records, some of
	// which tell more than others.
	Doubles bool
	// Walls reads what is no record but the walls of one that lies elsewhere, and
	// what the match is called, if told; the walls are nil where the text is
	// something else. It is nil if the form has no such texts.
	Walls func(text []byte) (id string, walls *sim.Wall)
}

// Text is the text of one record of a file.
type Text struct {
	// Number counts the records of the file from 0, Line its lines from 1.
	Number, Line int
	Text         []byte
	// Err tells why the text cannot be parsed, nil if it may be tried.
	Err error
}

// maxRecord is the largest size of a record, far above that of any match; a file
// may be of any size.
const maxRecord = 16 << 20

// readSize is how much of a file is read at a time.
const readSize = 1 << 18

var errTooLarge = fmt.Errorf("it is larger than %d MB; no record of a match is", maxRecord>>20)

// Texts returns the records of a file, which may be packed by gzip. It reads no
// further ahead than the record at hand. Each text is the receiver's to keep. The
// error, which comes last, is that of a file that cannot be read on or is empty.
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
				if !utf8.Valid(t.Text) {
					t.Err = fmt.Errorf("byte %d of the record is not UTF-8", validPrefix(t.Text))
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

// Read parses the records of a file one after another. An error of a record does
// not end it; one of the file does, and comes last.
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

// ParseText reads the record in a text.
func (f *Format) ParseText(t *Text) (*Game, error) {
	if t.Err != nil {
		return nil, t.Err
	}
	return f.Parse(t.Text, t.Line)
}

// unpack returns the text of a file without a byte order mark.
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

// filler reads as much as there is room for. A scanner looks through all it has
// after each read: with reads of some kilobytes, as gzip gives them, a record of
// megabytes would be looked through hundreds of times; so it is each time that the
// scanner has doubled its buffer.
type filler struct{ io.Reader }

func (f filler) Read(p []byte) (int, error) {
	n, err := io.ReadFull(f.Reader, p)
	// What ends the file comes again at the next read, by its own name.
	if errors.Is(err, io.ErrUnexpectedEOF) && n > 0 {
		err = nil
	}
	return n, err
}

// cutter counts the lines of a file while it is cut, and gives up records that
// are too large.
type cutter struct {
	split bufio.SplitFunc
	// line is the line of the next byte, at that of the record at hand.
	line, at int
	err      error
	// skipping tells that the record at hand is given up.
	skipping bool
}

func (c *cutter) cut(data []byte, atEOF bool) (advance int, token []byte, err error) {
	c.err = nil
	skip := 0
	if c.skipping {
		// The next record is looked for on the next line.
		if skip = bytes.IndexByte(data, '\n') + 1; skip == 0 {
			return len(data), nil, nil
		}
		c.skipping = false
	}
	advance, token, err = c.split(data[skip:], atEOF)
	if advance == 0 && token == nil && err == nil && len(data) >= skip+maxRecord {
		// All that was looked through goes with it, so that nothing is looked through
		// twice; the next record is looked for after the line that breaks off here.
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

// offset returns the place of a token in the data it was cut from.
func offset(data, token []byte) int { return cap(data) - cap(token) }

// validPrefix returns the number of bytes before the first that is not UTF-8.
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
