package instruct

import (
	"fmt"
	"slices"
	"strings"

	"toolevo/envs/stategen"
)

// statements drafts the sentences of statements. Consecutive edits of one object, a variable or an
// element of a list, become one.
func (r *renderer) statements(all []stategen.Stmt, place int) (made []sentence, err error) {
	for i := 0; i < len(all); i++ {
		// Joined edits keep the place of the first. The gap after them does no harm: an edit has no
		// result to continue with.
		s := sentence{place: place + i}

		switch {
		case all[i].Call != nil:
			s, err = r.call(*all[i].Call, s)
		case all[i].Each != nil:
			s.text, err = r.each(*all[i].Each)
		case all[i].Edit != nil:
			edits := []stategen.Edit{*all[i].Edit}
			for i+1 < len(all) && all[i+1].Edit != nil && sameObject(edits[0], *all[i+1].Edit) {
				i++
				edits = append(edits, *all[i].Edit)
			}

			s.text, err = r.edit(edits)
		default:
			err = fmt.Errorf("an empty statement")
		}

		if err != nil {
			return nil, err
		}

		made = append(made, s)
	}
	return made, nil
}

// call drafts the sentence of a call.
func (r *renderer) call(c stategen.Call, s sentence) (sentence, error) {
	w, ok := r.lexicon.Tools[c.Tool]
	if !ok {
		return s, fmt.Errorf("no words for the tool %s", c.Tool)
	}

	text, err := r.say(r.pick("say "+c.Tool, w.Say), r.arguments(w, c.Args))
	s.text = text

	for _, a := range c.Args {
		if w.Overwrites && len(a.Expr.Path) > 0 && isIndex(a.Expr.Path[0]) {
			r.scope = r.scope.with(outdated(a.Expr.Var), &result{})
			r.scope = r.scope.with(outdated(a.Expr.Var+" "+a.Expr.Path[0]), &result{})
		}
	}

	if c.Assign != "" {
		s.result = &result{words: w, at: s.place}
		r.scope = r.scope.with(c.Assign, s.result)
	}
	return s, err
}

// each drafts the sentence of a call for every element of a list.
func (r *renderer) each(e stategen.Each) (string, error) {
	w := r.lexicon.Tools[e.Do.Tool]
	if len(w.Each) == 0 {
		return "", fmt.Errorf("no words for %s of every element of a list", e.Do.Tool)
	}

	list, item := r.argument(e.In), r.itemOf(e.In)
	r.scope = r.scope.with(e.Item, &result{words: toolWords{Nouns: r.nounsOf(e.In.Var)}, just: "the " + item})
	r.scope = r.scope.with(thinned(e.In.Var), &result{})

	data := r.arguments(w, e.Do.Args)
	data["list"] = list
	data["item"] = &argument{text: item}
	data["where"] = &argument{text: r.where(e)}

	if r.scope[outdated(e.In.Var)] != nil {
		data["where"].text += " (as given in " + list.text + ")"
	}
	return r.say(r.pick("each "+e.Do.Tool, w.Each), data)
}

// thinned is the key in a scope once something was done to some elements of a list: the service may
// no longer have them, but the list still counts them.
func thinned(name string) string { return name + " thinned" }

// outdated is the key in a scope once the service may have other data for an element of a list than
// the list says: for the list, and for the element (the list's name and its index).
func outdated(name string) string { return name + " outdated" }

// where says which elements a call is for.
func (r *renderer) where(e stategen.Each) string {
	if e.Where.Left.Var == e.Item && e.Where.Any == nil {
		return fill(r.pick("where", r.frame.Where), "PART", r.noun(e.Item, e.Where.Left.Path),
			"RIGHT", r.mark(e.Where.Right))
	}
	return "for which " + r.condition(e.Where)
}

// edit drafts the sentence of edits of one local object.
func (r *renderer) edit(all []stategen.Edit) (string, error) {
	object := edited(all[0])
	changes := make([]string, len(all))

	for i, e := range all {
		path := e.Path[len(object.Path):]
		to := e.To

		if i > 0 { // "that of A and the title" would be one thing
			changes[i] = "set "
		}

		changes[i] += "the " + r.noun(e.Var, path) + " to "
		if to.Var != "" && isPart(to, strings.Join(path, ".")) {
			changes[i] += "that of "
			to.Path = to.Path[:len(to.Path)-len(path)]
		}

		changes[i] += r.mark(to)
		if len(to.Path) > 0 && r.scope[outdated(to.Var+" "+to.Path[0])] != nil {
			changes[i] += " (as it stands there)"
		}
	}

	return r.say(r.pick("edits", r.lexicon.Edits), map[string]*argument{
		"object": r.argument(object), "changes": {text: join(changes)},
	})
}

// edited returns the object that an edit changes: a variable, or an element of a list.
func edited(e stategen.Edit) stategen.Expr {
	n := 0
	for n < len(e.Path) && isIndex(e.Path[n]) {
		n++
	}
	return stategen.Var(e.Var, e.Path[:n]...)
}

func sameObject(a, b stategen.Edit) bool { return samePart(edited(a), edited(b)) }

// condition says what a test asks.
func (r *renderer) condition(t stategen.Test) string {
	if t.Any != nil {
		return fill(r.pick("members", r.frame.Members), "ITEM", r.itemOf(t.Left), "LIST", r.mark(t.Left),
			"PART", r.noun(t.Left.Var, t.Any), "RIGHT", r.mark(t.Right))
	}
	return fill(r.pick("conditions", r.frame.Conditions), "LEFT", r.mark(t.Left), "RIGHT", r.mark(t.Right))
}

func (r *renderer) resultSentence(e stategen.Expr, place int) sentence {
	what, from := "result", r.frame.Result

	many := len(e.List) > 0 && e.Func == ""
	if many {
		what, from = "list", r.frame.List
	}
	return sentence{text: fill(r.pick(what, from), "VALUE", r.mark(e)), place: place, sets: true, many: many}
}

// fill replaces words in capitals by values.
func fill(wording string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(wording)
}

// say writes a wording with its arguments.
func (r *renderer) say(wording string, data map[string]*argument) (string, error) {
	var b strings.Builder
	if err := r.lexicon.wordings[wording].Execute(&b, data); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}

// argument is an argument for wordings.
type argument struct {
	text  string // with marks
	expr  stategen.Expr
	parts []string // the nouns of the parts that the call is given
}

// String implements [fmt.Stringer].
func (a *argument) String() string { return a.text }

// Parts says which parts of an argument the call is given.
func (a *argument) Parts() string { return join(a.parts) }

// IsList reports whether an argument is a list in the program.
func (a *argument) IsList() bool {
	if a.expr.Value == nil {
		return a.expr.List != nil
	}

	_, ok := a.expr.Value.Any.([]any)
	return ok
}

// IsPart reports whether an argument is a part of something.
func (a *argument) IsPart() bool { return len(a.expr.Path) > 0 }

// IsOf reports whether two arguments are the same thing, or parts of it.
func (a *argument) IsOf(b *argument) bool {
	return b != nil && a.expr.Var != "" && a.expr.Var == b.expr.Var
}

// IsElement reports whether an argument is an element of a list.
func (a *argument) IsElement() bool { return a.IsPart() && isIndex(a.expr.Path[len(a.expr.Path)-1]) }

// Twice reports whether an argument is a list of one thing, twice or more.
func (a *argument) Twice() bool {
	all := a.expr.List
	differs := func(e stategen.Expr) bool { return !samePart(e, all[0]) }
	return len(all) > 1 && !slices.ContainsFunc(all, differs)
}

// literal returns the value of an argument that is a literal, as people write it.
func (a *argument) literal() string {
	if a.expr.Value == nil {
		return ""
	}
	return written(a.expr.Value.Any)
}

func (r *renderer) argument(e stategen.Expr) *argument { return &argument{text: r.mark(e), expr: e} }

// arguments returns the arguments of a call for its wordings, and the things of which several of
// them are parts.
func (r *renderer) arguments(w toolWords, all []stategen.Named) map[string]*argument {
	data := map[string]*argument{}
	given := map[string]stategen.Expr{}

	for _, a := range all {
		given[a.Name] = a.Expr

		data[a.Name] = r.argument(a.Expr)
		if text, ok := partName(a.Expr); ok && slices.Contains(w.Parts, a.Name) {
			data[a.Name].text = r.noun("", strings.Split(text, "."))
		}
	}

	// The order of the map does not show: marks are looked up in the order of the text.
	for name, parameters := range w.Whole {
		if whole, ok := together(given, parameters); ok {
			data[name] = r.argument(whole)
		}
	}

	// A search for the data.title that another session has is one for sessions like that one.
	for part, value := range w.Like {
		e := given[value]
		if text, ok := partName(given[part]); ok && e.Var != "" && isPart(e, text) {
			whole := e.Path[:len(e.Path)-strings.Count(text, ".")-1]
			data["like"] = r.argument(stategen.Var(e.Var, whole...))
		}
	}

	for name, parameters := range w.Some {
		isLeftOut := func(p string) bool { return data[p] == nil }
		parameters = slices.DeleteFunc(slices.Clone(parameters), isLeftOut)
		if whole, ok := together(given, parameters); ok && len(parameters) > 0 {
			data[name] = r.argument(whole)
			data[name].parts = r.nouns(parameters)
		}
	}

	return data
}

// partName returns the text of a literal.
func partName(e stategen.Expr) (string, bool) {
	if e.Value == nil {
		return "", false
	}

	text, ok := e.Value.Any.(string)
	return text, ok
}

// isPart reports whether an expression is that part of something, like "data.title".
func isPart(e stategen.Expr, part string) bool {
	path := strings.Join(e.Path, ".")
	return path == part || strings.HasSuffix(path, "."+part)
}

// together returns the thing of which all of some arguments are parts, each named like its
// parameter.
func together(given map[string]stategen.Expr, parameters []string) (stategen.Expr, bool) {
	var whole stategen.Expr

	for i, name := range parameters {
		e, ok := given[name]
		if !ok || e.Var == "" || len(e.Path) == 0 || e.Path[len(e.Path)-1] != name {
			return whole, false
		}

		of := stategen.Var(e.Var, e.Path[:len(e.Path)-1]...)
		if i > 0 && (of.Var != whole.Var || !slices.Equal(of.Path, whole.Path)) {
			return whole, false
		}

		whole = of
	}
	return whole, true
}
