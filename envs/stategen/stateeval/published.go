package stateeval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/tensor"
)

// Unplayable is why no task comes of a row that others wrote.
type Unplayable struct{ Reason string }

// Error implements error.
func (u *Unplayable) Error() string { return u.Reason }

func unplayable(format string, args ...any) error {
	return &Unplayable{fmt.Sprintf(format, args...)}
}

// Play returns the task of a row that others wrote, under the paper's set of APIs. Its program runs in every case, and
// has to come to what the row says; what it was seen to do there is what the task's own statements are. graders has one
// for each domain. An [Unplayable] says why there is no task; any other error is ours.
func Play(ctx context.Context, graders func(domain string) (*code.Grader, error), r Row) (*stategen.Task, error) {
	cases, err := r.Cases()
	if err != nil {
		return nil, unplayable("%v", err)
	}

	g, err := graders(domain(cases[0]))
	if err != nil {
		return nil, err
	}

	p, err := program(g.Surface.Domain.Name(), cases[0])
	if err != nil {
		return nil, err
	}

	task := &stategen.Task{
		ID: fmt.Sprintf("stateeval-%s-%d", p.Domain, r.ExampleID), Instruction: instruction(r, p.Python),
	}

	var runs []code.Run

	for i, c := range cases {
		set, err := changed(p, c)
		if err != nil {
			return nil, unplayable("case %d: %v", i+1, err)
		}

		one := stategen.Case{Set: set}

		run, err := g.Watch(ctx, p, one, p.Python)
		if err != nil {
			return nil, err
		}

		if err := agrees(g.Surface.Domain, run, c); err != nil {
			return nil, unplayable("case %d: %v", i+1, err)
		}

		// Of cases that begin alike one is enough.
		if i > 0 && len(set) == 0 {
			continue
		}

		runs, task.Cases = append(runs, run), append(task.Cases, one)
	}

	task.Program = *p

	return task, join(task, g.Surface.Domain, runs)
}

// program returns the program of a row without statements: what it begins with.
func program(domain string, c TestCase) (*stategen.Program, error) {
	p := &stategen.Program{Domain: domain, APIs: stategen.Paper, Python: c.Program}

	values, err := declared(c.Info.InitLocalStr)
	if err != nil {
		return nil, err
	}

	for _, v := range values {
		role := stategen.User
		if strings.HasPrefix(v.Name, "user_constant") || strings.HasPrefix(v.Name, "condition") {
			role = stategen.Constant
		}

		p.Init = append(p.Init, stategen.Variable{
			Name: v.Name, Role: role, Type: "a value", Value: stategen.Value{Any: v.Value},
		})
	}

	if domain == Session {
		p.Server.Any, err = start(c)
		return p, err
	}

	server := envs.Args{}

	for _, loaded := range c.Info.InitLoadInfo {
		v := stategen.Variable{Name: loaded.Name, Role: stategen.Loaded}

		switch t, err := tensorOf(loaded.Value.Any); {
		case domain == Tensor && err != nil:
			return nil, unplayable("%s is no tensor: %v", v.Name, err)
		case domain == Tensor:
			v.Type, v.Value.Any = "a tensor", t.Value(v.Name)
			server = server.With(v.Name, tensor.Encode(t))
		default:
			spoken, _ := speeches(loaded.Value.Any).(envs.Args)
			v.Type, v.Value.Any = "a speech", append(envs.Object("speech", v.Name), spoken...)
		}

		p.Init = append(p.Init, v)
	}

	if len(server) > 0 {
		p.Server.Any = server
	}

	return p, nil
}

// declared reads the assignments before a program, in all of which RESULT is null before they assign it.
func declared(text string) (values envs.Args, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}

		name, literal, _ := strings.Cut(line, " = ")

		v, err := pytext.DecodeLiteral(literal)
		if err != nil {
			return nil, unplayable("%.80q declares no variable by a literal: %v", line, err)
		}

		if name != "RESULT" {
			values = values.With(name, v)
		}
	}

	return values.With("RESULT", nil), nil
}

// start returns the sessions that the service begins with.
func start(c TestCase) (any, error) {
	list := []any{}

	for _, s := range entries(c.Info.InitImplicitDict.Any) {
		source, _ := s.Text("source")
		kind, _ := s.Text("type")

		data, _ := s.Get("data")
		if _, isObject := data.(envs.Args); !isObject {
			return nil, unplayable("a session at the start has the data %s, want an object", pytext.Repr(data))
		}

		list = append(list, envs.Object("source", source, "type", kind, "data", data))
	}

	return list, nil
}

// tensorOf reads a tensor as the evaluator writes it, in either form.
func tensorOf(v any) (*tensor.Tensor, error) {
	switch v := v.(type) {
	case *tensor.Tensor:
		return v, nil
	case envs.Args:
		return tensor.Decode(v)
	case []any:
		return tensor.Parse(pytext.AppendJSON(nil, v))
	}

	return nil, fmt.Errorf("it is %s", pytext.TypeName(v))
}

// speeches returns a value in which speeches are as the service has them.
func speeches(v any) any {
	return envs.Map(v, func(part any) (any, bool) {
		if object, isObject := part.(envs.Args); isObject {
			return slices.DeleteFunc(slices.Clone(object), func(m envs.Arg) bool { return m.Name == "is_speech" }), false
		}

		return part, false
	})
}

// changed returns the variables that have other values in a case than a program says.
func changed(p *stategen.Program, c TestCase) (map[string]stategen.Value, error) {
	values, err := declared(c.Info.InitLocalStr)
	if err != nil {
		return nil, err
	}

	if c.Program != p.Python {
		return nil, errors.New("its program is not that of the first case")
	}

	set := map[string]stategen.Value{}

	for _, v := range p.Init {
		if v.Role == stategen.Loaded {
			continue
		}

		other, there := values.Get(v.Name)
		if !there {
			return nil, fmt.Errorf("it does not declare %s", v.Name)
		}

		if !stategen.Equal(other, v.Value.Any) {
			set[v.Name] = stategen.Value{Any: other}
		}
	}

	return set, nil
}

// agrees returns how a run came to something else than a case says.
func agrees(d stategen.Domain, run code.Run, c TestCase) error {
	if v := run.Verdict; !v.Passed() {
		return fmt.Errorf("the program fails (%s, line %d): %s", v.Cause, v.Line, v.Text)
	}

	want, left := c.Result.Any, d.Same(run.Effects, c.StateOracle.Any)

	switch d.Name() {
	case Session:
		want, left = d.Content(nil, want), leaves(d, run.Effects, c.StateOracle.Any)
	case Voice:
		want, left = speeches(want), d.Same(run.Effects, recorder(c.StateOracle.Any))
	case Tensor:
		if t, err := tensorOf(want); err == nil {
			want = t
		}
	}

	switch {
	case !left:
		return fmt.Errorf("the calls leave %.200s, the case says %.200s", plain(run.Effects), plain(c.StateOracle.Any))
	case !d.Same(run.Content, want):
		return fmt.Errorf("RESULT is %.200s, the case says %.200s", plain(run.Content), plain(want))
	}

	return nil
}

// leaves reports whether the service holds what a case says of each source and type that it names.
func leaves(d stategen.Domain, effects, oracle any) bool {
	got := byPair(entries(effects))
	pairs, _ := d.Content(nil, oracle).(envs.Args)

	return !slices.ContainsFunc(pairs, func(pair envs.Arg) bool {
		list, _ := got.Get(pair.Name)
		all, _ := list.([]any)

		return !anyOrder.Same(append([]any{}, all...), pair.Value)
	})
}

var anyOrder = stategen.Comparison{Loose: func(string) bool { return true }}

// recorder returns the phone calls of a case, which are pairs there.
func recorder(oracle any) any {
	calls := []any{}

	list, _ := oracle.([]any)
	for _, item := range list {
		if pair, _ := item.([]any); len(pair) == 2 {
			calls = append(calls, envs.Object("speech", speeches(pair[0]), "voice_name", pair[1]))
		}
	}

	return calls
}

// plain writes a content for people.
func plain(content any) string { return pytext.JSON(December.written(content)) }

// known are values that a program has by then, by name: what the service made up is found again in them.
type known []envs.Arg

// observed returns what a program was seen to do as statements. What it took from a result is that part of it.
func observed(p *stategen.Program, run code.Run) (path stategen.Path) {
	var have known

	for _, v := range p.Init {
		if v.Role == stategen.Loaded {
			have = append(have, envs.Arg{Name: v.Name, Value: v.Value.Any})
		}
	}

	for i, made := range run.Calls {
		name, call := fmt.Sprintf("r_%d", i+1), &stategen.Call{Tool: made.Tool}
		if made.Result != nil {
			call.Assign = name
		}

		for _, arg := range made.Args {
			if arg.Value != nil { // as where it is left out
				call.Args = append(call.Args, stategen.Named{Name: arg.Name, Expr: have.expr(arg.Value)})
			}
		}

		have = append(have, envs.Arg{Name: name, Value: made.Result})
		path.Stmts = append(path.Stmts, stategen.Stmt{Call: call})
	}

	path.Result = have.expr(run.Result)

	return path
}

// expr returns the expression of a value: a literal, as far as nothing in it is known.
func (k known) expr(v any) stategen.Expr {
	bound := false
	of := func(v any) stategen.Expr {
		e := k.expr(v)
		bound = bound || e.Value == nil && e.Var != "RESULT"

		return e
	}

	var e stategen.Expr

	switch v := v.(type) {
	case nil: // which is no literal in the file of a task
		return stategen.Var("RESULT")
	case string:
		for _, value := range k {
			if path, found := handleIn(value.Value, v); found {
				return stategen.Var(value.Name, path...)
			}
		}
	case []any:
		for _, item := range v {
			e.List = append(e.List, of(item))
		}
	case envs.Args:
		for _, m := range v {
			e.Object = append(e.Object, stategen.Named{Name: m.Name, Expr: of(m.Value)})
		}
	}

	if !bound {
		return stategen.Literal(v)
	}

	for _, value := range k {
		if stategen.Equal(value.Value, v) {
			return stategen.Var(value.Name)
		}
	}

	return e
}

// handleIn returns where a result has a text as the handle or the identifier of something.
func handleIn(result any, text string) ([]string, bool) {
	switch result := result.(type) {
	case []any:
		for i, item := range result {
			if path, found := handleIn(item, text); found {
				return append([]string{fmt.Sprint(i)}, path...), true
			}
		}
	case envs.Args:
		for _, member := range []string{"tensor", "speech", "id"} {
			if handle, has := result.Text(member); has && handle == text {
				return []string{member}, true
			}
		}
	}

	return nil, false
}

// join makes a program of what runs did: that of the first case where the variables are as the program says, and that
// of the second one else.
func join(t *stategen.Task, d stategen.Domain, runs []code.Run) error {
	p := &t.Program
	paths := make([]stategen.Path, len(runs))

	for i, run := range runs {
		paths[i] = observed(p, run)
	}

	switch len(paths) {
	case 1:
		p.Main, p.Result = paths[0].Stmts, &paths[0].Result
	case 2:
		i := slices.IndexFunc(p.Init, func(v stategen.Variable) bool { return t.Cases[1].Set[v.Name].Any != nil })
		if i < 0 {
			return unplayable("no variable tells its cases apart")
		}

		p.Branch = &stategen.Branch{Test: stategen.Test{
			Left: stategen.Var(p.Init[i].Name), Right: stategen.Literal(p.Init[i].Value.Any),
		}, If: paths[0], Else: paths[1]}
	default:
		return unplayable("it has %d cases, want one or two", len(paths))
	}

	for i, c := range t.Cases {
		o, err := stategen.Replay(d, p, c, nil)
		if err == nil && !stategen.Passes(d, o, stategen.Oracle{Result: runs[i].Content, Effects: runs[i].Effects}) {
			err = errors.New("it comes to something else")
		}

		if err != nil {
			return unplayable("what it was seen to do cannot be done again: %v", err)
		}

		t.Cases[i].Path = o.Path
		t.Cases[i].Result.Any, t.Cases[i].Effects.Any = d.Record(o.Result), d.Record(o.Effects)
	}

	return nil
}

// instruction returns what a row asks for: what its agents agreed on, or its whole prompt, or what its program does.
func instruction(r Row, program string) stategen.Instruction {
	text := r.Prompt
	if text == "" {
		lines := slices.DeleteFunc(strings.Split(program, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
		text = "Do what this Python program does, which was written for the APIs as they were at first:\n" +
			strings.Join(lines, "\n")
	}

	var agents struct {
		Generator []struct {
			Content string `json:"content"`
		} `json:"generator_messages"`
	}

	if err := json.Unmarshal([]byte(r.AgentData), &agents); err == nil && len(agents.Generator) > 0 {
		text = agents.Generator[len(agents.Generator)-1].Content
	}

	var parts struct {
		Variables string `json:"user_variable_definitions"`
		Task      string `json:"task_instructions"`
	}

	if err := json.Unmarshal([]byte(text), &parts); err == nil && parts.Task != "" {
		return stategen.Instruction{Variables: parts.Variables, Text: parts.Task, Writer: Writer}
	}

	return stategen.Instruction{Text: text, Writer: Writer}
}

// Writer is who wrote the instructions of rows that others wrote.
const Writer = "stateeval"
