package envs

// Result is what a tool answered: the text the agent reads, and the kind of observation it is. The
// outcome is OK, ToolError (the call was valid and the tool could not do what it asked) or
// InvocationError (an argument has a type or shape the tool does not take). A failure of the
// program is an error, never a Result.
type Result struct {
	Observation string
	Outcome     Outcome
	Maker       string // the outside program that made it, e.g. a Python engine, or ""
}
