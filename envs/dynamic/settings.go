package dynamic

import (
	"errors"
	"fmt"

	"toolevo/envs/action"
	"toolevo/envs/names"
	"toolevo/envs/toolapi"
)

// Settings are the section environment of the configuration, which every benchmark has.
// configs/default.yaml explains each. A benchmark hands all of them to its environments, so a new
// setting takes only a field here and its use.
type Settings struct {
	Codec            string           `yaml:"codec"`     // see [Settings.ActionCodec]
	Finish           string           `yaml:"finish"`    // FinishByCall or FinishByText
	ToolList         string           `yaml:"tool_list"` // ListFixed, ListLearned or ListAnnounced
	ParallelCalls    int              `yaml:"parallel_calls" least:"1"`
	UpdateTool       bool             `yaml:"update_tool"`
	Reward           string           `yaml:"reward"`
	Feedback         toolapi.Feedback `yaml:"feedback"` // what the agent is told about a rejected call
	Hint             string           `yaml:"hint"`     // where changes of answers are announced
	MaxLoads         int              `yaml:"max_loads" least:"0"`
	ObservationWords int              `yaml:"observation_words" least:"1"`
	Compat           []string         `yaml:"compat,flow" least:"0"` // by the names of the benchmark
}

// The two matchers that may decide the reward. The zero Reward is the official one.
const (
	rewardOfficial = "official"
	rewardStrict   = "strict"
)

// Where an agent is told that a call that succeeds, or its answer, means something else than before
// (package silent).
const (
	HintAnswer   = "answer"   // in a note above each answer in which that shows
	HintDocument = "document" // only in the documents of the deployed version
	HintNone     = "none"     // nowhere
)

// Hints lists what a hint can be.
func Hints() []string { return []string{HintAnswer, HintDocument, HintNone} }

// How an agent that calls tools natively gives its answer.
const (
	FinishByCall = "call" // it calls Finish
	FinishByText = "text" // a turn without a call is the answer
)

// The tool list for an agent that calls tools natively.
const (
	ListFixed     = "fixed"     // that of the prompt version
	ListLearned   = "learned"   // with the descriptions that UpdateTool got
	ListAnnounced = "announced" // that of the deployed version once a deprecation notice was read
)

// Feedbacks lists what feedback can be.
func Feedbacks() []string {
	return []string{
		string(toolapi.FeedbackDeprecation), string(toolapi.FeedbackInvocation), string(toolapi.FeedbackGeneric),
		string(toolapi.FeedbackNone),
	}
}

// ActionCodec returns how actions are written: ReAct unless Codec names another one.
func (s *Settings) ActionCodec() action.Codec {
	codec, _ := action.ParseCodec(s.Codec) // a configuration has a valid one
	if action.IsNative(codec) {
		codec = action.Tools{FinishText: s.Finish == FinishByText, Most: s.ParallelCalls}
	}
	return action.OrDefault(codec)
}

// Learns reports whether the tool list includes what UpdateTool got.
func (s *Settings) Learns() bool { return s.ToolList == ListLearned }

// Announces reports whether the tool list follows notices.
func (s *Settings) Announces() bool { return s.ToolList == ListAnnounced }

// Validate returns the first invalid setting, and why it is. Codecs are for the benchmark to check.
func (s *Settings) Validate() (setting string, err error) {
	if _, err := names.Parse("matcher", s.Reward, []string{rewardOfficial, rewardStrict}); err != nil {
		return "reward", err
	}

	if _, err = names.Parse("finish", s.Finish, []string{FinishByCall, FinishByText}); err != nil {
		return "finish", err
	}

	if _, err = names.Parse("tool list", s.ToolList, []string{ListFixed, ListLearned, ListAnnounced}); err != nil {
		return "tool_list", err
	}

	if _, err = names.Parse("hint", s.Hint, Hints()); err != nil {
		return "hint", err
	}

	if s.ParallelCalls > 1 && !action.IsNative(s.ActionCodec()) {
		return "parallel_calls", errors.New("several calls in a turn need environment.codec: tools")
	}

	if s.ToolList != ListFixed && !action.IsNative(s.ActionCodec()) {
		return "tool_list", fmt.Errorf("%s needs environment.codec: tools: other codecs send no list beside the prompt",
			s.ToolList)
	}

	_, err = names.Parse("feedback", string(s.Feedback), Feedbacks())
	return "feedback", err
}
