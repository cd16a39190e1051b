package drift

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/names"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// How a model chooses what becomes of parameters, and of answers.
//
//go:embed mutateparameters.txt
var parameterInstructions string

//go:embed mutateanswers.txt
var answerInstructions string

var (
	parametersPrompt = kept.NewPrompt("mutate-parameters", parameterInstructions)
	answersPrompt    = kept.NewPrompt("mutate-answers", answerInstructions)
)

// answersOf is what changes of answers are about where those of parameters are about a tool.
const answersOf = "answers"

// choosable are the operators that a model may choose, of parameters and of answers, and whether
// one makes a name.
var choosable = map[bool]map[string]bool{
	false: {
		"nest-parameters": true, "merge-parameters": true, "number-list": true, "swap-required": false,
		"type-to-string": false, "add-flag": true, "add-count": true,
	},
	true: {
		"rename-field": true, "move-field": true, "scale-field": false, "reorder-date": false,
		"quote-field": false,
	},
}

// choice is what a model chose in place of what an operator draws.
type choice struct {
	of    []string // parameters, or a member of answers
	as    string   // what is new; it may be given
	zeros int      // of the unit, a power of ten
}

// mayTake reports whether an operator may be about a parameter or a member of answers alone.
func (d *Draws) mayTake(name string) bool {
	return d.chosen == nil || slices.Equal(d.chosen.of, []string{name})
}

// candidates returns the parameters that an operator may combine: where a model chose them, all of
// its choice or none.
func (d *Draws) candidates(all []toolapi.Parameter) []toolapi.Parameter {
	if d.chosen == nil {
		return all
	}

	all = slices.DeleteFunc(slices.Clone(all), func(p toolapi.Parameter) bool {
		return !slices.Contains(d.chosen.of, p.Name)
	})
	if len(all) != len(d.chosen.of) {
		return nil
	}

	return all
}

// proposal is an operator as a model chose it.
type proposal struct {
	about    string // a tool, or the answers
	words    string // in the words that the model reads
	operator Operator
}

// askChanges has a model choose what becomes of some tools' parameters, or of the answers.
func (u *mutation) askChanges(ctx context.Context, about []string) error {
	prompt := parametersPrompt
	if about[0] == answersOf {
		prompt = answersPrompt
	}
	return u.ask(ctx, prompt, "changes", func() string { return u.changeable(about) },
		func(answer string) (wrong refusals) {
			about, wrong = u.takeChanges(ctx, about, answer)
			return wrong
		})
}

// changeable lists what a model may change, in its current form.
func (u *mutation) changeable(about []string) string {
	var all []string // not JSON, which small models would copy

	if about[0] == answersOf {
		for _, f := range fieldsOf(u.maker.source) {
			all = append(all, f.name+": "+pytext.JSON(f.value))
		}
	}

	made, _ := u.version()

	for i, a := range made.APIs {
		if tool := a.ToolName(); slices.Contains(about, tool) {
			sentence, _, _ := strings.Cut(u.maker.source.APIs[i].Description, ". ")
			all = append(all, tool+" – "+sentence)

			for _, p := range a.Parameters.All {
				all = append(all, "  "+p.Name+": "+strings.Join(u.operatorsFor(a, p), ", "))
			}
		}
	}

	return strings.Join(all, "\n")
}

// operatorsFor lists the operators that fit a parameter, alone or with another one.
func (u *mutation) operatorsFor(a toolapi.APISpec, p toolapi.Parameter) (all []string) {
	d := u.maker.draws(u.number, a.ToolName())
	fits := func(o Operator, of ...string) bool {
		d.chosen = &choice{of: of, as: "one"}
		_, ok := o.Apply(a, d)
		return ok
	}

	for _, o := range operators {
		_, ok := choosable[false][o.Name]
		if ok && !strings.HasPrefix(o.Name, "add-") && (fits(o, p.Name) ||
			slices.ContainsFunc(a.Parameters.All, func(q toolapi.Parameter) bool { return fits(o, p.Name, q.Name) })) {
			all = append(all, o.Name)
		}
	}

	return all
}

// takeChanges takes the changes of an answer that can be made, and returns what is wrong with the
// others and what they are about.
func (u *mutation) takeChanges(ctx context.Context, about []string, answer string) (rest []string, wrong refusals) {
	object, err := kept.Object(answer, about...)
	if err != nil {
		return about, refusals{err.Error()}
	}

	for _, name := range about {
		for _, step := range separated(name, listOf(object, name)) {
			p, err := u.propose(name, step)
			if u.has(p) { // models repeat what was accepted
				continue
			}

			if err == nil {
				err = u.add(ctx, p)
			}

			if err != nil {
				wrong = append(wrong, fmt.Sprintf("%s, %s: %v", name, p.words, err))
				rest = append(rest, name)
			}
		}
	}

	return slices.Compact(rest), wrong
}

// has reports whether a proposal was taken.
func (u *mutation) has(p proposal) bool {
	return slices.ContainsFunc(u.proposals, func(was proposal) bool {
		return was.about == p.about && was.words == p.words
	})
}

// listOf returns a list in an object. Models write a single item without brackets.
func listOf(object envs.Args, name string) []any {
	value, ok := object.Get(name)
	if list, isList := value.([]any); isList || !ok || value == nil {
		return list
	}
	return []any{value}
}

// separated splits the changes that make no name, so that each is about one parameter or member.
func separated(about string, steps []any) (all []any) {
	for _, step := range steps {
		object, _ := step.(envs.Args)
		name, _ := object.Text("change")
		of := object.List("of")

		if named, ok := choosable[about == answersOf][name]; named || !ok || len(of) == 0 {
			all = append(all, step)
			continue
		}

		for _, parameter := range of {
			all = append(all, withKeyword(object, "of", parameter))
		}
	}
	return all
}

// propose reads a change that a model wrote.
func (u *mutation) propose(about string, step any) (proposal, error) {
	p := proposal{about: about, words: pytext.JSON(step)}
	object, _ := step.(envs.Args)
	name, _ := object.Text("change")
	c := &choice{}
	c.as, _ = object.Text("as")

	named, ok := choosable[about == answersOf][name]
	if !ok {
		var valid []string
		for _, o := range operators {
			if _, ok := choosable[about == answersOf][o.Name]; ok {
				valid = append(valid, o.Name)
			}
		}

		// The model reads this error, so it lists what may stand there.
		return p, names.Unknown("change", name, valid)
	}

	// "of" has names as they are by now: changes that were taken before may have renamed them.
	present := u.present(about)

	for _, of := range listOf(object, "of") {
		text, _ := of.(string)
		if c.of = append(c.of, text); !slices.Contains(present, text) {
			return p, fmt.Errorf("there is no %s", pytext.JSON(of))
		}
	}

	zeros, _ := object.Get("zeros")
	number, _ := zeros.(envs.Number)

	c.zeros, _ = strconv.Atoi(string(number))
	if name == "scale-field" && (c.zeros < 1 || c.zeros > 3) {
		return p, errors.New("zeros is not 1, 2 or 3")
	}

	// choosable and operators have the same names, so this cannot fail.
	all, _ := ParseOperators([]string{name})
	p.operator = all[0]
	p.operator.chosen = c

	if !named {
		return p, nil
	}
	// A new name must also differ from those that other changes of this tool have brought.
	return p, u.check(c.as, func(folded string) bool {
		isIt := func(name string) bool { return fold(name) == folded }
		isProposed := func(was proposal) bool {
			return was.about == about && isIt(was.operator.chosen.as)
		}
		return slices.ContainsFunc(present, isIt) || slices.ContainsFunc(u.proposals, isProposed)
	})
}

// present returns a tool's current parameters, or the members that answers had before.
func (u *mutation) present(about string) (all []string) {
	made, _ := u.version()

	for _, a := range made.APIs {
		if a.ToolName() == about {
			all = toolapi.ParameterNames(a.Parameters.All)
		}
	}

	for _, f := range fieldsOf(u.maker.source) {
		if about == answersOf {
			all = append(all, f.name)
		}
	}

	return all
}

// add adds a proposal to the version, unless it has no effect or breaks the version.
func (u *mutation) add(ctx context.Context, p proposal) (wrong error) {
	_, before := u.version()
	u.proposals = append(u.proposals, p)
	made, after := u.version()

	defer func() {
		if wrong != nil {
			u.proposals = u.proposals[:len(u.proposals)-1]
		}
	}()

	// An operator that does not apply is passed over, and shows only in a list that has not grown.
	if len(after) == len(before) {
		return errors.New("it does not fit")
	}

	// If one thing changed twice, the version would show the second change only.
	for _, c := range after {
		same := func(was Change) bool {
			return was.Tool == c.Tool && was.From == c.From &&
				(c.Tool == "" || was.Operator == c.Operator)
		}

		if !slices.Contains(before, c) && slices.ContainsFunc(before, same) {
			return errors.New("it has been changed already")
		}
	}

	// Trying takes the longest, so it comes last; a failed one ends the whole mutation.
	if u.how.Try != nil && u.failed == nil {
		wrong, u.failed = u.how.Try(ctx, made)
	}
	return wrong
}
