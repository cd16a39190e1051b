package code

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"toolevo/envs"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// toy is a domain of plain functions: write makes a note, join makes one of several, post puts one
// up for good.
type toy struct{ panics bool }

func (toy) Name() string                    { return "toy" }
func (toy) Counted() []string               { return []string{"write", "join", "post"} }
func (toy) Splits(int) []int                { panic("toy programs are written by hand") }
func (toy) Init(*rand.Rand) stategen.Schema { panic("toy programs are written by hand") }
func (toy) Record(v any) any                { return v }

func typed(name, kind string, more ...envs.Arg) toolapi.Parameter {
	return toolapi.Parameter{Name: name, Schema: append(envs.Args{{Name: "type", Value: kind}}, more...)}
}

func optional(p toolapi.Parameter) toolapi.Parameter {
	p.Optional = true
	return p
}

func (toy) APIs() []toolapi.APISpec {
	texts := envs.Arg{Name: "items", Value: envs.Args{{Name: "type", Value: "string"}}}
	walls := envs.Arg{Name: "enum", Value: []any{"north", "south", "east", "west"}}
	return []toolapi.APISpec{
		{Name: "write", Description: "which writes a note.", Parameters: toolapi.Parameters{All: []toolapi.Parameter{
			typed("text", "string"), optional(typed("size", "integer")),
		}}},
		{Name: "join", Description: "which joins notes.", Parameters: toolapi.Parameters{All: []toolapi.Parameter{
			typed("notes", "array", texts), typed("between", "string"),
		}}},
		{Name: "post", Description: "which puts up a note.", Parameters: toolapi.Parameters{All: []toolapi.Parameter{
			typed("note", "string"), typed("wall", "string", walls),
		}}},
	}
}

// board is the notes there are, and those put up.
type board struct {
	texts  []string
	posted []any
}

func (toy) Begin(*stategen.Program, map[string]any) (stategen.State, error) {
	return board{posted: []any{}}, nil
}

func (toy) Call(s stategen.State, tool string, args envs.Args) (stategen.State, any, error) {
	b := s.(board)

	var text string

	switch tool {
	case "write":
		text, _ = args.Text("text")
		if size, ok := args.Get("size"); ok {
			text += fmt.Sprintf(" (%v)", size)
		}
	case "join":
		notes, _ := args.Get("notes")
		between, _ := args.Text("between")

		for i, handle := range notes.([]any) {
			part, ok := b.text(handle)
			if !ok {
				return nil, nil, stategen.RefuseState("there is no note %v", handle)
			}

			if i > 0 {
				text += between
			}

			text += part
		}
	case "post":
		handle, _ := args.Get("note")
		wall, _ := args.Text("wall")

		posted, ok := b.text(handle)
		if !ok {
			return nil, nil, stategen.RefuseState("there is no note %v", handle)
		}

		b.posted = append(slices.Clone(b.posted), wall+": "+posted)
		return b, nil, nil
	}

	b.texts = append(slices.Clone(b.texts), text)
	return b, envs.Args{
		{Name: "speech", Value: fmt.Sprint("note_", len(b.texts))}, {Name: "text", Value: text},
	}, nil
}

func (b board) text(handle any) (string, bool) {
	name, _ := handle.(string)
	for i, text := range b.texts {
		if name == fmt.Sprint("note_", i+1) {
			return text, true
		}
	}

	return "", false
}

func (t toy) Content(s stategen.State, v any) any {
	if t.panics {
		panic("no comparison")
	}

	if text, ok := s.(board).text(v); ok {
		return text
	}

	if list, ok := v.([]any); ok {
		content := make([]any, len(list))
		for i, item := range list {
			content[i] = t.Content(s, item)
		}
		return content
	}
	return v
}

func (toy) Effects(s stategen.State) any { return s.(board).posted }
func (toy) Same(got, want any) bool      { return stategen.Equal(got, want) }

func call(assign, tool string, args ...stategen.Named) stategen.Stmt {
	return stategen.Stmt{Call: &stategen.Call{Assign: assign, Tool: tool, Args: args}}
}

func arg(name string, e stategen.Expr) stategen.Named { return stategen.Named{Name: name, Expr: e} }

func list(items ...stategen.Expr) stategen.Expr { return stategen.Expr{List: items} }

// hard is a text that Python quotes with care.
var hard = stategen.Value{Any: "It's \"so\" – 'yes'.\n"}

// toyTask writes two notes, joins them where the first says what the user expects, and posts what
// came of it.
func toyTask() *stategen.Task {
	note := stategen.Var("r_1", "speech")
	return &stategen.Task{
		ID: "toy-1-00000",
		Program: stategen.Program{
			Domain: "toy",
			Init: []stategen.Variable{
				{Name: "user_variable_0", Role: stategen.User, Value: hard},
				{Name: "user_variable_1", Role: stategen.User, Value: stategen.Value{Any: envs.Args{
					{Name: "wall", Value: "north"}, {Name: "size", Value: envs.Number("12")},
				}}},
				{Name: "user_constant_0", Role: stategen.Constant, Value: hard},
			},
			Main: []stategen.Stmt{
				call("r_1", "write", arg("text", stategen.Var("user_variable_0"))),
				call("r_2", "write", arg("text", stategen.Literal("second")),
					arg("size", stategen.Var("user_variable_1", "size"))),
			},
			Branch: &stategen.Branch{
				Test: stategen.Test{Left: stategen.Var("r_1", "text"), Right: stategen.Var("user_constant_0")},
				If: stategen.Path{
					Stmts: []stategen.Stmt{
						call("r_3", "join", arg("notes", list(note, stategen.Var("r_2", "speech"))),
							arg("between", stategen.Literal(" + "))),
						call("", "post", arg("note", stategen.Var("r_3", "speech")),
							arg("wall", stategen.Var("user_variable_1", "wall"))),
					},
					Result: stategen.Var("r_3", "speech"),
				},
				Else: stategen.Path{
					Stmts: []stategen.Stmt{
						call("", "post", arg("note", note), arg("wall", stategen.Literal("south"))),
					},
					Result: list(note, stategen.Var("r_2", "speech")),
				},
			},
		},
		Cases: []stategen.Case{
			{Path: "if"},
			{Path: "else", Set: map[string]stategen.Value{"user_constant_0": {Any: "no"}}},
		},
	}
}

// catalog returns the tools of a domain as the version p_c.
func catalog(t testing.TB, domains ...stategen.Domain) *toolapi.Catalog {
	t.Helper()

	base := &toolapi.Spec{
		Version: "p_c", Base: true,
		Messages: toolapi.Messages{Deprecated: "{{.Old.Name}} is now {{.Signature}}", Invalid: "no such API"},
	}

	for _, d := range domains {
		base.APIs = append(base.APIs, d.APIs()...)
	}

	for name, parameter := range map[string]string{envs.FinishTool: "answer", envs.UpdateTool: "newtool_desc"} {
		base.APIs = append(base.APIs, toolapi.APISpec{
			Name: name, Description: "which is the agent's.",
			Parameters: toolapi.Parameters{All: []toolapi.Parameter{{Name: parameter}}},
		})
	}

	c, err := toolapi.NewCatalog(base)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
