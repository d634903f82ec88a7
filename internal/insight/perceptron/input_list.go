package perceptron

// InputList collects the inputs of a network in ascending order of their indices, and leaves
// out zeros. The zero value is an empty list at index 0. It holds at most 256 inputs that
// are not zero.
type InputList struct {
	inputs [256]Input
	n      int
	next   int // index of the next input
}

// Begin empties the list. The next input has the given index.
func (l *InputList) Begin(index int) { l.n, l.next = 0, index }

// All returns the inputs that are not zero. They are valid until the next Begin.
func (l *InputList) All() []Input { return l.inputs[:l.n] }

// Put appends the value of the next input, in 1/One. It is clamped to -127..127.
func (l *InputList) Put(value int) {
	// The input is written in any case and kept if it is not zero: a branch would be
	// unpredictable.
	l.inputs[l.n] = Input{At: uint16(l.next), Value: int8(max(-127, min(value, 127)))}
	if value != 0 {
		value = 1
	}
	l.n += value
	l.next++
}

// PutIf appends the value of the next input if b is true, else zero.
func (l *InputList) PutIf(b bool, value int) {
	if !b {
		value = 0
	}
	l.Put(value)
}

// Flag appends a next input of One or zero.
func (l *InputList) Flag(b bool) {
	l.inputs[l.n] = Input{At: uint16(l.next), Value: One}
	n := 0
	if b {
		n = 1
	}
	l.n += n
	l.next++
}

// PutAhead sets the input that is some places after the next one to a value that is not
// zero. It does not change which input is next.
func (l *InputList) PutAhead(places, value int) {
	l.inputs[l.n] = Input{At: uint16(l.next + places), Value: int8(max(-127, min(value, 127)))}
	l.n++
}

// OneHot appends n inputs of which number i is One, none if i is not in 0..n-1.
func (l *InputList) OneHot(i, n int) {
	if i >= 0 && i < n {
		l.PutAhead(i, One)
	}
	l.next += n
}

// Skip appends n inputs of zero.
func (l *InputList) Skip(n int) { l.next += n }

// SkipTo appends inputs of zero up to an index. It panics if that has been passed.
func (l *InputList) SkipTo(index int) {
	if l.next > index {
		panic("perceptron: more inputs than there is room for")
	}
	l.next = index
}
