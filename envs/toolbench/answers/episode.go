package answers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
)

// Episode is an episode of an evaluation of the suite toolbench, as episodes.jsonl has it.
type Episode struct {
	QuestionID string  `json:"question_id"` // e.g. "G1_instruction-588"
	Question   string  `json:"question"`    // the query
	Tools      string  `json:"tools"`       // the functions, a JSON list
	Policy     string  `json:"policy"`
	API        string  `json:"deployed_api"`
	Lost       *string `json:"lost"`
	Repeat     int     `json:"repeat"`
	Turns      []Turn  `json:"turns"`
}

// Turn is a turn of an episode.
type Turn struct {
	Action      string       `json:"action"`
	API         string       `json:"api"` // the name as written; "" if none can be read
	Key         string       `json:"key"` // the name and the arguments
	Observation string       `json:"observation"`
	Outcome     envs.Outcome `json:"outcome"`
}

// Answer returns the episode as an answer.
func (e *Episode) Answer() (*Answer, error) {
	if e.Tools == "" {
		return nil, fmt.Errorf("the question %s has no functions: it is not of the suite toolbench", e.QuestionID)
	}

	a := &Answer{Query: e.Question, Method: e.Policy, Nodes: start()}

	var err error
	if a.Functions, err = functionsOf(e.Tools); err != nil {
		return nil, fmt.Errorf("the functions of %s: %w", e.QuestionID, err)
	}

	for i := range e.Turns {
		nodes := e.Turns[i].nodes()
		a.Nodes = append(a.Nodes, nodes...)

		if n := nodes[len(nodes)-1]; n.Call.Name == finish && e.Turns[i].Outcome.Ends() {
			a.Final = n.Call.Arguments
		}
	}
	return a, nil
}

// Query returns the group and the ID of the query that an episode is about.
func (e *Episode) Query() (group, id string, err error) {
	i := strings.LastIndexByte(e.QuestionID, '-')
	if i < 0 {
		return "", "", fmt.Errorf("%q is not a query of ToolBench", e.QuestionID)
	}
	return e.QuestionID[:i], e.QuestionID[i+1:], nil
}

// nodes returns the turn as nodes: one for each call that was run, or one of a text.
func (t *Turn) nodes() (all []Node) {
	calls, results := action.Played(t.Key, t.Observation, t.Outcome)

	for i, line := range calls {
		name, input, ok := action.CutKey(line)
		outcome, last := envs.OK, i == len(calls)-1

		if t.API == "" || !ok || last && name != t.API {
			return []Node{{Role: roleAssistant, Text: t.Action}}
		}

		if last {
			outcome = t.Outcome
		}

		all = append(all, nodeOf(name, input, results[i], outcome))
	}
	return all
}

// nodeOf returns a call as a node.
func nodeOf(name, input, result string, outcome envs.Outcome) Node {
	call := Call{Name: name, Arguments: input, Response: result}

	switch {
	case name == envs.FinishTool:
		args, _, _ := pytext.DecodeObject(input) // a key holds the arguments that were read
		answer, _ := args.Get("answer")
		call.Response = ""
		call.Arguments = pytext.JSON(envs.Object(
			"return_type", "give_answer", "final_answer", pytext.Str(answer),
		))
	case outcome != envs.OK:
		call.Response = toolbench.Answer{Error: result, Response: ""}.Text()
	}

	return Node{Role: roleTool, Call: call}
}

// functionsOf returns the functions of a question as StableToolBench lists them: a default is an
// example value, and what is not required is optional.
func functionsOf(tools string) (json.RawMessage, error) {
	v, err := pytext.Decode(tools)
	if err != nil {
		return nil, err
	}

	all := []any{}
	list, _ := v.([]any)

	for _, item := range list {
		tool, _ := item.(envs.Args)
		function := tool.Object("function")
		name, _ := function.Get("name")
		description, _ := function.Get("description")

		all = append(all, envs.Object(
			"name", name,
			"description", description,
			"parameters", withOptional(function.Object("parameters")),
		))
	}

	return pytext.AppendJSON(nil, append(all, finishFunction)), nil
}

// withOptional returns the JSON Schema of parameters as StableToolBench writes it.
func withOptional(schema envs.Args) envs.Args {
	needed := schema.List("required")
	all, required, optional := envs.Args{}, []any{}, []any{}

	for _, p := range schema.Object("properties") {
		fields, _ := p.Value.(envs.Args)
		shown := slices.Clone(fields)

		for i := range shown {
			if shown[i].Name == "default" {
				shown[i].Name = "example_value"
			}
		}

		all = all.With(p.Name, shown)

		if slices.Contains(needed, any(p.Name)) {
			required = append(required, p.Name)
		} else {
			optional = append(optional, p.Name)
		}
	}

	return envs.Object(
		"type", "object", "properties", all, "required", required,
		"optional", optional,
	)
}

// finishFunction is how StableToolBench's clients end an attempt.
var finishFunction = envs.Object(
	"name", finish,
	"description", "Ends the attempt, with an answer for the user or without one.",
	"parameters", envs.Object(
		"type", "object",
		"properties", envs.Object(
			"return_type", envs.Object(
				"type", "string", "enum", []any{"give_answer", "give_up_and_restart"},
			),
			"final_answer", envs.Object(
				"type", "string", "description", "what the user reads",
			),
		),
		"required", []any{"return_type"},
	),
)
