package envs

// Action is one completion of the model, as it was written: Thought, Action and Action Input (paper, A.1). It may be
// anything a model can write, including the empty string, invalid UTF-8, or a megabyte of brackets.
type Action string

// The tools that belong to the protocol rather than to a benchmark: the one that answers, and the one by which an agent
// takes a new API into its prompt (paper, 3.3).
const (
	FinishTool = "Finish"
	UpdateTool = "UpdateTool"
)

// Call is what an environment understood of an action.
type Call struct {
	// Tool is the capability meant, by its name in the version that defines the tools, or "" when no tool of that name
	// exists in any version the environment knows. A deprecated call names the tool it would have reached.
	Tool string
	Name string // the name as the agent wrote it
	Args Args   // the arguments as the agent wrote them
}

// Args are the arguments of a call in the order they were written. Names are distinct. The order matters: some
// deployed APIs number their parameters.
type Args []Arg

// Arg is one named argument. Value holds what JSON can say: nil, bool, Number, string, []any, or Args for an object.
type Arg struct {
	Name  string
	Value any
}

// Number is a JSON number as it was written, e.g. "3" or "2.50". NaN, Infinity and -Infinity also occur: models
// write them and Python's decoder accepts them.
type Number string

// Get returns the value of the argument called name, and whether there is one.
func (a Args) Get(name string) (any, bool) {
	for _, arg := range a {
		if arg.Name == name {
			return arg.Value, true
		}
	}

	return nil, false
}

// Text returns the value of the argument called name when it is a string.
func (a Args) Text(name string) (string, bool) {
	v, _ := a.Get(name)
	s, ok := v.(string)
	return s, ok
}

// Names returns the argument names in order.
func (a Args) Names() []string {
	names := make([]string, len(a))
	for i, arg := range a {
		names[i] = arg.Name
	}

	return names
}
