package env

import (
	"encoding/binary"
	"math"

	envv1 "github.com/sparrowhall/sparrowhall/proto/sparrowhall/env/v1"
)

// column is one field of a request that holds a value for every row.
type column struct {
	name string
	data []byte
	size int // bytes of a value
}

// rowsOf returns the number of rows of a request, which the first column tells,
// or a refusal that names the column that has another.
func rowsOf(columns ...column) (int, *refusal) {
	first := columns[0]
	rows := len(first.data) / first.size
	for _, c := range columns {
		if len(c.data) != rows*c.size {
			return 0, refuse(envv1.ErrorCode_ERROR_CODE_BAD_LENGTH,
				"column %s has %d bytes; %d rows (by column %s) of %d bytes are %d", c.name, len(c.data), rows, first.name, c.size, rows*c.size)
		}
	}
	return rows, nil
}

func uint32At(column []byte, row int) uint32 { return binary.LittleEndian.Uint32(column[4*row:]) }

func uint64At(column []byte, row int) uint64 { return binary.LittleEndian.Uint64(column[8*row:]) }

func putUint32(column []byte, row int, n uint32) { binary.LittleEndian.PutUint32(column[4*row:], n) }

func appendInt32(column []byte, n int32) []byte {
	return binary.LittleEndian.AppendUint32(column, uint32(n))
}

func appendUint64(column []byte, n uint64) []byte {
	return binary.LittleEndian.AppendUint64(column, n)
}

// clamp returns n as a uint32, the largest one if it does not fit.
func clamp(n int) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }
