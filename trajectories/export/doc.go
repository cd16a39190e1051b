// Package export writes trajectories as the training data of a language model: chosen, checked as
// the trainer will read them, and in one of the forms that supervised fine-tuning, preference
// learning and reward models are trained on (ToolEvo, section 3.3 and A.4).
//
// # Words
//
// An export is a folder that a trainer reads. A [Format] says what one of its samples is, a
// [Trainer] who reads it, and so what columns and roles are called. A [Sample] is the same whoever
// reads it. A [Selection] chooses among the trajectories of each question. A [Finding] is a defect
// that the [Linter] found in a sample: lint.go has its rules, choose.go asks it before the
// selection, and [Lint] asks it about a finished export. The lineage says where each sample comes
// from, the [Manifest] how the export was made, and the card tells people both.
//
// A state is what a model has met when it acts: the question, its calls and their observations, in
// whatever tree of whatever exported run. Two actions at one node of a tree are siblings. An action
// is good if it is on a chosen trajectory. It is bad if at least one trajectory takes it in that
// state, and all that do fail, with a wrong answer or at a limit.
//
// In the format [Tree] a selection chooses trees: those with a chosen trajectory. Such a tree has
// every trajectory that is right by the matcher asked for, or failed by what the model did, and
// that the linter does not fault. How a trajectory ended is all that it is worth there. The
// advantage of an action is the mean reward (1, or -1) of the ends below it, normalised by the mean
// and the standard deviation of its siblings', as GRPO normalises the rewards of a group. Tree-GRPO
// (arXiv 2509.21240) compares the ends of a tree, and of all trees of a question;
// toolevo_env.trees computes its advantages, which needs only the outcomes of rows.
//
// # Guarantees
//
//   - Every exported sample has passed the linter, so LLaMA-Factory keeps all of them and truncates
//     none that the cutoff allowed. What was left out is counted by reason.
//   - The gold answer is in no export, nor is a question that another split asks.
//   - What is trained is what an evaluation sends, and the model's answer to it. The observation of
//     the last action, the verdict on its answer, is never shown.
//   - No sample of a single action trains one that the codec cannot read, its JSON included. Whole
//     trajectories may hold such turns; the manifest counts them.
//   - No rejected action succeeds in its state in any trajectory of the runs that are exported
//     together, and no sample of a question occurs twice: the lineage says how often the trees have
//     it.
//   - No failure of the infrastructure (a server, a tool, a prompt without room) makes an action
//     bad.
//   - For each question a selection depends on that question's rows, the options and the seed,
//     never on other questions. Only weights ([Mix]) and the share held out look at all questions.
//   - Writing, selecting and reading are streams: memory holds one row group or one question, not
//     the file.
//   - The same rows and options give byte-identical files. They appear whole, the manifest last.
//
// # Caveats
//
// Token counts and losses are those of LLaMA-Factory 0.9.5 for the templates [Templates] lists,
// with byte-level BPE tokenizers. Samples for TRL and of the format [OpenAI] are messages as
// [chat.Messages] or [chat.ToolMessages] send them, and the trainer's template writes them: their
// tokens are not counted, but estimated by the same templates. Function calls are tool calls there,
// as native calls are, but no server is sent them as such. Tools and native calls are counted as
// Qwen's templates write them; under other templates tools are bare.
package export
