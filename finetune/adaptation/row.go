package adaptation

// Row has the measures of a policy under an API version. Shares are 0..1; where nothing was counted they are 0.
type Row struct {
	Policy string `json:"policy"` // e.g. "scripted:reader"
	API    string `json:"api"`    // the deployed API version, or a family of versions
	N      int    `json:"n"`      // questions measured
	Lost   int    `json:"lost"`   // questions lost to infrastructure failures, in no other figure

	Met      int     `json:"met"`       // questions whose episode met a deprecation
	MetShare float64 `json:"met_share"` // of the questions measured
	Adapted  int     `json:"adapted"`   // of those that met one, the ones in which every tool recovered

	ToolsMet       int        `json:"tools_met"`       // tools that were met as deprecated, each once an episode
	ToolsRecovered int        `json:"tools_recovered"` // of those, the ones called with success after their first notice
	RecoveryTurns  float64    `json:"recovery_turns"`  // mean turns from the first notice to that success, 1 for the next
	Recovery       []Recovery `json:"recovery"`        // how many tools recovered after how many turns

	// turns that make a call again that failed in the same way before, with no ok turn between
	RepeatedTurns int     `json:"repeated_turns"`
	RepeatedShare float64 `json:"repeated_share"` // their share of all turns
	Hallucinated  int     `json:"hallucinated"`   // calls of names that are neither deployed nor deprecated

	NewTools []NewTool `json:"new_tools"` // those that were called, by name
	Updates  Updates   `json:"updates"`   // calls of UpdateTool

	Turns  float64 `json:"turns"`            // mean turns of an episode
	Tokens float64 `json:"tokens,omitempty"` // mean tokens an episode wrote, where the server counted them
	Cost   *Cost   `json:"cost,omitempty"`   // of drift, where the prompt's own version was measured, too
}

// Recovery counts tools that recovered.
type Recovery struct {
	Turns int `json:"turns"` // after so many
	Tools int `json:"tools"` // so many recovered
}

// NewTool says how a new tool was called.
type NewTool struct {
	API    string `json:"api"`    // its deployed name
	Tool   string `json:"tool"`   // what the prompt calls it
	Calls  int    `json:"calls"`  // with readable arguments
	Errors int    `json:"errors"` // of those, the ones whose arguments did not fit
}

// Updates counts the descriptions that UpdateTool was told.
type Updates struct {
	Calls            int `json:"calls"`             // that succeeded
	True             int `json:"true"`              // the described tool and its parameters are deployed
	UnknownTool      int `json:"unknown_tool"`      // the described tool is not deployed
	UnknownParameter int `json:"unknown_parameter"` // it is, and a described parameter is not
}

// Cost is what drift costs, in the mean of the questions that were measured under both versions.
type Cost struct {
	N      int     `json:"n"`                // questions that were
	Turns  float64 `json:"turns"`            // further turns of an episode
	Tokens float64 `json:"tokens,omitempty"` // further tokens an episode wrote, where the server counted them
}
