package graph

import (
	"context"
	"fmt"
	"strings"

	"toolevo/envs"
	"toolevo/toolqa"
)

// LoadGraph is the tool LoadGraph[GraphName]: it says which graphs there are. The name's case does
// not matter.
type LoadGraph struct{ Graphs *Graphs }

// Call answers whether the graph in the argument GraphName can be used. It loads nothing.
func (t LoadGraph) Call(_ context.Context, s toolqa.Session, args envs.Args) (toolqa.Session, envs.Result, error) {
	name, ok := args.Text("GraphName")
	switch {
	case !ok:
		return s, envs.Result{
			Observation: "The graph you want to query in not in the list. Please change another graph for query.",
			Outcome:     envs.InvocationError,
		}, nil
	case strings.ToLower(name) != string(toolqa.DBLP) || t.Graphs.db == nil:
		return s, envs.Result{
			Observation: fmt.Sprintf("We don't have the graph data named %s", name),
			Outcome:     envs.ToolError,
		}, nil
	default:
		return s, envs.Result{Observation: "DBLP data is loaded, including two graphs: AuthorNet and PaperNet."}, nil
	}
}
