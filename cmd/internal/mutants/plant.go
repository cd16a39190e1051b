package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// mutant is one change of a package's source.
type mutant struct {
	id     int
	File   string `json:"file"` // in the module
	Line   int    `json:"line"`
	Func   string `json:"func"` // Type.Method or function; "" in the declaration of a variable
	Change string `json:"change"`
}

// source is a file in which mutants are planted.
type source struct {
	path string // on the disk
	name string // in the module
	text []byte
	file *ast.File
	fset *token.FileSet
	pkg  *types.Package
	info *types.Info
}

// site is a place with its mutants: what is written around it so that each is a branch. The mutants
// of a site are planted or left out together.
type site struct {
	mutants []*mutant
	edits   []edit
	order   int  // outer sites come first
	breaks  bool // ends a loop, after which the function may lack a return
	// where the site is in the planted text
	from, to int
}

// edit puts a text at an offset, in place of some bytes.
type edit struct {
	at, cut int
	text    string
	closes  bool // the text ends what the site wraps
	site    *site
}

// planter finds the sites of one file. Sites that contain others are found first.
type planter struct {
	source
	next  *int // the next mutant's number, of the package
	sites []*site
	fn    string        // the function at hand
	out   *ast.FuncType // whose results a return has
	loops []ast.Node    // the loops, switches and selects around the statement, innermost last

	beside map[ast.Expr]bool // literals that cannot matter: results beside an error, capacities
}

// site adds a place that is wrapped in two texts. In them, %d stands for the number of the first
// change's mutant.
func (p *planter) site(n ast.Node, before, after string, changes ...string) *site {
	s := &site{order: len(p.sites)}
	id := *p.next
	for _, change := range changes {
		s.mutants = append(s.mutants, &mutant{
			id:     *p.next,
			File:   p.name,
			Line:   p.fset.Position(n.Pos()).Line,
			Func:   p.fn,
			Change: change,
		})
		*p.next++
	}

	before = strings.ReplaceAll(before, "%d", fmt.Sprint(id))
	after = strings.ReplaceAll(after, "%d", fmt.Sprint(id))
	s.edits = []edit{
		{at: p.offset(n.Pos()), text: before, site: s},
		{at: p.offset(n.End()), text: after, closes: true, site: s},
	}
	p.sites = append(p.sites, s)

	return s
}

func (p *planter) offset(pos token.Pos) int { return p.fset.Position(pos).Offset }

// oneLine returns the source of a node, in one line.
func (p *planter) oneLine(n ast.Node) string {
	return strings.Join(strings.Fields(p.code(n)), " ")
}

func (p *planter) code(n ast.Node) string {
	return string(p.text[p.offset(n.Pos()):p.offset(n.End())])
}

// planted returns the file with its sites, and notes where they are in it.
func (s *source) planted(sites []*site) []byte {
	var edits []edit
	for _, site := range sites {
		edits = append(edits, site.edits...)
	}

	// At one offset, what ends there comes before what begins, the inner end first, and the outer
	// beginning first.
	slices.SortStableFunc(edits, func(a, b edit) int {
		order := cmp.Compare(a.site.order, b.site.order)
		switch {
		case a.at != b.at:
			return cmp.Compare(a.at, b.at)
		case a.closes && b.closes:
			return -order
		case a.closes:
			return -1
		case b.closes:
			return 1
		}

		return order
	})

	var out []byte
	done := 0
	for _, e := range edits {
		out = append(out, s.text[done:e.at]...)

		// The compiler's errors have positions in this text, by which sites are dropped.
		if e.site.edits[0] == e {
			e.site.from = len(out)
		}

		out = append(out, e.text...)
		done = e.at + e.cut
		e.site.to = len(out) // the last edit of a site closes it
	}
	return append(out, s.text[done:]...)
}
