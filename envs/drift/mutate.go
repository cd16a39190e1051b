package drift

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// mutateInstructions are the rules by which a model renames APIs: those of ToolEvo, appendix D.1,
// in other words.
//
//go:embed mutate.txt
var mutateInstructions string

var namesPrompt = kept.NewPrompt("mutate-names", mutateInstructions)

// The most tools per request for names and for changes, and the most requests: models forget parts
// of a long list, and repeat themselves.
const (
	mutatedAtOnce = 12
	changedAtOnce = 4
	mutateTries   = 4
)

// What a model may change of a version.
const (
	MutateNames      = "names"
	MutateParameters = "parameters"
	MutateAnswers    = "answers"
)

// Mutable lists what a model may change.
func Mutable() []string { return []string{MutateNames, MutateParameters, MutateAnswers} }

// Mutating says how a model makes a version.
type Mutating struct {
	Changes []string // of Mutable
	Prompts kept.Prompts

	// Try runs a version and returns what is wrong with it; err means that it could not be run.
	// Changes of parameters and answers that break the version are refused. It may be nil.
	Try func(ctx context.Context, made *toolapi.Spec) (wrong, err error)
}

// Mutation reports on a version that a model wrote.
type Mutation struct {
	Requests int      // to the model
	Refused  []string // what was wrong with names and changes that the model was asked for again
	Repaired []string // the same of those that were finally replaced or left out
}

// Mutate makes the i-th version with a model, which renames all APIs and parameters, and chooses
// operators for parameters and answers. What cannot be used is asked for again, with the reason; in
// the end, drawn names stand in for names, and changes are left out.
func (m *Maker) Mutate(ctx context.Context, w kept.Writer, i int, how Mutating) (
	*toolapi.Spec, []Change, *Mutation, error) {
	u := &mutation{
		maker: m, writer: w, how: how, names: map[string]newNames{}, used: map[string]bool{}, number: i,
	}

	if err := u.askAll(ctx); err != nil {
		return nil, nil, nil, fmt.Errorf("drift: a version by a model: %w", err)
	}

	made, changes := u.version()
	return made, changes, &u.report, nil
}

// MutatedName returns the name of the i-th version that a model makes.
func (m *Maker) MutatedName(i int) string { return m.name("mutated", i) }

// askAll asks for all that the model may change.
func (u *mutation) askAll(ctx context.Context) error {
	if u.changes(MutateNames) {
		for part := range slices.Chunk(u.maker.mutable(), mutatedAtOnce) {
			if err := u.askNames(ctx, part); err != nil {
				return err
			}
		}
	}

	if u.changes(MutateParameters) {
		for part := range slices.Chunk(u.maker.mutable(), changedAtOnce) {
			var about []string
			for _, a := range part {
				about = append(about, a.ToolName())
			}

			if err := u.askChanges(ctx, about); err != nil {
				return err
			}
		}
	}

	if u.changes(MutateAnswers) && len(fieldsOf(u.maker.source)) > 0 {
		return u.askChanges(ctx, []string{answersOf})
	}
	return nil
}

func (u *mutation) changes(what string) bool { return slices.Contains(u.how.Changes, what) }

// version makes the version of all that was accepted so far.
func (u *mutation) version() (*toolapi.Spec, []Change) {
	p := plan{ofTool: map[string][]Operator{}}

	if u.changes(MutateNames) {
		for _, a := range u.maker.mutable() {
			p.ofTool[a.ToolName()] = []Operator{
				{Name: "rename-api", Apply: u.renameAPI}, {Name: "rename-parameter", Apply: u.renameParameters},
			}
		}
	}

	for _, chosen := range u.proposals {
		if chosen.about == answersOf {
			p.operators = append(p.operators, chosen.operator)
		} else {
			p.ofTool[chosen.about] = append(p.ofTool[chosen.about], chosen.operator)
		}
	}

	return u.maker.version(u.maker.MutatedName(u.number), u.number, p)
}

// mutable returns the APIs of the source that a model renames.
func (m *Maker) mutable() []toolapi.APISpec {
	return slices.DeleteFunc(slices.Clone(m.source.APIs), func(a toolapi.APISpec) bool {
		return envs.IsSystem(a.ToolName())
	})
}

// newNames are a model's names for an API and its parameters.
type newNames struct {
	api        string
	parameters map[string]string
}

// mutation is a version in the making.
type mutation struct {
	maker     *Maker
	writer    kept.Writer
	how       Mutating
	number    int
	names     map[string]newNames // that can be used, by tool; some of them may be missing
	used      map[string]bool     // names of APIs, folded
	proposals []proposal          // that were taken, in their order
	failed    error               // of a try
	report    Mutation
}

// refusals say what of an answer cannot be used, a line for each.
type refusals []string

// Error returns the lines.
func (r refusals) Error() string { return strings.Join(r, "\n") }

// ask has the model write about what is listed, and again while part of its answer cannot be used.
func (u *mutation) ask(ctx context.Context, prompt kept.Prompt, what string, list func() string,
	take func(answer string) refusals) error {
	_, wrong, err := kept.Ask(ctx, u.writer, kept.Asking{
		Instructions: u.how.Prompts.Text(prompt), Request: list(), Tries: mutateTries,
		Seed: hash(u.maker.seed, fmt.Sprint(u.number)),
		Again: func(wrong error) string {
			return list() + "\n\nThese " + what + " of your last answer cannot be used:\n" + wrong.Error()
		},
	}, func(answer string) (none struct{}, err error) {
		u.report.Requests++

		wrong := take(answer)
		if u.failed != nil || len(wrong) == 0 {
			return none, nil
		}

		u.report.Refused = append(u.report.Refused, wrong...)
		return none, wrong
	})

	if last, ok := wrong.(refusals); ok {
		u.report.Repaired = append(u.report.Repaired, last...)
	}
	return cmp.Or(err, u.failed)
}

// askNames has the model name some APIs, and again those whose names cannot be used.
func (u *mutation) askNames(ctx context.Context, apis []toolapi.APISpec) error {
	list := func() string {
		apis = slices.DeleteFunc(slices.Clone(apis), u.isNamed)
		return toolList(apis)
	}
	return u.ask(ctx, namesPrompt, "names", list, func(answer string) refusals { return u.takeNames(apis, answer) })
}

// isNamed reports whether an API and all its parameters have new names.
func (u *mutation) isNamed(a toolapi.APISpec) bool {
	n := u.names[a.ToolName()]
	return n.api != "" && len(n.parameters) == len(renamable(a))
}

// renamable returns the parameters of an API that can be renamed.
func renamable(a toolapi.APISpec) []string {
	if len(a.Parameters.Keywords) > 0 {
		return nil
	}
	return slices.DeleteFunc(toolapi.ParameterNames(a.Parameters.All), func(name string) bool {
		return isItem(a, name)
	})
}

// toolList writes APIs for a model.
func toolList(apis []toolapi.APISpec) string {
	all := make([]any, len(apis))

	for i, a := range apis {
		all[i] = envs.Object("name", a.Name, "parameters", envs.Listed(renamable(a)),
			"about", a.Description)
	}
	return pytext.JSON(all)
}

// takeNames accepts the usable names of an answer, and says what is wrong with the others.
func (u *mutation) takeNames(apis []toolapi.APISpec, answer string) (wrong refusals) {
	var listed []string
	for _, a := range apis {
		listed = append(listed, a.Name)
	}

	object, err := kept.Object(answer, listed...)
	if err != nil {
		return refusals{err.Error()}
	}

	// What was taken before stays: the model is asked again only for what is missing.
	for _, a := range apis {
		named := object.Object(a.Name)
		n := u.names[a.ToolName()]

		if n.parameters == nil {
			n.parameters = map[string]string{}
		}

		// used has the names of all APIs of the version, since no two may share one.
		if n.api == "" {
			name, _ := named.Text("name")
			taken := func(folded string) bool { return u.used[folded] }
			if err := u.check(name, taken); err != nil {
				wrong = append(wrong, fmt.Sprintf("%s: %v", a.Name, err))
			} else {
				n.api, u.used[fold(name)] = name, true
			}
		}

		parameters := named.Object("parameters")

		for _, was := range renamable(a) {
			if n.parameters[was] != "" {
				continue
			}

			name, _ := parameters.Text(was)
			// Parameters need to differ within their API only.
			taken := func(folded string) bool {
				for _, other := range n.parameters {
					if fold(other) == folded {
						return true
					}
				}

				return false
			}

			if err := u.check(name, taken); err != nil {
				wrong = append(wrong, fmt.Sprintf("%s, parameter %s: %v", a.Name, was, err))
			} else {
				n.parameters[was] = name
			}
		}

		// What could be used is kept even if something else of this API has to be asked for again.
		u.names[a.ToolName()] = n
	}
	return wrong
}

// check returns what is wrong with a name.
func (u *mutation) check(name string, taken func(folded string) bool) error {
	folded := fold(name)

	switch {
	case name == "":
		return errors.New("there is no new name")
	case !fits(name):
		return fmt.Errorf("%q is longer than %d characters", name, toolapi.MostName)
	case folded == "" || strings.ContainsFunc(name, isOdd):
		return fmt.Errorf("%q has other characters than letters, digits and %s", name, special)
	case u.maker.taken[folded] || taken(folded):
		return fmt.Errorf("%q is in use", name)
	}

	return nil
}

// isOdd reports whether a character may not stand in a name.
func isOdd(r rune) bool { return !isWord(r) && !strings.ContainsRune(special, r) }

// special are the characters that may stand between words (appendix D.1).
const special = "_-@%#"

// renameAPI gives an API the model's name, or a drawn one.
func (u *mutation) renameAPI(a toolapi.APISpec, d *Draws) (Step, bool) {
	name := u.names[a.ToolName()].api
	if name == "" || d.apis[fold(name)] {
		return renameAPI(a, d)
	}
	return called(a, name), true
}

// renameParameters gives the parameters of an API the model's names, or drawn ones.
func (u *mutation) renameParameters(a toolapi.APISpec, d *Draws) (Step, bool) {
	of := u.names[a.ToolName()].parameters
	return rename(a, func(current toolapi.APISpec, was toolapi.Parameter) string {
		name := of[was.Name]
		same := func(p toolapi.Parameter) bool { return p.Name != was.Name && fold(p.Name) == fold(name) }

		if name != "" && !slices.ContainsFunc(current.Parameters.All, same) {
			return name
		}
		return d.another(a, current, was)
	})
}
