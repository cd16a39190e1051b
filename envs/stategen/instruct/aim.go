package instruct

import (
	"slices"
	"strings"

	"toolevo/envs/stategen"
)

// edits stands for edits among the tools of an aim.
const edits = "edit"

// aim is the sentence that an instruction begins with: what its program is for, or its ends, if that differs.
func (r *renderer) aim(p *stategen.Program) string {
	whole := p.Main

	if b := p.Branch; b != nil {
		one, other := r.aimOf(b.If.Stmts), r.aimOf(b.Else.Stmts)
		if one >= 0 && other >= 0 && one != other {
			return r.aimed(fill(r.pick("either", r.frame.Either),
				"ONE", r.goal(one, b.If.Stmts), "OTHER", r.goal(other, b.Else.Stmts)))
		}

		whole = slices.Concat(whole, b.If.Stmts, b.Else.Stmts)
	}

	which := r.aimOf(whole)
	if which < 0 {
		return ""
	}

	return r.aimed(r.goal(which, whole))
}

func (r *renderer) aimed(goal string) string {
	return fill(r.pick("aims", r.frame.Aims), "GOAL", goal) + " "
}

// aimOf returns which aim some statements have, -1 for none.
func (r *renderer) aimOf(all []stategen.Stmt) int {
	return slices.IndexFunc(r.lexicon.Aims, func(a aim) bool { return a.fits(all) })
}

// fits reports whether statements call all the tools of an aim.
func (a aim) fits(all []stategen.Stmt) bool {
	return !slices.ContainsFunc(a.With, func(tool string) bool {
		return !slices.ContainsFunc(all, func(s stategen.Stmt) bool {
			return s.Call != nil && s.Call.Tool == tool || s.Each != nil && s.Each.Do.Tool == tool ||
				s.Edit != nil && tool == edits
		})
	})
}

// goal draws one of the goals of an aim for which there is a part, where it needs one.
func (r *renderer) goal(which int, all []stategen.Stmt) string {
	part := r.aimedAt(all)
	goals := slices.DeleteFunc(slices.Clone(r.lexicon.Aims[which].Goals), func(goal string) bool {
		return part == "" && strings.Contains(goal, "PART")
	})

	return fill(goals[r.random.IntN(len(goals))], "PART", part)
}

// aimedAt is the part that the first edit of some statements changes, without what stands in brackets; "" is none.
func (r *renderer) aimedAt(all []stategen.Stmt) (noun string) {
	if i := slices.IndexFunc(all, func(s stategen.Stmt) bool { return s.Edit != nil }); i >= 0 {
		e := *all[i].Edit
		noun, _, _ = strings.Cut(r.noun("", e.Path[len(edited(e).Path):]), " (")
	}

	return noun
}
