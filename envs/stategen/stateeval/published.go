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

// Unplayable is why a row that others wrote makes no task.
type Unplayable struct{ Reason string }

// Error implements error.
func (u *Unplayable) Error() string { return u.Reason }

func unplayable(format string, args ...any) error {
	return &Unplayable{fmt.Sprintf(format, args...)}
}

// Play returns the task of a row that others wrote, for the paper's set of APIs. Its program runs
// in every case, and has to do what the row says; what it does there becomes the statements of the
// task. graders has one for each domain. An [Unplayable] says why there is no task; any other error
// is a failure to find out.
func Play(ctx context.Context, graders func(domain string) (*code.Grader, error), r Row) (
	*stategen.Task, error,
) {
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
		ID:          fmt.Sprintf("stateeval-%s-%d", p.Domain, r.ExampleID),
		Instruction: instruction(r, p.Python),
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

		// A task whose own program fails would count every right answer as wrong.
		if err := checkRun(g.Surface.Domain, run, c); err != nil {
			return nil, unplayable("case %d: %v", i+1, err)
		}

		// One of several cases with the same values is enough.
		if i > 0 && len(set) == 0 {
			continue
		}

		runs, task.Cases = append(runs, run), append(task.Cases, one)
	}

	task.Program = *p
	return task, join(task, g.Surface.Domain, runs)
}

// program returns the program of a row without statements: what exists at its start.
func program(domain string, c TestCase) (*stategen.Program, error) {
	p := &stategen.Program{Domain: domain, APIs: stategen.Paper, Python: c.Program}

	values, err := declared(c.Info.InitLocalStr)
	if err != nil {
		return nil, err
	}

	// Only the names tell which variables a condition compares with.
	for _, v := range values {
		role := stategen.User
		if strings.HasPrefix(v.Name, "user_constant") || strings.HasPrefix(v.Name, "condition") {
			role = stategen.Constant
		}

		p.Init = append(p.Init, stategen.Variable{
			Name: v.Name, Role: role, Type: "a value", Value: stategen.Value{Any: v.Value},
		})
	}

	// Sessions are not loaded: they are in the service from the start.
	if domain == Session {
		p.Server.Any, err = start(c)
		return p, err
	}

	// Handles are the names of variables, as in every program.
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

// declared reads the assignments before a program, with RESULT as null, whatever they assign to it.
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

// start returns the sessions that the service has at the start.
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

// tensorOf reads a tensor as either evaluator writes it.
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

// speeches returns a value with the speeches in it as the service has them.
func speeches(v any) any {
	return envs.Map(v, func(part any) (any, bool) {
		if object, isObject := part.(envs.Args); isObject {
			isMark := func(m envs.Arg) bool { return m.Name == "is_speech" }
			return slices.DeleteFunc(slices.Clone(object), isMark), false
		}
		return part, false
	})
}

// changed returns the variables whose values in a case differ from the program's.
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

// instruction returns what a row asks for: what its agents agreed on, or its whole prompt, or the
// program itself.
func instruction(r Row, program string) stategen.Instruction {
	// A blank line in the program would end the question in a prompt.
	text := r.Prompt
	if text == "" {
		isBlank := func(line string) bool { return strings.TrimSpace(line) == "" }
		lines := slices.DeleteFunc(strings.Split(program, "\n"), isBlank)
		text = "Do what this Python program does, which was written for the APIs as they were at first:\n" +
			strings.Join(lines, "\n")
	}

	var agents struct {
		Generator []struct {
			Content string `json:"content"`
		} `json:"generator_messages"`
	}

	// Rows that no agents wrote have nothing to read here. The last message is what was agreed on.
	err := json.Unmarshal([]byte(r.AgentData), &agents)
	if said := agents.Generator; err == nil && len(said) > 0 {
		text = said[len(said)-1].Content
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

// Writer is the writer of the instructions in rows that others wrote.
const Writer = "stateeval"
