package instruct

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"toolevo/envs/stategen"
)

// renderer writes one program. It drafts sentences with a mark for each thing that they mention;
// then it knows what is mentioned where, and so which results need a name, and writes what the
// marks stand for.
type renderer struct {
	lexicon *lexicon
	frame   *frame
	random  *rand.Rand

	orders map[string][]int // of wordings: the last and those that are still to come, by what they are for
	kept   string           // how the last name was given
	marks  []mention        // what the marks stand for
	scope  scope            // where the program is
}

// scope holds the variables that were assigned up to some place. It never changes: the ends of a
// program may use the same variables for other things.
type scope map[string]*result

// with returns the scope behind an assignment.
func (s scope) with(name string, made *result) scope {
	s = maps.Clone(s)
	s[name] = made
	return s
}

// mention is something that a sentence mentions, and where the program is then.
type mention struct {
	expr  stategen.Expr
	scope scope
}

// result is what a call gives, or an element of a list.
type result struct {
	words    toolWords
	at       int    // the place of the call
	mentions []int  // the places that mention it
	name     string // "" where it needs none
	just     string // what it is called where it needs no name
}

// sentence is a sentence in the making, without its first capital and its full stop.
type sentence struct {
	text   string  // with marks
	place  int     // neighbours have places that follow each other
	result *result // of the call; nil where nothing takes it
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

	r.scope = split

	other, err := r.path(p.Branch.Else, end+len(taken)+2) // no neighbour of the other end
	if err != nil {
		return nil, err
	}

	r.noteMentions(slices.Concat(main, []sentence{test}, taken, other))

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

// paragraph writes sentences one after the other.
func (r *renderer) paragraph(all []sentence, first []string) string {
	var b strings.Builder

	for i := 0; i < len(all); i++ {
		text, then := r.finished(all[i], false), r.pick("then", r.frame.Then)

		// A short step and the one that goes on with its result are one sentence.
		if i+1 < len(all) && r.goesOn(all[i], all[i+1]) && r.random.IntN(2) == 0 {
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

func spaced(text string) string { return " " + capital(strings.TrimSpace(text)) + "." }

// goesOn reports whether a sentence is about the result of the one before alone, which has no name.
func (r *renderer) goesOn(before, after sentence) bool {
	made := before.result
	return made != nil && made.name == "" && !after.sets && slices.Contains(made.mentions, after.place)
}

// finished is the text of a sentence, with what its result is called: in brackets where it goes on
// from another one.
func (r *renderer) finished(s sentence, merged bool) string {
	text := r.unmark(s.text)

	if made := s.result; made != nil && made.name != "" {
		keep := r.pick("keep", r.frame.Keep)
		for keep == r.kept || merged && !strings.HasPrefix(keep, " (") {
			keep = r.pick("keep", r.frame.Keep)
		}

		r.kept = keep
		text += fill(keep, "RESULT", made.words.Result, "NAME", quoted(made.name))
	}
	return text
}

// pick draws one of some texts; none is drawn again before all the others were, nor twice running.
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

// names are what results are called up to some place.
type names struct {
	used []string // names
	made []string // the names that all results would have
}

// nameResults gives a name to the results that are mentioned more than once, not right after their
// call, or as one of several things in RESULT, and to those that may be taken for an earlier result
// of the same tool. It returns the names from before, and these.
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
		// Noted even without a name of its own, so that a later result of the tool is told from it.
		n.made = append(n.made, made.words.Name)

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

// mention notes the result that a variable is, if it is one.
func (s scope) mention(name string, place int) {
	if made := s[name]; made != nil {
		made.mentions = append(made.mentions, place)
	}
}
