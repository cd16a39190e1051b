package openenv

import (
	"encoding/json"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
)

// observed is the answer to a reset and to a step.
type observed struct {
	Observation any      `json:"observation"`
	Reward      *float64 `json:"reward"`
	Done        bool     `json:"done"`
}

// begun is the observation of a reset.
type begun struct {
	TaskID    string          `json:"task_id"`
	Dataset   string          `json:"dataset"`
	Question  string          `json:"question"`
	Functions json.RawMessage `json:"functions"`
	System    string          `json:"system"`
	Prompt    string          `json:"prompt"`
	Text      string          `json:"text"`
	Outcome   *envs.Outcome   `json:"outcome"` // null
}

// called is the observation of a turn.
type called struct {
	Tool    string        `json:"tool_name"`
	Result  string        `json:"result"`
	Error   *toolError    `json:"error"`
	Outcome *envs.Outcome `json:"outcome"`
	Text    string        `json:"text"`
	Status  envs.Status   `json:"status"`
}

// toolError is OpenEnv's word for what is wrong with a call.
type toolError struct {
	Kind    string `json:"error_type"`
	Message string `json:"message"`
}

// listed is the observation of list_tools.
type listed struct {
	Tools json.RawMessage `json:"tools"`
}

// stated is the state of a session.
type stated struct {
	EpisodeID *string `json:"episode_id"`
	Steps     int     `json:"step_count"`
	TaskID    *string `json:"task_id"`
	Dataset   *string `json:"dataset"`
	Seed      *uint64 `json:"seed"`
	Prompt    string  `json:"prompt_version"`
	Deployed  *string `json:"deployed_version"`
	Status    string  `json:"status"`
	MaxTurns  int     `json:"max_turns"`
}

// shown is what agents see of a task. Tasks without tools of their own share their dataset's.
type shown struct {
	functions json.RawMessage // as OpenEnv lists them
	tools     json.RawMessage // as MCP does
	apis      []*toolapi.API
	system    string
}

func (s *Server) newShown(t envs.Task) *shown {
	apis := s.o.Text.List(t)
	return &shown{
		functions: functions(apis, "input_schema"), tools: functions(apis, "inputSchema"), apis: apis,
		system: s.o.Text.System(t),
	}
}

// shownTo returns what agents see of a task.
func (s *Server) shownTo(t envs.Task) *shown {
	if t.Tools != "" {
		return s.newShown(t)
	}
	return s.shown[t.Labels[envs.LabelDataset]]
}

// functions lists APIs with their JSON Schemas under a name.
func functions(apis []*toolapi.API, schema string) json.RawMessage {
	all := make([]any, len(apis))
	for i, a := range apis {
		all[i] = envs.Object(
			"name", a.Name,
			"description", a.Sentence(),
			schema, a.Schema(),
		)
	}

	return pytext.AppendJSON(nil, all)
}

// The marker of questions in chats, as in toolevo's prompts.
const questionMarker = "Question: "

// begun returns the observation of an episode's beginning.
func (s *Server) begun(e *episode) begun {
	history := e.state.History()
	task := history.Task()
	dataset := task.Labels[envs.LabelDataset]
	shown := s.shownTo(task)
	return begun{
		TaskID: task.ID, Dataset: dataset, Question: task.Question, Functions: shown.functions, System: shown.system,
		Prompt: s.o.Text.Render(history), Text: questionMarker + strings.TrimSpace(task.Question),
	}
}

// called returns the observation of an episode's last turn, or of its end without one.
func (e *episode) called() called {
	c := called{Status: e.status}
	if len(e.turns) == 0 {
		return c
	}

	turn := e.turns[len(e.turns)-1].Turn
	c.Outcome = &turn.Outcome

	if e.silent {
		return c
	}

	c.Tool, c.Result = turn.Call.Name, turn.Observation
	c.Text = action.ObservationMarker + " " + strings.TrimSpace(turn.Observation)

	if turn.Outcome.IsError() || turn.Outcome == envs.Unavailable {
		c.Error = &toolError{errorKind(turn.Outcome), turn.Observation}
	}
	return c
}

// errorKind is OpenEnv's word for an outcome that is an error.
func errorKind(o envs.Outcome) string {
	switch o {
	case envs.InvalidAction, envs.Deprecated:
		return "tool_not_found"
	case envs.ToolError, envs.Unavailable:
		return "execution_error"
	}

	return "invalid_args"
}

// stated returns the state of a session with an episode, or without one if it is nil.
func (s *Server) stated(e *episode) stated {
	if e == nil {
		return stated{Prompt: s.o.Prompt.Name, Status: "none", MaxTurns: s.o.MaxTurns}
	}

	task := e.state.History().Task()
	dataset := task.Labels[envs.LabelDataset]
	return stated{
		EpisodeID: &e.id, Steps: len(e.turns), TaskID: &task.ID, Dataset: &dataset, Seed: &e.seed,
		Prompt: s.o.Prompt.Name, Deployed: &e.version, Status: e.status.String(), MaxTurns: s.o.MaxTurns,
	}
}
