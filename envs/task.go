package envs

// The labels that are looked at here. A suite may give its tasks others besides.
const (
	LabelDataset    = "dataset"    // the dataset it belongs to, e.g. "coffee"; chooses the demonstrations
	LabelDifficulty = "difficulty" // e.g. "easy"
	LabelTemplate   = "template"   // what the question was made from
	LabelJudge      = "judge"      // the language model whose verdict decides, where one does
	LabelFeedback   = "feedback"   // of rows: what calls were told that were not taken, where that is not "deprecation"
)

// Task is what the agent is asked. It never holds the gold answer, in no label either.
type Task struct {
	ID       string            // unique within a run, e.g. "easy-coffee-0042"
	Labels   map[string]string // what its suite says of it; shared by all copies, so nobody may change it
	Question string            // the text shown to the agent

	// Tools are those that the task has beside its suite's: a JSON list that toolapi.ParseFunctions
	// reads, or "".
	Tools string
}

// OfDataset returns a task of which only the dataset is known.
func OfDataset(dataset string) Task {
	return Task{Labels: map[string]string{LabelDataset: dataset}}
}
