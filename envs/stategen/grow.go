package stategen

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"toolevo/envs"
)

// mostAttempts is the number of failures in a row after which a program is given up: the domain has
// a dead end.
const mostAttempts = 20

// attemptsAtOnePlace is how many attempts, from the first on, branch after the same number of
// calls.
const attemptsAtOnePlace = 3

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

// grower grows programs one after another.
type grower struct {
	domain  Domain
	options Options
	book    *Book
	report  Report
	inVain  int // programs in a row that were no task
}

// next grows the next program. A failed attempt leaves nothing in the book.
func (g *grower) next() (grown, error) {
	number, name := g.book.programs, g.domain.Name()

	for attempt := range mostAttempts {
		p := &path{
			rng:      random(g.options.Seed, name, number, attempt),
			book:     g.book,
			selector: g.options.Selector,
			seen:     map[string]bool{},
		}

		// The first attempts branch at one place: drawing another after each failure would make
		// branches rarer, since they fail more often. Later ones leave it: it may be a dead end.
		place := random(g.options.Seed, name, number, -max(1, attempt-attemptsAtOnePlace+2))
		split := Pick(place, g.domain.Splits(g.options.Calls))

		program, err := p.program(g.domain, split, g.options.Calls)
		if err == nil {
			err = checkTests(&program)
		}

		if err == nil {
			program.dropUnused()
			g.book.programs++
			return grown{number, program, p.pairs}, nil
		}

		g.book.add(p.pairs, -1)
		g.report.Failed[err.Error()]++
	}
	return grown{}, fmt.Errorf("stategen: program %d of %s failed %d times in a row: %v",
		number, name, mostAttempts, g.report.Failed)
}

// dropUnused removes the variables that no expression has: a path may have declared what it did not
// use in the end.
func (p *Program) dropUnused() {
	used := map[string]bool{}
	for _, e := range p.Exprs() {
		used[e.Var] = true
	}

	p.Init = slices.DeleteFunc(p.Init, func(v Variable) bool { return !used[v.Name] })
}

// random returns the source of one attempt at one program.
func random(seed uint64, domain string, number, attempt int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, xxh3.HashString(fmt.Sprint(domain, " ", number, " ", attempt))))
}

// path is a growing program: all of it, or up to the end of one branch.
type path struct {
	rng      *rand.Rand
	book     *Book
	selector Selector
	seen     map[string]bool // transitions with their parameters
	other    map[string]bool // those of the other branch, repeated only if nothing else is possible
	pairs    []Pair          // what was added to the book
}

// program grows a whole program with n calls on each path, which branches after split of them
// unless only one would be left (StateGen, III-D).
func (p *path) program(d Domain, split, n int) (Program, error) {
	schema := d.Init(p.rng)

	if split >= n-1 {
		if err := p.grow(schema, n, 0); err != nil {
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

	if err := p.grow(schema, split, n-split); err != nil {
		return Program{}, err
	}
	return p.branch(d, schema, n-split)
}

// branch grows both ends of a program that has a branch.
func (p *path) branch(d Domain, schema Schema, n int) (Program, error) {
	before := schema.Program()

	test, constant, ok := schema.Condition(p.rng)
	if !ok {
		return Program{}, errNothing
	}

	ends := [2]Schema{schema, schema.Clone()}

	var paths [2]Path
	var added [2][]Variable

	main := maps.Clone(p.seen)

	for i, end := range ends {
		// The second end starts where the first one did, and knows what the first one called.
		if i == 1 {
			p.seen, p.other = main, p.seen
		}

		if err := p.grow(end, n, 0); err != nil {
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

	// Ends that are known to answer alike cost only this attempt, which leaves nothing in the book;
	// cases would reject the program, which stays in it.
	if answerAlike(d, ends, paths) {
		return Program{}, errAlike
	}

	program := before
	program.Branch = &Branch{test, paths[0], paths[1]}
	program.Init = slices.Concat(before.Init, added[0], []Variable{constant})

	// Both ends numbered their variables from the same start, so the names may clash.
	program.addElse(added[1], added[0])
	return program, nil
}

// answerAlike reports whether two ends of a program are known to answer the same.
func answerAlike(d Domain, ends [2]Schema, paths [2]Path) bool {
	type ran interface{ answer(on Service, e Expr) any }

	one, ok := ends[0].(ran)
	if !ok {
		return false
	}

	answer := one.answer(d, paths[0].Result)
	return answer != nil && d.Same(ends[1].(ran).answer(d, paths[1].Result), answer)
}

// grow adds n calls to a schema, before another after calls: the loop of Algorithm 1. An exact
// repetition is never a candidate.
func (p *path) grow(s Schema, n, after int) error {
	for calls, edits := 0, 0; calls < n; {
		// Edits are not counted as calls, so without a bound a path might never end.
		isBarred := func(c Candidate) bool {
			return p.seen[c.id()] || !c.Counts && edits >= mostEdits*n
		}

		valid := slices.DeleteFunc(s.Candidates(p.rng, Want{n - calls, after}), isBarred)
		if len(valid) == 0 {
			return errDeadEnd
		}

		// Two branches that make the same calls would answer the same.
		fresh := func(c Candidate) bool { return !p.other[c.id()] }
		if slices.ContainsFunc(valid, fresh) {
			valid = slices.DeleteFunc(valid, func(c Candidate) bool { return !fresh(c) })
		}

		c := p.selector.choose(p.rng, valid, p.book)
		s.Apply(c)

		// Counted at once, since the next choice depends on it; next takes back a failed attempt.
		p.seen[c.id()] = true
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

// id identifies a transition with its parameters, which no path has twice.
func (c Candidate) id() string { return c.Transition + " " + c.Key }

// addElse adds the variables that only the second branch has, under free names. What both branches
// took from the same start stays one variable.
func (p *Program) addElse(added, first []Variable) {
	names := map[string]string{}
	first = slices.Clone(first)

	for _, v := range added {
		if i := slices.IndexFunc(first, v.same); i >= 0 {
			names[v.Name] = first[i].Name
			first = slices.Delete(first, i, i+1)

			continue
		}

		name := v.Name
		for i := 0; p.declares(name); i++ {
			name = strings.TrimRight(v.Name, "0123456789") + strconv.Itoa(i)
		}

		names[v.Name] = name
		v.Name, v.Value.Any = name, renamed(v.Value.Any, names)
		p.Init = append(p.Init, v)
	}

	p.Branch.Else = p.Branch.Else.mapped(func(e Expr) Expr {
		e.Var = cmp.Or(names[e.Var], e.Var)
		return e
	})
}

// same reports whether two variables differ only in their names.
func (v Variable) same(other Variable) bool {
	value := renamed(v.Value.Any, map[string]string{v.Name: other.Name})
	return v.Role == other.Role && v.Type == other.Type && Equal(value, other.Value.Any)
}

// renamed returns a value in which handles, which are names of variables, are renamed.
func renamed(v any, names map[string]string) any {
	return envs.Map(v, func(part any) (any, bool) {
		if name, ok := part.(string); ok {
			part = cmp.Or(names[name], name)
		}
		return part, false
	})
}

func (p *Program) declares(name string) bool {
	return slices.ContainsFunc(p.Init, func(v Variable) bool { return v.Name == name })
}
