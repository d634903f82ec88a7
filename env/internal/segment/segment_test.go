package segment

import "testing"

// TestSlot finds the slots of requests whose number does not fit into 31 bits, which
// matters where int has 32 (GOARCH=386 go test).
func TestSlot(t *testing.T) {
	s := &Segment{Layout: *NewLayout(1, nil)}
	s.memory = make([]byte, s.Layout.Size)
	for _, n := range []uint32{0, 7, 8, 1<<31 - 1, 1 << 31, 1<<31 + 3, 1<<32 - 1} {
		if want := &s.memory[s.Layout.SlotsAt+uint64(n%Slots)*s.Layout.SlotSize]; &s.Slot(n).memory[0] != want {
			t.Errorf("request %d has the slot of another", n)
		}
	}
}
