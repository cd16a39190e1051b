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

// toolsHeading stands in a system text before the tools that a document of others defines.
const toolsHeading = "The tools, each a line. The parameters are a JSON Schema."

// Refusal says why a document, which is one by the rules of the format, has no row.
type Refusal struct {
	Document string `json:"document"`       // the file, and the line where it has several
	Step     int    `json:"step,omitempty"` // from 1; missing for the document as a whole
	Why      string `json:"why"`            // what of it no sample can say
}

// Error names the document and the step.
func (r *Refusal) Error() string {
	if r.Step == 0 {
		return fmt.Sprintf("%s: %s", r.Document, r.Why)
	}
	return fmt.Sprintf("%s, step %d: %s", r.Document, r.Step, r.Why)
}

// Row returns the document as a trajectory, and what its model was shown. A document of others is
// taken for one of a split, without a verdict. The error is a *[Refusal].
func (d *Named) Row(split string) (trajectories.Row, trajectories.Shown, error) {
	codec, err := d.codec()
	if err != nil {
		return trajectories.Row{}, trajectories.Shown{}, &Refusal{Document: d.Name,
			Why: err.Error()}
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

	for i := range d.Steps {
		switch s := &d.Steps[i]; s.Source {
		case SystemSource:
			system = append(system, s.Message.Value)
		case UserSource:
			question = append(question, s.Message.Value)
		case AgentSource:
			for _, one := range s.single() {
				turn, err := one.turn(codec)
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

	if d.Extra.Ours == nil {
		d.takeOthers(&row, &shown, tools)
	} else {
		shown.Tools = tools
		ours := *d.Extra.Ours
		// Fill reads what is embedded, and an episode has no Place.
		if ours.Place == nil {
			ours.Place = new(Place)
		}

		trajectories.Fill(&row, &ours)
		shown.Suite, row.Software = ours.Suite, d.Agent.Version
	}

	row.Sum()
	return row, shown, nil
}

// IsEpisode reports whether the document is one of ours, of an episode, which has no place in a
// tree.
func (d *Document) IsEpisode() bool { return d.Extra.Ours != nil && d.Extra.Ours.Place == nil }

// codec returns what the actions of a document are to be written in.
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

// tools are those that the agent had.
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

// takeOthers fills in what a document of others says in places of its own. What was shown names the
// version of the tools, which has no name.
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

	if row.QuestionID == "" {
		row.QuestionID = d.Name
	}

	if row.RunID == "" {
		row.RunID = d.Name
	}
}

// refuse returns what of a document no row can say, nil when there is nothing: a row is one
// question, then actions and observations in turn.
func (d *Named) refuse() *Refusal {
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

	if !acted {
		return &Refusal{Document: d.Name, Why: "its agent did nothing"}
	}
	return nil
}

// results are what the step met.
func (s *Step) results() []Result {
	if s.Observation == nil {
		return nil
	}
	return s.Observation.Results
}

// single returns a step of several calls as steps of one each, with their own results, but for
// ours, which are turns. What the agent said stands before the first.
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

// refuse says what of a step no turn can say, "" when there is nothing.
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

	ones, of := s.single(), 0

	for i := range ones {
		results := ones[i].results()
		of += len(results)

		switch {
		// Only the last turn may meet nothing: its answer ended the episode.
		case s.Source == AgentSource && len(results) == 0 && !(last && i == len(ones)-1):
			return "it met nothing, and the agent goes on"
		case len(results) > max(1, len(ones[i].ToolCalls)):
			return fmt.Sprintf("it has %d results, and a turn has one", len(results))
		}
	}

	// Each call took the results that name it: what is left over names none.
	if n := len(s.results()); of < n {
		return fmt.Sprintf("it has %d results that name no call", n-of)
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

	if ours := s.Extra.Ours; ours != nil {
		t.Tool, t.Action = ours.Tool, ours.Text
		if t.Outcome, err = envs.ParseOutcome(ours.Outcome); err != nil {
			return t, err
		}

		if found := ours.Search; found != nil {
			trajectories.Fill(&t, found)
		}
	}

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

	// The text of a call of ours that has nulls stands beside it, and says which are its own:
	// programs that keep arguments in columns give each call the names of all.
	if args, had := withoutNulls(call.Args); had && s.Extra.Ours != nil {
		if call.Args = args; t.Action != "" {
			if call, err = codec.Parse(t.Action); err != nil {
				return t, err
			}
		}
	}

	t.API, t.Key, t.Thought = call.Name, action.Canonical(call), s.ReasoningContent

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

// withoutNulls are arguments without those that are null, also within others, and whether there
// were any.
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

// call returns what is called.
func (c *ToolCall) call() (envs.Call, error) {
	args, _, err := pytext.DecodeObject(string(c.Arguments)) // nothing follows: it is one value of JSON
	if err != nil {
		return envs.Call{}, fmt.Errorf("the arguments of %s are no JSON object: %w", c.FunctionName,
			err)
	}

	return envs.Call{Name: c.FunctionName, Args: args}, nil
}
