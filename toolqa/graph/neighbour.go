package graph

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/toolqa"
)

const badNeighbourCheck = "There is something wrong with the arguments you send for neighbour checking. Please " +
	"modify it."

// NeighbourCheck is the tool NeighbourCheck[GraphName, Node]: it prints the degree and the
// neighbours of a node.
type NeighbourCheck struct {
	Graphs *Graphs

	// Weights reproduces the published code, which wants to print the weights of edges of PaperNet,
	// too, where they have none: the call fails for every paper that cites one with a title. By
	// default the titles are printed.
	Weights bool
}

// Call prints the neighbours of the node that the argument Node names in the graph of the argument
// GraphName.
func (t NeighbourCheck) Call(ctx context.Context, s toolqa.Session, args envs.Args) (toolqa.Session, envs.Result,
	error) {
	graph, node, ok := nodeArgs(args)
	if !ok {
		return s, badArguments(args, badNeighbourCheck, badNeighbourCheck, "Node"), nil
	}

	list := t.coauthors
	if graph == paperNet {
		list = t.cited
	}

	text, err := list(ctx, s, node)
	switch {
	case err != nil:
		return s, envs.Result{}, envs.Fail(envs.StageTool, fmt.Sprintf("NeighbourCheck[%s, %s]", graph, node), err)
	case text == "":
		return s, envs.Result{Observation: badNeighbourCheck, Outcome: envs.ToolError}, nil
	}

	return s, envs.Result{Observation: text}, nil
}

// cited prints what a paper cites, or nothing when that fails.
func (t NeighbourCheck) cited(ctx context.Context, _ toolqa.Session, title string) (string, error) {
	p, err := t.Graphs.findPaper(ctx, title)
	if p == nil || err != nil {
		return "", err
	}

	titles, err := t.Graphs.titlesOf(ctx, p.cites)
	if err != nil || t.Weights && len(titles) > 0 {
		return "", err
	}

	known := []any{}

	for _, id := range p.cites {
		if title, ok := titles[id]; ok {
			known = append(known, title)
		}
	}

	return fmt.Sprintf("In degree: %d; Out degree: %d; %d neighbors: %s",
		p.citedBy, len(p.cites), len(p.cites), pytext.Repr(known)), nil
}

// coauthors prints whom an author wrote papers with, and which, or nothing when that fails.
func (t NeighbourCheck) coauthors(ctx context.Context, s toolqa.Session, name string) (string, error) {
	a, err := t.Graphs.findAuthor(ctx, name)
	if a == nil || err != nil {
		return "", err
	}

	neighbours, err := t.Graphs.findNeighbours(ctx, a)
	if err != nil {
		return "", err
	}

	degree, err := t.Graphs.degree(ctx, a)
	if err != nil {
		return "", err
	}

	var papers []int64 // each once, in the order in which they appear
	seen := map[int64]bool{}
	entries := 0
	list := []byte("[")

	for _, n := range neighbours {
		// One spoiled edge makes the published call fail, whatever the others are.
		if s.Spoiled.Has(n.edge) {
			return "", nil
		}

		// The published total counts entries, of which every further paper of two authors has two.
		entries += len(n.papers)
		for _, p := range n.papers {
			if !seen[p] {
				seen[p] = true
				papers = append(papers, p)
			}
		}

		// Counted above, but without a name there is nothing to list.
		if !n.name.Valid {
			continue
		}

		if len(list) > 1 {
			list = append(list, ", "...)
		}

		list = append(append(list, '('), pytext.Repr(n.name.String)...)
		list = strconv.AppendInt(append(list, ", 'weight: "...), int64(n.weight), 10)
		list = append(list, "')"...)
	}

	titles, err := t.Graphs.titlesOf(ctx, papers)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Degree: %d; %d neighbors: %s]; Total %d papers; Paper list: %s",
		degree, len(neighbours), list, entries, strings.Join(distinct(papers, titles), ", ")), nil
}

// distinct returns the titles of papers, each once: two papers may share one.
func distinct(papers []int64, titles map[int64]string) []string {
	var list []string

	seen := map[string]bool{}
	for _, p := range papers {
		if title := titles[p]; !seen[title] {
			seen[title] = true
			list = append(list, title)
		}
	}

	return list
}
