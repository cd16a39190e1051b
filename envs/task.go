package envs

// The labels that the program itself reads. A suite may give its tasks others as well.
const (
	LabelDataset    = "dataset"    // its dataset, e.g. "coffee"; chooses the demonstrations
	LabelDifficulty = "difficulty" // e.g. "easy"
	LabelTemplate   = "template"   // what the question was made from
	LabelJudge      = "judge"      // the language model whose verdict decides, where one does

	// LabelFeedback labels rows with what rejected calls were told, unless it is "deprecation".
	LabelFeedback = "feedback"
)

// Task is what the agent is asked. It never holds the gold answer, not even in a label.
type Task struct {
	ID       string            // unique within a run, e.g. "easy-coffee-0042"
	Labels   map[string]string // from its suite; shared by all copies, so nobody may change it
	Question string            // the text shown to the agent

	// Tools are the task's own, in addition to its suite's: a JSON list that
	// toolapi.ParseFunctions reads, or "".
	Tools string
}

// OfDataset returns a task with nothing but a dataset.
func OfDataset(dataset string) Task {
	return Task{Labels: map[string]string{LabelDataset: dataset}}
}
