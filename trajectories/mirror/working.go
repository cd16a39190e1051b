package mirror

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/answers"
	"toolevo/envs/toolbench/recorded"
	"toolevo/envs/toolbench/virtual"
)

// Reach lets the model write a call of each API that its server is sure to answer (Table 15). For
// an API without required parameters it need not ask.
func (m *Model) Reach(
	ctx context.Context, documents []*toolbench.Document, r *Report,
) ([]Request, error) {
	return written(ctx, m, len(documents), r, func(ctx context.Context, i int) (answer[Request], error) {
		d := documents[i]
		if len(d.Required) == 0 {
			return answer[Request]{read: Request{Key: d.Key}}, nil
		}
		return ask(ctx, m, reachPrompt, shownDocument(d), i, func(text string) (Request, error) {
			input, err := inputIn(text, d)
			return Request{Key: d.Key, Input: input}, err
		})
	})
}

// What a trajectory says about the APIs that were called in it.
const (
	Working = "working" // all of them work
	Broken  = "broken"  // at least one does not
	Untried = "untried" // none was called
)

// Trajectory is what was found out about the APIs that an agent called for a query.
type Trajectory struct {
	Agent  string `json:"agent"`  // who called them
	Group  string `json:"group"`  // of the query
	ID     string `json:"id"`     // of the query
	Status string `json:"status"` // working, broken, untried or Lost
	Reason string `json:"reason"` // the model's, or, without a model, which function answered what
}

// Follow decides by rules whether the APIs of a trajectory work. An API that succeeded once works,
// and so does one that only complained about arguments.
func (t *Trajectory) Follow(a *answers.Answer, rules *recorded.Rules) {
	failed, works := map[string]string{}, map[string]bool{}

	var order []string

	// A complaint about arguments proves that the API read them.
	for _, c := range calls(a) {
		class := rules.Of(answerOf(c.Response))
		if !slices.Contains(order, c.Name) {
			order = append(order, c.Name)
		}

		if class == recorded.Success || class == recorded.ParameterChange {
			works[c.Name] = true
		} else {
			failed[c.Name] = string(class) + ": " + c.Response
		}
	}

	t.Status, t.Reason = Untried, ""
	if len(order) > 0 {
		t.Status = Working
	}

	// In the order of the calls, not of a map, so that the reason is always the same.
	for _, name := range order {
		if !works[name] {
			t.Status, t.Reason = Broken, name+": "+failed[name]
			return
		}
	}
}

// Ask asks a model whether the APIs of a trajectory work.
func (t *Trajectory) Ask(ctx context.Context, m *Model, a *answers.Answer) error {
	made := calls(a)
	if t.Status = Untried; len(made) == 0 {
		return nil
	}

	list := make([]any, len(made))
	for i, c := range made {
		list[i] = envs.Object("name", c.Name, "arguments", c.Arguments, "answer", c.Response)
	}

	said, err := ask(ctx, m, workingPrompt, "Request:\n"+a.Query+"\n\nCalls:\n"+pytext.JSON(list), 0, working)
	if said.refused != nil {
		said.read = Trajectory{Status: Lost, Reason: said.refused.Error()}
	}

	t.Status, t.Reason = said.read.Status, said.read.Reason
	return err
}

// working reads a model's answer on whether all APIs work.
func working(text string) (t Trajectory, err error) {
	said, err := kept.Decision(text, "all_working")
	if err != nil {
		return t, err
	}

	t.Status = map[string]string{"true": Working, "1": Working, "false": Broken, "0": Broken}[strings.ToLower(said)]
	if t.Status == "" {
		return t, errors.New("all_working is neither true nor false")
	}

	if o, err := kept.Object(text, "reason"); err == nil {
		t.Reason, _ = o.Text("reason")
	}
	return t, nil
}

// calls returns the calls of an answer, with what is known about their responses.
func calls(a *answers.Answer) (all []answers.Call) {
	for _, n := range a.Nodes {
		if n.Call.Name != "" && n.Call.Name != "Finish" {
			n.Call.Response = cmp.Or(n.Call.Response, n.Text)
			all = append(all, n.Call)
		}
	}

	return all
}

// answerOf reads a response in the form that agents see: an object, or a text, which may be cut.
func answerOf(response string) toolbench.Answer {
	if o, rest, err := pytext.DecodeObject(response); err == nil && strings.TrimSpace(rest) == "" {
		if a, ok := virtual.AnswerOf(o); ok {
			return a
		}
	}

	return toolbench.Answer{Response: response}
}

// QueryKey names a query.
type QueryKey struct{ Group, ID string }

// OfQueries returns the status of each query: the worst of its trajectories', of broken, lost and
// working in this order. A trajectory without calls says nothing.
func OfQueries(found []Trajectory) map[QueryKey]string {
	worst := []string{Untried, Working, Lost, Broken}
	all := map[QueryKey]string{}

	for _, t := range found {
		key := QueryKey{t.Group, t.ID}
		if slices.Index(worst, t.Status) >= slices.Index(worst, cmp.Or(all[key], Untried)) {
			all[key] = t.Status
		}
	}

	return all
}
