package instruct

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs/display"
	"toolevo/envs/stategen"
)

// renderer writes one program. It drafts sentences with a mark for each thing that they mention;
// then it knows what is mentioned where, and so which results need a name, and replaces the marks.
type renderer struct {
	lexicon *lexicon
	frame   *frame
	random  *rand.Rand

	orders   map[string][]int // of wordings, by their purpose: the last one and those to come
	lastKeep string           // the wording that gave the last name
	marks    []mention        // what the marks replace
	scope    scope            // at the current place in the program
}

// scope holds the variables assigned before some place. It never changes: the ends of a program may
// use the same variables for other things.
type scope map[string]*result

// with returns the scope after an assignment.
func (s scope) with(name string, made *result) scope {
	s = maps.Clone(s)
	s[name] = made
	return s
}

// mention is something that a sentence mentions, and the scope there.
type mention struct {
	expr  stategen.Expr
	scope scope
}

// result is what a call returns, or an element of a list.
type result struct {
	words    toolWords
	at       int    // the place of the call
	mentions []int  // the places that mention it
	name     string // "" if it needs none
	just     string // what it is called if it needs no name
}

// sentence is a draft of a sentence, without its first capital and its full stop.
type sentence struct {
	text   string  // with marks
	place  int     // neighbours have consecutive places
	result *result // of the call, or nil
	sets   bool    // it says what RESULT is,
	many   bool    // which is a list of several things
}

// program returns the paragraphs of a program.
func (r *renderer) program(p *stategen.Program) ([]string, error) {
	main, err := r.statements(p.Main, 0)
	if err != nil {
		return nil, err
	}

	end := len(p.Main)

	if p.Branch == nil {
		if p.Result == nil {
			return nil, fmt.Errorf("the program has no result")
		}

		main = append(main, r.resultSentence(*p.Result, end))
		r.noteMentions(main)
		r.nameResults(main, names{})
		return []string{r.aim(p) + r.paragraph(main, r.frame.First)}, nil
	}

	test := sentence{text: r.condition(p.Branch.Test), place: end}

	split := r.scope

	taken, err := r.path(p.Branch.If, end+1)
	if err != nil {
		return nil, err
	}

	// Else knows nothing of what If assigned, and its first sentence is no neighbour of If's last.
	r.scope = split

	other, err := r.path(p.Branch.Else, end+len(taken)+2)
	if err != nil {
		return nil, err
	}

	// All sentences are drafted before any is written: later ones decide which results need names.
	r.noteMentions(slices.Concat(main, []sentence{test}, taken, other))

	// Only one end runs, so both may use the same names.
	before := r.nameResults(main, names{})
	r.nameResults(taken, before)
	r.nameResults(other, before)

	first := strings.TrimSpace(r.aim(p) + r.paragraph(main, r.frame.First))
	begin := r.frame.Branches[r.next("branches", len(r.frame.Branches))]
	paragraphs := []string{
		begin.If + "\n" + r.paragraph(taken, nil), begin.Else + "\n" + r.paragraph(other, nil),
	}
	paragraphs[0] = strings.ReplaceAll(paragraphs[0], "CONDITION", r.unmark(test.text))

	if first == "" {
		return paragraphs, nil
	}
	return append([]string{first}, paragraphs...), nil
}

// path returns the sentences of one end of a program.
func (r *renderer) path(p stategen.Path, place int) ([]sentence, error) {
	all, err := r.statements(p.Stmts, place)
	return append(all, r.resultSentence(p.Result, place+len(p.Stmts))), err
}

// paragraph writes sentences one after another.
func (r *renderer) paragraph(all []sentence, first []string) string {
	var b strings.Builder

	for i := 0; i < len(all); i++ {
		text, then := r.finished(all[i], false), r.pick("then", r.frame.Then)

		// Half of the steps that continue with the result of the one before join its sentence.
		if i+1 < len(all) && r.continuesWith(all[i], all[i+1]) && r.random.IntN(2) == 0 {
			i++
			text += r.pick("merge", r.frame.Merge) + r.finished(all[i], true)

			for strings.HasPrefix(then, "Then") {
				then = r.pick("then", r.frame.Then)
			}
		}

		switch {
		case b.Len() > 0 && all[i].sets:
			text = r.pick("finally", r.frame.Finally) + text
		case b.Len() > 0:
			text = " " + then + text
		case len(all) > 2 && first != nil:
			text = r.pick("first", first) + text
		}

		b.WriteString(spaced(text))
	}
	return strings.TrimSpace(b.String())
}

func spaced(text string) string { return " " + display.Capital(strings.TrimSpace(text)) + "." }

// continuesWith reports whether a sentence uses the result of the one before, which has no name.
func (r *renderer) continuesWith(before, after sentence) bool {
	made := before.result
	return made != nil && made.name == "" && !after.sets && slices.Contains(made.mentions, after.place)
}

// finished returns the text of a sentence, with the name of its result: in brackets if it is merged
// with the sentence before.
func (r *renderer) finished(s sentence, merged bool) string {
	text := r.unmark(s.text)

	if made := s.result; made != nil && made.name != "" {
		keep := r.pick("keep", r.frame.Keep)
		for keep == r.lastKeep || merged && !strings.HasPrefix(keep, " (") {
			keep = r.pick("keep", r.frame.Keep)
		}

		r.lastKeep = keep
		text += fill(keep, "RESULT", made.words.Result, "NAME", quoted(made.name))
	}
	return text
}

// pick draws one of some texts: each once before any comes again, and none twice in a row.
func (r *renderer) pick(what string, from []string) string {
	if len(from) == 0 {
		return ""
	}
	return from[r.next(what, len(from))]
}

func (r *renderer) next(what string, n int) int {
	order := r.orders[what] // the last one drawn, and those to come
	if len(order) < 2 {
		next := r.random.Perm(n)
		if len(order) == 1 && n > 1 && next[0] == order[0] {
			next[0], next[n-1] = next[n-1], next[0]
		}

		order = append([]int{-1}, next...)
	}

	r.orders[what] = order[1:]
	return order[1]
}

// noteMentions notes which sentences mention which results.
func (r *renderer) noteMentions(all []sentence) {
	for _, s := range all {
		for _, mark := range s.text {
			if i := int(mark - firstMark); i >= 0 && i < len(r.marks) {
				for _, name := range r.marks[i].expr.Variables() {
					r.marks[i].scope.mention(name, s.place)
				}
			}
		}
	}
}

// names are the names of results up to some place.
type names struct {
	used []string // names
	made []string // the names that all results would have
}

// nameResults gives a name to the results that are mentioned more than once, not right after their
// call, or as one of several things in RESULT, and to those that may be taken for an earlier result
// of the same tool. It returns the names from before and the new ones.
func (r *renderer) nameResults(all []sentence, before names) names {
	n := names{slices.Clone(before.used), slices.Clone(before.made)}

	for _, s := range all {
		made := s.result
		if made == nil || len(made.mentions) == 0 {
			continue
		}

		listed := slices.ContainsFunc(all, func(e sentence) bool {
			return e.many && slices.Contains(made.mentions, e.place)
		})
		alone := !listed && !slices.Contains(n.made, made.words.Name)
		// Noted even if it gets no name, so that a later result of the tool is told from it.
		n.made = append(n.made, made.words.Name)

		// Right after its call, "the result" can only be this one.
		if alone && len(made.mentions) == 1 && made.mentions[0] == made.at+1 {
			made.just = r.pick("just "+made.words.Name, made.words.Just)
			continue
		}

		made.name = made.words.Name
		for i := 2; slices.Contains(n.used, made.name); i++ {
			made.name = fmt.Sprintf("%s_%d", made.words.Name, i)
		}

		n.used = append(n.used, made.name)
	}
	return n
}

// mention notes that the result in a variable, if it is one, is mentioned at a place.
func (s scope) mention(name string, place int) {
	if made := s[name]; made != nil {
		made.mentions = append(made.mentions, place)
	}
}
