package observe

import "fmt"

// fields lists the fields along an axis.
type fields struct {
	list []Field
	high int64 // of fields without bounds of their own
	next int
}

func newFields(high int64) *fields { return &fields{high: high} }

// add appends a field of count indices.
func (f *fields) add(name string, count int, doc string) { f.bound(name, count, 0, f.high, doc) }

// bound appends a field of count indices with its own bounds.
func (f *fields) bound(name string, count int, low, high int64, doc string) {
	f.list = append(f.list, Field{name, f.next, count, low, high, doc})
	f.next += count
}

// each appends a field of count indices for each player. doc has a verb for who
// the player is.
func (f *fields) each(name string, count int, doc string) {
	for i, who := range [...]string{"the viewer", "the next player", "the player across", "the player before"} {
		f.add(fmt.Sprintf("%s_%d", name, i), count, fmt.Sprintf(doc, who))
	}
}
