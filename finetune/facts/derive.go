package facts

import (
	"cmp"
	"maps"
	"slices"

	"toolevo/envs"
	"toolevo/envs/toolapi"
	"toolevo/finetune/failure"
	"toolevo/mcts"
	"toolevo/trajectories"
)

// Board is the facts and calls of episodes, in their order, and what judges said of them.
type Board struct {
	Facts    []Fact
	Calls    []Call
	Verdicts []Verdict
}

// Add adds an episode that met a version; nil is an unknown one. api is what reports call it.
func (b *Board) Add(e *trajectories.Episode, api string, version *toolapi.Version) {
	f := Of(e, api, version)
	b.Facts = append(b.Facts, f)

	if f.Measured {
		b.Calls = append(b.Calls, f.calls(e, version)...)
	}
}

// Rename gives policies other names.
func (b *Board) Rename(name func(policy string) string) {
	for i := range b.Facts {
		b.Facts[i].Policy = name(b.Facts[i].Policy)
	}

	for i := range b.Calls {
		b.Calls[i].Policy = name(b.Calls[i].Policy)
	}

	for i := range b.Verdicts {
		b.Verdicts[i].Policy = name(b.Verdicts[i].Policy)
	}
}

// Naive is the policy whose wrong answers show where drift misleads: it makes the calls of the
// reference and trusts whatever they return.
const Naive = "scripted:stale"

// Detect fills in what the naive policy did with the same questions under the same versions.
func (b *Board) Detect() {
	episode := func(f *Fact) Key {
		return Key{Deployed: f.Deployed, Question: f.Question, Repeat: f.Repeat, Measured: f.Measured}
	}
	naive := map[Key]bool{} // whether it is right

	for i := range b.Facts {
		if f := &b.Facts[i]; f.Policy == Naive && f.Measured {
			naive[episode(f)] = f.Official
		}
	}

	for i := range b.Facts {
		f := &b.Facts[i]
		right, ok := naive[episode(f)]
		f.Misled = ok && !right
		f.Detected = f.Misled && f.Official
	}
}

// IsSubtle reports whether the episode met a version of another cell than the explicit and lasting
// one.
func (f Fact) IsSubtle() bool { return f.Drifted && f.Cell != string(toolapi.ExplicitLasting) }

// Of returns the facts of an episode.
func Of(e *trajectories.Episode, api string, version *toolapi.Version) Fact {
	f := Fact{
		Key: Key{
			Policy: e.Policy, API: api, Deployed: e.DeployedAPI,
			Dataset:    e.Labels[envs.LabelDataset],
			Difficulty: e.Labels[envs.LabelDifficulty], QuestionID: e.QuestionID, Repeat: e.Repeat,
			Measured: e.Lost == "",
		},
		Prompt: e.PromptAPI, Template: e.Labels[envs.LabelTemplate],
		Lost: e.Lost != "", LostTo: e.Lost,
	}

	// The prompt's own version has no cell: nothing has moved on.
	if version != nil && version.Name != f.Prompt {
		f.Cell, f.Drifted = string(version.Cell()), true
	}

	f.SetQuestion()

	// Questions from one template are alike, so intervals are clustered by template where there is
	// one.
	f.Cluster = cmp.Or(f.Template, f.Question)

	// Sorted, so that equal episodes give equal rows.
	for _, name := range slices.Sorted(maps.Keys(e.Labels)) {
		f.Labels = append(f.Labels, Label{name, e.Labels[name]})
	}

	if v, failed := failure.Classify(e, Names(version)); failed {
		f.Heading, f.Class, f.Rule, f.Wrong = string(v.Class.Heading()), string(v.Class), v.Rule, v.Turn
	}

	// A lost episode has a class, but no figures: it says nothing about the policy.
	if f.Lost {
		return f
	}

	f.Official, f.Strict, f.Failed = e.Official, e.Strict, !e.Official
	f.Answered = e.Status == envs.Terminated.String()
	f.Unanswered = !f.Answered
	f.TooLong, f.Silent = e.Limit == string(mcts.LimitContext), e.Limit == string(mcts.LimitSilence)
	f.FirstUnreadable = len(e.Turns) > 0 && e.Turns[0].Unreadable()
	f.Turns, f.Tokens, f.RepeatedTurns = len(e.Turns), e.Tokens, trajectories.RepeatedFailures(e.Turns)
	f.count(e.Turns, f.calls(e, version))
	f.updates(e.Turns, version)

	return f
}

// Names returns the names that a version exposes; nil is an unknown version.
func Names(version *toolapi.Version) (names []string) {
	if version != nil {
		for _, api := range version.APIs {
			names = append(names, api.Name)
		}
	}

	return names
}

// calls returns the calls of an episode as rows.
func (f *Fact) calls(e *trajectories.Episode, version *toolapi.Version) (calls []Call) {
	refused, met := map[string]bool{}, map[string]bool{}

	for i := range e.Turns {
		for _, played := range e.Turns[i].Calls(version.ToolOf) {
			calls = append(calls, f.call(i, played))
		}

		// Only the last call of a turn can be refused, as those after it are not played.
		t, c := &e.Turns[i], &calls[len(calls)-1]

		refusal, ok := failure.RefusalOf(t, version)
		c.Refusal, c.Refused = string(refusal), ok

		if t.Tool == "" || c.Valid {
			continue
		}

		// Only the first refusal and the first notice begin a recovery: a tool recovers once.
		c.FirstRefused = c.Called && !refused[t.Tool]
		c.FirstNotice = t.Outcome == envs.Deprecated && !met[t.Tool]
		refused[t.Tool] = refused[t.Tool] || c.FirstRefused
		met[t.Tool] = met[t.Tool] || c.FirstNotice

		if c.FirstRefused || c.FirstNotice {
			c.After, _ = trajectories.Recovery(e.Turns, i, version.ToolOf)
			c.Recovered = c.FirstNotice && c.After > 0
		}
	}

	return calls
}

// call returns a call of turn i, from 0, as a row.
func (f *Fact) call(i int, played trajectories.Call) Call {
	tool, outcome := played.Tool, played.Outcome
	c := Call{Key: f.Key, Turn: i + 1, Tool: tool, Name: played.API, Outcome: outcome.String()}

	// Finish and UpdateTool belong to the protocol: they never drift, and are no calls of tools.
	c.Called = !envs.Unreadable(played.API, outcome) && tool != envs.FinishTool &&
		tool != envs.UpdateTool

	// A tool that failed or was unavailable took the call all the same.
	c.Valid = c.Called &&
		(outcome == envs.OK || outcome == envs.ToolError || outcome == envs.Unavailable)

	// Tool is the name in the prompt, API the one that was called: where they differ the tool is
	// new. A deprecated name has a Tool, too, but is not deployed.
	deployed := tool != "" && outcome != envs.Deprecated
	c.New = deployed && played.API != tool
	c.Wrong = deployed && outcome == envs.InvocationError
	return c
}

// count adds up the outcomes and calls of the turns.
func (f *Fact) count(turns []trajectories.Turn, calls []Call) {
	outcomes := map[envs.Outcome]*int{
		envs.OK: &f.OK, envs.Malformed: &f.Malformed, envs.InvalidAction: &f.InvalidAction,
		envs.InvocationError: &f.InvocationError, envs.Deprecated: &f.Outcomes.Deprecated,
		envs.ToolError: &f.ToolError, envs.Correct: &f.Correct, envs.Incorrect: &f.Incorrect,
		envs.Unavailable: &f.Unavailable,
	}

	// A turn of several calls has one outcome, and may hold several valid calls.
	for i := range turns {
		*outcomes[turns[i].Outcome]++

		_, unknown := turns[i].UnknownTool()
		f.Hallucinated += toInt(unknown)
	}

	for _, c := range calls {
		f.Calls += toInt(c.Called)
		f.Valid += toInt(c.Valid)
		f.ToolsRefused += toInt(c.FirstRefused)
		f.ToolsRecovered += toInt(c.FirstRefused && c.After > 0)
		f.ToolsMet += toInt(c.FirstNotice)
		f.ToolsAdapted += toInt(c.Recovered)

		if c.Recovered {
			f.RecoveryTurns += c.After
		}
	}

	f.Refused, f.Recovered = f.ToolsRefused > 0, f.ToolsRefused > 0 && f.ToolsRecovered == f.ToolsRefused
	f.Met, f.Adapted = f.ToolsMet > 0, f.ToolsMet > 0 && f.ToolsAdapted == f.ToolsMet
}

// toInt returns 1 for true.
func toInt(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// updates counts what UpdateTool was given.
func (f *Fact) updates(turns []trajectories.Turn, version *toolapi.Version) {
	for i := range turns {
		if !turns[i].IsUpdate() {
			continue
		}

		f.Updates++

		if version == nil {
			continue
		}

		text, _ := turns[i].Description()

		switch truthOf(text, version) {
		case isTrue:
			f.TrueUpdates++
		case unknownTool:
			f.UnknownTool++
		case unknownParameter:
			f.UnknownParameter++
		}
	}
}
