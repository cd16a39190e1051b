package stateeval

import (
	"encoding/json"
	"slices"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/voice"
)

// Adapt returns a task for the paper's APIs. A voice task then has the voices of the benchmark's
// library, transcripts that are objects, and the cases that result from both. The error says why
// there is no such task.
func Adapt(t *stategen.Task) (*stategen.Task, error) {
	if t.Program.APIs == stategen.Paper {
		return t, nil
	}

	if t.Program.Domain != Voice {
		next := *t
		next.Program.APIs = stategen.Paper
		return &next, nil
	}

	// As JSON, because what changes is in values and expressions anywhere in the program.
	text, err := json.Marshal(t.Program)
	if err != nil {
		return nil, err
	}

	whole, _, err := pytext.DecodeObject(string(text))
	if err != nil {
		return nil, err
	}

	// Per branch, since both may use a name, and only one of them for a transcript.
	whole = voice.Paper{}.Adapt(t.Program.Server)(whole).(envs.Args)
	main, _ := whole.Get("main")
	branch := whole.Object("branch")

	for i, m := range branch {
		branch[i].Value = envs.Map(m.Value, transcripts([]any{main, m.Value}))
	}

	for i, m := range whole {
		if m.Name != "branch" {
			whole[i].Value = envs.Map(m.Value, transcripts(main))
		}
	}

	next := &stategen.Task{ID: t.ID, Instruction: t.Instruction}
	if err := json.Unmarshal(pytext.AppendJSON(nil, whole), &next.Program); err != nil {
		return nil, err
	}

	p := &next.Program
	p.APIs, p.Server.Any = stategen.Paper, nil

	// A speech takes as long as the benchmark says, so constants are found again by running it.
	for i := range p.Init {
		switch v := &p.Init[i]; v.Role {
		case stategen.Loaded:
			speech, _ := v.Value.Any.(envs.Args)
			text, _ := speech.Text("text")
			v.Value.Any = voice.Recording(v.Name, text)
		case stategen.Constant:
			v.Value.Any = nil
		}
	}

	next.Cases, err = stategen.Cases(voice.Paper{}, p)
	return next, err
}

// transcripts returns a replacement for [envs.Map]: where statements made a transcript, which is an
// object now, its text.
func transcripts(stmts any) func(any) (any, bool) {
	var made []any

	envs.Map(stmts, func(part any) (any, bool) {
		if call, ok := part.(envs.Args); ok {
			tool, _ := call.Text("tool")
			if name, assigned := call.Text("assign"); assigned && tool == "speech_to_text" {
				made = append(made, name)
			}
		}

		return part, false
	})
	return func(part any) (any, bool) {
		e, _ := part.(envs.Args)
		if name, _ := e.Get("var"); name != nil && slices.Contains(made, name) {
			return envs.Object("var", name, "path", append([]any{"text"}, e.List("path")...)), true
		}
		return part, false
	}
}
