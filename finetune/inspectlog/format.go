package inspectlog

import "encoding/json"

// The files of a log, which is a ZIP archive.
const (
	headerFile    = "header.json"
	summariesFile = "summaries.json"
	samplesDir    = "samples/"
)

// formatVersion is the version of the header.
const formatVersion = 2

// header is what a log says besides its samples.
type header struct {
	Version int     `json:"version"`
	Status  string  `json:"status"`
	Eval    spec    `json:"eval"`
	Plan    plan    `json:"plan"`
	Results results `json:"results"`
	Stats   stats   `json:"stats"`
}

// stats say when. How long a row took is unknown: its episodes are played beside those of other
// rows.
type stats struct {
	StartedAt   string `json:"started_at"`
	CompletedAt string `json:"completed_at"`
}

// spec says what was evaluated, and on what.
type spec struct {
	EvalID      string            `json:"eval_id"`
	RunID       string            `json:"run_id"`
	Created     string            `json:"created"`
	Task        string            `json:"task"`
	TaskID      string            `json:"task_id"`
	TaskVersion int               `json:"task_version"`
	Solver      string            `json:"solver"`
	Dataset     dataset           `json:"dataset"`
	Model       string            `json:"model"`
	Config      config            `json:"config"`
	Packages    map[string]string `json:"packages"`
	Metadata    map[string]any    `json:"metadata"`
	Scorers     []scorer          `json:"scorers"`
}

type dataset struct {
	Name      string   `json:"name"`
	Samples   int      `json:"samples"`
	SampleIDs []string `json:"sample_ids"`
	Shuffled  bool     `json:"shuffled"`
}

type config struct {
	Epochs    int `json:"epochs"`
	TurnLimit int `json:"turn_limit"`
}

type scorer struct {
	Name string `json:"name"`
}

type plan struct {
	Name  string `json:"name"`
	Steps []step `json:"steps"`
}

type step struct {
	Solver string            `json:"solver"`
	Params map[string]string `json:"params"`
}

// results are the accuracies of the row.
type results struct {
	TotalSamples     int           `json:"total_samples"`
	CompletedSamples int           `json:"completed_samples"`
	Scores           []scoreResult `json:"scores"`
}

type scoreResult struct {
	Name            string            `json:"name"`
	Scorer          string            `json:"scorer"`
	ScoredSamples   int               `json:"scored_samples"`
	UnscoredSamples int               `json:"unscored_samples"`
	Metrics         map[string]metric `json:"metrics"`
}

type metric struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// sample is an episode.
type sample struct {
	ID         string           `json:"id"`
	Epoch      int              `json:"epoch"` // from 1
	Input      string           `json:"input"`
	Target     string           `json:"target"`
	Messages   []message        `json:"messages"`
	Output     output           `json:"output"`
	Scores     map[string]score `json:"scores,omitempty"`
	Metadata   map[string]any   `json:"metadata"`
	ModelUsage map[string]usage `json:"model_usage,omitempty"`
	Error      *failure         `json:"error,omitempty"` // of a lost one
	Limit      *limit           `json:"limit,omitempty"`

	Events     []any `json:"events"`
	EventsData pool  `json:"events_data"`

	// The viewer requires them; they are empty.
	Store       struct{} `json:"store"`
	Attachments struct{} `json:"attachments"`
}

// summary is what the list of samples shows of one.
type summary struct {
	ID           string           `json:"id"`
	Epoch        int              `json:"epoch"`
	Input        string           `json:"input"`
	Target       string           `json:"target"`
	Scores       map[string]score `json:"scores,omitempty"`
	Error        string           `json:"error,omitempty"`
	Limit        string           `json:"limit,omitempty"`
	Completed    bool             `json:"completed"`
	MessageCount int              `json:"message_count"`
	TurnCount    int              `json:"turn_count"`
}

// message is a message of a chat.
type message struct {
	ID         string         `json:"id"`
	Role       string         `json:"role"`
	Content    any            `json:"content"` // a string, or []content
	ToolCalls  []toolCall     `json:"tool_calls,omitempty"`
	ToolCallID string         `json:"tool_call_id,omitempty"`
	Function   string         `json:"function,omitempty"`
	Error      *toolError     `json:"error,omitempty"`
	Metadata   map[string]any `json:"metadata,omitempty"`
}

// content is a part of a message.
type content struct {
	Type      string `json:"type"` // "reasoning" or "text"
	Reasoning string `json:"reasoning,omitempty"`
	Text      string `json:"text,omitempty"`
}

type toolCall struct {
	ID        string          `json:"id"`
	Function  string          `json:"function"`
	Arguments json.RawMessage `json:"arguments"`
	Type      string          `json:"type"`
}

type toolError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// output is what the model wrote last.
type output struct {
	Model      string   `json:"model"`
	Choices    []choice `json:"choices"`
	Completion string   `json:"completion"`
}

type choice struct {
	Message    message `json:"message"`
	StopReason string  `json:"stop_reason"`
}

type score struct {
	Value  string `json:"value"` // "C" or "I"
	Answer string `json:"answer"`
}

type usage struct {
	OutputTokens int `json:"output_tokens"`
	TotalTokens  int `json:"total_tokens"`
}

type failure struct {
	Message       string `json:"message"`
	Traceback     string `json:"traceback"`
	TracebackANSI string `json:"traceback_ansi"`
}

type limit struct {
	Type   string `json:"type"`
	Limit  int    `json:"limit"`
	Reason string `json:"reason"`
}
