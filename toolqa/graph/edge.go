package graph

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa"
)

const (
	noEdge       = "There is no edge between the two nodes. Please modify it."
	badEdgeCheck = "There is something wrong with the arguments you send for edge checking. Please modify it."
)

// EdgeCheck is the tool EdgeCheck[GraphName, Node1, Node2]: it prints the attributes of the edge
// between two nodes. In PaperNet, the first node is the one that cites the other.
type EdgeCheck struct {
	Graphs *Graphs

	// Spoil reproduces the published code, which overwrites the papers of an edge of AuthorNet when
	// it prints it: in the states that follow, the edge is not found, and NeighbourCheck fails for
	// both of its authors. By default an edge can be looked at again.
	Spoil bool
}

// Call prints the edge between the nodes that the arguments Node1 and Node2 name in the graph of
// the argument GraphName.
func (t EdgeCheck) Call(ctx context.Context, s toolqa.Session, args envs.Args) (toolqa.Session, envs.Result, error) {
	graph, _ := args.Text("GraphName")
	first, ok1 := args.Text("Node1")

	second, ok2 := args.Text("Node2")
	if !ok1 || !ok2 || graph != paperNet && graph != authorNet {
		return s, badArguments(args, badEdgeCheck, noEdge, "Node1", "Node2"), nil
	}

	check := t.authors
	if graph == paperNet {
		check = t.papers
	}

	next, text, err := check(ctx, s, first, second)
	switch {
	case err != nil:
		return s, envs.Result{}, envs.Fail(envs.StageTool, fmt.Sprintf("EdgeCheck[%s, %s, %s]", graph, first, second),
			err)
	case text == "":
		return s, envs.Result{Observation: noEdge, Outcome: envs.ToolError}, nil
	}

	return next, envs.Result{Observation: text}, nil
}

// papers prints the edge from one paper to another, or nothing.
func (t EdgeCheck) papers(ctx context.Context, s toolqa.Session, citing, cited string) (toolqa.Session, string, error) {
	from, err := t.Graphs.findPaper(ctx, citing)
	if from == nil || err != nil {
		return s, "", err
	}

	to, err := t.Graphs.findPaper(ctx, cited)
	if to == nil || err != nil || !slices.Contains(from.cites, to.id) {
		return s, "", err
	}
	return s, "{}", nil
}

// authors prints the edge between two authors, or nothing.
func (t EdgeCheck) authors(ctx context.Context, s toolqa.Session, one, other string) (toolqa.Session, string, error) {
	a, err := t.Graphs.findAuthor(ctx, one)
	if a == nil || err != nil {
		return s, "", err
	}

	b, err := t.Graphs.findAuthor(ctx, other)
	if b == nil || err != nil {
		return s, "", err
	}

	e, err := t.Graphs.findEdge(ctx, a.id, b.id)
	// An edge that was printed before has lost its papers where that defect is reproduced.
	if e == nil || err != nil || s.Spoiled.Has(e.id) {
		return s, "", err
	}

	titles, err := t.Graphs.titlesOf(ctx, e.papers)
	if err != nil {
		return s, "", err
	}

	// As Python prints the attributes of the published graph, in their order.
	text := append([]byte("{'weight': "), strconv.Itoa(e.weight)...)
	text = append(text, ", 'papers': ["...)

	for i, p := range e.papers {
		if i > 0 {
			text = append(text, ", "...)
		}

		text = append(text, pytext.Repr(titles[p])...)
	}

	text = append(text, "], 'n_citation': ["...)

	for i, n := range e.citations {
		if i > 0 {
			text = append(text, ", "...)
		}

		text = strconv.AppendInt(text, n, 10)
	}

	// Only the calls that follow see the defect: the published code overwrites what it has printed.
	if t.Spoil {
		s.Spoiled = &toolqa.SpoiledEdge{Edge: e.id, Before: s.Spoiled}
	}
	return s, string(append(text, "]}"...)), nil
}
