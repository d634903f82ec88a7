package graph

import (
	"fmt"
	"math"
	"slices"
)

// operation is what a node may compute.
type operation struct {
	least, most int // operands
	dims        int // sizes that the node has
	// size checks the operands, and returns the length of the result and how much work it is.
	size    func(g *Graph, s *step) (length, work int, err error)
	compute func(r *Run, s *step, out []float32)
}

// operations are all operations by name. Operands a and b are as long as the result, or have
// one number for all places.
//
//	take a index      the elements of a at the indexes, 0 where an index is -1
//	join a b ...      all elements, one operand after another
//	lookup a table    row a[i] of the table for each i; rows have dims[0] numbers
//	matmul a b bias   a[B,M,K] times b[B,K,N] plus bias[N], if there is one; dims are B, M, K, N
//	sum a, max a      of each dims[0] consecutive numbers
//	softmax a         of each dims[0] consecutive numbers
//	norm a            each dims[0] consecutive numbers less their mean, divided by the root of
//	                  their variance plus eps
//	where a b c       b where a is not 0, else c
//	and a b, or a b   of the bits of whole numbers
//
// The others are functions of each number, or of each number of a and b; comparisons are 1 or 0.
var operations = map[string]*operation{
	"take":    {2, 2, 0, sizeTake, take},
	"join":    {1, 1 << 10, 0, sizeJoin, join},
	"lookup":  {2, 2, 1, sizeLookup, lookup},
	"matmul":  {2, 3, 4, sizeMatmul, matmul},
	"sum":     {1, 1, 1, sizeReduce, reduce(sum)},
	"max":     {1, 1, 1, sizeReduce, reduce(slices.Max[[]float32])},
	"softmax": {1, 1, 1, sizeRows, rows(softmax)},
	"norm":    {1, 1, 1, sizeRows, rows(normalize)},
	"where":   {3, 3, 0, sizeSame, where},

	"exp":     unary(func(x float32) float32 { return float32(exp(float64(x))) }),
	"log":     unary(func(x float32) float32 { return float32(log(float64(x))) }),
	"sqrt":    unary(func(x float32) float32 { return float32(math.Sqrt(float64(x))) }),
	"tanh":    unary(tanh),
	"sigmoid": unary(sigmoid),
	"erf":     unary(erf),
	"floor":   unary(func(x float32) float32 { return float32(math.Floor(float64(x))) }),

	"add":     binary(func(a, b float32) float32 { return a + b }),
	"sub":     binary(func(a, b float32) float32 { return a - b }),
	"mul":     binary(func(a, b float32) float32 { return a * b }),
	"div":     binary(func(a, b float32) float32 { return a / b }),
	"minimum": binary(func(a, b float32) float32 { return min(a, b) }),
	"maximum": binary(func(a, b float32) float32 { return max(a, b) }),
	"eq":      binary(func(a, b float32) float32 { return truth(a == b) }),
	"lt":      binary(func(a, b float32) float32 { return truth(a < b) }),
	"le":      binary(func(a, b float32) float32 { return truth(a <= b) }),
	"and":     binary(func(a, b float32) float32 { return float32(whole(a) & whole(b)) }),
	"or":      binary(func(a, b float32) float32 { return float32(whole(a) | whole(b)) }),
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// whole returns a number as an integer, 0 if it is none of 32 bits: what Go converts others to
// depends on the processor.
func whole(x float32) int32 {
	if !(x > -1<<31 && x < 1<<31) {
		return 0
	}
	return int32(x)
}

// length returns that of operand i.
func (g *Graph) length(s *step, i int) int { return g.values[s.in[i]].length }

func sizeTake(g *Graph, s *step) (int, int, error) {
	n := int32(g.length(s, 0))
	for _, i := range s.index {
		if i < -1 || i >= n {
			return 0, 0, fmt.Errorf("an index is %d; allowed: -1 to %d", i, n-1)
		}
	}
	return len(s.index), len(s.index), nil
}

func take(r *Run, s *step, out []float32) {
	a := r.values[s.in[0]]
	clear(out)
	for i, from := range s.index {
		if from >= 0 {
			out[i] = a[from]
		}
	}
}

func sizeJoin(g *Graph, s *step) (n, _ int, _ error) {
	for i := range s.in {
		n += g.length(s, i)
	}
	return n, n, nil
}

func join(r *Run, s *step, out []float32) {
	for _, value := range s.in {
		out = out[copy(out, r.values[value]):]
	}
}

func sizeLookup(g *Graph, s *step) (int, int, error) {
	table, width := g.length(s, 1), s.dims[0]
	if table < width || table%width != 0 {
		return 0, 0, fmt.Errorf("its table has %d numbers, in rows of %d", table, width)
	}
	n := g.length(s, 0) * width
	return n, n, nil
}

// lookup takes the nearest row for a number that is none of a row: the exporter has computed the
// codes, and nothing is known of them here.
func lookup(r *Run, s *step, out []float32) {
	width, table := s.dims[0], r.values[s.in[1]]
	last := int32(len(table)/width - 1)
	for i, code := range r.values[s.in[0]] {
		row := int(max(0, min(whole(code), last)))
		copy(out[i*width:][:width], table[row*width:][:width])
	}
}

func sizeMatmul(g *Graph, s *step) (int, int, error) {
	b, m, k, n := s.dims[0], s.dims[1], s.dims[2], s.dims[3]
	for i, want := range []int{b * m * k, b * k * n, n}[:len(s.in)] {
		if got := g.length(s, i); got != want {
			return 0, 0, fmt.Errorf("operand %d has %d numbers, and its sizes %v want %d", i, got, s.dims, want)
		}
	}
	return b * m * n, b * m * k * n, nil
}

func matmul(r *Run, s *step, out []float32) {
	m, k, n := s.dims[1], s.dims[2], s.dims[3]
	x, w := r.values[s.in[0]], r.values[s.in[1]]
	clear(out)
	for i := range len(out) / n {
		row := out[i*n:][:n]
		if len(s.in) > 2 {
			copy(row, r.values[s.in[2]])
		}
		addRows(row, w[i/m*k*n:][:k*n], x[i*k:][:k])
	}
}

// addRows adds to sums the rows of weights, each times its factor. Rows whose factor is 0, such
// as those of tiles that are not held, cost nothing.
func addRows(sums, weights, factors []float32) {
	n := len(sums)
	var rows [4][]float32
	var by [4]float32
	found := 0
	for i, x := range factors {
		if x == 0 {
			continue
		}
		rows[found], by[found] = weights[i*n:][:n], x
		if found++; found < 4 {
			continue
		}
		found = 0
		r0, r1, r2, r3 := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n]
		x0, x1, x2, x3 := by[0], by[1], by[2], by[3]
		for j, sum := range sums {
			// Four rows at once save loads and stores; the order of the sum is the same.
			sum += float32(r0[j] * x0)
			sum += float32(r1[j] * x1)
			sum += float32(r2[j] * x2)
			sum += float32(r3[j] * x3)
			sums[j] = sum
		}
	}
	for f, row := range rows[:found] {
		x := by[f]
		for j, w := range row[:n] {
			sums[j] += float32(w * x)
		}
	}
}

func sizeReduce(g *Graph, s *step) (int, int, error) {
	n, row := g.length(s, 0), s.dims[0]
	if n%row != 0 {
		return 0, 0, fmt.Errorf("its operand has %d numbers, in rows of %d", n, row)
	}
	return n / row, n, nil
}

func sizeRows(g *Graph, s *step) (int, int, error) {
	_, work, err := sizeReduce(g, s)
	return work, work, err
}

func reduce(f func(row []float32) float32) func(*Run, *step, []float32) {
	return func(r *Run, s *step, out []float32) {
		a, n := r.values[s.in[0]], s.dims[0]
		for i := range out {
			out[i] = f(a[i*n:][:n])
		}
	}
}

func sum(row []float32) (total float32) {
	for _, x := range row {
		total += x
	}
	return total
}

func rows(f func(out, row []float32, eps float32)) func(*Run, *step, []float32) {
	return func(r *Run, s *step, out []float32) {
		a, n := r.values[s.in[0]], s.dims[0]
		for i := 0; i < len(out); i += n {
			f(out[i:][:n], a[i:][:n], s.eps)
		}
	}
}

func softmax(out, row []float32, _ float32) {
	most, total := slices.Max(row), float32(0)
	for i, x := range row {
		out[i] = float32(exp(float64(x - most)))
		total += out[i]
	}
	for i := range out {
		out[i] /= total
	}
}

func normalize(out, row []float32, eps float32) {
	mean := sum(row) / float32(len(row))
	variance := float32(0)
	for _, x := range row {
		d := x - mean
		variance += float32(d * d)
	}
	root := float32(math.Sqrt(float64(variance/float32(len(row)) + eps)))
	for i, x := range row {
		out[i] = (x - mean) / root
	}
}

// sizeSame checks operands that are all as long as the longest, or have one number.
func sizeSame(g *Graph, s *step) (n, _ int, _ error) {
	for i := range s.in {
		n = max(n, g.length(s, i))
	}
	for i := range s.in {
		if got := g.length(s, i); got != n && got != 1 {
			return 0, 0, fmt.Errorf("operand %d has %d numbers, another %d", i, got, n)
		}
	}
	return n, n, nil
}

// at returns by how much an index into a grows from place to place: 0 for a single number.
func at(a []float32) int {
	if len(a) == 1 {
		return 0
	}
	return 1
}

func where(r *Run, s *step, out []float32) {
	a, b, c := r.values[s.in[0]], r.values[s.in[1]], r.values[s.in[2]]
	da, db, dc := at(a), at(b), at(c)
	for i := range out {
		if out[i] = c[i*dc]; a[i*da] != 0 {
			out[i] = b[i*db]
		}
	}
}

func unary(f func(x float32) float32) *operation {
	return &operation{1, 1, 0, sizeSame, func(r *Run, s *step, out []float32) {
		a := r.values[s.in[0]]
		for i := range out {
			out[i] = f(a[i])
		}
	}}
}

func binary(f func(a, b float32) float32) *operation {
	return &operation{2, 2, 0, sizeSame, func(r *Run, s *step, out []float32) {
		a, b := r.values[s.in[0]], r.values[s.in[1]]
		da, db := at(a), at(b)
		for i := range out {
			out[i] = f(a[i*da], b[i*db])
		}
	}}
}
