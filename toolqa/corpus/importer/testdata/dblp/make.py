"""Makes the six pickles of the published dblp corpus from papers, by the rules of the published notebook.

Usage: make.py FOLDER PROTOCOL [FOLDER PROTOCOL …] < papers.json

The input is a list of papers in ascending order of n_citation: {"key", "cites": [keys], "attributes": {...}}. Without
networkx, stand-ins of its two classes are pickled under their names.
"""

import json
import os
import pickle
import sys
import types

try:
    import networkx
except ImportError:
    networkx = None

if networkx is None:
    def stand_in(module, name, directed):
        def init(self):
            self.graph, self._node, self._adj = {}, {}, {}
            if directed:
                self._succ, self._pred = self._adj, {}

        def add_node(self, n, **attributes):
            if n not in self._node:
                self._node[n], self._adj[n] = {}, {}
                if directed:
                    self._pred[n] = {}
            self._node[n].update(attributes)

        def add_edge(self, a, b, **attributes):
            self.add_node(a)
            self.add_node(b)
            data = self._adj[a].get(b, {})
            data.update(attributes)
            self._adj[a][b] = data
            (self._pred if directed else self._adj)[b][a] = data

        methods = dict(__init__=init, add_node=add_node, add_edge=add_edge, __getitem__=lambda self, n: self._adj[n])
        cls = type(name, (), dict(methods, __module__=module))
        parts = module.split(".")
        for i in range(1, len(parts) + 1):
            sys.modules.setdefault(".".join(parts[:i]), types.ModuleType(".".join(parts[:i])))
        setattr(sys.modules[module], name, cls)
        return cls

    DiGraph = stand_in("networkx.classes.digraph", "DiGraph", True)
    Graph = stand_in("networkx.classes.graph", "Graph", False)
else:
    DiGraph, Graph = networkx.DiGraph, networkx.Graph


def build(papers):
    paper_net, author_net = DiGraph(), Graph()
    title2id, id2title, author2id, id2author = {}, {}, {}, {}
    joined = set()
    for p in papers:
        key, attributes = p["key"], p["attributes"]
        title2id[attributes["title"]] = key
        id2title[key] = attributes["title"]
        paper_net.add_node(key, **attributes)
        authors = [a for a in attributes["authors"] if a["id"]]
        for a in authors:
            if a["id"] not in id2author:
                id2author[a["id"]] = a["name"]
                author2id[a["name"]] = a["id"]
                author_net.add_node(a["id"], org=a["org"])
        for a in authors:
            for b in authors:
                if a["id"] == b["id"]:
                    continue
                if (a["id"], b["id"]) not in joined:
                    joined.add((a["id"], b["id"]))
                    author_net.add_edge(a["id"], b["id"], weight=1, papers=[key], n_citation=[attributes["n_citation"]])
                    continue
                edge = author_net[a["id"]][b["id"]]
                edge["weight"] += 1
                edge["papers"].append(key)
                edge["n_citation"].append(attributes["n_citation"])
    for p in papers:
        for cited in p["cites"]:
            paper_net.add_edge(p["key"], cited)
    if networkx is not None:  # what is looked at, networkx keeps, and pickles
        for g in paper_net, author_net:
            g.nodes, g.edges, g.adj, g.degree
    return {
        "paper_net": paper_net, "author_net": author_net, "title2id_dict": title2id, "author2id_dict": author2id,
        "id2title_dict": id2title, "id2author_dict": id2author,
    }


if __name__ == "__main__":
    made = build(json.load(sys.stdin))
    for folder, protocol in zip(sys.argv[1::2], sys.argv[2::2]):
        for name, value in made.items():
            with open(os.path.join(folder, name + ".pkl"), "wb") as f:
                pickle.dump(value, f, int(protocol))
    print("networkx", networkx.__version__ if networkx else "stand-in")
