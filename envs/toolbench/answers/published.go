package answers

import (
	"encoding/json"
	"errors"
	"fmt"
)

// published is an answer file.
type published struct {
	Tries []struct {
		Chain []attempt `json:"chain"`
	} `json:"trys"`
	Tree struct {
		Root *attempt `json:"tree"`
	} `json:"tree"`
	Generation *struct {
		Valid     bool            `json:"valid_data"`
		Query     string          `json:"query"`
		Functions json.RawMessage `json:"function"`
		Final     string          `json:"final_answer"`
		Messages  [][]message     `json:"train_messages"`
	} `json:"answer_generation"`
}

// attempt is a node of a chain or tree.
type attempt struct {
	Kind        string     `json:"node_type"` // Thought, Action or Action Input
	Description string     `json:"description"`
	Observation string     `json:"observation"`
	Children    []*attempt `json:"children"`
}

// message is a message of the conversation that was taken.
type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	Valid   *bool  `json:"valid"` // false if it only asks for another attempt
	Call    *struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function_call"`
}

// Read reads an answer file of a method.
func Read(method string, text []byte) (*Answer, error) {
	var p published
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, fmt.Errorf("not an answer file: %w", err)
	}

	g := p.Generation
	if g == nil {
		return nil, errors.New(`no "answer_generation"`)
	}

	a := &Answer{
		Query: g.Query, Functions: g.Functions, Method: method, Final: g.Final, Nodes: start(),
	}
	// Judges are shown the functions, so they could not read an answer without them.
	if len(a.Functions) == 0 {
		return nil, errors.New(`"answer_generation" has no "function"`)
	}

	if g.Valid {
		// The published converter takes the last conversation, too.
		if len(g.Messages) == 0 {
			return nil, errors.New(`"valid_data" is true and there are no "train_messages"`)
		}
		return a, a.follow(g.Messages[len(g.Messages)-1])
	}

	// If no path was taken, the published code draws one. Here it is always the same one.
	switch {
	case len(p.Tries) > 0:
		return a, a.walk(p.Tries[0].Chain)
	case p.Tree.Root != nil:
		return a, a.walk(p.Tree.Root.lastPath())
	}

	return nil, errors.New(`neither "trys" nor a "tree"`)
}

// follow adds the nodes of a conversation.
func (a *Answer) follow(messages []message) error {
	for i, m := range messages {
		switch {
		case m.Role != roleAssistant:
			continue
		case m.Call == nil:
			a.Nodes = append(a.Nodes, Node{Role: roleAssistant, Text: m.Content})
			continue
		}

		call := Call{Name: m.Call.Name, Arguments: m.Call.Arguments}
		if call.Name != finish {
			if i+1 == len(messages) || messages[i+1].Role != "function" {
				return fmt.Errorf("message %d: the call of %s has no response", i+1, call.Name)
			}

			call.Response = messages[i+1].Content
		}

		a.Nodes = append(a.Nodes, Node{Role: roleTool, Call: call})
	}
	return nil
}

// walk adds the nodes of a chain: an Action and its Action Input are one call.
func (a *Answer) walk(chain []attempt) error {
	for i, n := range chain {
		switch n.Kind {
		case "Thought":
			a.Nodes = append(a.Nodes, Node{Role: roleAssistant, Text: n.Description})
		case "Action":
			if i+1 == len(chain) || chain[i+1].Kind != "Action Input" {
				return fmt.Errorf("node %d: the action %s has no input", i+1, n.Description)
			}
		case "Action Input":
			if i == 0 || chain[i-1].Kind != "Action" {
				return fmt.Errorf("node %d: an input without an action", i+1)
			}

			call := Call{Name: chain[i-1].Description, Arguments: n.Description, Response: n.Observation}
			if call.Name == finish {
				call.Response = ""
			}

			a.Nodes = append(a.Nodes, Node{Role: roleTool, Call: call})
		default:
			return fmt.Errorf("node %d: unknown node_type %q", i+1, n.Kind)
		}
	}

	return nil
}

// lastPath returns the path that was tried last, without the root, which stands for the query.
func (n *attempt) lastPath() []attempt {
	var path []attempt

	for len(n.Children) > 0 && n.Children[len(n.Children)-1] != nil {
		n = n.Children[len(n.Children)-1]
		path = append(path, *n)
	}
	return path
}
