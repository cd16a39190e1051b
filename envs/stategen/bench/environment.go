package bench

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/dynamic"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/suite"
)

// playing is an episode being played: what the tools remember in a state. Without an episode it
// belongs to no task.
type playing struct {
	*episode
	state stategen.State
}

// Environment implements [suite.Suite]. It needs no memory: tools are pure functions.
func (o *opened) Environment(version string, _ envs.Memory) (envs.Environment, error) {
	prompt, deployed, err := o.choice.Versions.Pair(o.choice.Prompt, version)
	if err != nil {
		return nil, err
	}

	tools := map[string]dynamic.Tool[playing]{}

	for _, d := range domains.With(o.apis) {
		for _, a := range d.APIs() {
			tools[a.Name] = tool{d.Name(), a.Name}
		}
	}

	settings := o.choice.Environment
	settings.MaxLoads = 0 // no call is a load
	return dynamic.New(dynamic.Config[playing]{
		Prompt:   prompt,
		Deployed: deployed,
		Tools:    tools,
		Grader:   grader{o},
		Begin:    o.begin,
		Same:     sameState,
		Options:  dynamic.Options{Settings: settings},
	})
}

// sameState compares everything a service remembers; states of services are values of any type.
func sameState(a, b playing) bool {
	return a.episode == b.episode && reflect.DeepEqual(a.state, b.state)
}

// begin returns the episode before the first turn of a task.
func (o *opened) begin(t envs.Task) (playing, error) {
	e, err := o.episode(t.ID)
	if err != nil {
		return playing{}, err
	}

	start, err := e.start()
	return playing{e, start}, err
}

// tool is a tool of a domain. It implements [dynamic.Tool].
type tool struct{ domain, name string }

// Call implements [dynamic.Tool].
func (t tool) Call(_ context.Context, s playing, args envs.Args) (playing, envs.Result, error) {
	if s.episode == nil {
		return s, envs.Result{}, errors.New("it belongs to a task")
	}

	// Every task is offered the tools of all domains.
	if s.domain.Name() != t.domain {
		text := fmt.Sprintf("Error: %s is of another service than this task.", t.name)
		return s, envs.Result{Observation: text, Outcome: envs.ToolError}, nil
	}

	state, value, err := s.domain.Call(s.state, t.name, args)

	var refusal *stategen.Refusal
	if errors.As(err, &refusal) {
		r := envs.Result{Observation: refusal.Text, Outcome: envs.InvocationError}
		if refusal.OfState {
			r.Outcome = envs.ToolError
		}
		return s, r, nil
	}

	if err != nil {
		return s, envs.Result{}, err
	}

	s.state = state
	return s, envs.Result{Observation: pytext.JSON(value)}, nil
}

// grader is the reward. It implements [dynamic.Grader].
type grader struct{ suite *opened }

// Known implements [dynamic.Grader].
func (g grader) Known(t envs.Task) bool {
	_, ok := g.suite.places[t.ID]
	return ok
}

// Grade implements [dynamic.Grader].
func (g grader) Grade(_ context.Context, s playing, done envs.History, answer string) (
	envs.Grade, error,
) {
	if s.episode == nil {
		return envs.Grade{}, fmt.Errorf("task %q was not begun", done.Task().ID)
	}

	want, err := s.oracle()
	if err != nil {
		return envs.Grade{}, fmt.Errorf("run the reference program: %w: run `toolevo tasks verify`", err)
	}

	right := s.domain.Same(s.domain.Effects(s.state), want.Effects) &&
		slices.ContainsFunc(readings(answer), func(v any) bool {
			return s.domain.Same(s.domain.Content(s.state, v), want.Result)
		})
	return envs.Grade{Answer: answer, Official: right, Strict: right}, nil
}

// readings returns what an answer may mean: the text itself, and its value as JSON or as Python
// writes values, since environments print an answer that is no text that way.
func readings(answer string) []any {
	all := []any{answer, strings.TrimSpace(answer)}

	if v, err := pytext.DecodeStrict(answer); err == nil {
		all = append(all, v)
	} else if v, err := pytext.DecodeLiteral(answer); err == nil {
		all = append(all, v)
	}

	return all
}

var (
	_ suite.Benchmark    = StateGen{}
	_ suite.Narrower     = StateGen{}
	_ suite.Lister       = StateGen{}
	_ suite.Configurable = StateGen{}
	_ suite.Commander    = StateGen{}
	_ suite.Suite        = (*opened)(nil)
	_ suite.Planner      = (*opened)(nil)
)
