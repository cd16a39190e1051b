package importer

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/nlpodyssey/gopickle/types"

	"toolevo/toolqa/corpus/internal/layout"
)

// copyAuthors copies AuthorNet and the names.
func (im *dblpImport) copyAuthors(ctx context.Context) error {
	names, err := im.texts(ctx, idAuthorFile)
	if err != nil {
		return err
	}

	nodes, neighbours, err := im.graph(ctx, authorNetFile, nil)
	if err != nil {
		return err
	}

	numbers, err := numberNodes(nodes, func(string) bool { return true })
	if err == nil {
		err = im.putAuthors(ctx, names, numbers, nodes, neighbours)
	}

	if err != nil {
		return im.wrong(authorNetFile, err)
	}

	nodes, neighbours = nil, nil

	found, err := im.texts(ctx, authorIDFile)
	if err != nil {
		return err
	}

	return im.w.Found("names", numbersOf(found, numbers))
}

// pickledEdge is an edge of AuthorNet.
type pickledEdge struct {
	first, second uint32
	attributes    any
	sides         uint8 // how many of its ends list it
}

func (im *dblpImport) putAuthors(ctx context.Context, names map[string]string, numbers map[string]uint32, nodes,
	neighbours types.Dict) error {
	lists := make(map[string]types.Dict, len(neighbours))
	for _, entry := range neighbours {
		key, ok1 := entry.Key.(string)

		list, ok2 := dictOf(entry.Value)
		if _, ok3 := numbers[key]; !ok1 || !ok2 || !ok3 {
			return fmt.Errorf("the neighbours of %s are %s: %w", pythonType(entry.Key), pythonType(entry.Value),
				errNotGraph)
		}

		lists[key] = list
	}

	index := map[uint64]uint32{} // as in network
	var edges []pickledEdge
	var own []uint32

	for i, node := range nodes {
		if err := ctx.Err(); err != nil {
			return err
		}

		key := node.Key.(string)
		own = own[:0]

		for _, edge := range lists[key] {
			n, err := numberOf(numbers, edge.Key)
			if err != nil {
				return err
			}

			a, b := min(uint32(i), n), max(uint32(i), n)

			e, ok := index[uint64(a)<<32|uint64(b)]
			if !ok {
				e = uint32(len(edges))
				index[uint64(a)<<32|uint64(b)] = e
				edges = append(edges, pickledEdge{a, b, edge.Value, 0})
			}
			edges[e].sides++
			own = append(own, e)
		}

		if err := im.putAuthor(key, names, node.Value, own); err != nil {
			return err
		}
	}

	for _, e := range edges {
		if e.sides != 2 && e.first != e.second {
			return fmt.Errorf("the edge between the nodes %d and %d is listed %d times; expected one for each: %w",
				e.first, e.second, e.sides, errNotGraph)
		}

		if err := im.putEdge(e); err != nil {
			return fmt.Errorf("the edge between the nodes %d and %d: %w", e.first, e.second, err)
		}
	}

	return nil
}

func (im *dblpImport) putAuthor(key string, names map[string]string, attributes any, edges []uint32) error {
	raw, _ := attributes.(rawAttributes)
	if _, err := layout.ParseOrg(raw); err != nil {
		return fmt.Errorf("author %q: %w: %w", key, err, errNotGraph)
	}
	var name *string

	if text, ok := names[key]; ok {
		text = strings.ToValidUTF8(text, "\uFFFD")
		name = &text
	}

	return im.w.Author(key, name, raw, edges)
}

// putEdge copies an edge with the attributes weight, papers and n_citation.
func (im *dblpImport) putEdge(e pickledEdge) error {
	var papers []uint32
	var counts []int32
	weight, complete := 0, 0

	attributes, _ := dictOf(e.attributes)
	for _, a := range attributes {
		list, isList := a.Value.(*types.List)
		switch {
		case a.Key == "weight":
			n, ok := a.Value.(int)
			if !ok {
				return fmt.Errorf("weight is %s: %w", pythonType(a.Value), errNotGraph)
			}

			weight = n
		case a.Key == "papers" && isList:
			for _, key := range *list {
				text, _ := key.(string)

				n, ok := im.papers[text]
				if !ok {
					return fmt.Errorf("it has the paper %s, which has no title or is not in %s: %w", pythonType(key),
						dblpFileNames[paperNetFile], errNotGraph)
				}

				papers = append(papers, n)
			}
		case a.Key == "n_citation" && isList:
			for _, count := range *list {
				n, ok := count.(int)
				if !ok || n < math.MinInt32 || n > math.MaxInt32 {
					return fmt.Errorf("n_citation has %s: %w", pythonType(count), errNotGraph)
				}

				counts = append(counts, int32(n))
			}
		default:
			return fmt.Errorf("it has %s as %s; expected weight, papers and n_citation: %w", pythonType(a.Value),
				pythonType(a.Key), errNotGraph)
		}
		complete++
	}

	if complete != 3 || len(papers) != len(counts) || weight < 0 || weight > math.MaxInt32 {
		return fmt.Errorf("weight %d, %d papers and %d numbers of citations: %w", weight, len(papers), len(counts),
			errNotGraph)
	}

	return im.w.Edge(e.first, e.second, weight, papers, counts)
}
