package envs

// Action is one completion of the model, verbatim: Thought, Action and Action Input (paper, A.1).
// It may be anything a model can write, including the empty string, invalid UTF-8, or a megabyte of
// brackets.
type Action string

// The tools that belong to the protocol rather than to a benchmark: the one that answers, and the
// one with which an agent adds a new API to its prompt (paper, 3.3).
const (
	FinishTool = "Finish"
	UpdateTool = "UpdateTool"
)

// Call is what an environment understood of an action.
type Call struct {
	// Tool names the capability as the version that defines the tools does, or is "" when no
	// version that the environment knows has a tool of the name called. A deprecated call names the
	// tool it would have reached.
	Tool string
	Name string // the name as the agent wrote it
	Args Args   // the arguments as the agent wrote them
}

// IsSystem reports whether a tool is one of the protocol's.
func IsSystem(tool string) bool { return tool == FinishTool || tool == UpdateTool }

// Finish is the call that answers.
func Finish(answer string) Call {
	return Call{Tool: FinishTool, Name: FinishTool, Args: Object("answer", answer)}
}
