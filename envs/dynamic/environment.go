package dynamic

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/toolapi"
)

// Tool is one capability. S is what the tools of a state remember.
type Tool[S any] interface {
	// Call runs the tool. s is unchanged; the returned S is the next state's. The arguments are
	// those of the tool's own signature, of any JSON type; a tool that does not take the type of
	// one says so with an InvocationError. An error is a failure on this side, never the agent's.
	// Calls may run concurrently.
	Call(ctx context.Context, s S, args envs.Args) (S, envs.Result, error)
}

// ToolFunc is a function as a Tool.
type ToolFunc[S any] func(ctx context.Context, s S, args envs.Args) (S, envs.Result, error)

// Call calls f.
func (f ToolFunc[S]) Call(ctx context.Context, s S, args envs.Args) (S, envs.Result, error) {
	return f(ctx, s, args)
}

// Grader knows the tasks and their gold answers.
type Grader[S any] interface {
	// Known reports whether there is such a task. It is asked at every Reset and should be fast.
	Known(t envs.Task) bool
	// Grade compares an answer with the gold answer of the task; done is what the agent did before
	// it answered, and s what the tools remember of that. An unknown task is an error.
	Grade(ctx context.Context, s S, done envs.History, answer string) (envs.Grade, error)
}

// Config is what an environment is made of.
type Config[S any] struct {
	Prompt   *toolapi.Version   // what the agent is shown; the invalid-action message lists it
	Deployed *toolapi.Version   // what the server enforces
	Tools    map[string]Tool[S] // by name: all but Finish and UpdateTool
	Grader   Grader[S]
	Options  Options

	// Same reports whether a call that fails if the tools remember a fails in the same way if they
	// remember b. nil means never.
	Same func(a, b S) bool

	// Begin returns what the tools remember before the first turn of a task that the grader knows.
	// It is asked at every Reset; an error is a failure on this side. nil means the zero S for all
	// tasks, which calls without a task get in any case.
	Begin func(t envs.Task) (S, error)
}

// defaultObservationWords is the limit of the published code.
const defaultObservationWords = 1024

// Options are the choices an environment leaves open.
type Options struct {
	// Settings are what the configuration says. MaxLoads is how many loads a task may make; the
	// next one is run, and truncates the task with reward -1. 0 is no limit; the published code has
	// 5. Unlike in a configuration, ObservationWords may be 0 for defaultObservationWords, or
	// negative for no limit.
	Settings
	// LoadTools are the tools whose successful calls are loads.
	LoadTools []string
	// LoadNames, if there are any, are the action names that count as loads instead, whether or not
	// the deployed version knows them, and whether or not the call succeeds.
	LoadNames []string
	// LastBrace reads ReAct text as the published code does: see [action.ReAct].
	LastBrace bool
	// EmptyInput reads {} in ReAct text as a call without arguments: see [action.ReAct].
	EmptyInput bool
	// PublishedNotices answers with the notices as they were published, even if a version has
	// another text for one.
	PublishedNotices bool
	// PublishedFeedback answers a call whose name is the same and whose parameters are outdated as
	// the published code does: not with a notice, but with the API's text about wrong arguments,
	// which names no parameter.
	PublishedFeedback bool
}

// notice is the text of a deprecation.
func (o *Options) notice(d toolapi.Deprecation) string {
	if o.PublishedNotices {
		return d.PublishedNotice()
	}
	return d.Notice()
}

// Environment is the dynamic environment. It implements [envs.Environment], [envs.Canonicalizer],
// [envs.Comparer], [envs.Lifter] and [envs.Documenter], and is safe for concurrent use.
type Environment[S any] struct {
	begin    func(envs.Task) (S, error)
	same     func(a, b S) bool
	grader   Grader[S]
	options  Options
	codec    action.Codec
	prompt   *toolapi.Version
	deployed *toolapi.Version
	names    map[string][]*entry[S] // every known name; an argument chooses among several APIs
	invalid  string                 // the invalid-action message
}

// entry is what happens when an agent writes a name.
type entry[S any] struct {
	tool   string
	api    *toolapi.API // nil when the name is not deployed
	notice string       // not empty when the name is deprecated
	run    Tool[S]      // nil for the system tools
	loads  bool         // the tool is one of Options.LoadTools
}

// New returns the environment of a configuration, or an error that says what is missing from it.
func New[S any](c Config[S]) (*Environment[S], error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("dynamic: %w", err)
	}

	if c.Options.ObservationWords == 0 {
		c.Options.ObservationWords = defaultObservationWords
	}

	// A configuration only names ReAct; how a benchmark reads its text is up to the options.
	codec := c.Options.ActionCodec()
	if codec == (action.ReAct{}) {
		codec = action.ReAct{LastBrace: c.Options.LastBrace, EmptyInput: c.Options.EmptyInput}
	}

	// The message about invalid actions must not list a tool that cannot be called.
	var hidden []string
	if !c.Options.UpdateTool {
		hidden = []string{envs.UpdateTool}
	}

	invalid, err := c.Prompt.InvalidAction(hidden...)
	if err != nil {
		return nil, fmt.Errorf("dynamic: %w", err)
	}

	begin := c.Begin
	if begin == nil {
		begin = func(envs.Task) (s S, _ error) { return s, nil }
	}

	// Nothing is known of what tools remember, so no two states count as the same.
	same := c.Same
	if same == nil {
		same = func(S, S) bool { return false }
	}
	return &Environment[S]{
		begin:    begin,
		same:     same,
		grader:   c.Grader,
		options:  c.Options,
		codec:    codec,
		prompt:   c.Prompt,
		deployed: c.Deployed,
		names:    c.entries(hidden),
		invalid:  invalid,
	}, nil
}

// checkNames rejects versions whose names agents cannot write in the codec.
func (c *Config[S]) checkNames() error {
	if !action.IsNative(c.Options.ActionCodec()) {
		return nil
	}

	for _, v := range []*toolapi.Version{c.Prompt, c.Deployed} {
		for _, api := range v.APIs {
			if !action.CanCall(api.Name) {
				return fmt.Errorf("%s has an API %q, which chat APIs cannot call (environment.codec: tools): want at "+
					"most 64 letters, digits, - and _", v.Name, api.Name)
			}
		}
	}

	return nil
}

func (c *Config[S]) check() error {
	if c.Prompt == nil || c.Deployed == nil || c.Grader == nil {
		return errors.New("the prompt version, the deployed version or the grader is missing")
	}

	// The environment runs these two itself, so that no benchmark has to.
	known := []string{envs.FinishTool, envs.UpdateTool}
	for _, api := range c.Deployed.APIs {
		if slices.Contains(known[:2], api.Tool) {
			continue
		}

		if c.Tools[api.Tool] == nil {
			return fmt.Errorf("no implementation of the tool %s, which %s exposes as %s",
				api.Tool, c.Deployed.Name, api.Name)
		}

		known = append(known, api.Tool)
	}

	// A benchmark has all its tools, even those that a version has removed.
	for _, tool := range slices.Sorted(maps.Keys(c.Tools)) {
		if !slices.Contains(known[2:], tool) && !c.Deployed.Lacks(tool) {
			return fmt.Errorf("an implementation of %q, which is not a tool of %s",
				tool, c.Deployed.Name)
		}
	}

	// A misspelt name would count no loads, and nobody would notice.
	for _, tool := range c.Options.LoadTools {
		if !slices.Contains(known, tool) {
			return fmt.Errorf("load tool %q is not a tool of %s", tool, c.Deployed.Name)
		}
	}

	switch {
	case c.Options.MaxLoads < 0:
		return fmt.Errorf("at most %d loads", c.Options.MaxLoads)
	case c.Options.MaxLoads > 0 && len(c.Options.LoadTools) == 0 && len(c.Options.LoadNames) == 0:
		return errors.New("a limit on loads and no load tools")
	}

	return c.checkNames()
}

// entries returns the names of the prompt version, the deprecated ones and the deployed ones; the
// later meaning wins.
func (c *Config[S]) entries(hidden []string) map[string][]*entry[S] {
	names := make(map[string][]*entry[S])

	add := func(name, tool string, api *toolapi.API, notice string) {
		// A hidden tool gets no entry, so calls of it are invalid actions.
		if slices.Contains(hidden, tool) {
			return
		}

		now := &entry[S]{
			tool:   tool,
			api:    api,
			notice: notice,
			run:    c.Tools[tool],
			loads:  slices.Contains(c.Options.LoadTools, tool),
		}

		// Only deployed APIs share a name.
		if all := names[name]; len(all) > 0 && all[0].api != nil {
			names[name] = append(all, now)
		} else {
			names[name] = []*entry[S]{now}
		}
	}

	// A name that is deployed again is not deprecated, so deployed names come last.
	for _, api := range c.Prompt.APIs {
		add(api.Name, api.Tool, nil, "")
	}

	for _, old := range c.Deployed.Deprecated() {
		d, _ := c.Deployed.Deprecation(old)

		add(old, d.Old.Tool, nil, c.Options.notice(d))
	}

	for _, api := range c.Deployed.APIs {
		add(api.Name, api.Tool, api, "")
	}
	return names
}

// entry returns what happens when an agent makes a call, nil if the name is unknown.
func (e *Environment[S]) entry(call envs.Call) *entry[S] {
	all := e.names[call.Name]
	if len(all) == 0 {
		return nil
	}

	called, _ := e.deployed.Called(call.Name, call.Args)
	i := slices.IndexFunc(all, func(one *entry[S]) bool { return one.api == called })
	return all[max(i, 0)]
}

// Canonical implements [envs.Canonicalizer] with the keys of package action.
func (e *Environment[S]) Canonical(a envs.Action) string {
	return action.Key(e.codec, string(a))
}

// Alike implements [envs.Comparer]: the tools remember the same, and if loads are limited, there
// were equally many.
func (e *Environment[S]) Alike(a, b envs.State) bool {
	one, ok := a.(*state[S])
	other, same := b.(*state[S])

	if !ok || !same || e.options.MaxLoads > 0 && one.loads != other.loads {
		return false
	}
	return e.same(one.session, other.session) && e.sameFaults(one.passing, other.passing)
}

// Lift implements [envs.Lifter]. Finish and UpdateTool are the same in all versions.
func (e *Environment[S]) Lift(_ envs.History, c envs.Call) (envs.Call, error) {
	shown, ok := e.prompt.Called(c.Name, c.Args)
	if !ok {
		return envs.Call{}, fmt.Errorf("dynamic: lift to %s: %s is not an API of %s", e.deployed.Name, c.Name,
			e.prompt.Name)
	}

	args, wrong := shown.Lower(c.Args)
	if wrong != nil {
		return envs.Call{}, fmt.Errorf("dynamic: lift to %s: %s in %s: %s", e.deployed.Name, c.Name, e.prompt.Name,
			wrong.Reason)
	}

	name, lifted, err := e.deployed.Lift(shown.Tool, args)
	if err != nil {
		return envs.Call{}, fmt.Errorf("dynamic: %w", err)
	}
	return envs.Call{Tool: shown.Tool, Name: name, Args: lifted}, nil
}

// Notes implements [envs.Documenter].
func (e *Environment[S]) Notes(_ envs.History, c envs.Call) (notes []string, shown bool) {
	a, ok := e.deployed.Called(c.Name, c.Args)
	if !ok {
		return nil, false
	}
	return a.Silent.Notes(), e.options.Hint == HintDocument
}

// Reset returns the first state of a task.
func (e *Environment[S]) Reset(_ context.Context, t envs.Task) (envs.State, error) {
	op := fmt.Sprintf("reset to task %q", t.ID)

	if !e.grader.Known(t) {
		return nil, envs.Fail(envs.StageEnvironment, op, errors.New("unknown task"))
	}

	session, err := e.begin(t)
	if err != nil {
		return nil, envs.Fail(envs.StageEnvironment, op, err)
	}
	return &state[S]{session: session, history: envs.NewHistory(t)}, nil
}

// state is one point of the environment. It never changes.
type state[S any] struct {
	session S
	history envs.History
	status  envs.Status
	loads   int
	passing passing[S]
}

func (s *state[S]) History() envs.History { return s.history }
func (s *state[S]) Status() envs.Status   { return s.status }
