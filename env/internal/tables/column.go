package tables

import "encoding/binary"

// Column is a field of a request that holds a value for every row: little endian, one
// after the other, without padding.
type Column struct {
	// Name is the name of the field, for errors.
	Name string
	// Data holds the values.
	Data []byte
	// Size is the number of bytes of a value.
	Size int
}

// CountRows returns the number of rows of the first column. It refuses columns that
// have another number of rows.
func CountRows(columns ...Column) (int, *Refusal) {
	first := columns[0]
	rows := len(first.Data) / first.Size
	for _, c := range columns {
		if len(c.Data) != rows*c.Size {
			return 0, Refuse(BadLength, "column %s has %d bytes; %d rows (by column %s) of %d bytes are %d",
				c.Name, len(c.Data), rows, first.Name, c.Size, rows*c.Size)
		}
	}
	return rows, nil
}

// Uint32 returns the value of a row in a column of uint32.
func Uint32(column []byte, row int) uint32 { return binary.LittleEndian.Uint32(column[4*row:]) }

// Uint64 returns the value of a row in a column of uint64.
func Uint64(column []byte, row int) uint64 { return binary.LittleEndian.Uint64(column[8*row:]) }

// AppendInt32 appends a value to a column of int32.
func AppendInt32(column []byte, n int32) []byte {
	return binary.LittleEndian.AppendUint32(column, uint32(n))
}
