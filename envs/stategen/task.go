package stategen

// Case is one run of a program: values for its variables, and the required outcome.
type Case struct {
	Path    string           `json:"path"`             // "main", "if" or "else"
	Set     map[string]Value `json:"set,omitempty"`    // values that differ from the program's own
	Result  Value            `json:"result"`           // the recorded content of RESULT
	Effects Value            `json:"effects,omitzero"` // the recorded effects
}

// Task is a program with its cases and what a model is asked.
type Task struct {
	ID          string      `json:"id"` // e.g. "session-7-00042": the domain, the seed and the number
	Program     Program     `json:"program"`
	Cases       []Case      `json:"cases"` // one or two
	Instruction Instruction `json:"instruction"`
}

// Instruction is a program in words. It names every variable of Init and shows the value of none.
type Instruction struct {
	Variables string `json:"variables"` // what the names mean
	Text      string `json:"text"`      // what to do
	// Drafts are what writers and reviewers said, if models negotiated the text.
	Drafts []Draft `json:"drafts,omitempty"`
	Writer string  `json:"writer"` // "template", or the policy that wrote it
}

// Draft is one round of a negotiation (StateGen, III-E).
type Draft struct {
	Variables string `json:"variables"`
	Text      string `json:"text"`
	Verdict   string `json:"verdict,omitempty"` // "ok", "impossible", a diagnosis, or ""
}
