// Package questions is what the benchmark asks: the question templates of ToolQA, the questions made from them, and
// their files.
//
// # Words
//
// A [Template] is a sentence with {slots}; filling them in makes a question. A [Match] is a question taken apart
// again. Every template has a gold rule, which computes the right answer from a [Corpus], and a plan, which finds the
// same answer with the tools. Where the rule of the published benchmark is faulty, the template says so in Fault and
// keeps the faulty rule as its official one: [Gold] is right, [OfficialGold] agrees with the published answers.
//
// # Guarantees
//
//   - [Recognise] finds at most one template for a question, and [Match.Question] is its inverse.
//   - A [Plan] is built from the question's text alone, never from the corpus or the gold answer, and calls the tools by
//     the names of the prompt version (p_c). Run with the tools it ends with the gold answer.
//   - Answers are texts as Python prints them: str of a float, round(x, 2), "%.1f". So "-0.0%" occurs.
//   - [Generate] returns the same questions for the same seed and corpus; no two of them have the same text or ID, in
//     whatever split, nor the text or ID of a question to exclude.
//   - Files are replaced as a whole or not at all.
//   - [Open] gives a run only questions whose answers are from its corpus, and none that another split asks too.
//
// # Adding a dataset
//
// A dataset is one file: its view of the corpus (a type with a Dataset method) and its templates; and one line in the
// list of families. Sentences, queries, code and thoughts are data; the rules are functions of the view.
//
// # Caveats
//
// Rules compute with float64 in the order the published rules do, and compare differences of prices as float64, so
// that two days with the same difference on paper may be ordered by a rounding error, as in the published answers.
package questions
