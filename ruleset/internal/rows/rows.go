// Package rows reads tables that are written as constants of Go, a row for each: the constant, and
// in a comment behind it an id and what belongs to it.
//
//	const (
//		allTriplets = iota // all_triplets: All Triplets; 對對糊; 3
//		nineGates          // nine_gates: Nine Gates; 九子連環; 10
//	)
//
// The program has the source inside and reads the rows when it starts. So constants and rows are
// one list and cannot differ.
package rows

import (
	"iter"
	"strconv"
	"strings"
)

// Row is a constant and its comment.
type Row struct {
	// Code is what declares the constant, ID and Text are the comment before and after the colon.
	Code, ID, Text string
}

// All yields the constants of a source that have a comment, in their order: lines behind one tab.
func All(source string) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for line := range strings.Lines(source) {
			code, comment, ok := strings.Cut(line, " // ")
			if !ok || strings.TrimLeft(code, "\t") != code[1:] {
				continue
			}
			id, text, _ := strings.Cut(strings.TrimSpace(comment), ": ")
			if !yield(Row{code, id, text}) {
				return
			}
		}
	}
}

// Table returns the cells of the rows of a source that has one table: the id, and the parts of the
// text that semicolons separate.
func Table(source string) (list [][]string) {
	for r := range All(source) {
		list = append(list, append([]string{r.ID}, strings.Split(r.Text, "; ")...))
	}
	return list
}

// Number returns the number in a cell. It panics if there is none, which any use of a table shows.
func Number(cell string) int16 {
	n, err := strconv.ParseInt(cell, 10, 16)
	if err != nil {
		panic("rows: " + err.Error())
	}
	return int16(n)
}
