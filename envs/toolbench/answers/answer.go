package answers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// The roles of nodes.
const (
	roleSystem    = "system"
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"
)

// finish is the function that ends an attempt.
const finish = "Finish"

// Answer is what an agent did about a query.
type Answer struct {
	Query     string
	Functions json.RawMessage // a list, as models with function calls are shown it
	Method    string          // e.g. "CoT@1"
	Final     string          // the arguments of Finish, as they were written; "" where there is no answer
	Nodes     []Node
}

// Node is a step of the execution graph.
type Node struct {
	Role string
	Text string // of an assistant
	Call Call   // of a tool
}

// Call is a call of a function, as it was written, and the response.
type Call struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Response  string `json:"response"` // "" of Finish
}

// start returns the nodes that every answer begins with.
func start() []Node { return []Node{{Role: roleSystem}, {Role: roleUser}} }

// converted is an answer in a converted file.
type converted struct {
	Query     string          `json:"query"`
	Functions json.RawMessage `json:"available_tools"`
	Answer    struct {
		Method     string  `json:"method"`
		TotalSteps int     `json:"total_steps"`
		Final      string  `json:"final_answer"`
		Details    []graph `json:"answer_details"`
	} `json:"answer"`
}

// graph is a node of the execution graph and what follows it.
type graph struct {
	Role    string  `json:"role"`
	Message any     `json:"message"`
	Next    []graph `json:"next"`
}

// Encode returns the converted file of a group's answers, by query ID.
func Encode(all map[string]*Answer) ([]byte, error) {
	file := make(map[string]converted, len(all))

	for id, a := range all {
		c := converted{Query: a.Query, Functions: a.Functions}
		c.Answer.Method, c.Answer.Final, c.Answer.TotalSteps = a.Method, a.Final, len(a.Nodes)
		c.Answer.Details = []graph{}

		for _, n := range slices.Backward(a.Nodes) {
			g := graph{Role: n.Role, Message: n.Text, Next: c.Answer.Details}
			if n.Role == roleTool {
				g.Message = n.Call
			}

			c.Answer.Details = []graph{g}
		}

		file[id] = c
	}

	var b bytes.Buffer

	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "    ")

	if err := e.Encode(file); err != nil {
		return nil, fmt.Errorf("answers: %w", err)
	}

	return b.Bytes(), nil
}

// Split returns the query ID and the method of an answer file's name, "588_CoT@1.json".
func Split(name string) (id, method string, ok bool) {
	name, isJSON := strings.CutSuffix(name, ".json")
	id, method, ok = strings.Cut(name, "_")

	return id, method, ok && isJSON && id != "" && method != ""
}
