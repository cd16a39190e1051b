// Package labels makes the training data of a judge of completeness from what models and people say
// of answers, as MirrorAPI did for its FAC (section 4.2, appendix F).
//
// # Words
//
// A [Label] is a labeller's verdict on a final answer to a query: that it is complete, or not. A
// labeller is a model, or a person, whose labels are not trained on but measure the others. A case
// is a query with a final answer. The expert is the model that is trusted most.
//
// # Data
//
// Plain data has a sample for each case, with the verdict of most models. Reinforced data, for
// OpenChat's C-RLFT (Wang et al., 2023), has one for each label of a model. It begins with the
// model's name, and weighs 1 if that is the expert's and 0.1 otherwise: whoever asks the judge
// begins with the expert's name, and gets what the expert would say.
//
// # Guarantees
//
//   - A query is either trained on or held out, with all of its answers. Those that people labelled
//     are held out.
//   - The same labels give the same bytes, in whatever order they come.
//
// # Caveats
//
// LLaMA-Factory knows no weights: of reinforced data it learns by the names alone. Answers that are
// empty are no cases: they are incomplete, and no judge is asked.
package labels
