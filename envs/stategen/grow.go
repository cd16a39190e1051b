package stategen

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/zeebo/xxh3"
)

// mostAttempts is after how many failures in a row a program is given up: the domain has a dead end.
const mostAttempts = 20

// mostEdits is how many edits of local variables a path may have for each call.
const mostEdits = 3

var (
	errDeadEnd = errors.New("no transition is possible")
	errNothing = errors.New("there is nothing to compare or to answer")
)

// grown is a program before its cases, and the pairs of its transitions.
type grown struct {
	number  int
	program Program
	pairs   []Pair
}

// grower grows programs one after the other.
type grower struct {
	domain  Domain
	options Options
	book    *Book
	report  Report
}

// next grows the next program. A failed attempt leaves nothing in the book.
func (g *grower) next() (grown, error) {
	number := g.book.programs

	for attempt := range mostAttempts {
		p := &path{
			rng: random(g.options.Seed, g.domain.Name(), number, attempt), book: g.book, selector: g.options.Selector,
			seen: map[string]bool{},
		}

		program, err := p.program(g.domain, g.options.Calls)
		if err == nil {
			err = tests(&program)
		}

		if err == nil {
			g.book.programs++
			return grown{number, program, p.pairs}, nil
		}

		g.book.add(p.pairs, -1)
		g.report.Failed[err.Error()]++
	}

	return grown{}, fmt.Errorf("stategen: program %d of %s failed %d times in a row: %v", number, g.domain.Name(),
		mostAttempts, g.report.Failed)
}

// random returns the source of one attempt at one program.
func random(seed uint64, domain string, number, attempt int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, xxh3.HashString(fmt.Sprint(domain, " ", number, " ", attempt))))
}

// path is a program that grows: all of it, or up to the end of one branch.
type path struct {
	rng      *rand.Rand
	book     *Book
	selector Selector
	seen     map[string]bool // transitions with their parameters; a second branch does not repeat the first
	pairs    []Pair          // what was added to the book
}

// program grows a whole program with n calls on each path (StateGen, III-D).
func (p *path) program(d Domain, n int) (Program, error) {
	schema := d.Init(p.rng)
	splits := d.Splits(n)

	split := splits[p.rng.IntN(len(splits))]
	if split >= n-1 {
		if err := p.grow(schema, n, true); err != nil {
			return Program{}, err
		}

		result, ok := schema.Result()
		if !ok {
			return Program{}, errNothing
		}

		program := schema.Program()
		program.Result = &result

		return program, nil
	}

	if err := p.grow(schema, split, false); err != nil {
		return Program{}, err
	}

	return p.branch(schema, n-split)
}

// branch grows both ends of a program that has a branch. One of them, by a coin, leaves its local edits unwritten.
func (p *path) branch(schema Schema, n int) (Program, error) {
	before := schema.Program()

	test, constant, ok := schema.Condition(p.rng)
	if !ok {
		return Program{}, errNothing
	}

	flush := p.rng.IntN(2) == 0
	ends := [2]Schema{schema, schema.Clone()}

	var paths [2]Path
	var added [2][]Variable

	for i, end := range ends {
		if err := p.grow(end, n, flush == (i == 0)); err != nil {
			return Program{}, err
		}

		result, ok := end.Result()
		if !ok {
			return Program{}, errNothing
		}

		whole := end.Program()
		paths[i] = Path{whole.Main[len(before.Main):], result}
		added[i] = whole.Init[len(before.Init):]
	}

	program := before
	program.Branch = &Branch{test, paths[0], paths[1]}
	program.Init = slices.Concat(before.Init, added[0], []Variable{constant})
	program.take(added[1])

	return program, nil
}

// grow adds n calls to a schema: the loop of Algorithm 1. An exact repetition is never a candidate.
func (p *path) grow(s Schema, n int, flush bool) error {
	for calls, edits := 0, 0; calls < n; {
		valid := slices.DeleteFunc(s.Candidates(p.rng, Want{n - calls, flush}), func(c Candidate) bool {
			return p.seen[c.Transition+" "+c.Key] || !c.Counts && edits >= mostEdits*n
		})
		if len(valid) == 0 {
			return errDeadEnd
		}

		c := p.selector.choose(p.rng, valid, p.book)
		s.Apply(c)

		p.seen[c.Transition+" "+c.Key] = true
		p.pairs = append(p.pairs, c.Pairs...)
		p.book.add(c.Pairs, 1)

		if c.Counts {
			calls++
		} else {
			edits++
		}
	}

	return nil
}

// take adds the variables that only the second branch has, under names that are free.
func (p *Program) take(added []Variable) {
	names := map[string]string{}

	for _, v := range added {
		name := v.Name
		for i := len(p.Init); p.declares(name); i++ {
			name = renumber(v.Name, i)
		}

		if name != v.Name {
			names[v.Name] = name
		}

		v.Name, v.Value.Any = name, renamedValue(v.Value.Any, names)
		p.Init = append(p.Init, v)
	}

	if len(names) > 0 {
		p.Branch.Else = p.Branch.Else.renamed(names)
	}
}

func (p *Program) declares(name string) bool {
	return slices.ContainsFunc(p.Init, func(v Variable) bool { return v.Name == name })
}
