package toolapi

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/envs/silent"
)

// build makes the version of a file and checks that it is complete. The base defines the tools; nil
// means that the file itself is the base. link adds deprecations later.
func (f *Spec) build(base *Version) (*Version, error) {
	if f.Version == "" {
		return nil, errors.New("no version")
	}

	if f.Response != nil {
		if err := f.Response.Validate(); err != nil {
			return nil, err
		}
	}

	v := &Version{
		Name: f.Version, About: f.About, Response: f.Response, Faults: f.Faults, Removed: f.Removed,
		byName: make(map[string][]*API), byTool: make(map[string][]*API),
		deprecated: make(map[string]Deprecation), outdated: make(map[string][]Deprecation),
	}
	if base == nil {
		base = v
	}

	for i := range f.APIs {
		a, err := f.APIs[i].build(v, base, f.Silent)
		if err != nil {
			return nil, fmt.Errorf("API %d (%q): %w", i+1, f.APIs[i].Name, err)
		}

		v.APIs = append(v.APIs, a)
		v.byName[a.Name] = append(v.byName[a.Name], a)
		v.byTool[a.Tool] = append(v.byTool[a.Tool], a)
	}

	// One API of a tool may express what another cannot, so they are checked together.
	if err := v.checkTools(base); err != nil {
		return nil, err
	}

	// A change of a tool that does not exist would go unnoticed: it would do nothing.
	for i := range f.Silent {
		for _, tool := range f.Silent[i].Tools {
			if v.byTool[tool] == nil {
				return nil, fmt.Errorf("silent change %d: %s has no tool %s", i+1, base.Name, tool)
			}
		}
	}

	for i := range f.Faults {
		if err := f.Faults[i].check(v); err != nil {
			return nil, fmt.Errorf("fault %d: %w", i+1, err)
		}
	}

	// The environment carries out these two itself, and knows them by their names.
	for _, tool := range []string{envs.FinishTool, envs.UpdateTool} {
		if a, ok := v.API(tool); !ok || a.Tool != tool || !hasOneArgument(a) {
			return nil, fmt.Errorf("the system tool %s is not exposed under its name, with one "+
				"parameter", tool)
		}
	}

	return v, v.readMessages(f, base)
}

// checkTools checks that every tool of the base is exposed or removed, and checks the APIs that
// expose it.
func (v *Version) checkTools(base *Version) error {
	for _, r := range v.Removed {
		_, known := base.ForTool(r.Tool)

		switch {
		case !known || v.byTool[r.Tool] != nil || envs.IsSystem(r.Tool):
			return fmt.Errorf("removed: %s is no tool of %s, or exposed, or a system tool", r.Tool,
				base.Name)
		case r.Source != "" && v.byTool[r.Source] == nil:
			return fmt.Errorf("removed: %s is not exposed, and so has nothing of %s", r.Source, r.Tool)
		}
	}

	for _, a := range base.APIs {
		if v.byTool[a.Tool] == nil && !v.Lacks(a.Tool) {
			return fmt.Errorf("the tool %s is not exposed: add an entry with tool: %[1]s to its apis",
				a.Tool)
		}
	}

	for i, a := range v.APIs {
		if err := a.check(v.byTool[a.Tool]); err != nil {
			return fmt.Errorf("API %d (%q): %w", i+1, a.Name, err)
		}
	}

	return nil
}

func (f *APISpec) build(v, base *Version, changes silent.Changes) (*API, error) {
	a := &API{
		Name: f.Name, Tool: f.ToolName(), Description: f.Description, Guideline: f.Guideline,
		URL: f.URL, Inferred: f.Inferred,
		exact: true, argumentsText: f.Errors.Arguments, valueText: f.Errors.Value,
	}
	switch {
	case a.Name == "" || pytext.Strip(a.Name) != a.Name ||
		strings.Contains(a.Name, action.InputWords):
		return nil, errors.New("the name cannot be written as an action")
	}

	if err := a.takeParameters(f.Parameters); err != nil {
		return nil, err
	}

	// An API of the base is a tool itself. Others inherit what their file leaves out.
	a.base = a
	if base != v {
		defined, ok := base.ForTool(a.Tool)
		if !ok {
			return nil, fmt.Errorf("%s has no tool %s", base.Name, a.Tool)
		}

		a.base = defined
		a.Description = cmp.Or(a.Description, defined.Description)
		a.Guideline = cmp.Or(a.Guideline, defined.Guideline)
	}

	if a.Description == "" {
		return nil, errors.New("no description")
	}

	for i := range f.Adapters {
		adapter, err := f.Adapters[i].Adapter()
		if err != nil {
			return nil, fmt.Errorf("adapter %d: %w", i+1, err)
		}

		// A list of any length has names in a call that no document lists.
		if _, list := adapter.(*Numbered); list {
			a.exact = false
		}

		a.adapters = append(a.adapters, adapter)
	}

	// Two APIs may share a name only if an argument says which one a call is of.
	same := func(other *API) bool { return !a.choice().differs(other.choice()) }
	if slices.ContainsFunc(v.byName[a.Name], same) {
		return nil, errors.New("the name is exposed twice, and no argument chooses")
	}

	if err := a.compile(); err != nil {
		return nil, err
	}

	a.notice = f.notice(a)
	return a, a.change(changes)
}

// change adds the silent changes that are about the API's tool, and says in its description what
// they are.
func (a *API) change(all silent.Changes) error {
	for i := range all {
		if err := all[i].Check(); err != nil {
			return fmt.Errorf("silent change %d: %w", i+1, err)
		}

		if all[i].IsAbout(a.Tool) {
			a.Silent = append(a.Silent, all[i])
			a.Description += " " + silent.NoteWord + all[i].Note()
		}
	}

	return nil
}

func (f *APISpec) notice(a *API) notice {
	n := notice{signature: f.Notice.Signature, example: f.Notice.Example}
	if n.signature == "" {
		n.signature = a.Signature()
	}

	n.publishedSignature, n.publishedExample = n.signature, n.example
	if s := f.Notice.Published.Signature; s != nil {
		n.publishedSignature = *s
	}

	if s := f.Notice.Published.Example; s != nil {
		n.publishedExample = *s
	}
	return n
}

// Adapter returns the one adapter of the item.
func (f *AdapterSpec) Adapter() (Adapter, error) {
	var all []Adapter

	for _, field := range reflect.ValueOf(*f).Fields() {
		switch v := field.Interface().(type) {
		case *BracketedSpec:
			if v != nil {
				all = append(all, NewBracketed(v.Parameter, v.Fields))
			}
		case Adapter:
			if !field.IsNil() {
				all = append(all, v)
			}
		}
	}

	if len(all) != 1 {
		return nil, fmt.Errorf("%d kinds in one item, want 1", len(all))
	}

	if checked, ok := all[0].(interface{ check() error }); ok {
		if err := checked.check(); err != nil {
			return nil, err
		}
	}

	return all[0], nil
}

// check sends sample calls through the adapters both ways, and the example of the notice one way.
// exposing are all APIs of the tool: another one may express what this one cannot.
func (a *API) check(exposing []*API) error {
	all := a.Sample()
	required := Needed(all, a.base.Parameters)

	// A schema may want more than a sample can know. Then there is no call to try.
	if a.base.mismatch(all) == "" {
		whole := a
		if i := slices.IndexFunc(exposing, func(b *API) bool { return b.takes(all) }); i >= 0 {
			whole = exposing[i]
		}

		if len(exposing) > 1 && !a.takes(all) && !a.takes(required) {
			return errors.New("it takes no call of the tool")
		}

		if err := whole.checkCall(all); err != nil {
			return fmt.Errorf("no call reaches %s%v: %w", a.Tool, ParameterNames(a.base.Parameters),
				err)
		}

		// A version may insist on what is optional for the tool.
		if a.takes(required) {
			if err := a.checkCall(required); err != nil {
				return err
			}
		}
	}

	if a.notice.example == "" {
		return nil
	}

	example, err := pytext.Decode(a.notice.example)
	if err != nil {
		return fmt.Errorf("example %s: %w", a.notice.example, err)
	}

	args, ok := example.(envs.Args)
	if !ok {
		return fmt.Errorf("example %s: not an object", a.notice.example)
	}

	// Agents copy the example from a notice, so it has to be a call that works.
	if _, wrong := a.Lower(args); wrong != nil {
		return fmt.Errorf("example %s: it is not a call of %s. %s", a.notice.example, a.Signature(),
			wrong.Text)
	}
	return nil
}

// takes reports whether the API expresses a call of the tool.
func (a *API) takes(call envs.Args) bool {
	_, err := a.Lift(call)
	return err == nil
}

// checkCall lifts a call of the tool and lowers it again. Every adapter must have an effect.
func (a *API) checkCall(call envs.Args) error {
	lifted := call
	for i, adapter := range slices.Backward(a.adapters) {
		// Only a call with every parameter shows that an adapter is about none of them.
		next, err := adapter.Lift(lifted)
		if err == nil && len(call) == len(a.base.Parameters) && isIdle(adapter, lifted, next) {
			err = fmt.Errorf("it does nothing to %v", lifted)
		}

		if err != nil {
			return fmt.Errorf("adapter %d: %w", i+1, err)
		}

		lifted = next
	}

	// The sample was made for the tool's types, and those of this version may refuse it.
	if a.mismatch(lifted) != "" {
		return nil
	}

	lifted, err := a.Lift(call)
	if err != nil {
		return err
	}

	lowered, wrong := a.Lower(lifted)

	// A flipped default may be named that the call left out: that means the same.
	if wrong != nil ||
		!reflect.DeepEqual(a.base.withoutDefaults(lowered), a.base.withoutDefaults(call)) {
		return fmt.Errorf("the call %v becomes %v", lifted, lowered)
	}
	return nil
}

// withoutDefaults returns a call without arguments that equal their defaults, which means the same.
func (a *API) withoutDefaults(call envs.Args) envs.Args {
	rest := envs.Args{}

	for _, arg := range call {
		i := slices.IndexFunc(a.Parameters, func(p Parameter) bool { return p.Name == arg.Name })
		usual, ok := a.Parameters[i].Schema.Get("default")

		if !ok || !reflect.DeepEqual(usual, arg.Value) {
			rest = append(rest, arg)
		}
	}
	return rest
}

// isIdle reports whether an adapter is about none of the parameters that it lifts.
func isIdle(adapter Adapter, from, to envs.Args) bool {
	if adapter, ok := adapter.(interface{ about() string }); ok {
		return !slices.Contains(from.Names(), adapter.about())
	}
	return reflect.DeepEqual(from, to)
}

// hasOneArgument reports whether a tool always gets one argument.
func hasOneArgument(a *API) bool {
	return len(a.base.Parameters) == 1 && !a.base.Parameters[0].Optional
}

func (v *Version) deprecate(old *API) error {
	now := v.byTool[old.Tool]

	switch {
	case now == nil && v.byName[old.Name] == nil:
		removed, _ := v.removal(old.Tool)
		text := removed.Notice(old.Signature())
		v.deprecated[old.Name] = Deprecation{Old: old, notice: text, published: text}
		return nil
	case now == nil:
		return nil
	case v.byName[old.Name] != nil:
		return v.outdate(old, now)
	case now[0].notice.example == "":
		return fmt.Errorf("%s replaces %s and its notice has no example", now[0].Name, old.Name)
	}

	var err error
	v.deprecated[old.Name], err = v.deprecation(old, now)
	return err
}

// outdate notes an API whose name is still exposed. The notice needs an example of how it is called
// now. Without one there is no notice: versions older than these notices have none.
func (v *Version) outdate(old *API, now []*API) error {
	if now[0].notice.example == "" {
		return nil
	}

	d, err := v.deprecation(old, now)
	v.outdated[old.Name] = append(v.outdated[old.Name], d)
	return err
}
