package atif

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/mcts"
	"toolevo/mcts/store"
	"toolevo/trajectories"
)

// agentName is the agent in this program's documents: the program that plays a policy.
const agentName = "toolevo"

// FromEpisode returns the document of an episode, or of a trajectory, which is an episode without a
// status.
func FromEpisode(e *trajectories.Episode, shown trajectories.Shown) *Document {
	// Only a trajectory of a tree has a Place: it decides the ID and what steps say of the search.
	codec := action.OrDefault(shown.Codec)
	lineage := lineageOf(e, shown, codec)
	d := &Document{
		SchemaVersion: version,
		TrajectoryID:  documentID(e, lineage.Place != nil),
		Agent: Agent{
			Name: agentName, Version: cmp.Or(e.Software, "unknown"), ModelName: e.Policy,
		},
		Notes: notesOf(e),
		Extra: Extra[Lineage]{lineage},
	}
	// Not the run's: Harbor's converter makes one trace of all documents of a session.
	d.SessionID = d.TrajectoryID

	for _, tool := range shown.Tools {
		d.Agent.ToolDefinitions = append(d.Agent.ToolDefinitions, pytext.AppendJSON(nil, tool))
	}

	if shown.System != "" {
		d.add(Step{Source: SystemSource, Message: Text{Value: shown.System}})
	}

	d.add(Step{Source: UserSource, Message: Text{Value: e.Question}})

	for i := range e.Turns {
		d.add(stepOf(i, &e.Turns[i], codec, lineage.Place != nil))
	}

	// No turn says when it was taken, so all have the time at which the run began.
	if began := store.TimeOf(e.RunID); !began.IsZero() {
		for i := range d.Steps {
			d.Steps[i].Timestamp = began.Format(time.RFC3339Nano)
		}
	}

	d.FinalMetrics = &FinalMetrics{TotalSteps: len(d.Steps), TotalCompletionTokens: e.Tokens}
	return d
}

// add adds a step.
func (d *Document) add(s Step) {
	s.StepID = len(d.Steps) + 1
	d.Steps = append(d.Steps, s)
}

// documentID names a trajectory by its run, question and leaf. An episode has no leaf: it is named
// by its API version, policy and repeat instead.
func documentID(e *trajectories.Episode, ofTree bool) string {
	parts := []string{e.RunID, e.QuestionID}
	if ofTree {
		parts = append(parts, "tree "+strconv.Itoa(e.Tree), "node "+strconv.Itoa(e.Node))
	} else {
		parts = append(parts, e.DeployedAPI, e.Policy, "repeat "+strconv.Itoa(e.Repeat))
	}

	return strings.Join(parts, "/")
}

// notesOf returns notes on what a reader of the steps would not see.
func notesOf(e *trajectories.Episode) string {
	if limit := limitOf(e); limit != "" {
		return fmt.Sprintf("Truncated: stopped by the limit %q before the agent gave an answer.", limit)
	}
	return ""
}

// limitOf returns the limit that truncated an episode or trajectory, or "".
func limitOf(e *trajectories.Episode) string {
	if n := len(e.Turns); e.Limit == "" && n > 0 {
		return e.Turns[n-1].Limit
	}
	return e.Limit
}

func lineageOf(e *trajectories.Episode, shown trajectories.Shown, codec action.Codec) *Lineage {
	l := &Lineage{Suite: shown.Suite, Codec: codec.String(), ToolsChanged: shown.Changes(&e.Row)}
	if shown.Reasoning != action.Show {
		l.Reasoning = shown.Reasoning
	}

	trajectories.Fill(l, e)
	l.Limit = limitOf(e)

	if reward, ok := e.Reward(mcts.Limit(l.Limit)); ok {
		l.Reward = &reward
	}

	if e.Status == "" {
		l.Place = new(Place)
		trajectories.Fill(l.Place, e)
	}
	return l
}

// stepOf returns the step of turn i.
func stepOf(i int, t *trajectories.Turn, codec action.Codec, ofTree bool) Step {
	move := &Move{Outcome: t.Outcome.String(), Tool: t.Tool}
	if ofTree {
		move.Search = new(Search)
		trajectories.Fill(move.Search, t)
	}

	s := Step{Source: AgentSource, Extra: Extra[Move]{move}}
	calls, err := action.Calls(codec, t.Action)
	results := action.SplitResults(t.Observation, len(calls))
	s.Observation = &Observation{}

	for _, r := range results {
		s.Observation.Results = append(s.Observation.Results, Result{Content: Text{Value: r}})
	}

	if err == nil {
		s.ToolCalls = toolCalls(i+1, calls)
	}

	// A text that is no call, or a call that JSON cannot hold, is still what the agent said.
	if s.ToolCalls == nil {
		s.Message.Value = t.Action
		return s
	}

	for j, c := range s.ToolCalls {
		s.Observation.Results[j].SourceCallID = c.ToolCallID
	}

	s.ReasoningContent = t.Thought
	last := calls[len(calls)-1]

	// Viewers show messages: the answer would else be hidden in the arguments of a call.
	if t.Outcome.Ends() {
		s.Message.Value = answerOf(last.Args)
	}

	// The text is kept only where the calls do not give it back. A call's own null cannot be told
	// from those that programs with arguments in columns add.
	_, nulls := withoutNulls(last.Args)
	if several := len(calls) > 1; several || nulls || codec.Format(t.Thought, last) != strings.TrimSpace(t.Action) {
		move.Text = t.Action
		if several {
			move.API = t.API
		}
	}

	return s
}

// toolCalls returns the calls of a turn, numbered from 1, or nil if one of them has a NaN: Python's
// JSON allows that, the format does not.
func toolCalls(turn int, calls []envs.Call) (all []ToolCall) {
	for i, c := range calls {
		arguments := pytext.AppendJSON(nil, c.Args)
		if !json.Valid(arguments) {
			return nil
		}

		all = append(all, ToolCall{
			ToolCallID: action.CallID(turn, i+1), FunctionName: c.Name, Arguments: arguments,
		})
	}
	return all
}

// answerOf returns the answer among the arguments of Finish.
func answerOf(args envs.Args) string {
	answer, ok := args.Get("answer")
	if !ok {
		return ""
	}
	return pytext.Str(answer)
}
