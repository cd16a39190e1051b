package stateeval

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/tensor"
)

// Export returns a task as a row for an evaluator. Its program is written for the surface of its
// domain; speeches have to be those of the paper's APIs, as [Adapt] makes them. own is the task
// that the row is read back as.
func Export(s *code.Surface, t, own *stategen.Task, id int, form Form) (Row, error) {
	published := *s
	published.Published = true

	row, err := export(&published, t, own, form)
	if err != nil {
		return Row{}, fmt.Errorf("stateeval: export %s: %w", t.ID, err)
	}

	row.ExampleID = id
	return row, nil
}

func export(s *code.Surface, t, own *stategen.Task, form Form) (Row, error) {
	// The published evaluator needs a base_url, even if it is told another one.
	e := Evaluator{Config: json.RawMessage("{}")}
	if s.Domain.Name() == Session {
		e.Config = json.RawMessage(`{"base_url":"http://localhost:8080"}`)
	}

	program, err := s.Render(&t.Program)
	if err != nil {
		return Row{}, err
	}

	// What the form adds to the program is in the prompt, too: models have to do the same.
	end := form.ending(s.Domain.Name(), t)

	for _, c := range t.Cases {
		one, err := form.testCase(s.Domain, &t.Program, c, program+end.Program)
		if err != nil {
			return Row{}, err
		}

		e.TestCases = append(e.TestCases, one)
	}

	evaluator, err := json.Marshal(e)
	if err != nil {
		return Row{}, err
	}

	// The row is read back as this task, which may not have been adapted to the paper's APIs.
	about, err := json.Marshal(metadata{own})
	if err != nil {
		return Row{}, err
	}
	return Row{
		Evaluator: string(evaluator), Prompt: Prompt(s, t, end.Prompt), Metadata: string(about),
	}, nil
}

// testCase runs a case and writes what exists before and after it.
func (f Form) testCase(d stategen.Domain, p *stategen.Program, c stategen.Case, program string) (
	TestCase, error,
) {
	oracle, err := stategen.Replay(d, p, c, nil)
	if err != nil {
		return TestCase{}, err
	}

	// Joined as the end of the program joins it: see forms.yaml.
	one := TestCase{Result: stategen.Value{Any: f.written(joined(oracle.Result))}, Program: program}
	if one.Info, err = f.info(d, p, c); err != nil {
		return one, err
	}

	// Tensors leave nothing behind, so that their state oracle is null.
	effects := entries(oracle.Effects)

	switch d.Name() {
	case Session:
		one.Info.InitImplicitDict.Any = numbered(entries(p.Server.Any))
		one.Info.EndImplicitList.Any = oracle.Effects
		one.StateOracle.Any = byPair(effects)
	case Voice:
		calls := make([]any, len(effects))
		for i, call := range effects {
			speech, _ := call.Get("speech")
			name, _ := call.Get("voice_name")
			calls[i] = []any{f.written(speech), name}
		}

		one.StateOracle.Any = calls
	}
	return one, nil
}

// joined returns a list of tensors as one tensor of all their elements, and anything else as it is.
func joined(content any) any {
	list, _ := content.([]any)
	whole := &tensor.Tensor{}

	for _, item := range list {
		t, isTensor := item.(*tensor.Tensor)
		if !isTensor {
			return content
		}

		whole.Data = append(whole.Data, t.Data...)
	}

	if len(list) == 0 {
		return content
	}

	whole.Shape = []int{len(whole.Data)}
	return whole
}

// info returns what exists before a case runs.
func (f Form) info(d stategen.Domain, p *stategen.Program, c stategen.Case) (ProgramInfo, error) {
	values := p.Values(c)

	state, err := d.Begin(p, values)
	if err != nil {
		return ProgramInfo{}, err
	}

	var (
		all         ProgramInfo
		local, load strings.Builder
	)

	all.InitLocalInfo = []Named{}

	// What is loaded has no literal: the row's text says what it is, its pair what is in it.
	for _, v := range p.Init {
		if v.Role == stategen.Loaded {
			fmt.Fprintf(&load, "%s = %s\n", v.Name, v.Type)
			all.InitLoadInfo = append(all.InitLoadInfo, Named{
				v.Name, stategen.Value{Any: f.written(d.Content(state, v.Name))},
			})

			continue
		}

		value := values[v.Name]
		fmt.Fprintf(&local, "%s = %s\n", v.Name, pytext.Repr(value))
		all.InitLocalInfo = append(all.InitLocalInfo, Named{v.Name, stategen.Value{Any: value}})
	}

	all.InitLocalStr = local.String()

	// Published rows have null if nothing is loaded.
	if text := load.String(); text != "" {
		all.InitLoadStr = &text
	}
	return all, nil
}

// written returns a content as the benchmark writes it.
func (f Form) written(content any) any {
	return envs.Map(content, func(part any) (any, bool) {
		switch part := part.(type) {
		case *tensor.Tensor:
			if f == December {
				return nested(part.Shape, part.Data), true
			}
			return tensor.Encode(part), true
		case envs.Args:
			if _, isSpeech := part.Get("transitions"); isSpeech {
				return part.With("is_speech", true), true
			}
		}

		return part, false
	})
}

// nested returns the elements of a tensor as nested lists.
func nested(shape []int, data []float32) any {
	if len(shape) == 0 {
		return envs.Number(strconv.FormatFloat(float64(data[0]), 'g', -1, 32))
	}

	list := make([]any, shape[0])
	for i := range list {
		part := len(data) / len(list)
		list[i] = nested(shape[1:], data[i*part:(i+1)*part])
	}

	return list
}

// numbered returns sessions by identifiers.
func numbered(sessions []envs.Args) envs.Args {
	all := make(envs.Args, len(sessions))
	for i, s := range sessions {
		all[i] = envs.Arg{Name: strconv.Itoa(i), Value: s}
	}
	return all
}

// byPair returns sessions by "source||type".
func byPair(sessions []envs.Args) envs.Args {
	groups := map[string][]any{}

	for _, s := range sessions {
		source, _ := s.Text("source")
		kind, _ := s.Text("type")
		pair := source + "||" + kind
		groups[pair] = append(groups[pair], s)
	}

	all := envs.Args{}
	for _, pair := range slices.Sorted(maps.Keys(groups)) {
		all = all.With(pair, groups[pair])
	}
	return all
}

// entries returns the objects in a list, or in an object.
func entries(v any) []envs.Args {
	var items []any

	switch v := v.(type) {
	case []any:
		items = v
	case envs.Args:
		for _, m := range v {
			items = append(items, m.Value)
		}
	}

	var objects []envs.Args

	for _, item := range items {
		if o, ok := item.(envs.Args); ok {
			objects = append(objects, o)
		}
	}

	return objects
}
