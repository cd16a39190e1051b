package inspectlog

import (
	"fmt"
	"maps"
	"slices"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/mcts"
	"toolevo/mcts/policy/chat"
	"toolevo/trajectories"
	"toolevo/trajectories/atif"
)

// toolRole is the role of an answer to a tool call.
const toolRole = "tool"

// The verdicts of a scorer.
const (
	right = "C"
	wrong = "I"
)

// sampleOf returns the sample of an episode.
func (e *Evaluation) sampleOf(played *trajectories.Episode, shown trajectories.Shown) *sample {
	s := &sample{
		ID:       played.QuestionID,
		Epoch:    played.Repeat + 1,
		Input:    played.Question,
		Target:   played.Gold,
		Output:   output{Model: modelName(played.Policy), Choices: []choice{}},
		Metadata: metadataOf(played),
		Limit:    e.limitOf(played),
	}

	// The transcript is made from the finished sample, whichever return finishes it.
	defer e.transcript(s, played)

	// A lost episode was never scored: it has an error in place of messages and scores.
	if played.Lost != "" {
		s.Messages = []message{}
		s.Error = &failure{Message: played.Lost}
		return s
	}

	s.Messages = messagesOf(atif.FromEpisode(played, shown))
	s.Scores = map[string]score{
		officialScorer: {verdict(played.Official), played.Answer},
		strictScorer:   {verdict(played.Strict), played.Answer},
	}

	// The last reply is the output, whether or not it answered.
	for _, m := range s.Messages {
		if m.Role == chat.AssistantRole {
			s.Output.Choices = []choice{{m, "stop"}}
		}
	}

	// The tokens of prompts were not counted, so the total is what was written.
	if s.Output.Completion = played.Answer; played.Tokens > 0 {
		s.ModelUsage = map[string]usage{s.Output.Model: {played.Tokens, played.Tokens}}
	}
	return s
}

func verdict(accepted bool) string {
	if accepted {
		return right
	}
	return wrong
}

// metadataOf returns an episode's labels and counts.
func metadataOf(played *trajectories.Episode) map[string]any {
	all := map[string]any{}
	for name, value := range played.Labels {
		all[name] = value
	}

	maps.Copy(all, map[string]any{
		"prompt_api":   played.PromptAPI,
		"deployed_api": played.DeployedAPI,
		"turns":        played.TurnCount,
		"deprecations": played.Deprecations,
		"recovered":    played.Recovered,
		"updates":      played.Updates,
		"errors":       played.Errors,
	})

	if played.Status != "" {
		all["status"] = played.Status
	}
	return all
}

// limitOf returns the limit that truncated an episode, as a kind that inspect_ai knows.
func (e *Evaluation) limitOf(played *trajectories.Episode) *limit {
	switch mcts.Limit(played.Limit) {
	case mcts.LimitNone:
		return nil
	case mcts.LimitDepth:
		return &limit{"turn", e.MaxTurns, fmt.Sprintf("no answer within %d turns", e.MaxTurns)}
	case mcts.LimitContext:
		return &limit{"context", 0, "the prompt no longer fit the model's context window"}
	}

	return &limit{"custom", 0, played.Limit}
}

// summaryOf returns what the list of samples shows.
func summaryOf(s *sample, turns int) summary {
	all := summary{
		ID: s.ID, Epoch: s.Epoch, Input: s.Input, Target: s.Target,
		Scores: s.Scores, Completed: s.Error == nil,
		MessageCount: len(s.Messages), TurnCount: turns,
	}

	if s.Error != nil {
		all.Error = s.Error.Message
	}

	if s.Limit != nil {
		all.Limit = s.Limit.Type
	}
	return all
}

// messagesOf returns the messages of a document.
func messagesOf(d *atif.Document) []message {
	var all []message

	add := func(m message) {
		m.ID = fmt.Sprintf("message_%d", len(all)+1)
		all = append(all, m)
	}

	for i := range d.Steps {
		s := &d.Steps[i]
		if s.Source != atif.AgentSource {
			add(message{Role: s.Source, Content: s.Message.Value})
			continue
		}

		add(replyOf(s))

		outcomes := outcomesOf(s)
		for i, result := range s.Observation.Results {
			add(resultOf(s, result, outcomes[i]))
		}
	}
	return all
}

// replyOf returns the message of an agent's step.
func replyOf(s *atif.Step) message {
	m := message{Role: chat.AssistantRole, Content: s.Message.Value}

	if s.ReasoningContent != "" {
		parts := []content{{Type: "reasoning", Reasoning: s.ReasoningContent}}
		if s.Message.Value != "" {
			parts = append(parts, content{Type: "text", Text: s.Message.Value})
		}

		m.Content = parts
	}

	for _, call := range s.ToolCalls {
		m.ToolCalls = append(m.ToolCalls,
			toolCall{call.ToolCallID, call.FunctionName, call.Arguments, "function"})
	}
	return m
}

// outcomesOf returns the outcome of each result of a step. That of the step is the last call's that
// was run: those before it went well, or it would not have been run. Of the others it is "".
func outcomesOf(s *atif.Step) []string {
	results := s.Observation.Results
	all := slices.Repeat([]string{envs.OK.String()}, len(results))

	for i := len(results) - 1; i >= 0; i-- {
		if i == 0 || results[i].Content.Value != action.NotRun {
			all[i] = s.Extra.Ours.Outcome
			break
		}

		all[i] = ""
	}
	return all
}

// resultOf returns the message of a step's result: the tool's if it is of a call, else the user's.
func resultOf(s *atif.Step, result atif.Result, outcome string) message {
	m := message{Role: chat.UserRole, Content: result.Content.Value}
	if outcome != "" {
		m.Metadata = map[string]any{"outcome": outcome}
	}

	for _, call := range s.ToolCalls {
		if call.ToolCallID != result.SourceCallID {
			continue
		}

		m.Role, m.ToolCallID, m.Function = toolRole, call.ToolCallID, call.FunctionName

		if o, err := envs.ParseOutcome(outcome); err == nil && o.IsError() {
			m.Error = &toolError{"unknown", result.Content.Value}
		}
	}
	return m
}
