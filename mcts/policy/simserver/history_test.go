package simserver_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
	"toolevo/mcts/policy/prompt"
	"toolevo/mcts/policy/simserver"
)

// chatOf shows a history as messages: observations in a role, under a marker or without.
func chatOf(p prompt.Prompt, h envs.History, role, marker string) []string {
	pairs := []string{"system", p.System(envs.Task{}), "user", prompt.QuestionText(h.Task().Question)}
	for _, t := range h.Turns() {
		pairs = append(pairs, "assistant", string(t.Action), role, marker+t.Observation)
	}
	return pairs
}

// llama3 and qwen render messages as these models' templates do.
func llama3(pairs []string) string {
	text := "<|begin_of_text|>"
	for i := 0; i < len(pairs); i += 2 {
		text += "<|start_header_id|>" + pairs[i] + "<|end_header_id|>\n\n" + pairs[i+1] + "<|eot_id|>"
	}
	return text + "<|start_header_id|>assistant<|end_header_id|>\n\n"
}

func qwen(pairs []string) string {
	text := ""

	for i := 0; i < len(pairs); i += 2 {
		content := pairs[i+1]
		if i >= 4 && pairs[i] == "user" {
			content = "<tool_response>\n" + content + "\n</tool_response>"
		}

		text += "<|im_start|>" + pairs[i] + "\n" + content + "<|im_end|>\n"
	}
	return text + "<|im_start|>assistant\n"
}

// forms are all the ways in which a history reaches the server.
func forms(p prompt.Prompt, h envs.History) map[string]func() envs.History {
	stable, paper := p, p
	stable.Layout, paper.Layout = prompt.Stable, prompt.Paper
	bare := stable
	bare.Demonstrations = nil
	text := func(s string) func() envs.History {
		return func() envs.History { return simserver.ReadText(p.Codec, s) }
	}
	chat := func(pairs []string) func() envs.History {
		return func() envs.History { return simserver.ReadChat(p.Codec, pairs...) }
	}

	return map[string]func() envs.History{
		"stable": text(stable.Render(h)), "paper": text(paper.Render(h)), "zero-shot": text(bare.Render(h)),
		"llama3":         text(llama3(chatOf(p, h, "ipython", ""))),
		"llama3, marked": text(llama3(chatOf(p, h, "user", "Observation: "))),
		"qwen":           text(qwen(chatOf(p, h, "user", ""))), "chat": chat(chatOf(p, h, "observation", "")),
		"chat, users only": chat(chatOf(p, h, "user", "Observation: ")),
		"chat, one prompt": chat([]string{"user", stable.Render(h)}),
		"own template":     text(simserver.RenderChat(chatOf(p, h, "tool", "")...)),
	}
}

// What is read out of a prompt makes the policy say what the history itself makes it say: at every
// point of runs of every profile in every version, in every form a prompt has.
func TestReadHistoriesAreAsGood(t *testing.T) {
	seen := map[envs.Outcome]int{}

	type world struct {
		version string
		codec   action.Codec
	}

	worlds := []world{{"p_s_in", action.FunctionCall{}}}
	for _, version := range versions {
		worlds = append(worlds, world{version, action.ReAct{}})
	}

	for _, w := range worlds {
		env, prompt := environmentOf(t, w.version, w.codec)

		prompt = demonstrated(t, prompt)
		for _, profile := range []string{"reader", "noisy", "stale"} {
			t.Run(w.version+"/"+w.codec.String()+"/"+profile, func(t *testing.T) {
				p := profiledIn(t, profile, w.codec)
				for seed := range uint64(5) {
					for i, h := range histories(t, env, p, seed, seed == 0) {
						for form, read := range forms(prompt, h) {
							sameProposals(t, fmt.Sprintf("seed %d, turn %d, %s", seed, i, form), p, h, read())
						}

						if last, ok := h.Last(); ok {
							seen[last.Outcome]++
						}
					}
				}
			})
		}
	}

	for _, o := range []envs.Outcome{envs.OK, envs.Malformed, envs.InvocationError, envs.Deprecated, envs.ToolError} {
		if seen[o] < 5 {
			t.Errorf("the runs saw %d turns that ended with %s: too few to show anything", seen[o], o)
		}
	}
}

func sameProposals(t *testing.T, what string, p mcts.Policy, want, got envs.History) {
	t.Helper()

	for _, r := range []mcts.Request{{N: 3, Seed: 7}, {N: 1, Greedy: true}} {
		r.History = want

		a, err := p.Propose(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}

		r.History = got

		b, err := p.Propose(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatalf("%s (-history +read):\n%s\nread: %q", what, diff, got.Turns())
		}
	}
}

// The runs above do not meet every wording; these are the published ones, and texts that only look
// like one.
func TestOutcomeOfWording(t *testing.T) {
	for text, want := range map[string]envs.Outcome{
		"Invalid Action. Valid Actions are LoadDB[<DBName>] and " +
			"Finish[<answer>].": envs.InvalidAction,
		"argument error: Expecting ',' delimiter: line 1 column 9 (char 8)": envs.InvocationError,
		"There is something wrong with your command you send. Please " +
			"modify it.": envs.InvocationError,
		"There is something wrong with the params you send. Please modify " +
			"it.": envs.InvocationError,
		"expected string or bytes-like object, got 'int'": envs.InvocationError,
		"Please first load the relevant database using `LoadDB` before " +
			"proceeding with `GetValue`.": envs.ToolError,
		"The SQL command ran longer than 5s and was stopped. Please modify " +
			"it.": envs.ToolError,
		"You should print the variable you want to obtain the python " +
			"result.": envs.ToolError,
		"1\n2\nZeroDivisionError: division by zero":           envs.ToolError,
		"TimeoutError: the code ran too long and was stopped": envs.ToolError,
		"Date: 2000-01-03\n[The output was cut after 2 rows. Please ask " +
			"for less.]": envs.ToolError,
		"There is no edge between the two nodes. Please modify it.": envs.ToolError,
		"Error: LoadDB[DBName] is deprecated. Please use InitDB[Name], " +
			"param example: {\"Name\": \"f\"} instead.": envs.Deprecated,
		"Answer is CORRECT":                 envs.Correct,
		"Answer is INCORRECT":               envs.Incorrect,
		"The Error: of prediction is 3":     envs.OK,
		"the node is deprecated":            envs.OK,
		"ValueError: x\nbut it went on, 12": envs.OK,
		"":                                  envs.OK,
	} {
		h := simserver.ReadText(action.ReAct{},
			"Question: q\n\nThought: x\nAction: A\nAction Input: {\"a\": 1}\n\nObservation: "+
				text+"\n\n")

		last, ok := h.Last()
		if !ok || last.Outcome != want || last.Observation != text {
			t.Errorf("%q read as %s of %q, want %s", text, last.Outcome, last.Observation, want)
		}
	}
}

// A text that is not a prompt is a question, one without an end too.
func TestAnyTextIsAQuestion(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "Count to three.": "Count to three.", "Question: a?": "a?", "Question: a?\n\nThought: b": "a?",
		"x\n\nQuestion: a?\n\nQuestion: b?\n\n": "b?",
	} {
		if got := simserver.ReadText(action.ReAct{}, text); got.Task().Question != want || got.Len() != 0 {
			t.Errorf("%q: question %q, %d turns", text, got.Task().Question, got.Len())
		}
	}

	if h := simserver.ReadChat(action.ReAct{}, "user", "Question: q", "assistant", "Thought: a", "assistant",
		"Thought: b", "user",
		"o"); h.Len() != 2 {
		t.Errorf("a lost observation: %d turns, want 2", h.Len())
	}

	if h := simserver.ReadChat(action.ReAct{}, "user", "Question: q", "assistant", "a", "user", "o", "user",
		"Question: r"); h.Len() != 0 || h.Task().Question != "r" {
		t.Errorf("a demonstration before the question: %d turns of %q", h.Len(), h.Task().Question)
	}
}

func FuzzReadText(f *testing.F) {
	env, p := environment(f, "p_s_in")
	all := histories(f, env, profiled(f, "noisy"), 3, false)
	f.Add(p.Render(all[len(all)-1]))
	f.Add(llama3(chatOf(p, all[len(all)-1], "ipython", "")))
	f.Add(qwen(chatOf(p, all[len(all)-1], "user", "")))
	f.Add("Question: q\n\nThought: \n\nObservation: \n\nObservation: ")
	reader := profiled(f, "noisy")
	f.Fuzz(func(t *testing.T, text string) {
		h := simserver.ReadText(action.ReAct{}, text)
		if n := strings.Count(text, "Observation:") + strings.Count(text, "<|"); h.Len() > n {
			t.Fatalf("%d turns in %q", h.Len(), text)
		}

		if _, err := reader.Propose(t.Context(), mcts.Request{History: h, N: 1}); err != nil {
			t.Fatal(err)
		}
	})
}
