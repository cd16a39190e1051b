package answers

import (
	"encoding/json"
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// giveUp is the return type, and a mark in answers, of an agent that gives up.
const giveUp = "give_up_and_restart"

// Outcome is how an answer ended.
type Outcome struct {
	Finished bool   // the last step is a call of Finish
	GaveUp   bool   // it gave up, or its text says so
	Text     string // what the user reads; "" if there is nothing
}

// Outcome returns how the answer ended. If the arguments of Finish are not an object, they are the
// text themselves.
func (a *Answer) Outcome() Outcome {
	last := a.last()
	o := Outcome{Finished: last != nil && last.Role == roleTool && last.Call.Name == finish, Text: a.Final}

	if args, rest, err := pytext.DecodeObject(a.Final); err == nil && strings.TrimSpace(rest) == "" {
		returned, _ := args.Get("return_type")
		o.GaveUp = returned == giveUp

		text, ok := args.Get("final_answer")
		if o.Text = ""; ok {
			o.Text = pytext.Str(text)
		}
	}

	o.Text = strings.TrimSpace(o.Text)
	o.GaveUp = o.GaveUp || strings.Contains(o.Text, giveUp)
	return o
}

// last returns the last step; nil if there is none.
func (a *Answer) last() *Node {
	for i := len(a.Nodes) - 1; i >= 0; i-- {
		if role := a.Nodes[i].Role; role == roleTool || role == roleAssistant {
			return &a.Nodes[i]
		}
	}

	return nil
}

// Steps returns the calls as StableToolBench's judges are shown them, and the last step apart. A
// text of the assistant is a step only if it is the last one.
func (a *Answer) Steps() (steps []string, final string) {
	last := a.last()
	if last == nil {
		return nil, ""
	}

	for i := range a.Nodes {
		if n := &a.Nodes[i]; n.Role == roleTool || n == last {
			steps = append(steps, fmt.Sprintf("Step %d: %s", len(steps)+1, n.published()))
		}
	}

	return steps, "Final step: " + last.published()
}

// published returns the message of a node as Python prints it.
func (n *Node) published() string {
	if n.Role != roleTool || n.Text != "" {
		return n.Text
	}
	return pytext.Repr(envs.Object(
		"name", n.Call.Name,
		"arguments", n.Call.Arguments,
		"response", n.Call.Response,
	))
}

// FunctionNames returns the names of the functions that were offered.
func (a *Answer) FunctionNames() ([]string, error) {
	var functions []struct {
		Name string `json:"name"`
	}

	if err := json.Unmarshal(a.Functions, &functions); err != nil {
		return nil, fmt.Errorf("its functions are not a list of objects: %w", err)
	}

	names := make([]string, len(functions))
	for i, f := range functions {
		names[i] = f.Name
	}
	return names, nil
}
