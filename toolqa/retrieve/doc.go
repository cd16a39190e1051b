// Package retrieve holds the two tools that look for passages: RetrieveAgenda over the descriptions
// of the agenda corpus, and RetrieveScirex over the sections of the scirex corpus. Both are a
// [Tool], which prints the three passages that fit the argument keyword best, a line each.
//
// # Words
//
// A passage is a document of the corpus. A [Searcher] ranks passages: [Index] by the words they
// share with the query (BM25), [Dense] by the meaning of both, as an embedding model sees it. The
// published tools are of the second kind, with a model of their own; Index needs no model and is
// the default.
//
// # BM25
//
// The score of a passage is the sum, over the words of the query that it has, of
//
//	r² f k / (f + k (1 - b + b l/L)),    r = ln(1 + (N - n + 0.5)/(n + 0.5)),    f = √often
//
// times how many these are, where N passages have L words on average, rounded up, n of them have
// the word, this one has it so often among its l words, k is 1.2 and b 0.75. It differs from the
// textbook's (Robertson and Zaragoza 2009) by the root, the square of r, and the last factor, which
// prefer passages that have more of the query's words. Words are those of the Unicode standard, in
// lower case, without English stop words, and reduced to their stems (Porter 1980); underscores,
// dots and apostrophes separate words: the name SQuAD1_1 of the scirex corpus is SQuAD1.1 in its
// texts.
//
// # Files
//
// What is derived from a corpus is kept beside it, in a folder for each dataset:
// DIR/corpus/DATASET.words/KEY is an index, and DIR/corpus/DATASET.vectors/KEY.f32 the vectors of
// one model. The key is a hash of the corpus's content, of the format, and of the model, so that
// nothing is ever read that belongs to another corpus. Both are made at first use, under a
// temporary name, synced, and then renamed: a failure, or two programs at once, leave a whole one
// or none. They can be removed at any time. Either is compared with a hash when it is opened.
//
// # Guarantees
//
//   - The same corpus and query give the same passages in the same order; of equal ones the lowest
//     ID is first. For Dense this is as true as it is for the model: [Tool.WithMemory] has a run
//     see one answer to a query.
//   - Tools and searchers are safe for concurrent use until Close.
//   - A query that cannot be answered is an observation, the published one. An error is ours: a
//     file that cannot be read, or a model's server that does not answer.
//
// # Caveats
//
// A query longer than 2,048 bytes is cut there, as embedding models cut theirs. BM25 finds nothing
// for a query that shares no word with any passage, where a model always finds something.
package retrieve
