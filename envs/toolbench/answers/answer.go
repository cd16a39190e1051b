package answers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolevo/envs/pytext"
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
	Final     string          // the arguments of Finish, as they were written; "" if there is no answer
	Nodes     []Node
}

// Node is a step of the execution graph.
type Node struct {
	Role string
	Text string // of an assistant, or of a tool whose call is a text, which may be cut
	Call Call   // of a tool; only the name if its call is a text
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
	Query     string           `json:"query"`
	Functions json.RawMessage  `json:"available_tools"`
	Answer    *convertedAnswer `json:"answer"`
}

// convertedAnswer is what was done about a query in a converted file.
type convertedAnswer struct {
	Method     string  `json:"method"`
	TotalSteps int     `json:"total_steps"`
	Final      string  `json:"final_answer"`
	Details    []graph `json:"answer_details"`
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
		file[id] = converted{
			Query: a.Query, Functions: a.Functions,
			Answer: &convertedAnswer{
				Method: a.Method, TotalSteps: len(a.Nodes), Final: a.Final, Details: a.details(),
			},
		}
	}

	return EncodeValue(file, "    ")
}

// details returns the execution graph.
func (a *Answer) details() []graph {
	next := []graph{}

	for _, n := range slices.Backward(a.Nodes) {
		g := graph{Role: n.Role, Message: n.Text, Next: next}
		if n.Role == roleTool && n.Text == "" {
			g.Message = n.Call
		}

		next = []graph{g}
	}
	return next
}

// Graph returns the execution graph as JSON, as a converted file has it.
func (a *Answer) Graph() ([]byte, error) { return EncodeValue(a.details(), "") }

// EncodeValue returns a value of a published file as JSON, in which <, > and & stand as they are.
func EncodeValue(v any, indent string) ([]byte, error) {
	var b bytes.Buffer

	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)

	if err := e.Encode(v); err != nil {
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

// Decode reads a converted file: the answers to the queries of a group, by ID, and the errors of
// those that cannot be read. It is an error if none can be read. If several nodes follow one, the
// first path is taken.
func Decode(text []byte) (all map[string]*Answer, unread map[string]error, err error) {
	var file map[string]json.RawMessage
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, nil, fmt.Errorf("not a converted file: %w", err)
	}

	all, unread = make(map[string]*Answer, len(file)), map[string]error{}

	for _, id := range slices.Sorted(maps.Keys(file)) {
		a, err := decode(file[id])
		if err == nil {
			all[id] = a
			continue
		}

		unread[id] = fmt.Errorf("query %s: %w", id, err)
		if len(unread) == len(file) {
			return nil, nil, fmt.Errorf("no answer in it can be read, e.g. %w", unread[id])
		}
	}

	return all, unread, nil
}

// decode reads an answer of a converted file.
func decode(text []byte) (*Answer, error) {
	var c converted
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, err
	}

	if c.Answer == nil {
		return nil, errors.New(`there is no "answer"`)
	}

	a := &Answer{Query: c.Query, Functions: c.Functions, Method: c.Answer.Method, Final: c.Answer.Final}
	for next := c.Answer.Details; len(next) > 0; next = next[0].Next {
		n, err := next[0].node()
		if err != nil {
			return nil, fmt.Errorf("node %d: %w", len(a.Nodes)+1, err)
		}

		a.Nodes = append(a.Nodes, n)
	}
	return a, nil
}

// textOfCall is how a call that is a text begins: as Python prints an object. Published files have
// such texts, cut at a hundred characters.
const textOfCall = "{'name': "

// calledIn returns the function that a text of a call begins with.
func calledIn(text string) (name string, err error) {
	rest, ok := strings.CutPrefix(text, textOfCall)
	if ok {
		v, _, _ := pytext.DecodeLiteralPrefix(rest)
		name, ok = v.(string)
	}

	if !ok || name == "" {
		return "", errors.New("the message of a tool is a text that does not begin with a call")
	}
	return name, nil
}

// node returns a node without what follows it.
func (g *graph) node() (Node, error) {
	n := Node{Role: g.Role}

	switch message := g.Message.(type) {
	case string:
		n.Text = message

		// Published files cut the texts of calls, so only the name is sure to be there.
		if n.Role == roleTool {
			var err error
			if n.Call.Name, err = calledIn(message); err != nil {
				return n, err
			}
		}
	case map[string]any:
		for _, member := range []struct {
			name string
			to   *string
		}{{"name", &n.Call.Name}, {"arguments", &n.Call.Arguments}, {"response", &n.Call.Response}} {
			text, ok := message[member.name].(string)
			if !ok {
				return n, fmt.Errorf("its call has no text %q", member.name)
			}

			*member.to = text
		}
	default:
		return n, fmt.Errorf("its message is neither a text nor a call")
	}

	// The message of a tool is always a call, and no other message is.
	if (n.Role == roleTool) != (n.Call != Call{}) {
		return n, fmt.Errorf("the role %q does not fit its message", n.Role)
	}
	return n, nil
}

// FileName returns a name in which underscores replace what not every file system takes.
func FileName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '_'
	}, name)
}
