package importer

import (
	"context"
	"encoding/json"
	"fmt"
)

// copyAuthors copies AuthorNet and the names.
func (im *dblpImport) copyAuthors(ctx context.Context) error {
	names, err := im.texts(ctx, idAuthorFile)
	if err != nil {
		return err
	}

	numbers := map[string]uint32{}

	err = im.load(ctx, authorNetFile, "authors", func(p *pickled) error {
		var counts [2]int // of nodes and edges
		if err := p.next(&counts); err != nil {
			return err
		}

		// The pickle is not trusted: its counts limit the loops below.
		if err := checkCount(max(counts[0], counts[1])); err != nil {
			return err
		}

		for i := range counts[0] {
			key, err := im.putAuthor(p, names, counts[1])
			if err != nil {
				return err
			}

			numbers[key] = uint32(i)
		}

		for range counts[1] {
			if err := im.putEdge(p, counts[0]); err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil {
		return err
	}

	// After the graph, whose ids it needs: a name without a node is left out.
	return im.copyFound(ctx, authorIDFile, "names", numbers)
}

// putAuthor copies a node of AuthorNet, and returns its id.
func (im *dblpImport) putAuthor(p *pickled, names map[string]string, edges int) (string, error) {
	var author struct {
		ID         string
		Attributes json.RawMessage
		Edges      []uint32
	}
	if err := p.next(&author); err != nil {
		return "", err
	}

	for _, e := range author.Edges {
		if int(e) >= edges {
			return "", fmt.Errorf("author %q: edge %d of %d: %w", author.ID, e, edges,
				errNotPublished)
		}
	}

	if err := checkAttributes(author.Attributes); err != nil {
		return "", fmt.Errorf("author %q: %w: %w", author.ID, err, errNotPublished)
	}

	var name *string
	if text, ok := names[author.ID]; ok {
		name = &text
	}
	return author.ID, im.w.Author(author.ID, name, author.Attributes, author.Edges)
}

// putEdge copies an edge, which has the attributes weight, papers and n_citation.
func (im *dblpImport) putEdge(p *pickled, nodes int) error {
	// A weight that is missing must differ from one of 0, so it is a pointer.
	var edge struct {
		Ends       [2]uint32
		Attributes struct {
			Weight    *int32
			Papers    []string
			NCitation []int32 `json:"n_citation"`
		}
	}
	if err := p.next(&edge); err != nil {
		return err
	}

	a, b := edge.Ends[0], edge.Ends[1]
	attributes := edge.Attributes

	// The corpus keeps papers by number, which only those with a title have here.
	papers := make([]uint32, len(attributes.Papers))
	for i, key := range attributes.Papers {
		n, ok := im.papers[key]
		if !ok {
			return fmt.Errorf("the edge between the nodes %d and %d has the paper %.40q, which has no "+
				"title or is not in %s: %w", a, b, key, dblpFileNames[paperNetFile], errNotPublished)
		}

		papers[i] = n
	}

	if max(int(a), int(b)) >= nodes || attributes.Weight == nil || *attributes.Weight < 0 ||
		attributes.Papers == nil || len(papers) != len(attributes.NCitation) {
		return fmt.Errorf("the edge between the nodes %d and %d has %d papers and %d numbers of "+
			"citations; expected as many of each, and a weight: %w", a, b, len(papers),
			len(attributes.NCitation), errNotPublished)
	}

	return im.w.Edge(a, b, int(*attributes.Weight), papers, attributes.NCitation)
}
