package graph

import (
	"context"
	"fmt"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa"
)

const (
	noNode       = "The node does not exist in the graph. Please modify it."
	badNodeCheck = "There is something wrong with the arguments you send for node checking. Please modify it."
)

// NodeCheck is the tool NodeCheck[GraphName, Node]: it prints the attributes and the degree of a
// node.
type NodeCheck struct{ Graphs *Graphs }

// Call prints the node that the argument Node names in the graph of the argument GraphName.
func (t NodeCheck) Call(ctx context.Context, s toolqa.Session, args envs.Args) (toolqa.Session, envs.Result, error) {
	graph, node, ok := nodeArgs(args)
	if !ok {
		return s, badArguments(args, badNodeCheck, noNode, "Node"), nil
	}

	attributes, degree, err := t.node(ctx, graph, node)
	switch {
	case err != nil:
		return s, envs.Result{}, envs.Fail(envs.StageTool, fmt.Sprintf("NodeCheck[%s, %s]", graph, node), err)
	case attributes == "":
		return s, envs.Result{Observation: noNode, Outcome: envs.ToolError}, nil
	}

	return s, envs.Result{Observation: fmt.Sprintf("%s; Degree: %d", attributes, degree)}, nil
}

// node returns the attributes of a node as Python prints them, or "", and its degree.
func (t NodeCheck) node(ctx context.Context, graph, name string) (string, int, error) {
	var attributes string
	var degree int

	if graph == paperNet {
		p, err := t.Graphs.findPaper(ctx, name)
		if p == nil || err != nil {
			return "", 0, err
		}

		// PaperNet is directed, and networkx counts both directions.
		attributes, degree = p.attributes, len(p.cites)+p.citedBy
	} else {
		a, err := t.Graphs.findAuthor(ctx, name)
		if a == nil || err != nil {
			return "", 0, err
		}

		if degree, err = t.Graphs.degree(ctx, a); err != nil {
			return "", 0, err
		}

		attributes = a.attributes
	}

	// The corpus keeps attributes as JSON; the published tool prints the dict of Python.
	value, err := pytext.Decode(attributes)
	if err != nil {
		return "", 0, fmt.Errorf("attributes: %w", err)
	}
	return pytext.Repr(value), degree, nil
}

// nodeArgs returns the arguments GraphName and Node, and whether both are texts and there is such a
// graph.
func nodeArgs(args envs.Args) (graph, node string, ok bool) {
	graph, _ = args.Text("GraphName")
	node, ok = args.Text("Node")
	return graph, node, ok && (graph == paperNet || graph == authorNet)
}

// badArguments says what is wrong with arguments that are not a graph and the names of nodes. The
// published tools look a name up as whatever value it is: a number or null is not found, and a list
// or an object is an error, as is another graph.
func badArguments(args envs.Args, wrong, notFound string, nodes ...string) envs.Result {
	graph, isText := args.Text("GraphName")
	if isText && graph != paperNet && graph != authorNet {
		return envs.Result{Observation: wrong, Outcome: envs.ToolError}
	}

	if !isText {
		return envs.Result{Observation: wrong, Outcome: envs.InvocationError}
	}

	for _, name := range nodes {
		v, _ := args.Get(name)
		switch v.(type) {
		case []any, envs.Args:
			return envs.Result{Observation: wrong, Outcome: envs.InvocationError}
		}
	}

	return envs.Result{Observation: notFound, Outcome: envs.InvocationError}
}
