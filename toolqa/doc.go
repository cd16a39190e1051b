// Package toolqa is the benchmark: questions over seven corpora (agenda, airbnb, coffee, dblp,
// flights, scirex, yelp) that can only be answered with its thirteen tools. It holds the vocabulary
// its sub-packages share: [Dataset], [Difficulty], [Split], [Question], and [Session], which is
// what the tools of one environment state remember.
//
// Sub-packages: corpus holds the data, questions the templates, table, graph, retrieve, sqltool and
// pytool one family of tools each; bench is the suite, with the names of the published defects, and
// datacmd its commands.
//
// DATA.md beside this file says where the published data are from, under which licences, and what
// is wrong with them.
package toolqa
