package envs

// Task is what the agent is asked. It never holds the gold answer.
type Task struct {
	ID       string // unique within a run, e.g. "easy-coffee-0042"
	Dataset  string // the dataset it belongs to, e.g. "coffee"; chooses demonstrations and depth limits
	Question string // the text shown to the agent
}
