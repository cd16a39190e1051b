package importer

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"
)

// A pickle is a program for a machine that builds objects, and Python runs it by calling what it names. Here
// nothing is called: scanPickle reads the program without running it, and unpickle builds plain containers
// and networkx graphs only.

// errNotGraph is what the errors of pickles that hold something else wrap.
var errNotGraph = errors.New("this is not one of the published pickles")

// unpickle returns the object that the pickle in r, of size bytes, builds. Use is what scanPickle has found in it. Of a
// graph, it keeps the attributes of the nodes for which keep holds; nil is all.
func unpickle(r io.Reader, size int64, use *memoUse, keep func(node string) bool) (v any, err error) {
	// The library relies on the program being one that Python wrote, and panics otherwise.
	defer func() {
		if p := recover(); p != nil {
			v, err = nil, fmt.Errorf("damaged: %v: %w", p, errNotGraph)
		}
	}()

	lean, err := newLeanPickle(r, size, use)
	if err != nil {
		return nil, fmt.Errorf("damaged: %w: %w", err, errNotGraph)
	}

	u := pickle.NewUnpickler(lean)

	u.FindClass = func(module, name string) (any, error) {
		if module == leanModule && len(name) == 1 && int(name[0]-'0') < int(dictRoles) {
			return &dictClass{role: dictRole(name[0] - '0'), keep: keep}, nil
		}

		return findPickled(module, name)
	}
	if v, err = u.Load(); err != nil && !errors.Is(err, errNotGraph) {
		err = fmt.Errorf("damaged: %w: %w", err, errNotGraph)
	}

	return v, err
}

// findPickled stands for the classes and functions that a pickle names. Those of plain containers are known to the
// library; what is neither is refused.
func findPickled(module, name string) (any, error) {
	switch {
	case module == "networkx.classes.graph" && name == "Graph":
		return graphClass{}, nil
	case module == "networkx.classes.digraph" && name == "DiGraph":
		return graphClass{directed: true}, nil
	case module == "networkx.classes.coreviews", module == "networkx.classes.reportviews":
		return viewClass{}, nil // networkx keeps views of a graph in it, once they were used
	case module == "__builtin__" && name == "dict":
		return &types.Dict{}, nil // older graphs name the class of their dictionaries
	}

	return nil, fmt.Errorf("it refers to %.60q of the module %.60q, which no graph has; nothing of it was "+
		"executed: %w", name, module, errNotGraph)
}

// graphClass makes graphs.
type graphClass struct{ directed bool }

// PyNew makes a graph without nodes.
func (c graphClass) PyNew(args ...any) (any, error) {
	if len(args) > 0 {
		return nil, fmt.Errorf("a graph is made with arguments: %w", errNotGraph)
	}

	return &pickledGraph{directed: c.directed, attributes: map[string]any{}}, nil
}

// pickledGraph is a graph of networkx: what Python's __dict__ has of it.
type pickledGraph struct {
	directed   bool
	attributes map[string]any
}

// PySetState sets the attributes.
func (g *pickledGraph) PySetState(state any) error {
	attributes, ok := dictOf(state)
	if !ok {
		return fmt.Errorf("the attributes of the graph are %s: %w", pythonType(state), errNotGraph)
	}

	for _, a := range attributes {
		name, ok := a.Key.(string)
		if !ok {
			return fmt.Errorf("an attribute of the graph is called %s: %w", pythonType(a.Key), errNotGraph)
		}

		g.attributes[name] = a.Value
	}

	return nil
}

// nodes returns the attributes of every node, and neighbours the attributes of the edges to its neighbours;
// of a directed graph, to its successors. The names are those of networkx 1, too.
func (g *pickledGraph) nodes() (types.Dict, error)      { return g.dict("_node", "node") }
func (g *pickledGraph) neighbours() (types.Dict, error) { return g.dict("_adj", "adj") }

func (g *pickledGraph) dict(names ...string) (types.Dict, error) {
	for _, name := range names {
		if lean, ok := g.attributes[name].(*pickledDict); ok && lean.class.err != nil {
			return nil, lean.class.err
		}

		if d, ok := dictOf(g.attributes[name]); ok {
			return d, nil
		}
	}

	return nil, fmt.Errorf("the graph has no %s: %w", names[0], errNotGraph)
}

// viewClass makes views, of which nothing is kept.
type viewClass struct{}

type pickledView struct{}

// PyNew makes a view.
func (viewClass) PyNew(...any) (any, error) { return pickledView{}, nil }

// PySetState ignores what the view is of.
func (pickledView) PySetState(any) error { return nil }

// dictOf returns the entries of a dictionary in their order.
func dictOf(v any) (types.Dict, bool) {
	switch v := v.(type) {
	case *pickledDict:
		return v.entries, v.class.role != unusedDict
	case *types.Dict:
		return *v, true
	case *types.OrderedDict:
		var d types.Dict

		for e := v.List.Front(); e != nil; e = e.Next() {
			entry := e.Value.(*types.OrderedDictEntry)
			d = append(d, types.DictEntry{Key: entry.Key, Value: entry.Value})
		}

		return d, true
	}

	return nil, false
}

// stringMap returns a dictionary from texts to texts.
func stringMap(v any) (map[string]string, error) {
	d, ok := dictOf(v)
	if !ok {
		return nil, fmt.Errorf("it holds %s; expected a dictionary: %w", pythonType(v), errNotGraph)
	}

	m := make(map[string]string, len(d))
	for _, entry := range d {
		key, ok1 := entry.Key.(string)

		value, ok2 := entry.Value.(string)
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("%s stands for %s; expected texts: %w", pythonType(entry.Key),
				pythonType(entry.Value), errNotGraph)
		}

		m[key] = value
	}

	return m, nil
}

// pythonType names the type of a value for an error.
func pythonType(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case string:
		return fmt.Sprintf("the text %.40q", v)
	case *pickledDict:
		return "a dict"
	case *pickledGraph:
		if v.directed {
			return "a directed graph"
		}

		return "an undirected graph"
	}

	return "a " + strings.ToLower(strings.TrimPrefix(strings.TrimPrefix(fmt.Sprintf("%T", v), "*"), "types."))
}
