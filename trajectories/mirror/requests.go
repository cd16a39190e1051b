package mirror

import (
	"context"
	"slices"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/recorded"
)

// Request is a request that a model wrote, to be sent to an API so that its answer is recorded.
type Request struct {
	toolbench.Key
	Input    envs.Args
	Scenario string // the situation that it was written for
}

// Append appends the request as a line of JSON, as clients of StableToolBench's server send it.
func (q *Request) Append(dst []byte) []byte {
	input := q.Input
	if input == nil {
		input = envs.Args{}
	}

	dst = pytext.AppendJSON(dst, envs.Object(
		"category", q.Category, "tool_name", q.Tool, "api_name", q.API, "tool_input", pytext.JSON(input),
		"strip", "filter", "scenario", q.Scenario,
	))
	return append(dst, '\n')
}

// errRepeated refuses a request that was written before.
const errRepeated refusal = "request that was written before"

// Requests lets models write n requests for each API in two stages, as in the paper's Appendix A:
// imagine writes a situation, and m the request that it calls for. Of equal requests one stays.
func (m *Model) Requests(ctx context.Context, imagine kept.Writer, documents []*toolbench.Document, n int,
	r *Report) ([]Request, error) {
	imagining := *m
	imagining.Writer = imagine

	// Without a situation there is nothing to ask for: its refusal is that of the request.
	all, err := written(ctx, m, n*len(documents), r, func(ctx context.Context, i int) (answer[Request], error) {
		d := documents[i/n]
		document := shownDocument(d)

		scenario, err := ask(ctx, &imagining, scenarioPrompt, document, i, kept.Prose)
		if err != nil || scenario.refused != nil {
			return answer[Request]{refused: scenario.refused}, err
		}

		request := document + "\n\nSituation:\n" + scenario.read
		return ask(ctx, m, requestPrompt, request, i, func(text string) (Request, error) {
			input, err := inputIn(text, d)
			return Request{d.Key, input, scenario.read}, err
		})
	})

	// Situations differ, but the requests that they call for need not.
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(q Request) bool {
		call := recorded.Call{Key: q.Key, Input: q.Input}
		key := call.Request()
		repeated := seen[key]
		seen[key] = true

		if repeated {
			r.refuse(errRepeated)
		}
		return repeated
	}), err
}

// inputIn reads the arguments of a request that fits a document.
func inputIn(text string, d *toolbench.Document) (envs.Args, error) {
	object, err := kept.Object(text, "tool_input")
	if err != nil {
		return nil, err
	}

	value, ok := object.Get("tool_input")
	if inner, isText := value.(string); isText {
		value, err = pytext.DecodeStrict(inner)
		ok = err == nil
	}

	input, isObject := value.(envs.Args)

	switch {
	case !ok || !isObject:
		return nil, errUnreadable
	case !fits(d, input):
		return nil, errAPILimit
	}

	return input, nil
}
