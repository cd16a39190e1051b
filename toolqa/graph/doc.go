// Package graph holds the four tools that look into the two graphs of the dblp corpus: [LoadGraph],
// [NeighbourCheck], [NodeCheck] and [EdgeCheck].
//
// PaperNet is directed, from a paper to one that it cites, and its nodes are called by their
// titles. AuthorNet is undirected, between people who wrote a paper together, and its nodes are
// called by their names. Of several papers of a title, or people of a name, the tools know one: the
// most cited paper, and the person who appears last. Titles and names are compared letter by
// letter.
//
// # What they print
//
// Observations are the published ones, in which nodes and edges are printed as Python prints
// dictionaries and lists:
//
//   - LoadGraph[dblp]: "DBLP data is loaded, including two graphs: AuthorNet and PaperNet." Nothing
//     is loaded, and the other tools work without it.
//   - NodeCheck: "{attributes}; Degree: 5". Of a paper, the degree is what it cites and what cites
//     it.
//   - NeighbourCheck of a paper: "In degree: 1; Out degree: 3; 3 neighbors: ['Title of a paper',
//     …]". The neighbours are what the paper cites; those before 2021 are counted, and have no
//     title to be listed by.
//   - NeighbourCheck of an author: "Degree: 2; 2 neighbors: [('Name', 'weight: 3'), …]; Total 4
//     papers; Paper list: Title, Title". The total is the number of entries in the edges of the
//     author, and the list has each title once.
//   - EdgeCheck: "{'weight': 3, 'papers': ['Title', 'Other', 'Other'], 'n_citation': [4, 0, 0]}" in
//     AuthorNet, and "{}" in PaperNet, whose edges have no attributes.
//
// An edge of AuthorNet has one entry for the first paper of two authors, and two for each further
// one: for n papers the weight is 2n-1. This is what the published graph holds, and what the
// published answers count.
//
// # Differences from the published tools
//
//   - The published NeighbourCheck prints the weight of each edge, and the edges of PaperNet have
//     none, so that it fails for every paper that cites one with a title. Here the titles are
//     listed alone. [NeighbourCheck.Weights] fails as the published one does.
//   - The published EdgeCheck overwrites the papers of an edge of AuthorNet, in the graph that all
//     trees of a server process share, so that the edge is not found a second time, and
//     NeighbourCheck fails for both of its authors. Here graphs are immutable. [EdgeCheck.Spoil]
//     makes an edge behave like that in the states that come after the call, and in no other: what
//     other trees see does not depend on it.
//
// # Guarantees
//
// A [Graphs] is read-only and safe for concurrent use. It reads the corpus file, a few rows a call,
// and keeps nothing in memory but SQLite's cache. Tools return an error only when the file cannot
// be read, or ctx ends.
package graph
