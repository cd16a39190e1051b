package instruct

import (
	"slices"
	"strings"

	"toolevo/envs/stategen"
)

// aim returns the first sentence of an instruction. It says what the program does at either end,
// and what it does at only one of them.
func (r *renderer) aim(p *stategen.Program) string {
	always := deedsOf(p.Main)
	var one, other deeds

	if p.Branch != nil {
		one, other = deedsOf(p.Branch.If.Stmts), deedsOf(p.Branch.Else.Stmts)
		always, one, other = always.and(one, other)
	}

	goal := r.goal(r.apart(always), r.apart(one), r.apart(other))
	if goal == "" {
		return ""
	}
	return fill(r.pick("aims", r.frame.Aims), "GOAL", goal) + " "
}

// goal says what is done always, and at only one of two ends. Small things are said if there is
// nothing else to say.
func (r *renderer) goal(always, one, other apart) string {
	either := len(one.large) > 0 && len(other.large) > 0
	often := always.large

	if len(often) == 0 && !either {
		often = always.small[:min(1, len(always.small))]
	}

	// Unless both ends have something of their own, the wordings name one of them, as ONE.
	first, second := one.large, other.large
	if len(first) == 0 {
		first, second = second, first
	}

	wordings := r.frame.Goals.Always

	switch {
	case either && len(often) > 0:
		wordings = r.frame.Goals.Apart
	case either:
		wordings = r.frame.Goals.Either
	case len(first) > 0:
		wordings = r.frame.Goals.Also
	// Neither end does anything large: a small thing is better than no aim.
	case len(often) == 0:
		often = slices.Concat(one.small, other.small)
		often = often[:min(1, len(often))]
	}

	if len(often) == 0 && len(first) == 0 {
		return ""
	}

	comma := ""
	if len(second) > 0 && max(len(first), len(second)) > 1 { // "either A and B, or C"
		comma = ","
	}
	return fill(r.pick("goals", wordings),
		"ALWAYS", join(often), "ONE", join(first)+comma, "OTHER", join(second))
}

// deeds are the tools that statements call, in order, with the least number of calls of each.
type deeds struct {
	tools []string
	times map[string]int
}

func deedsOf(all []stategen.Stmt) deeds {
	d := deeds{times: map[string]int{}}

	for _, s := range all {
		switch {
		case s.Call != nil:
			d.add(s.Call.Tool, 1)
		case s.Each != nil:
			d.add(s.Each.Do.Tool, 2)
		}
	}

	return d
}

func (d *deeds) add(tool string, times int) {
	if d.times[tool] == 0 {
		d.tools = append(d.tools, tool)
	}

	d.times[tool] += times
}

// and adds what both ends of a program do, and returns what only one of them does.
func (d deeds) and(one, other deeds) (always, onlyOne, onlyOther deeds) {
	for _, tool := range one.tools {
		if times := min(one.times[tool], other.times[tool]); times > 0 {
			d.add(tool, times)
		}
	}

	only := func(end deeds) deeds {
		end.tools = slices.DeleteFunc(end.tools, func(tool string) bool { return d.times[tool] > 0 })
		return end
	}
	return d, only(one), only(other)
}

// apart are deeds in words: those that are the purpose of programs, and those that lead to them.
type apart struct{ large, small []string }

func (r *renderer) apart(d deeds) (a apart) {
	for _, tool := range d.tools {
		words := r.lexicon.Tools[tool]
		to := &a.large

		if words.Small {
			to = &a.small
		}

		singular, plural, _ := strings.Cut(r.pick("aim "+tool, words.Aims), " | ")
		if d.times[tool] > 1 && plural != "" {
			singular = plural
		}

		*to = append(*to, singular)
	}
	return a
}
