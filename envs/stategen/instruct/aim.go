package instruct

import (
	"slices"
	"strings"

	"toolevo/envs/stategen"
)

// edits stands for edits in the flow of an aim.
const edits = "edit"

// aim is the sentence that an instruction begins with: what its program is for, or its ends, if
// that differs.
func (r *renderer) aim(p *stategen.Program) string {
	b := p.Branch
	if b == nil {
		return r.aimed(r.aimOf(0, p.Main), 0, p.Main)
	}

	one, other := slices.Concat(p.Main, b.If.Stmts), slices.Concat(p.Main, b.Else.Stmts)
	if whole := r.aimOf(0, one); whole == r.aimOf(0, other) {
		return r.aimed(whole, 0, one, other)
	}

	from := len(p.Main)

	i, k := r.aimOf(from, one), r.aimOf(from, other)
	if i < 0 || k < 0 {
		return r.aimed(i, from, one, other)
	}

	// Two goals with a tool in common would be hard to tell apart: what both ends are for is said once.
	if tools := r.lexicon.Aims[i].tools(); slices.ContainsFunc(r.lexicon.Aims[k].tools(), func(tool string) bool {
		return slices.Contains(tools, tool)
	}) {
		return r.aimed(r.aimOf(0, one, other), 0, one, other)
	}

	return fill(r.pick("either", r.frame.Either), "ONE", r.goal(i, from, one), "OTHER", r.goal(k, from, other)) + " "
}

func (r *renderer) aimed(which, from int, ends ...[]stategen.Stmt) string {
	if which < 0 {
		return ""
	}

	return fill(r.pick("aims", r.frame.Aims), "GOAL", r.goal(which, from, ends...)) + " "
}

// aimOf returns which aim all the ends of a program have from some place on, -1 for none.
func (r *renderer) aimOf(from int, ends ...[]stategen.Stmt) int {
	return slices.IndexFunc(r.lexicon.Aims, func(a aim) bool {
		return !slices.ContainsFunc(ends, func(all []stategen.Stmt) bool { return !r.lexicon.fits(a, all, from) })
	})
}

// fits reports whether statements from some place on are what an aim says.
func (x *lexicon) fits(a aim, all []stategen.Stmt, from int) bool {
	_, flows := x.flow(a.Flow, all, from)

	return flows && !slices.ContainsFunc(a.With, func(tool string) bool {
		return !slices.ContainsFunc(all[from:], func(s stategen.Stmt) bool {
			return s.Call != nil && s.Call.Tool == tool || s.Each != nil && s.Each.Do.Tool == tool
		})
	})
}

// tools are those that programs with the aim call.
func (a aim) tools() []string {
	return slices.DeleteFunc(slices.Concat(a.With, a.Flow), func(tool string) bool { return tool == edits })
}

// flow reports whether each of some tools takes what the one before gave, the last of them from
// some place on. Where edits come first, it also returns what they and the last call write.
func (x *lexicon) flow(tools []string, all []stategen.Stmt, from int) (written stategen.Expr, ok bool) {
	steps := map[string]int{} // by variable: how much of the flow led to it

	for i, s := range all {
		if s.Call == nil || len(tools) == 0 {
			continue
		}

		step := 0
		given := map[string]stategen.Expr{}

		for _, a := range s.Call.Args {
			given[a.Name] = a.Expr

			for _, e := range append([]stategen.Expr{a.Expr}, a.Expr.List...) {
				if x.isThing(e) {
					step = max(step, steps[e.Var])
				}
			}
		}

		if whole, one := together(given, x.Tools[s.Call.Tool].Writes); one && tools[0] == edits {
			if written = whole; len(editsOf(written, all[:i])) > 0 {
				step = 1
			}
		}

		switch s.Call.Tool {
		case tools[step]:
			step++
		case tools[0]:
			step = 1
		default:
			step = 0
		}

		if step == len(tools) && i >= from {
			return written, true
		}

		steps[s.Call.Assign] = step % len(tools)
	}

	return stategen.Expr{}, len(tools) == 0
}

// isThing reports whether an expression is what a call gave or an element of it, rather than what
// it says of it.
func (x *lexicon) isThing(e stategen.Expr) bool {
	if len(e.Path) > 0 && isIndex(e.Path[0]) {
		return len(e.Path) <= 2
	}

	return len(e.Path) == 0 || len(e.Path) == 1 && x.Nouns[e.Path[0]] == ""
}

// editsOf returns the edits of an object.
func editsOf(object stategen.Expr, all []stategen.Stmt) (found []stategen.Edit) {
	for _, s := range all {
		if s.Edit != nil && alike(edited(*s.Edit), object) {
			found = append(found, *s.Edit)
		}
	}

	return found
}

// goal draws one of the goals of an aim for which there is a part, where it needs one.
func (r *renderer) goal(which, from int, ends ...[]stategen.Stmt) string {
	a := r.lexicon.Aims[which]
	part := r.partIn(a, ends[0], from)

	if slices.ContainsFunc(ends, func(end []stategen.Stmt) bool { return r.partIn(a, end, from) != part }) {
		part = ""
	}

	goals := slices.DeleteFunc(slices.Clone(a.Goals), func(goal string) bool {
		return part == "" && strings.Contains(goal, "PART")
	})

	// A goal of two parts would be hard to tell from another one beside it.
	two := func(goal string) bool { return strings.Contains(goal, " and ") }
	if short := slices.DeleteFunc(slices.Clone(goals), two); from > 0 && len(ends) == 1 && len(short) > 0 {
		goals = short
	}

	return fill(goals[r.random.IntN(len(goals))], "PART", part)
}

// partIn is what the edits of the flow of an aim change, without what stands in brackets; "" where
// that is more than a goal should name.
func (r *renderer) partIn(a aim, all []stategen.Stmt, from int) string {
	var nouns []string

	written, _ := r.lexicon.flow(a.Flow, all, from)
	for _, e := range editsOf(written, all) {
		noun, _, _ := strings.Cut(r.noun("", e.Path[len(written.Path):]), " (")
		nouns = append(nouns, noun)
	}

	if len(nouns) > 2 {
		return ""
	}

	return strings.Join(nouns, " and the ")
}
