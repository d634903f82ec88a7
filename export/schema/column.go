package schema

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/sparrowhall/sparrowhall/ruleset/tile"
	"github.com/sparrowhall/sparrowhall/sim"
)

// column is a column of a table: a field of its rows.
type column struct {
	index int         // of the field in the row
	field arrow.Field // the type, with the name and the description
	null  bool        // the column may be null
	per   float64     // parts of a unit that the field counts, 0 where the column has the field's value
	n     int         // elements of a list by player
	// words is the dictionary of a column of words, and numbers the number of each word.
	words   []string
	numbers map[string]int32
	// elements are the columns of the elements of a list of rows.
	elements []column
}

// Columns are the columns of a table with rows of type R.
type Columns[R any] []column

// runColumns has what the columns of a run depend on.
type runColumns struct {
	seats   int    // players of a match
	amounts string // unit of amounts
	// words are the dictionaries by the tag words.
	words map[string][]string
}

// columnsOf returns the columns of the rows of type R.
func columnsOf[R any](c *runColumns) Columns[R] { return c.columns(reflect.TypeFor[R]()) }

func (c *runColumns) columns(row reflect.Type) (list []column) {
	for i := range row.NumField() {
		list = append(list, c.column(i, row.Field(i).Type, row.Field(i).Tag))
	}
	return list
}

// column returns the column of field i of a row, which has a type and a tag.
func (c *runColumns) column(i int, t reflect.Type, tag reflect.StructTag) column {
	x := column{index: i, null: tag.Get("null") != ""}
	unit, doc := tag.Get("unit"), tag.Get("doc")
	if unit == "amount" {
		unit = c.amounts
	}
	if name := tag.Get("words"); name != "" {
		x.words = c.words[name]
		x.numbers = make(map[string]int32, len(x.words))
		for n, w := range x.words {
			x.numbers[w] = int32(n)
		}
	}
	if parts := tag.Get("per"); parts != "" {
		x.per, _ = strconv.ParseFloat(parts, 64) // a test reads all columns
	}
	if c.seats == 3 {
		unit, doc = threePlayerTexts.Replace(unit), threePlayerTexts.Replace(doc)
	}
	x.field = arrow.Field{Name: tag.Get("column"), Nullable: x.null}
	switch {
	case x.numbers != nil:
		x.field.Type = wordType
	case x.per != 0:
		x.field.Type = arrow.PrimitiveTypes.Float64
	case t == reflect.TypeFor[sim.ActionSet]():
		x.field.Type = &arrow.FixedSizeBinaryType{ByteWidth: legalBytes}
	case t.Kind() == reflect.Array:
		x.n = c.seats
		x.field.Type = arrow.FixedSizeListOfNonNullable(int32(x.n), plainTypes[t.Elem().Kind()])
		doc += ", by player number"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		x.elements = c.columns(t.Elem())
		x.field.Type = arrow.ListOfNonNullable(arrow.StructOf(fieldsOf(x.elements)...))
	default:
		x.field.Type = plainTypes[t.Kind()]
	}
	if t.Kind() == reflect.Float64 {
		x.field.Nullable = true
	}
	keys, values := []string{"description"}, []string{doc}
	if unit != "" {
		keys, values = append(keys, "unit"), append(values, unit)
	}
	x.field.Metadata = arrow.NewMetadata(keys, values)
	return x
}

// threePlayerTexts converts units and descriptions to those of three players.
var threePlayerTexts = strings.NewReplacer("0..3", "0..2", "1..4", "1..3", "rob, flower", "rob, rob_kita, flower")

// Units of amounts.
const (
	inPoints     = "points, in family hktw half points"
	inHalfPoints = "half points"
)

// plainTypes are the types of columns of plain values. A slice is one of bytes.
var plainTypes = map[reflect.Kind]arrow.DataType{
	reflect.Bool: arrow.FixedWidthTypes.Boolean, reflect.Uint8: arrow.PrimitiveTypes.Int32, reflect.Uint16: arrow.PrimitiveTypes.Int32,
	reflect.Uint32: arrow.PrimitiveTypes.Int32, reflect.Uint64: arrow.PrimitiveTypes.Int64, reflect.Int16: arrow.PrimitiveTypes.Int32,
	reflect.Int32: arrow.PrimitiveTypes.Int32, reflect.Float64: arrow.PrimitiveTypes.Float64, reflect.String: arrow.BinaryTypes.String, reflect.Slice: arrow.BinaryTypes.Binary,
}

// wordType is the type of a column of words: their numbers in a dictionary.
var wordType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

// faceWords are the texts of the faces and that of none.
var faceWords = func() (words []string) {
	for f := range tile.Face(tile.NumFaces) {
		words = append(words, f.String())
	}
	return append(words, tile.NoFace.String())
}()

// actionWords are the texts of the actions in the order of their ids.
var actionWords = func() (words []string) {
	for a := range sim.Action(sim.NumAllActions) {
		words = append(words, a.String())
	}
	return words
}()

// legalBytes is the size of a packed set of actions, for three and for four players.
const legalBytes = (sim.NumAllActions + 7) / 8

// appendLegal appends a packed set of actions to dst. It needs room for legalSlack more bytes.
func appendLegal(dst []byte, legal *sim.ActionSet) []byte {
	n := len(dst)
	for _, w := range legal {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst[:n+legalBytes]
}

const legalSlack = len(sim.ActionSet{})*8 - legalBytes

func fieldsOf(columns []column) (list []arrow.Field) {
	for i := range columns {
		list = append(list, columns[i].field)
	}
	return list
}

// wordsOf returns the dictionaries of columns and of those nested in them, in their order.
func wordsOf(columns []column) (words [][]string) {
	for i := range columns {
		if columns[i].numbers != nil {
			words = append(words, columns[i].words)
		}
		words = append(words, wordsOf(columns[i].elements)...)
	}
	return words
}

// Read appends the rows of a record to dst. It panics on damaged lists.
func (c Columns[R]) Read(dst []R, r arrow.Record) []R {
	for i := range int(r.NumRows()) {
		dst = append(dst, *new(R))
		row := reflect.ValueOf(&dst[len(dst)-1]).Elem()
		for j := range c {
			c[j].read(r.Column(j), i, row.Field(c[j].index))
		}
	}
	return dst
}

func (c *column) read(a arrow.Array, i int, to reflect.Value) {
	switch a := a.(type) {
	case *array.Dictionary:
		switch n := a.GetValueIndex(i); {
		case c.null && a.IsNull(i):
			to.SetString("")
		case to.Kind() == reflect.String:
			to.SetString(a.Dictionary().(*array.String).Value(n))
		default:
			to.SetUint(uint64(n))
		}
	case *array.Boolean:
		to.SetBool(a.Value(i))
	case *array.Int32:
		if c.null && a.IsNull(i) {
			to.SetUint(NoPlayer)
			return
		}
		c.readInt(int64(a.Value(i)), to)
	case *array.Int64:
		to.SetUint(uint64(a.Value(i)))
	case *array.Float64:
		to.SetInt(int64(math.Round(a.Value(i) * c.per)))
	case *array.String:
		to.SetString(a.Value(i))
	case *array.Binary:
		if !c.null || a.IsValid(i) {
			to.SetBytes(a.Value(i))
		}
	case *array.FixedSizeBinary:
		var words [8 * len(sim.ActionSet{})]byte
		copy(words[:], a.Value(i))
		for w := range to.Len() {
			to.Index(w).SetUint(binary.LittleEndian.Uint64(words[8*w:]))
		}
	case *array.FixedSizeList:
		first, _ := a.ValueOffsets(i)
		for p := range c.n {
			c.read(a.ListValues(), int(first)+p, to.Index(p))
		}
	case *array.List:
		first, last := a.ValueOffsets(i)
		rows := a.ListValues().(*array.Struct)
		if first < 0 || last < first || last > int64(rows.Len()) {
			panic("a list reaches beyond its values")
		}
		to.Set(reflect.MakeSlice(to.Type(), int(last-first), int(last-first)))
		for n := range to.Len() {
			for j := range c.elements {
				c.elements[j].read(rows.Field(j), int(first)+n, to.Index(n).Field(c.elements[j].index))
			}
		}
	}
}

// readInt sets a field to a value, which only a damaged file has out of the field's range.
func (c *column) readInt(x int64, to reflect.Value) {
	switch {
	case to.CanUint() && x >= 0 && !to.OverflowUint(uint64(x)):
		to.SetUint(uint64(x))
	case to.CanInt() && !to.OverflowInt(x):
		to.SetInt(x)
	default:
		panic(rangeError(c.field.Name, x))
	}
}

// NewRecord returns a record of rows that are not of a dataset. Their fields have the tags column
// and doc, and a NaN is null. The caller releases it.
func NewRecord[R any](rows []R) arrow.Record {
	columns := columnsOf[R](&runColumns{})
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fieldsOf(columns), nil))
	defer b.Release()
	columns.write(b, rows)
	return b.NewRecord()
}

func (c Columns[R]) write(b *array.RecordBuilder, rows []R) {
	for i := range rows {
		row := reflect.ValueOf(&rows[i]).Elem()
		for j := range c {
			c[j].write(b.Field(j), row.Field(c[j].index))
		}
	}
}

// write appends a value to the builder of the column. Words are written as their numbers.
func (c *column) write(b array.Builder, v reflect.Value) {
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(v.Bool())
	case *array.Int32Builder:
		switch {
		case v.Kind() == reflect.String:
			n, ok := c.numbers[v.String()]
			switch {
			case ok:
				b.Append(n)
			case c.null && v.String() == "":
				b.AppendNull()
			default:
				panic(fmt.Sprintf("schema: column %s: %q is not in its dictionary", c.field.Name, v.String()))
			}
		case v.CanInt():
			b.Append(int32(v.Int()))
		case c.null && v.Uint() == NoPlayer:
			b.AppendNull()
		default:
			b.Append(int32(v.Uint()))
		}
	case *array.Int64Builder:
		b.Append(int64(v.Uint()))
	case *array.Float64Builder:
		switch {
		case c.per != 0:
			b.Append(float64(v.Int()) / c.per)
		case math.IsNaN(v.Float()):
			b.AppendNull()
		default:
			b.Append(v.Float())
		}
	case *array.StringBuilder:
		b.Append(v.String())
	case *array.BinaryBuilder:
		if c.null && v.IsNil() {
			b.AppendNull()
		} else {
			b.Append(v.Bytes())
		}
	case *array.FixedSizeBinaryBuilder:
		b.Append(appendLegal(nil, v.Addr().Interface().(*sim.ActionSet)))
	case *array.FixedSizeListBuilder:
		b.Append(true)
		for p := range c.n {
			c.write(b.ValueBuilder(), v.Index(p))
		}
	case *array.ListBuilder:
		b.Append(true)
		rows := b.ValueBuilder().(*array.StructBuilder)
		for n := range v.Len() {
			rows.Append(true)
			for j := range c.elements {
				c.elements[j].write(rows.FieldBuilder(j), v.Index(n).Field(c.elements[j].index))
			}
		}
	}
}
