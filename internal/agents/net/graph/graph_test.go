package graph

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// tensors are constants for tests: []float32 or []int32 by name.
type tensors map[string]any

func (t tensors) Floats(name string) ([]float32, error) {
	if list, ok := t[name].([]float32); ok {
		return list, nil
	}
	return nil, fmt.Errorf("no floats %q", name)
}

func (t tensors) Ints(name string) ([]int32, error) {
	if list, ok := t[name].([]int32); ok {
		return list, nil
	}
	return nil, fmt.Errorf("no ints %q", name)
}

// compute returns the result of a node with constants as operands.
func compute(t *testing.T, n node, constants tensors) []float32 {
	t.Helper()
	n.Name = "out"
	text, err := json.Marshal(description{Nodes: []node{n}, Output: "out"})
	if err != nil {
		t.Fatal(err)
	}
	g, err := Parse(string(text), nil, constants)
	if err != nil {
		t.Fatalf("%v: %v", n, err)
	}
	return slices.Clone(g.NewRun().Compute())
}

func TestOperations(t *testing.T) {
	missing := map[string]bool{}
	for name := range operations {
		missing[name] = true
	}
	constants := tensors{
		"a": []float32{-2, 0, 1, 6}, "b": []float32{3, 0.5, 1, 4}, "two": []float32{2},
		"i": []int32{3, -1, 0}, "table": []float32{1, 2, 3, 4, 5, 6}, "codes": []float32{2, -7, 9, 1},
	}
	for _, test := range []struct {
		op   string
		in   string
		dims []int
		eps  float32
		want []float32
	}{
		{op: "take", in: "a i", want: []float32{6, 0, -2}},
		{op: "join", in: "a two a", want: []float32{-2, 0, 1, 6, 2, -2, 0, 1, 6}},
		{op: "lookup", in: "codes table", dims: []int{2}, want: []float32{5, 6, 1, 2, 5, 6, 3, 4}},
		{op: "matmul", in: "a b", dims: []int{1, 2, 2, 2}, want: []float32{-6, -1, 9, 24.5}},
		{op: "matmul", in: "a b", dims: []int{2, 1, 2, 1}, want: []float32{-6, 25}},
		{op: "sum", in: "a", dims: []int{2}, want: []float32{-2, 7}},
		{op: "max", in: "a", dims: []int{4}, want: []float32{6}},
		{op: "softmax", in: "a", dims: []int{2}, want: []float32{0.119203, 0.880797, 0.0066929, 0.993307}},
		{op: "norm", in: "b", dims: []int{2}, eps: 0.5, want: []float32{0.870388, -0.870388, -0.904534, 0.904534}},
		{op: "where", in: "a two b", want: []float32{2, 0.5, 2, 2}},
		{op: "exp", in: "a", want: []float32{0.135335, 1, 2.718282, 403.42879}},
		{op: "log", in: "b", want: []float32{1.098612, -0.693147, 0, 1.386294}},
		{op: "sqrt", in: "b", want: []float32{1.7320508, 0.70710678, 1, 2}},
		{op: "tanh", in: "a", want: []float32{-0.96402758, 0, 0.76159416, 0.99998771}},
		{op: "sigmoid", in: "a", want: []float32{0.11920292, 0.5, 0.73105858, 0.99752738}},
		{op: "erf", in: "a", want: []float32{-0.99532227, 0, 0.84270079, 1}},
		{op: "floor", in: "b", want: []float32{3, 0, 1, 4}},
		{op: "add", in: "a two", want: []float32{0, 2, 3, 8}},
		{op: "sub", in: "two a", want: []float32{4, 2, 1, -4}},
		{op: "mul", in: "a b", want: []float32{-6, 0, 1, 24}},
		{op: "div", in: "a b", want: []float32{-2. / 3, 0, 1, 1.5}},
		{op: "minimum", in: "a b", want: []float32{-2, 0, 1, 4}},
		{op: "maximum", in: "a b", want: []float32{3, 0.5, 1, 6}},
		{op: "eq", in: "a b", want: []float32{0, 0, 1, 0}},
		{op: "lt", in: "a b", want: []float32{1, 1, 0, 0}},
		{op: "le", in: "a b", want: []float32{1, 1, 1, 0}},
		{op: "and", in: "a two", want: []float32{2, 0, 0, 2}},
		{op: "or", in: "a two", want: []float32{-2, 2, 3, 6}},
	} {
		got := compute(t, node{Op: test.op, In: strings.Fields(test.in), Dims: test.dims, Eps: test.eps}, constants)
		if !near(got, test.want, 2e-6) {
			t.Errorf("%s %s: %v, want %v", test.op, test.in, got, test.want)
		}
		delete(missing, test.op)
	}
	for op := range missing {
		t.Errorf("%s is not tested", op)
	}
}

func near(got, want []float32, error float64) bool {
	return slices.EqualFunc(got, want, func(a, b float32) bool {
		return math.Abs(float64(a-b)) <= error*(1+math.Abs(float64(b)))
	})
}

// TestMatmul compares with the definition, for all numbers of rows left after the last four.
func TestMatmul(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func(n int) []float32 {
		list := make([]float32, n)
		for i := range list {
			if rng.IntN(3) > 0 {
				list[i] = float32(rng.NormFloat64())
			}
		}
		return list
	}
	for k := range 13 {
		b, m, n, k := 1+rng.IntN(3), 1+rng.IntN(4), 1+rng.IntN(70), k+1
		x, w, bias := draw(b*m*k), draw(b*k*n), draw(n)
		want := make([]float32, 0, b*m*n)
		for i := range b * m {
			for j := range n {
				sum := bias[j]
				for l := range k {
					sum += float32(x[i*k+l] * w[(i/m*k+l)*n+j])
				}
				want = append(want, sum)
			}
		}
		got := compute(t, node{Op: "matmul", In: []string{"x", "w", "bias"}, Dims: []int{b, m, k, n}}, tensors{"x": x, "w": w, "bias": bias})
		if !slices.Equal(got, want) {
			t.Errorf("%d %d %d %d: %v, want %v", b, m, k, n, got, want)
		}
	}
}

// TestFunctions compares with package math.
func TestFunctions(t *testing.T) {
	for x := -750.0; x < 750; x += 0.37 {
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 1e-14*want && math.Abs(x) < 700 {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
		if got, want := tanh(float32(x/40)), float32(math.Tanh(float64(float32(x/40)))); math.Abs(float64(got-want)) > 1e-7*math.Abs(float64(want)) {
			t.Errorf("tanh(%v) = %v, want %v", x/40, got, want)
		}
		if got, want := erf(float32(x/100)), math.Erf(x/100); math.Abs(float64(got)-want) > 3e-7 {
			t.Errorf("erf(%v) = %v, want %v", x/100, got, want)
		}
		y := math.Exp(x / 10)
		if got, want := log(y), math.Log(y); math.Abs(got-want) > 1e-14*(1+math.Abs(want)) {
			t.Errorf("log(%v) = %v, want %v", y, got, want)
		}
	}
	inf := math.Inf(1)
	for _, test := range []struct{ got, want float64 }{
		{exp(inf), inf},
		{exp(-inf), 0},
		{exp(math.NaN()), math.NaN()},
		{log(0), -inf},
		{log(inf), inf},
		{log(-1), math.NaN()},
		{float64(tanh(100)), 1},
		{float64(tanh(-100)), -1},
		{float64(sigmoid(-1000)), 0},
	} {
		if test.got != test.want && !(math.IsNaN(test.got) && math.IsNaN(test.want)) {
			t.Errorf("%v, want %v", test.got, test.want)
		}
	}
}

// chain is a graph of some nodes for tests of errors and of memory.
const chain = `{"nodes":[{"name":"h","op":"matmul","in":["x","w","b"],"dims":[1,1,3,2]},{"name":"y","op":"softmax","in":["h"],"dims":[2]}],"output":"y"}`

var chainTensors = tensors{"w": []float32{1, 2, 3, 4, 5, 6}, "b": []float32{0, 1}, "i": []int32{0, 5}, "none": []float32(nil)}

func TestCompute(t *testing.T) {
	g, err := Parse(chain, []Input{{"x", 3}}, chainTensors)
	if err != nil {
		t.Fatal(err)
	}
	run := g.NewRun()
	copy(run.Input(0), []float32{1, 0, -1})
	if got := run.Compute(); g.Length() != 2 || !near(got, []float32{0.26894142, 0.7310586}, 1e-6) {
		t.Errorf("%v", got)
	}
	if n := testing.AllocsPerRun(10, func() { run.Compute() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ old, by, want string }{
		{`"output":"y"}`, `"output":"y"} {}`, "its graph cannot be read"},
		{`"output":"y"`, `"output":"z"`, `its output is "z", which is no node`},
		{`"softmax"`, `"lstm"`, `node 1, "y": the operation "lstm" is unknown; nearest: `},
		{`"name":"y"`, `"name":"h"`, "is empty or that of another value"},
		{`"name":"y"`, `"name":""`, "is empty or that of another value"},
		{`["h"]`, `["y"]`, `no floats "y"`},
		{`["x","w","b"]`, `["x","y","b"]`, `no floats "y"`},
		{`["h"]`, `[]`, "softmax has 0 operands and 1 sizes; required: 1 to 1, and 1"},
		{`["h"]`, `["h","h"]`, "softmax has 2 operands"},
		{`"dims":[2]`, `"dims":[]`, "softmax has 1 operands and 0 sizes"},
		{`"dims":[2]`, `"dims":[0]`, "a size is 0"},
		{`"dims":[2]`, `"dims":[3]`, "has 2 numbers, in rows of 3"},
		{`"dims":[2]`, `"dims":[2],"eps":-1`, "eps is -1"},
		{`"dims":[2]`, `"dims":[99999999999]`, "a size is"},
		{`[1,1,3,2]`, `[1,1,2,2]`, "operand 0 has 3 numbers"},
		{`[1,1,3,2]`, `[1048576,1048576,1048576,1048576]`, "operand 0 has 3 numbers"},
		{`"op":"softmax","in":["h"],"dims":[2]`, `"op":"take","in":["h","i"]`, "an index is 5; allowed: -1 to 1"},
		{`"op":"softmax","in":["h"],"dims":[2]`, `"op":"take","in":["h","w"]`, `no ints "w"`},
		{`"op":"softmax","in":["h"],"dims":[2]`, `"op":"add","in":["h","x"]`, "operand 0 has 2 numbers, another 3"},
		{`"op":"softmax","in":["h"],"dims":[2]`, `"op":"lookup","in":["h","w"],"dims":[4]`, "its table has 6 numbers, in rows of 4"},
		{`"op":"softmax","in":["h"],"dims":[2]`, `"op":"lookup","in":["h","none"],"dims":[4]`, "its table has 0 numbers, in rows of 4"},
		{`"op":"softmax","in":["h"],"dims":[2]`, `"op":"lookup","in":["big","big"],"dims":[1048576]`, "all results have over"},
	} {
		constants := tensors{"big": make([]float32, 1<<20)}
		for name, list := range chainTensors {
			constants[name] = list
		}
		text := strings.Replace(chain, test.old, test.by, 1)
		if _, err := Parse(text, []Input{{"x", 3}}, constants); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", text, err, test.want)
		}
	}
}

// TestWork refuses a graph whose results are small and that would compute for hours.
func TestWork(t *testing.T) {
	node := `{"name":"n%d","op":"matmul","in":["x","w"],"dims":[1,4096,1,4096]},{"name":"m%[1]d","op":"matmul","in":["x","w"],"dims":[1,1,4096,1]}`
	var nodes []string
	for i := range 4 {
		nodes = append(nodes, fmt.Sprintf(node, i))
	}
	text := fmt.Sprintf(`{"nodes":[%s],"output":"m0"}`, strings.Join(nodes, ","))
	_, err := Parse(text, []Input{{"x", 4096}}, tensors{"w": make([]float32, 4096)})
	if err == nil || !strings.Contains(err.Error(), "all results have over") {
		t.Error(err)
	}
	text = `{"nodes":[{"name":"y","op":"matmul","in":["x","w"],"dims":[1,2048,2048,2048]}],"output":"y"}`
	_, err = Parse(text, []Input{{"x", 2048 * 2048}}, tensors{"w": make([]float32, 2048*2048)})
	if err == nil || !strings.Contains(err.Error(), "a decision takes over") {
		t.Error(err)
	}
}

// FuzzParse computes whatever is no error.
func FuzzParse(f *testing.F) {
	f.Add(chain)
	f.Add(strings.Replace(chain, `"op":"softmax","in":["h"],"dims":[2]`, `"op":"take","in":["h","i"]`, 1))
	f.Add(strings.Replace(chain, `"op":"softmax","in":["h"],"dims":[2]`, `"op":"lookup","in":["h","w"],"dims":[3]`, 1))
	f.Add(strings.Replace(chain, `"op":"softmax","in":["h"],"dims":[2]`, `"op":"lookup","in":["h","none"],"dims":[3]`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Parse(text, []Input{{"x", 3}}, chainTensors)
		if err != nil {
			return
		}
		run := g.NewRun()
		copy(run.Input(0), []float32{1, float32(math.NaN()), float32(math.Inf(-1))})
		if got := run.Compute(); len(got) != g.Length() {
			t.Errorf("%d numbers, want %d", len(got), g.Length())
		}
	})
}
