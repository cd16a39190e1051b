package facts

// Key says which episode a row is about.
type Key struct {
	Policy     string `json:"policy"`      // e.g. "scripted:reader"
	API        string `json:"api"`         // the deployed API version, or the family that it belongs to
	Deployed   string `json:"deployed"`    // the deployed API version
	Dataset    string `json:"dataset"`     // of the question
	Difficulty string `json:"difficulty"`  // of the question
	QuestionID string `json:"question_id"` // unique within dataset and difficulty
	Question   string `json:"question"`    // dataset, difficulty and ID, which is unique in an evaluation
	Repeat     int    `json:"repeat"`      // which of the question's episodes, from 0
	Measured   bool   `json:"measured"`    // the episode was not lost
}

// SetQuestion sets the name of the question.
func (k *Key) SetQuestion() { k.Question = k.Dataset + "/" + k.Difficulty + "/" + k.QuestionID }

// Fact is what an episode comes down to. For a lost one all figures are 0.
type Fact struct {
	Key
	Source   string  `json:"source"`   // the episodes that it was made from, see Files
	Prompt   string  `json:"prompt"`   // the API version that the prompt shows
	Cell     string  `json:"cell"`     // how the deployed one has moved on (toolapi.Cell); "" of the prompt's
	Drifted  bool    `json:"drifted"`  // it is another than the prompt's
	Template string  `json:"template"` // that the question was made from; "" of others
	Cluster  string  `json:"cluster"`  // what it rises and falls with: the template, or else the question
	Labels   []Label `json:"labels"`   // all of the question's, in the order of their names

	Lost   bool   `json:"lost"`    // to a failure that says nothing about the policy
	LostTo string `json:"lost_to"` // that failure

	Official bool `json:"official"` // right by the benchmark's matcher
	Strict   bool `json:"strict"`   // right by the strict matcher
	Failed   bool `json:"failed"`   // measured, and not right by the benchmark's matcher
	Misled   bool `json:"misled"`   // in the evaluation the policy [Naive] is wrong about the same
	Detected bool `json:"detected"` // misled, and this one is right

	Answered        bool `json:"answered"`         // the agent ended it
	Unanswered      bool `json:"unanswered"`       // it did not
	TooLong         bool `json:"too_long"`         // the prompt no longer fit the context window
	Silent          bool `json:"silent"`           // the policy wrote nothing more
	FirstUnreadable bool `json:"first_unreadable"` // no action could be read from the first turn

	Turns         int     `json:"turns"`          // its length
	Tokens        int     `json:"tokens"`         // that the policy wrote; 0 if not counted
	Seconds       float64 `json:"seconds"`        // that it took; 0 if not measured
	RepeatedTurns int     `json:"repeated_turns"` // that make a call again that failed in the same way before

	Outcomes

	Calls          int  `json:"calls"`           // of tools, Finish and UpdateTool not among them
	Valid          int  `json:"valid"`           // of those, the ones that the deployed version took
	Hallucinated   int  `json:"hallucinated"`    // calls of names that are neither deployed nor deprecated
	ToolsRefused   int  `json:"tools_refused"`   // tools of which a call was refused
	ToolsRecovered int  `json:"tools_recovered"` // of those, the ones that recovered
	Refused        bool `json:"refused"`         // a tool was
	Recovered      bool `json:"recovered"`       // every tool that was refused did

	ToolsMet      int  `json:"tools_met"`      // tools that were met as deprecated
	ToolsAdapted  int  `json:"tools_adapted"`  // of those, the ones that recovered
	RecoveryTurns int  `json:"recovery_turns"` // from the notices to those recoveries, added up
	Met           bool `json:"met"`            // a tool was
	Adapted       bool `json:"adapted"`        // every tool that was met as deprecated recovered

	Updates          int `json:"updates"`           // descriptions that UpdateTool was given
	TrueUpdates      int `json:"true_updates"`      // the tool and its parameters are deployed
	UnknownTool      int `json:"unknown_tool"`      // the tool is not deployed
	UnknownParameter int `json:"unknown_parameter"` // it is, and a parameter is not

	Heading string `json:"heading"` // what Table 7 has the class under
	Class   string `json:"class"`   // why it failed, see package failure; "" of one that did not
	Rule    string `json:"rule"`    // that decided
	Wrong   int    `json:"wrong"`   // the turn where it went wrong, from 1
}

// Outcomes counts turns by outcome.
type Outcomes struct {
	OK              int `json:"ok"`               // the tool ran and answered
	Malformed       int `json:"malformed"`        // no action could be read
	InvalidAction   int `json:"invalid_action"`   // no tool has that name
	InvocationError int `json:"invocation_error"` // the arguments do not fit the deployed signature
	Deprecated      int `json:"deprecated"`       // the name or its parameters are no longer deployed
	ToolError       int `json:"tool_error"`       // the tool could not do what a valid call asked
	Correct         int `json:"correct"`          // the right answer
	Incorrect       int `json:"incorrect"`        // a wrong answer
	Unavailable     int `json:"unavailable"`      // a passing fault
}

// Label is something that a suite says about a question.
type Label struct {
	Name  string `json:"name"`  // e.g. "dataset"
	Value string `json:"value"` // what it says
}

// Call is a call of an episode: one of each turn, or those that were played of a turn with several.
// Only those with Called are calls of tools.
type Call struct {
	Key
	Turn    int    `json:"turn"`    // from 1
	Tool    string `json:"tool"`    // its name in p_c; "" if unknown
	Name    string `json:"name"`    // as it was called
	Outcome string `json:"outcome"` // how it ended

	Called  bool   `json:"called"`  // of a tool that is neither Finish nor UpdateTool
	Valid   bool   `json:"valid"`   // the deployed version took it
	Wrong   bool   `json:"wrong"`   // the tool is deployed, and the arguments do not fit
	New     bool   `json:"new"`     // of a new tool
	Refusal string `json:"refusal"` // what the deployed version rejected, see package failure; "" if nothing
	Refused bool   `json:"refused"` // there is a refusal

	FirstRefused bool `json:"first_refused"` // of its tool in the episode
	FirstNotice  bool `json:"first_notice"`  // likewise
	After        int  `json:"after"`         // turns until its tool was called with success; 0 is never
	Recovered    bool `json:"recovered"`     // After a first notice it was
}

// Verdict is what a judge said about an episode once. Its texts are the judge's, and its episode
// may be a published one.
type Verdict struct {
	Key
	Judge string `json:"judge"` // who judged, e.g. "rule"
	Score string `json:"score"` // what was asked for, e.g. "sopr"
	Try   int    `json:"try"`   // pass of the judge, from 0

	Against string  `json:"against"` // the agent that the episode was compared with; "" if it was judged by itself
	Text    string  `json:"text"`    // what it said, in a word
	Value   float64 `json:"value"`   // what that counts, 0 to 1
	Read    bool    `json:"read"`    // it could be read
}
