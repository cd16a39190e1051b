// Package questions contains the 117 question templates of ToolQA, generates questions from them,
// and reads and writes question files. TEMPLATES.md beside this file lists the templates; a test
// generates it.
//
// # Words
//
// A [Template] is a sentence with {slots}; filling them in makes a question. A match is a question
// taken apart again. Templates are data: templates/DATASET.yaml has the text, the plan and the
// rules of each. The gold rule computes the right answer, a query over the tables of the corpus
// file. A plan finds the same answer with the tools: it is the second opinion on every gold answer,
// and the tests follow it on questions of every template.
//
// A question is drawn by queries, too: "from" finds the rows that it may be about, of which one is
// drawn; the slots are cells of it, or what "draw" finds for it and some random numbers; and "only"
// says whether the plan, and everybody else, can answer it. Go has what no query and no call of a
// tool can say: functions that queries call, and readers (hooks.go) that take values from the
// results of tools.
//
// What a plan shares with its rule, so that a mistake there is in both: the slots, as recognise
// takes them from the question; the importer or generator of the corpus, whose two forms of a table
// the tests of package corpus compare. Queries call functions beside those of SQLite: py_str,
// py_fixed, py_round and py_strip print as Python does; clock24, minutes and stored are about times
// of day, score_number and published_score about scores, page about pages; metres, ahead_lat and
// ahead_long are geodesics of WGS-84, distance is that of two authors, alone says who wrote papers
// that the tools do not show, words counts those of an observation, item takes one of a list, and
// matches is Python's regular expressions.
//
// Where the rule of the published benchmark is faulty, the template says so and keeps the faulty
// rule as its official one, which agrees with ToolQA's answers. ToolQA-D has the same questions and
// corrects some of the answers (corrected). Of a template whose answers it leaves wrong nothing is
// generated for training, unless the questions can be drawn such that both rules agree (avoided).
//
// # Guarantees
//
//   - A question fits at most one template, and made of its slots again it is the same text.
//     ToolQA's own questions are recognised; a test reads 1,300 of the 1,430.
//   - A [Plan] is built from the question's text alone, never from the corpus or the gold answer,
//     and calls the tools by the names of the prompt version (p_c). Run with the tools it ends with
//     the gold answer.
//   - Answers are texts as Python prints them: str of a float, round(x, 2), "%.1f". So "-0.0%"
//     occurs.
//   - [Generate] returns the same questions for the same seed and corpus; no two of them are equal
//     ([envs.QuestionKey]) or have the same ID, in whatever split, nor is one a question to exclude
//     or has its ID.
//   - Files are replaced as a whole or not at all, and [Read] refuses one that does not have the
//     checksum that was written with it: DIR/questions/SHA256SUMS, which sha256sum -c reads.
//   - [Open] gives a run only questions whose answers are from its corpus, and none that another
//     split asks too.
//
// # Adding a template
//
// CONTRIBUTING.md explains the keys of the files. The tests of all datasets play in one world
// (world_test.go): a scripted reader follows the plans with the real tools under every API version.
//
// # Caveats
//
// Rules compute with float64 in the order the published rules do, and compare differences of prices
// as float64, so that two days with the same difference on paper may be ordered by a rounding
// error, as in the published answers.
//
// A question that two templates fit is one of the template that spells out more of it: a name in a
// slot may hold words of the benchmark's own sentences.
//
// Answers to published questions are kept as they are, wrong ones too; [CheckGold] says which they
// are, as far as the corpus is there.
package questions
