package atif

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/mcts/policy/chat"
	"toolevo/trajectories"
)

// toolsHeading introduces in a system text the tools that a document of others defines.
const toolsHeading = "The tools, each a line. The parameters are a JSON Schema."

// Refusal says why a valid document has no row.
type Refusal struct {
	Document string `json:"document"`       // the file, and the line where it has several
	Step     int    `json:"step,omitempty"` // from 1; missing for the document as a whole
	Why      string `json:"why"`            // what in it no sample can express
}

// Error names the document and the step.
func (r *Refusal) Error() string {
	if r.Step == 0 {
		return fmt.Sprintf("%s: %s", r.Document, r.Why)
	}
	return fmt.Sprintf("%s, step %d: %s", r.Document, r.Step, r.Why)
}

// Row returns the document as a trajectory, and what its model was shown. A document of others gets
// the split, and no verdict. The error is a *[Refusal].
func (d *Named) Row(split string) (trajectories.Row, trajectories.Shown, error) {
	codec, err := d.codec()
	if err != nil {
		return trajectories.Row{}, trajectories.Shown{}, &Refusal{Document: d.Name,
			Why: err.Error()}
	}

	// A document lists tools once, and no sample is to show others than its prompt did.
	if ours := d.Extra.Ours; ours != nil && ours.ToolsChanged {
		return trajectories.Row{}, trajectories.Shown{}, &Refusal{Document: d.Name,
			Why: "another list of tools was sent in its midst (environment.tool_list): export the " +
				"run itself"}
	}

	if refusal := d.refuse(); refusal != nil {
		return trajectories.Row{}, trajectories.Shown{}, refusal
	}

	shown := trajectories.Shown{
		Codec:  codec,
		Origin: strings.TrimSpace("ATIF document of " + d.Agent.Name + " " + d.Agent.Version),
	}
	row := trajectories.Row{
		SchemaVersion: trajectories.SchemaVersion,
		RunID:         d.SessionID,
		Policy:        d.Agent.ModelName,
		Software:      d.Agent.Name + " " + d.Agent.Version,
		Split:         split,
		QuestionID:    d.TrajectoryID,
	}

	var system, question []string

	// Texts of one source are joined. That is sound because refuse let none pass that comes after
	// the agent began, so that all of them were shown before the first turn.
	for i := range d.Steps {
		switch s := &d.Steps[i]; s.Source {
		case SystemSource:
			system = append(system, s.Message.Value)
		case UserSource:
			question = append(question, s.Message.Value)
		case AgentSource:
			for _, call := range s.single() {
				turn, err := call.turn(codec)
				if err != nil {
					return row, shown, &Refusal{d.Name, s.StepID, err.Error()}
				}

				row.Turns = append(row.Turns, turn)
			}
		}
	}

	shown.System, row.Question = strings.Join(system, "\n\n"), strings.Join(question, "\n\n")

	tools, err := d.tools()
	if err != nil {
		return row, shown, &Refusal{Document: d.Name, Why: err.Error()}
	}

	// A document of others says nothing of versions or lineage: those are made up from its texts.
	if d.Extra.Ours == nil {
		d.takeOthers(&row, &shown, tools)
	} else {
		shown.Tools = tools
		ours := *d.Extra.Ours
		// Fill reads embedded structs, and an episode has no Place.
		if ours.Place == nil {
			ours.Place = new(Place)
		}

		trajectories.Fill(&row, &ours)
		shown.Suite, shown.Reasoning, row.Software = ours.Suite, ours.Reasoning, d.Agent.Version
	}

	row.Sum()
	return row, shown, nil
}

// IsEpisode reports whether the document is an episode of this program: it has no place in a tree.
func (d *Document) IsEpisode() bool { return d.Extra.Ours != nil && d.Extra.Ours.Place == nil }

// codec returns the codec that the document's actions are to be written in.
func (d *Document) codec() (action.Codec, error) {
	if d.Extra.Ours == nil {
		return action.FunctionCall{}, nil
	}

	codec, err := action.ParseCodec(d.Extra.Ours.Codec)

	if native, ok := codec.(action.Tools); ok {
		for i := range d.Steps {
			if n := len(d.Steps[i].ToolCalls); n > 1 {
				native.Most = max(native.Most, n)
			}
		}

		codec = native
	}
	return codec, err
}

// tools returns the tools that the agent had.
func (d *Document) tools() ([]envs.Args, error) {
	var all []envs.Args

	for i, definition := range d.Agent.ToolDefinitions {
		function, _, err := pytext.DecodeObject(string(definition))
		if err != nil {
			return nil, fmt.Errorf("definition %d of a tool is %w", i+1, err)
		}

		all = append(all, function)
	}
	return all, nil
}

// takeOthers fills in a row of a document of others. Neither the version of its tools nor its
// question has a name, so they are named by hashes of what was shown and asked: all who were asked
// the same tried one question.
func (d *Named) takeOthers(row *trajectories.Row, shown *trajectories.Shown, tools []envs.Args) {
	if len(tools) > 0 {
		lines := []string{toolsHeading}
		for _, tool := range tools {
			lines = append(lines, pytext.JSON(tool))
		}

		shown.System = strings.TrimSpace(shown.System + "\n\n" + strings.Join(lines, "\n"))
	}

	row.PromptAPI = "shown_" + envs.SHA256(shown.Origin + "\x00" + shown.System)[:8]
	row.DeployedAPI = row.PromptAPI

	row.QuestionID = "asked_" + envs.SHA256(row.Question)[:12]

	if row.RunID == "" {
		row.RunID = d.Name
	}
}

// refuse returns what in a document no row can express, or nil: a row is one question, then actions
// and observations in turn.
func (d *Named) refuse() *Refusal {
	// Part of what the agent did would be missing, and nothing would show that.
	switch {
	case d.ContinuedTrajectoryRef != "":
		return &Refusal{Document: d.Name, Why: "it goes on in another document, " +
			strconv.Quote(d.ContinuedTrajectoryRef)}
	case len(d.SubagentTrajectories) > 0:
		return &Refusal{Document: d.Name, Why: "its agent called other agents"}
	}

	acted, asked := false, false

	for i := range d.Steps {
		s := &d.Steps[i]
		why := s.refuse(i == len(d.Steps)-1)

		// A row shows its one question before the first action, whenever it was really said.
		switch {
		case why != "":
		case s.Source != AgentSource && acted:
			why = "the " + s.Source + " speaks after the agent began"
		case s.Source == AgentSource && !asked:
			why = "the agent acts before a user asked"
		}

		if why != "" {
			return &Refusal{d.Name, s.StepID, why}
		}

		acted, asked = acted || s.Source == AgentSource, asked || s.Source == UserSource
	}

	// There would be nothing to train on.
	if !acted {
		return &Refusal{Document: d.Name, Why: "its agent did nothing"}
	}
	return nil
}

// results returns the results of the step's calls.
func (s *Step) results() []Result {
	if s.Observation == nil {
		return nil
	}
	return s.Observation.Results
}

// single splits a step of several calls into steps of one call with its results. What the agent
// said goes to the first. A step of this program is a turn already, and stays whole.
func (s *Step) single() []Step {
	if len(s.ToolCalls) < 2 || s.Extra.Ours != nil {
		return []Step{*s}
	}

	all := make([]Step, len(s.ToolCalls))
	for i, call := range s.ToolCalls {
		all[i].Source, all[i].ToolCalls, all[i].Observation = s.Source, []ToolCall{call}, &Observation{}
		for _, r := range s.results() {
			if r.SourceCallID == call.ToolCallID {
				all[i].Observation.Results = append(all[i].Observation.Results, r)
			}
		}
	}

	all[0].Message, all[0].ReasoningContent = s.Message, s.ReasoningContent
	return all
}

// refuse returns what in a step no turn can express, or "".
func (s *Step) refuse(last bool) string {
	switch {
	case s.Message.Media != "":
		return "its message has a part of the type " + s.Message.Media
	case s.Source != AgentSource && s.Observation != nil:
		return "an observation of the " + s.Source
	case s.IsCopiedContext:
		return "it was copied from another trajectory, and is not to be trained on"
	case s.LLMCallCount != nil && *s.LLMCallCount == 0 && s.Source == AgentSource:
		return "no model wrote it (llm_call_count is 0)"
	}

	singles, named := s.single(), 0

	for i := range singles {
		results := singles[i].results()
		named += len(results)

		switch {
		// Only the last turn may lack a result: its answer ended the episode.
		case s.Source == AgentSource && len(results) == 0 && !(last && i == len(singles)-1):
			return "it has no result, and the agent goes on"
		case len(results) > max(1, len(singles[i].ToolCalls)):
			return fmt.Sprintf("it has %d results, and a turn has one", len(results))
		}
	}

	// Each call took the results that name it: any left over names none, and has no place.
	if n := len(s.results()); named < n {
		return fmt.Sprintf("it has %d results that name no call", n-named)
	}

	for _, r := range s.results() {
		if r.Content.Media != "" {
			return "its result has a part of the type " + r.Content.Media
		}

		if len(r.SubagentTrajectoryRef) > 0 {
			return "its result refers to another agent's trajectory"
		}
	}
	return ""
}

// turn returns the turn of an agent's step.
func (s *Step) turn(codec action.Codec) (t trajectories.Turn, err error) {
	var results []string
	for _, r := range s.results() {
		results = append(results, r.Content.Value)
	}

	t.Observation = action.JoinResults(results)

	// Only this program says how a turn ended, and what text a call was written as.
	if ours := s.Extra.Ours; ours != nil {
		t.Tool, t.Action = ours.Tool, ours.Text
		if t.Outcome, err = envs.ParseOutcome(ours.Outcome); err != nil {
			return t, err
		}

		if found := ours.Search; found != nil {
			trajectories.Fill(&t, found)
		}
	}

	// Without a call the message is the action, in this program's documents as written.
	if len(s.ToolCalls) == 0 {
		t.Thought = strings.TrimSpace(s.ReasoningContent)
		t.Action = strings.TrimSpace(action.FunctionCall{}.Think(t.Thought, s.Message.Value))
		t.Key = action.Key(codec, t.Action)
		return t, nil
	}

	call, err := s.ToolCalls[0].call()
	if err != nil {
		return t, err
	}

	// Programs that keep arguments in columns give each call the names of all, as nulls. Where this
	// program wrote a call with nulls of its own, the text beside it tells those apart.
	if args, had := withoutNulls(call.Args); had && s.Extra.Ours != nil {
		if call.Args = args; t.Action != "" {
			if call, err = codec.Parse(t.Action); err != nil {
				return t, err
			}
		}
	}

	t.API, t.Key, t.Thought = call.Name, action.Canonical(call), s.ReasoningContent

	// A key of several calls needs their text. Others may explain a call in the step's message, so
	// that it joins the thought; in this program's documents it holds the answer.
	switch ours := s.Extra.Ours; {
	case ours != nil && ours.API != "":
		t.API, t.Key = ours.API, action.Key(codec, t.Action)
	case ours == nil:
		t.Thought = strings.TrimSpace(t.Thought + "\n\n" + s.Message.Value)
	}

	if t.Action == "" {
		t.Action = chat.ReplyText(codec.Format(t.Thought, call))
	}
	return t, nil
}

// withoutNulls returns the arguments that are not null, without nulls inside them either, and
// whether there were any nulls.
func withoutNulls(args envs.Args) (rest envs.Args, had bool) {
	whole := envs.Map(args, func(part any) (any, bool) {
		object, ok := part.(envs.Args)
		if !ok {
			return part, false
		}

		isNull := func(arg envs.Arg) bool { return arg.Value == nil }
		without := slices.DeleteFunc(slices.Clone(object), isNull)
		had = had || len(without) < len(object)
		return without, false
	})
	return whole.(envs.Args), had
}

// call returns the call with its arguments decoded.
func (c *ToolCall) call() (envs.Call, error) {
	args, _, err := pytext.DecodeObject(string(c.Arguments)) // one JSON value, so nothing follows it
	if err != nil {
		return envs.Call{}, fmt.Errorf("the arguments of %s are no JSON object: %w", c.FunctionName, err)
	}

	return envs.Call{Name: c.FunctionName, Args: args}, nil
}
