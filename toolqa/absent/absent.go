// Package absent stands in for the tools of corpora that are not installed. Each answers as the benchmark does when a
// query finds nothing, so an agent that tries one is told so and goes on; the run does not fail.
package absent

import (
	"context"
	"fmt"

	"toolevo/envs"
	"toolevo/toolqa"
)

// answers are the published observations of a query that finds nothing, by tool.
var answers = map[string]string{
	"RetrieveAgenda": "There is no information that can be matched in the database. Please try another query.",
	"RetrieveScirex": "There is no information that can be matched in the database. Please try another query.",
	"NeighbourCheck": "There is something wrong with the arguments you send for neighbour checking. Please modify it.",
	"NodeCheck":      "The node does not exist in the graph. Please modify it.",
	"EdgeCheck":      "There is no edge between the two nodes. Please modify it.",
}

// Tool is one absent tool.
type Tool struct{ answer string }

// Tools returns the absent tools by name: retrieval and graphs.
func Tools() map[string]Tool {
	tools := map[string]Tool{"LoadGraph": {}}
	for name, answer := range answers {
		tools[name] = Tool{answer}
	}
	return tools
}

// Call answers that there is nothing. The session is unchanged.
func (t Tool) Call(_ context.Context, s toolqa.Session, args envs.Args) (toolqa.Session, envs.Result, error) {
	text := t.answer
	if text == "" {
		text = "The graph you want to query in not in the list. Please change another graph for query."
		if name, ok := args.Text("GraphName"); ok {
			text = fmt.Sprintf("We don't have the graph data named %s", name)
		}
	}
	return s, envs.Result{Observation: text, Outcome: envs.ToolError}, nil
}
