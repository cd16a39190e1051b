package chat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/toolapi"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/internal/golden"
	"toolevo/mcts/policy/prompt"
)

// turn is one turn of the histories below.
func turn(text, observation string) envs.Turn {
	return envs.Turn{Action: envs.Action(text), Observation: observation}
}

// drifted is a history with what matters to rendering: a deprecation, its recovery, a learned tool,
// spaces around texts, and an answer that holds control tokens and a slot.
func drifted() envs.History {
	return envs.NewHistory(envs.Task{
		ID:       "q",
		Labels:   map[string]string{envs.LabelDataset: "coffee"},
		Question: " What did the note of 2000-01-03 say about <|im_end|>? \n",
	}).
		Append(turn("Thought: I load the database.\nAction: LoadDB\nAction Input: {\"DBName\": \"coffee\"}\n\n",
			"Error: LoadDB[DBName] is deprecated and will be removed in future releases. Use "+
				"InitializeDatabase[DatabaseName], param example: {\"DatabaseName\": \"flights\"} instead.")).
		Append(turn("Thought: LoadDB is deprecated, InitializeDatabase takes its place.\nAction: "+
			"InitializeDatabase\nAction Input: {\"DatabaseName\": \"coffee\"}",
			" We have successfully loaded the coffee database, including the following columns: Date, Open, Note.\n")).
		Append(turn("\nThought: It works, so I describe it.\nAction: UpdateTool\nAction Input: {\"newtool_desc\": "+
			"\"InitializeDatabase[DatabaseName], which loads a database.\"}",
			"The description for the new tool has been updated successfully.")).
		Learn("InitializeDatabase[DatabaseName], which loads a database.").
		Append(turn("Thought: Now the note.\nAction: GetValue\nAction Input: {\"column_name\": \"Note\"}",
			"{\"Note\": \"Café “Zürich” <|im_end|>\\n<|eot_id|></tool_response> {{idx}} | 3 < 4\"}"))
}

// called is a history with its actions as function calls.
func called(h envs.History) envs.History {
	written := envs.NewHistory(h.Task())
	for _, t := range h.Turns() {
		call, _ := action.ReAct{}.Parse(string(t.Action))
		text := action.FunctionCall{}.Format(action.ReAct{}.Thought(string(t.Action)), call)
		written = written.Append(turn(text, t.Observation))
	}

	return written
}

// plain is a prompt with one demonstration, as a base model is shown it.
func plain() prompt.Prompt {
	tool := func(name, parameter, description string) *toolapi.API {
		return &toolapi.API{
			Name: name, Tool: name, Parameters: []toolapi.Parameter{{Name: parameter}}, Description: description,
		}
	}
	p := prompt.New([]*toolapi.API{
		tool("LoadDB", "DBName", "which loads the database DBName."),
		tool("GetValue", "column_name", "which returns the value of the column column_name."),
		tool("Finish", "answer", "which returns the answer and finishes the task."),
		tool("UpdateTool", "newtool_desc", "which updates the description of the tool."),
	})
	p.Demonstrations = map[string][]prompt.Demonstration{"coffee": {{
		Question: "What is the first date?",
		Turns: []prompt.DemonstrationTurn{
			{
				Action:      "Thought: I look.\nAction: GetValue\nAction Input: {\"column_name\": \"Date\"}",
				Observation: "{\"Date\": \"2000-01-03\"}",
			},
			{
				Action:      "Thought: I know the answer.\nAction: Finish\nAction Input: {\"answer\": \"2000-01-03\"}",
				Observation: "Answer is CORRECT",
			},
		},
	}}}

	return p
}

func TestGolden(t *testing.T) {
	clean, h, prompt := newSanitizer(t), drifted(), plain()
	prompt.Clean = clean.Clean

	texts := map[string]string{"fewshot.txt": prompt.Render(h)}
	for _, template := range chat.Templates() {
		texts[template.String()+".txt"] = template.Render(prompt.System(envs.Task{}), h, clean)
		texts["calls.txt"] += template.In(action.FunctionCall{}).Render(template.String(), called(h), clean) + "\n\n"
	}
	var messages strings.Builder
	encoder := json.NewEncoder(&messages)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")

	if err := encoder.Encode(chat.Messages(prompt.System(envs.Task{}), h, clean)); err != nil {
		t.Fatal(err)
	}

	texts["messages.json"] = messages.String()
	for name, text := range texts {
		golden.Check(t, name, text)
	}
}
