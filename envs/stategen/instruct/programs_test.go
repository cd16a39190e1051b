package instruct

import (
	"toolevo/envs"
	"toolevo/envs/stategen"
)

// Programs by hand, one for each domain.

func call(assign, tool string, args ...stategen.Named) stategen.Stmt {
	return stategen.Stmt{Call: &stategen.Call{Assign: assign, Tool: tool, Args: args}}
}

func arg(name string, e stategen.Expr) stategen.Named { return stategen.Named{Name: name, Expr: e} }

func number(text string) stategen.Expr { return stategen.Literal(envs.Number(text)) }

func numbers(texts ...string) stategen.Expr {
	all := make([]any, len(texts))
	for i, text := range texts {
		all[i] = envs.Number(text)
	}
	return stategen.Literal(all)
}

func exprs(all ...stategen.Expr) stategen.Expr { return stategen.Expr{List: all} }

func variable(name string, role stategen.Role, kind string, value any) stategen.Variable {
	return stategen.Variable{Name: name, Role: role, Type: kind, Value: stategen.Value{Any: value}}
}

func tensorTask() *stategen.Task {
	v := stategen.Var
	return &stategen.Task{ID: "tensor-1-00000", Program: stategen.Program{
		Domain: "tensor",
		Init: []stategen.Variable{
			variable("user_tensor_0", stategen.Loaded, "a tensor of shape (3, 4, 8, 8)", "user_tensor_0"),
			variable("user_tensor_1", stategen.Loaded, "a tensor of shape (5, 4, 3, 3)", "user_tensor_1"),
			variable("user_constant_0", stategen.Constant, "an integer", envs.Number("7")),
		},
		Main: []stategen.Stmt{
			call("r_1", "transpose", arg("input", v("user_tensor_0")), arg("dim0", number("2")), arg("dim1",
				number("3"))),
			call("r_2", "conv2d", arg("input", v("r_1", "tensor")), arg("weight", v("user_tensor_1")),
				arg("stride", number("1")), arg("padding", stategen.Literal("same")), arg("dilation", number("1"))),
		},
		Branch: &stategen.Branch{
			Test: stategen.Test{Left: v("r_2", "shape", "1"), Right: v("user_constant_0")},
			If: stategen.Path{
				Stmts: []stategen.Stmt{
					call("r_3", "split", arg("input", v("r_2", "tensor")),
						arg("split_size_or_sections", numbers("2", "3")), arg("dim", number("1"))),
					call("r_4", "cat", arg("tensors", exprs(v("r_3", "0", "tensor"), v("r_3", "1", "tensor"))),
						arg("dim", number("1"))),
				},
				Result: exprs(v("r_4", "tensor"), v("r_3", "1", "tensor")),
			},
			Else: stategen.Path{
				Stmts: []stategen.Stmt{
					call("r_3", "permute", arg("input", v("r_2", "tensor")), arg("dims", numbers("2", "3", "0", "1"))),
				},
				Result: v("r_3", "tensor"),
			},
		},
	}}
}

func voiceTask() *stategen.Task {
	v := stategen.Var
	return &stategen.Task{ID: "voice-1-00000", Program: stategen.Program{
		Domain: "voice",
		Init: []stategen.Variable{
			variable("user_variable_0", stategen.User, "a text", "The ferry leaves at nine. Be early."),
			variable("user_variable_1", stategen.User, "the category of a voice", "narration"),
			variable("user_constant_0", stategen.Constant, "a text", "Ada"),
		},
		Main: []stategen.Stmt{
			call("r_1", "search_voice_library", arg("search_category", v("user_variable_1")),
				arg("search_gender", stategen.Literal("female"))),
		},
		Branch: &stategen.Branch{
			Test: stategen.Test{Left: v("r_1"), Any: []string{"voice_name"}, Right: v("user_constant_0")},
			If: stategen.Path{
				Stmts: []stategen.Stmt{
					call("r_2", "text_to_speech", arg("text", v("user_variable_0")),
						arg("voice_name", v("user_constant_0")), arg("stability", number("0.5"))),
					call("", "make_outbound_call", arg("input_speech", v("r_2", "speech")),
						arg("voice_name", v("user_constant_0"))),
				},
				Result: v("r_2", "speech"),
			},
			Else: stategen.Path{
				Stmts: []stategen.Stmt{
					call("r_2", "text_to_speech", arg("text", v("user_variable_0"))),
					call("r_3", "speech_to_text", arg("input_speech", v("r_2", "speech"))),
				},
				Result: v("r_3"),
			},
		},
	}}
}

func sessionTask() *stategen.Task {
	v := stategen.Var

	object := envs.Args{
		{Name: "source", Value: "portal_eu"},
		{Name: "type", Value: "group"},
		{Name: "data", Value: envs.Args{
			{Name: "title", Value: "Lung cohort"}, {Name: "members", Value: "12"},
		}},
	}
	of := func(name string) []stategen.Named {
		return []stategen.Named{arg("source", v(name, "source")), arg("type", v(name, "type"))}
	}

	return &stategen.Task{ID: "session-1-00000", Program: stategen.Program{
		Domain: "session",
		Init: []stategen.Variable{
			variable("user_variable_0", stategen.User, "a session that is not on the server", object),
			variable("user_variable_1", stategen.User, "a text", "Breast cohort"),
		},
		Main: []stategen.Stmt{
			{Edit: &stategen.Edit{Var: "user_variable_0", Path: []string{"data", "title"}, To: v("user_variable_1")}},
			{Edit: &stategen.Edit{Var: "user_variable_0", Path: []string{"data", "members"},
				To: stategen.Literal("40")}},
			call("r_1", "add_session", append(of("user_variable_0"), arg("data", v("user_variable_0", "data")))...),
			call("r_2", "query_sessions", append(of("user_variable_0"), arg("field", stategen.Literal("data.title")),
				arg("value", v("user_variable_1")))...),
			{Each: &stategen.Each{
				Item: "item", In: v("r_2"),
				Where: stategen.Test{Left: v("item", "data", "members"), Right: v("user_variable_0", "data",
					"members")},
				Do: stategen.Call{Tool: "delete_session", Args: []stategen.Named{
					arg("source", v("item", "source")), arg("type", v("item", "type")), arg("id", v("item", "id")),
				}},
			}},
			call("r_3", "list_sessions", of("user_variable_0")...),
		},
		Result: &stategen.Expr{Var: "r_3"},
	}}
}

func allTasks() []*stategen.Task { return []*stategen.Task{sessionTask(), tensorTask(), voiceTask()} }
