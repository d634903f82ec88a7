package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A mutant is one small change of a source file.
type mutant struct {
	pkg  string // folder of the package, relative to the module
	file string // relative to the module
	line int
	col  int
	from int // bytes [from, to) of the file become text
	to   int
	kind string
	old  string
	text string
}

// String returns the place of the mutant and its change, on one line.
func (m *mutant) String() string {
	short := func(s string) string {
		s = strings.Join(strings.Fields(s), " ")
		if len(s) > 60 {
			s = s[:57] + "..."
		}
		return s
	}
	return fmt.Sprintf("%s:%d:%d %s: %s -> %s", m.file, m.line, m.col, m.kind, short(m.old), short(m.text))
}

// operators are the replacements of each operator.
var operators = map[token.Token][]string{
	token.EQL: {"!="}, token.NEQ: {"=="},
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.LAND: {"||"}, token.LOR: {"&&"},
	token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"/"}, token.QUO: {"*"}, token.REM: {"*"},
	token.AND: {"|"}, token.OR: {"&"}, token.XOR: {"|"}, token.AND_NOT: {"&"},
	token.SHL: {">>"}, token.SHR: {"<<"},
	token.ADD_ASSIGN: {"-="}, token.SUB_ASSIGN: {"+="}, token.MUL_ASSIGN: {"/="}, token.QUO_ASSIGN: {"*="},
	token.AND_ASSIGN: {"|="}, token.OR_ASSIGN: {"&="}, token.AND_NOT_ASSIGN: {"|="},
	token.SHL_ASSIGN: {">>="}, token.SHR_ASSIGN: {"<<="},
	token.INC: {"--"}, token.DEC: {"++"},
}

// sites returns every mutant of the package in a folder, in the order of its text.
// Tests and arguments of panic are left alone.
func sites(root, pkg string) ([]*mutant, error) {
	files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
	if err != nil {
		return nil, err
	}
	var all []*mutant
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if ast.IsGenerated(f) {
			continue
		}
		c := &collector{fset: fset, src: src, pkg: pkg, file: pkg + "/" + filepath.Base(file)}
		for _, decl := range f.Decls {
			ast.Inspect(decl, c.visit)
		}
		slices.SortStableFunc(c.found, func(a, b *mutant) int { return a.from - b.from })
		all = append(all, c.found...)
	}
	return all, nil
}

type collector struct {
	fset      *token.FileSet
	src       []byte
	pkg, file string
	found     []*mutant
}

// add adds the replacement of the text between two positions.
func (c *collector) add(kind string, from, to token.Pos, text string) {
	at := c.fset.Position(from)
	end := c.fset.Position(to).Offset
	c.found = append(c.found, &mutant{
		pkg: c.pkg, file: c.file, line: at.Line, col: at.Column,
		from: at.Offset, to: end, kind: kind, old: string(c.src[at.Offset:end]), text: text,
	})
}

func (c *collector) operator(pos token.Pos, op token.Token) {
	for _, text := range operators[op] {
		c.add("operator", pos, pos+token.Pos(len(op.String())), text)
	}
}

// condition makes a condition false and true; its operands stay in use.
func (c *collector) condition(cond ast.Expr) {
	if cond == nil {
		return
	}
	text := string(c.src[c.fset.Position(cond.Pos()).Offset:c.fset.Position(cond.End()).Offset])
	c.add("never", cond.Pos(), cond.End(), "("+text+") && false")
	c.add("always", cond.Pos(), cond.End(), "("+text+") || true")
}

func (c *collector) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		return false
	case *ast.ArrayType:
		ast.Inspect(n.Elt, c.visit)
		return false
	case *ast.Field: // neither tags nor the lengths in types
		return false
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "panic" {
			return false
		}
	case *ast.BinaryExpr:
		c.operator(n.OpPos, n.Op)
	case *ast.IfStmt:
		c.condition(n.Cond)
	case *ast.IncDecStmt:
		c.operator(n.TokPos, n.Tok)
	case *ast.AssignStmt:
		if n.Tok == token.ASSIGN {
			c.add("statement", n.Pos(), n.End(), "")
		}
		c.operator(n.TokPos, n.Tok)
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok {
			if f, ok := call.Fun.(*ast.Ident); !ok || f.Name != "panic" {
				c.add("statement", n.Pos(), n.End(), "")
			}
		}
	case *ast.BasicLit:
		if i, err := strconv.ParseInt(n.Value, 0, 62); err == nil && n.Kind == token.INT {
			c.add("number", n.Pos(), n.End(), strconv.FormatInt(i+1, 10))
		}
	case *ast.Ident:
		switch n.Name {
		case "true":
			c.add("truth", n.Pos(), n.End(), "false")
		case "false":
			c.add("truth", n.Pos(), n.End(), "true")
		}
	}
	return true
}
