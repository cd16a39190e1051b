package instruct

import (
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

func TestCheck(t *testing.T) {
	const definitions = "- `user_variable_0`: a text\n- `user_variable_1`: a category\n- `user_constant_0`: a number\n"

	task := &stategen.Task{
		Program: stategen.Program{
			Domain: "voice",
			Init: []stategen.Variable{
				variable("user_variable_0", stategen.User, "a text", "The ferry leaves at nine."),
				variable("user_variable_1", stategen.User, "a category", "narration"),
				variable("user_constant_0", stategen.Constant, "a number", envs.Number("7")),
				variable("user_variable_2", stategen.User, "a letter of 3 kinds", "a"),
			},
			Main: []stategen.Stmt{
				call("r_1", "search_voice_library", arg("search_category", stategen.Var("user_variable_1"))),
				call("r_2", "text_to_speech", arg("text", stategen.Var("user_variable_0")), arg("stability",
					number("0.5")),
					arg("voice_name", stategen.Literal("The Old Sailor"))),
			},
			Result: &stategen.Expr{Var: "r_2"},
		},
		Cases: []stategen.Case{{Path: "main"},
			{Set: map[string]stategen.Value{"user_constant_0": {Any: envs.Number("8")}}}},
	}

	const all = definitions + "- `user_variable_2`: a letter of 3 kinds"

	for _, c := range []struct {
		name, variables, text string
		want                  string // part of what is wrong; "" is nothing
	}{
		{"whole", all, "Say `user_variable_0` in a voice of `user_variable_1`.", ""},
		{"without backticks", all, "Say user_variable_0 in a voice of user_variable_1.", ""},
		{"a literal", all, `Say user_variable_0 as "The Old Sailor", 0.5 stable, in a voice of user_variable_1.`, ""},
		{"no definition", definitions, "Say user_variable_0 in a voice of user_variable_1.", "user_variable_2"},
		{"not used", all, "Say `user_variable_0` in a voice of the category.",
			"does not name the variable user_variable_1"},
		{"a longer name", all, "Say `user_variable_0` in `user_variable_10`.",
			"does not name the variable user_variable_1"},
		{"the text", all, "Say `user_variable_0`, the ferry leaves at nine., `user_variable_1`.",
			"user_variable_0 is shown"},
		{"a word in quotes", all, "Say `user_variable_0` by `user_variable_1`. It is a \"narration\".", "narration"},
		{"a word beside it", all, "Say `user_variable_0`. Take narration for `user_variable_1`.", "narration"},
		{"a word elsewhere", all, "Say `user_variable_0`, of `user_variable_1`. It is for a narration.", ""},
		{"a number elsewhere", all, "Say `user_variable_0`, 7 times, of `user_variable_1`.", ""},
		{"a number in its definition", strings.Replace(all, "a number", "the number 7", 1),
			"Say user_variable_0 of user_variable_1.", `user_constant_0 is shown: "7"`},
		{"that of another case", strings.Replace(all, "a number", "first 8", 1),
			"Say user_variable_0 of user_variable_1.", `user_constant_0 is shown: "8"`},
		{"a longer number", strings.Replace(all, "a number", "not 7.5 or 17", 1),
			"Say user_variable_0 of user_variable_1.", ""},
		{"points of a list", strings.ReplaceAll(all, "- `user_c", "7. `user_c"),
			"Say user_variable_0 of user_variable_1.", ""},
		{"a letter", all, "Say user_variable_0 of user_variable_1 and a user_variable_2.", ""},
		{"a letter in quotes", all, "Say user_variable_0 of user_variable_1. 'a'.", `user_variable_2 is shown`},
	} {
		t.Run(c.name, func(t *testing.T) {
			task.Instruction = stategen.Instruction{Variables: c.variables, Text: c.text}

			err := Check(task)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// An object of the service has its own name as its value.
func TestHandlesAreNoSecret(t *testing.T) {
	task := tensorTask()
	task.Instruction = stategen.Instruction{
		Variables: "- `user_tensor_0`: a tensor of shape (3, 4, 8, 8)\n- `user_tensor_1`: a tensor\n" +
			"- `user_constant_0`: an integer",
		Text: "Convolve `user_tensor_0` with `user_tensor_1`. If dimension 1 is `user_constant_0`, ...",
	}

	if err := Check(task); err != nil {
		t.Error(err)
	}
}
