package atif

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"toolevo/envs/action"
	"toolevo/envs/disk"
	"toolevo/trajectories"
)

// version is the version of the format that documents are written in.
const version = "ATIF-v1.8"

// Document is one trajectory in the format.
type Document struct {
	SchemaVersion string         `json:"schema_version"`
	SessionID     string         `json:"session_id,omitempty"`
	TrajectoryID  string         `json:"trajectory_id,omitempty"`
	Agent         Agent          `json:"agent"`
	Steps         []Step         `json:"steps"`
	Notes         string         `json:"notes,omitempty"`
	FinalMetrics  *FinalMetrics  `json:"final_metrics,omitempty"`
	Extra         Extra[Lineage] `json:"extra,omitzero"`

	// Only in documents of others: where it continues, and the trajectories of agents it called.
	ContinuedTrajectoryRef string            `json:"continued_trajectory_ref,omitempty"`
	SubagentTrajectories   []json.RawMessage `json:"subagent_trajectories,omitempty"`
}

// Agent identifies the program and the model that acted.
type Agent struct {
	Name            string            `json:"name"`
	Version         string            `json:"version"`
	ModelName       string            `json:"model_name,omitempty"`
	ToolDefinitions []json.RawMessage `json:"tool_definitions,omitempty"` // OpenAI's function schemas
	Extra           json.RawMessage   `json:"extra,omitempty"`
}

// The sources of steps.
const (
	SystemSource = "system"
	UserSource   = "user"
	AgentSource  = "agent"
)

// Step is one step. Only an agent's step has reasoning, calls and metrics.
type Step struct {
	StepID           int             `json:"step_id"` // from 1
	Timestamp        string          `json:"timestamp,omitempty"`
	Source           string          `json:"source"`
	ModelName        string          `json:"model_name,omitempty"`
	ReasoningEffort  json.RawMessage `json:"reasoning_effort,omitempty"`
	Message          Text            `json:"message"`
	ReasoningContent string          `json:"reasoning_content,omitempty"`
	ToolCalls        []ToolCall      `json:"tool_calls,omitempty"`
	Observation      *Observation    `json:"observation,omitempty"`
	Metrics          json.RawMessage `json:"metrics,omitempty"`
	IsCopiedContext  bool            `json:"is_copied_context,omitempty"`
	LLMCallCount     *Whole          `json:"llm_call_count,omitempty"` // 0: no model wrote the step
	Extra            Extra[Move]     `json:"extra,omitzero"`
}

// ToolCall is one call of a step.
type ToolCall struct {
	ToolCallID   string          `json:"tool_call_id"`
	FunctionName string          `json:"function_name"`
	Arguments    json.RawMessage `json:"arguments"` // a JSON object
	Extra        json.RawMessage `json:"extra,omitempty"`
}

// Observation is what an agent saw after a step.
type Observation struct {
	Results []Result `json:"results"`
}

// Result is the result of one call of the step, or of the step itself if it names no call.
type Result struct {
	SourceCallID          string            `json:"source_call_id,omitempty"`
	Content               Text              `json:"content"`
	SubagentTrajectoryRef []json.RawMessage `json:"subagent_trajectory_ref,omitempty"`
	Extra                 json.RawMessage   `json:"extra,omitempty"`
}

// FinalMetrics sums up a document.
type FinalMetrics struct {
	TotalPromptTokens     int             `json:"total_prompt_tokens,omitempty"`
	TotalCompletionTokens int             `json:"total_completion_tokens,omitempty"`
	TotalCachedTokens     int             `json:"total_cached_tokens,omitempty"`
	TotalCostUSD          float64         `json:"total_cost_usd,omitempty"`
	TotalSteps            int             `json:"total_steps,omitempty"`
	Extra                 json.RawMessage `json:"extra,omitempty"`
}

// Extra is an object for what the format has no place for. Only this program's part of it is read.
type Extra[T any] struct {
	Ours *T `json:"toolevo,omitempty"`
}

// UnmarshalJSON reads this program's part, and ignores members that it does not know.
func (e *Extra[T]) UnmarshalJSON(text []byte) error {
	type plain Extra[T]
	return json.Unmarshal(text, (*plain)(e))
}

// Whole is a whole number. Programs that keep it in a column with gaps write it as 6.0.
type Whole int

// UnmarshalJSON reads a number.
func (w *Whole) UnmarshalJSON(text []byte) error {
	whole, _ := bytes.CutSuffix(text, []byte(".0"))
	return json.Unmarshal(whole, (*int)(w))
}

// Text is a text, which other programs may write in parts.
type Text struct {
	Value string
	Media string // the type of a part that is not text, such as "image"
}

// MarshalJSON returns the text as a JSON string.
func (t Text) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	err := disk.NewLineEncoder(&b).Encode(t.Value)
	return b.Bytes(), err
}

// UnmarshalJSON reads a string, a list of parts, which become lines, or null.
func (t *Text) UnmarshalJSON(text []byte) error {
	if !bytes.HasPrefix(text, []byte("[")) {
		return json.Unmarshal(text, &t.Value)
	}

	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(text, &parts); err != nil {
		return errors.New("a text is neither a string nor a list of parts")
	}

	texts := make([]string, len(parts))
	for i, p := range parts {
		if p.Type != "text" {
			t.Media = p.Type
		}

		texts[i] = p.Text
	}

	t.Value = strings.Join(texts, "\n")
	return nil
}

// Lineage is what a document of this program says of its row besides its steps. The keys are the
// columns that SCHEMA.md describes, and a few more.
type Lineage struct {
	RunID      string `json:"run_id"`
	RunHash    string `json:"run_hash"`
	ConfigHash string `json:"config_hash"`
	Suite      string `json:"suite"` // the benchmark
	Codec      string `json:"codec"` // what the actions are written in
	// What later prompts showed of the reasoning in a turn; missing is "show".
	Reasoning action.Reasoning `json:"reasoning,omitempty"`
	// Tools were sent that ToolDefinitions does not list, after some turn.
	ToolsChanged bool   `json:"tools_changed,omitempty"`
	PromptAPI    string `json:"prompt_api"`
	DeployedAPI  string `json:"deployed_api"`
	Seed         uint64 `json:"seed,string"` // a string, as readers of doubles round numbers above 2^53

	QuestionID    string               `json:"question_id"`
	QuestionIndex Whole                `json:"question_index"`
	Split         string               `json:"split"`
	Labels        map[string]string    `json:"labels,omitempty"`
	Tools         string               `json:"tools,omitempty"`
	Makers        []trajectories.Maker `json:"makers,omitempty"`

	Reward   *float64 `json:"reward,omitempty"` // 1 or -1; missing where nothing is known
	Answer   string   `json:"answer"`
	Official bool     `json:"official"`
	Strict   bool     `json:"strict"`
	Cuts     Whole    `json:"cuts,omitempty"`
	// A call meant something else than it did before, and no text of the document reveals that.
	Blind bool `json:"blind,omitempty"`

	*Place // only of a trajectory

	// Only of an episode.
	Status string `json:"status,omitempty"`
	Limit  string `json:"limit,omitempty"`
	Repeat Whole  `json:"repeat,omitempty"`
}

// Place is where a trajectory lies among the trees of its question.
type Place struct {
	Preset   string  `json:"preset"`
	Tree     Whole   `json:"tree"`
	TreeSeed uint64  `json:"tree_seed,string"`
	Node     Whole   `json:"node"`
	NodePath string  `json:"node_path"`
	Visits   Whole   `json:"visits"`
	Value    float64 `json:"value"`
}

// Move is what a step of this program says of its turn. The keys are the columns of turns.
type Move struct {
	Outcome string `json:"outcome"`
	Tool    string `json:"tool,omitempty"`
	Text    string `json:"text,omitempty"` // as written, where the thought and the call do not give it back
	API     string `json:"api,omitempty"`  // the one of several calls that the outcome belongs to

	*Search // only of a trajectory
}

// Search is what the search found out about an action.
type Search struct {
	Prior  float64 `json:"prior"`
	Visits Whole   `json:"visits"`
	Value  float64 `json:"value"`
	Limit  string  `json:"limit,omitempty"`
}
