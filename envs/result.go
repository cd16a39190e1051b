package envs

// Result is what a tool answered: the text the agent reads, and what kind of observation it is. The
// outcome is OK, ToolError (the call was valid and the tool could not do what it asked) or
// InvocationError (an argument has a type or shape the tool does not take). A failure of ours is an
// error, never a Result.
type Result struct {
	Observation string
	Outcome     Outcome
	Maker       string // the program outside this one that made it, e.g. a Python engine; "" when there is none
}
