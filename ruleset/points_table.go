package ruleset

import (
	"fmt"
	"reflect"
)

// PointsTable is a table of what hands pay by their value: a curve that has a name, or a list
// from value 0 on. Beyond the end of a list its last entry counts.
type PointsTable struct {
	// Curve is what is between the entries where Len is 0. The other knobs of a family give
	// its measures.
	Curve PointsCurve
	// List[:Len] are the entries of a list, none of them below the one before.
	List [MaxPointsTable]int32
	Len  uint8
}

// Limits of a points table: entries of a list, and the highest entry of any table.
const (
	MaxPointsTable = 101
	MaxPointsShare = 1_000_000
)

// Shares returns the table up to most, the highest value that counts, or up to the highest
// entry that does not pass MaxPointsShare. Without a table the entries are the values. Up to
// the knee the curve half_spicy doubles with each step, and with each second one from there on.
func (t *PointsTable) Shares(knee, most int) []int32 {
	var list []int32
	for value := range most + 1 {
		share := int64(1) << value
		switch half, odd := (value-knee)/2, (value-knee)%2; {
		case t.Len > 0:
			if value == int(t.Len) {
				return list
			}
			share = int64(t.List[value])
		case t.Curve == NoTable:
			share = int64(value)
		case t.Curve == HalfSpicy && value > knee:
			share = int64(2+odd) << (knee + half) / 2
		}
		if share > MaxPointsShare {
			break
		}
		list = append(list, int32(share))
	}
	return list
}

// pointsTableFormat is the format of points tables.
type pointsTableFormat struct{ curves wordFormat }

func (f pointsTableFormat) allowed() string {
	return fmt.Sprintf("%s, or a list of 1 to %d integers 0..%d from value 0 on, none below the one before", f.curves.allowed(), MaxPointsTable, MaxPointsShare)
}

func (f pointsTableFormat) decode(v any, dst reflect.Value) error {
	list, ok := v.([]any)
	if !ok {
		return f.curves.decode(v, dst.Field(0))
	}
	if len(list) == 0 || len(list) > MaxPointsTable {
		return fmt.Errorf("a list of %d entries", len(list))
	}
	entries, last := dst.Field(1), int64(0)
	for i, entry := range list {
		if err := (bounds{hi: MaxPointsShare}).decode(entry, entries.Index(i)); err != nil {
			return fmt.Errorf("the entry for %d: %w", i, err)
		}
		n := entries.Index(i).Int()
		if n < last {
			return fmt.Errorf("the table falls from %d to %d at %d", last, n, i)
		}
		last = n
	}
	dst.Field(2).SetUint(uint64(len(list)))
	return nil
}

func (f pointsTableFormat) encode(src reflect.Value) any {
	n := int(src.Field(2).Uint())
	if n == 0 {
		return f.curves.encode(src.Field(0))
	}
	list := make([]any, n)
	for i := range list {
		list[i] = src.Field(1).Index(i).Int()
	}
	return list
}
