"""Writes what one of the published pickles of dblp holds as lines of JSON.

A pickle is a program for a machine that builds objects by calling what it names. Here it may name the classes of a
graph and of plain containers, and nothing else; and it runs in a sandbox, under limits. The package importer appends a
call of main and sends the pickle on standard input. A line begins with "=" before data, with "!" before what is wrong,
which is the last line then, and is "." at the end.
"""

import codecs
import collections
import gc
import io
import json
import pickle


class Wrong(Exception):
    """What the pickle holds is not what was published."""


class Graph:
    """Stands for networkx.Graph: the attributes that a pickle sets."""

    kind = "an undirected graph"


class DiGraph(Graph):
    kind = "a directed graph"


class View:
    """Stands for the views that networkx keeps in a graph whose nodes or edges were looked at."""

    def __new__(cls, *args):
        return object.__new__(cls)

    def __setstate__(self, state):
        pass


CLASSES = {
    ("networkx.classes.graph", "Graph"): Graph,
    ("networkx.classes.digraph", "DiGraph"): DiGraph,
    ("collections", "OrderedDict"): collections.OrderedDict,
}
for plain in dict, list, set, str, int, float:
    for builtins in "builtins", "__builtin__":  # as Python 2 called it
        CLASSES[builtins, plain.__name__] = plain
VIEWS = "networkx.classes.coreviews", "networkx.classes.reportviews"


class Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        found = View if module in VIEWS else CLASSES.get((module, name))
        if found is None:
            raise Wrong("it refers to %s of the module %s, which no graph has; nothing of it was executed"
                        % (short(name), short(module)))
        return found


def short(text):
    return json.dumps(text[:60])


def kind(v):
    """What a value is, for an error."""
    if isinstance(v, str):
        return "the text " + short(v)
    return getattr(v, "kind", "None" if v is None else "a " + type(v).__name__)


def expect(v, cls, what):
    if type(v) is not cls and not (cls is dict and isinstance(v, dict)):
        raise Wrong("it holds %s; expected %s" % (kind(v), what))
    return v


out = io.BufferedWriter(io.FileIO(1, "w", closefd=False), 1 << 20)
encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
# Half of a surrogate pair is text to Python, and not to UTF-8.
codecs.register_error("replacement", lambda e: ("\ufffd" * (e.end - e.start), e.end))


def line(mark, text=""):
    out.write((mark + text + "\n").encode("utf-8", "replacement"))


def emit(v):
    line("=", encode(v))


def texts(v):
    """The number of entries, and each of them."""
    expect(v, dict, "a dictionary")
    emit(len(v))
    for key, value in v.items():
        if type(key) is not str or type(value) is not str:
            raise Wrong("%s stands for %s; expected texts" % (kind(key), kind(value)))
        emit([key, value])


def parts(v, cls):
    """The attributes of each node, the attributes of the edges to its neighbours, and its number."""
    made = expect(v, cls, cls.kind).__dict__
    dicts = []
    for name in "_node", "_adj":
        d = made.get(name, made.get(name[1:]))  # as networkx 1 called it
        if not isinstance(d, dict):
            raise Wrong("the graph has no " + name)
        dicts.append(d)
    nodes, neighbours = dicts
    if nodes.keys() != neighbours.keys():
        raise Wrong("%d nodes, and neighbours of %d others" % (len(nodes), len(neighbours)))
    for key in nodes:
        if type(key) is not str:
            raise Wrong("a node is %s; expected an id, which is a text" % kind(key))
    for key, d in neighbours.items():
        if not isinstance(d, dict):
            raise Wrong("the neighbours of %s are %s" % (kind(key), kind(d)))
        for other in d:
            if other not in nodes:
                raise Wrong("an edge of %s to %s, which is no node" % (kind(key), kind(other)))
    return nodes, neighbours, {key: i for i, key in enumerate(nodes)}


def papers(v):
    """The number of nodes; the id of each; the numbers of the nodes that each cites; the attributes of each."""
    nodes, neighbours, number = parts(v, DiGraph)
    emit(len(nodes))
    for key in nodes:
        emit(key)
    for key in nodes:
        cited = neighbours[key]
        if any(attributes != {} for attributes in cited.values()):
            raise Wrong("edges of %s have attributes; the published ones have none" % kind(key))
        emit([number[other] for other in cited])
    for attributes in nodes.values():
        emit(attributes)


def authors(v):
    """The numbers of nodes and edges; of each node its id, its attributes, and the numbers of its edges; of each edge
    its ends and its attributes. Edges are numbered as they come first."""
    nodes, neighbours, number = parts(v, Graph)
    edges, own = {}, []
    for key in nodes:
        mine = []
        for other, attributes in neighbours[key].items():
            ends = tuple(sorted((number[key], number[other])))
            if ends not in edges:
                if key not in neighbours[other]:
                    raise Wrong("the edge of %s to %s is listed once; expected it at both" % (kind(key), kind(other)))
                edges[ends] = len(edges), attributes
            mine.append(edges[ends][0])
        own.append(mine)
    emit([len(nodes), len(edges)])
    for (key, attributes), mine in zip(nodes.items(), own):
        emit({"id": key, "attributes": attributes, "edges": mine})
    for ends, (_, attributes) in edges.items():
        emit({"ends": ends, "attributes": attributes})


def main(write):
    gc.disable()  # millions of objects, none of which is garbage
    try:
        write(Unpickler(io.BufferedReader(io.FileIO(0, closefd=False), 1 << 20)).load())
        line(".")
    except Wrong as e:
        line("!", str(e))
    except MemoryError:
        line("!", "it takes more memory than its size allows")
    except Exception as e:  # whatever a pickle can provoke
        line("!", "damaged: %s: %.200s" % (type(e).__name__, " ".join(str(e).split())))
    out.flush()
