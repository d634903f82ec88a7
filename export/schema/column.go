package schema

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/sparrowhall/sparrowhall/sim"
)

// column is a column of a table with rows of type R: its field, how rows are appended to a
// builder of it, and how a value is read from an array of it.
type column[R any] struct {
	field arrow.Field
	// since is the first schema version with the column, 0 for the first of all; until is
	// the last one, 0 for the current one.
	since, until int
	// words are the dictionaries of the column and of those nested in it, in their order.
	words [][]string
	write func(b array.Builder, rows []R)
	read  func(a arrow.Array, i int, r *R)
}

// from returns the column as one that was added in schema version v.
func (c column[R]) from(v int) column[R] {
	c.since = v
	return c
}

// before returns the column as one that was removed in schema version v.
func (c column[R]) before(v int) column[R] {
	c.until = v - 1
	return c
}

// Columns are the columns of a table with rows of type R.
type Columns[R any] []column[R]

// Read appends the rows of a record to dst. It panics on damaged lists.
func (c Columns[R]) Read(dst []R, r arrow.Record) []R {
	for i := range int(r.NumRows()) {
		var row R
		for j := range c {
			c[j].read(r.Column(j), i, &row)
		}
		dst = append(dst, row)
	}
	return dst
}

// write appends rows to the builder of a record.
func (c Columns[R]) write(b *array.RecordBuilder, rows []R) {
	for i := range c {
		c[i].write(b.Field(i), rows)
	}
}

// in returns the columns of a schema version.
func (c Columns[R]) in(version int) Columns[R] {
	return slices.DeleteFunc(slices.Clone(c), func(c column[R]) bool {
		return c.since > version || c.until > 0 && c.until < version
	})
}

// words returns the dictionaries of the columns.
func (c Columns[R]) words() (words [][]string) {
	for i := range c {
		words = append(words, c[i].words...)
	}
	return words
}

// fields returns the Arrow fields of the columns.
func (c Columns[R]) fields() []arrow.Field {
	list := make([]arrow.Field, len(c))
	for i := range c {
		list[i] = c[i].field
	}
	return list
}

// Units of columns.
const (
	noUnit        = ""
	inPoints      = "points, in family hktw half points"
	inHalfPoints  = "half points"
	inPlacement   = "1/120 placement point"
	inHands       = "hands"
	inDecisions   = "decisions"
	inTiles       = "tiles"
	inTurns       = "discards"
	inSticks      = "sticks"
	inActionIDs   = "action ids"
	inActionFlags = "bits"
	inPlayers     = "player number 0..3"
)

// describe adds the metadata of a field.
func describe(f arrow.Field, unit, doc string) arrow.Field {
	keys, values := []string{"description"}, []string{doc}
	if unit != noUnit {
		keys, values = append(keys, "unit"), append(values, unit)
	}
	f.Metadata = arrow.NewMetadata(keys, values)
	return f
}

// value is what a scalar column can hold.
type value interface {
	arrow.NumericType | bool | string | []byte
}

type appender[T any] interface{ Append(T) }

// inRoom is a builder of values of one size, which need not look for room for each.
type inRoom[T any] interface{ UnsafeAppend(T) }

// roomIn returns a builder with room for n more values, nil if they have no size.
func roomIn[T any](b array.Builder, n int) inRoom[T] {
	if _, bytes := b.(*array.BinaryBuilder); bytes {
		return nil
	}
	values, _ := b.(inRoom[T])
	b.Reserve(n)
	return values
}

type valuer[T any] interface{ Value(int) T }

// scalar returns a column of plain values.
func scalar[R any, T value](name, unit, doc string, at func(*R) *T) column[R] {
	return column[R]{
		field: describe(arrow.Field{Name: name, Type: arrow.GetDataType[T]()}, unit, doc),
		write: func(b array.Builder, rows []R) {
			if values := roomIn[T](b, len(rows)); values != nil {
				for i := range rows {
					values.UnsafeAppend(*at(&rows[i]))
				}
				return
			}
			values := b.(appender[T])
			for i := range rows {
				values.Append(*at(&rows[i]))
			}
		},
		read: func(a arrow.Array, i int, r *R) { *at(r) = a.(valuer[T]).Value(i) },
	}
}

// wordType is the type of a column of words: their numbers in a dictionary.
var wordType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint8, ValueType: arrow.BinaryTypes.String}

// word returns a column of words of a dictionary, of 256 at most.
func word[R any](name, doc string, dictionary []string, at func(*R) *string) column[R] {
	numbers := make(map[string]uint8, len(dictionary))
	for i, w := range dictionary {
		numbers[w] = uint8(i)
	}
	return column[R]{
		field: describe(arrow.Field{Name: name, Type: wordType}, noUnit, doc),
		words: [][]string{dictionary},
		write: func(b array.Builder, rows []R) {
			for i := range rows {
				w := *at(&rows[i])
				n, ok := numbers[w]
				if !ok {
					panic(fmt.Sprintf("schema: column %s: %q is not in its dictionary", name, w))
				}
				b.(*array.Uint8Builder).Append(n)
			}
		},
		read: func(a arrow.Array, i int, r *R) {
			d := a.(*array.Dictionary)
			*at(r) = d.Dictionary().(*array.String).Value(d.GetValueIndex(i))
		},
	}
}

// four returns a column with a value for each player.
func four[R any, T value](name, unit, doc string, at func(*R) *[sim.NumPlayers]T) column[R] {
	return column[R]{
		field: describe(arrow.Field{
			Name: name,
			Type: arrow.FixedSizeListOfNonNullable(sim.NumPlayers, arrow.GetDataType[T]()),
		}, unit, doc+", by player number"),
		write: func(b array.Builder, rows []R) {
			l := b.(*array.FixedSizeListBuilder)
			for range rows {
				l.Append(true)
			}
			if values := roomIn[T](l.ValueBuilder(), sim.NumPlayers*len(rows)); values != nil {
				for i := range rows {
					for _, v := range at(&rows[i]) {
						values.UnsafeAppend(v)
					}
				}
				return
			}
			values := l.ValueBuilder().(appender[T])
			for i := range rows {
				for _, v := range at(&rows[i]) {
					values.Append(v)
				}
			}
		},
		read: func(a arrow.Array, i int, r *R) {
			l := a.(*array.FixedSizeList)
			first, _ := l.ValueOffsets(i)
			values := l.ListValues().(valuer[T])
			for p := range at(r) {
				at(r)[p] = values.Value(int(first) + p)
			}
		},
	}
}

// list returns a column with any number of rows of another table.
func list[R, E any](name, unit, doc string, columns Columns[E], at func(*R) *[]E) column[R] {
	return column[R]{
		field: describe(arrow.Field{Name: name, Type: arrow.ListOfNonNullable(arrow.StructOf(columns.fields()...))}, unit, doc),
		words: columns.words(),
		write: func(b array.Builder, rows []R) {
			l := b.(*array.ListBuilder)
			elements := l.ValueBuilder().(*array.StructBuilder)
			for i := range rows {
				l.Append(true)
				list := *at(&rows[i])
				for range list {
					elements.Append(true)
				}
				for j := range columns {
					columns[j].write(elements.FieldBuilder(j), list)
				}
			}
		},
		read: func(a arrow.Array, i int, r *R) {
			l := a.(*array.List)
			first, last := l.ValueOffsets(i)
			rows := l.ListValues().(*array.Struct)
			if first < 0 || last < first || last > int64(rows.Len()) {
				panic("a list reaches beyond its values")
			}
			elements := make([]E, last-first)
			for i := range elements {
				for j := range columns {
					columns[j].read(rows.Field(j), int(first)+i, &elements[i])
				}
			}
			*at(r) = elements
		},
	}
}
