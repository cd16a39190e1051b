package dynamic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/envs/silent"
	"toolevo/envs/toolapi"
)

const (
	malformedText  = "Your action is filtered due to some error in content. "
	argumentError  = "argument error: "
	correctText    = "Answer is CORRECT"
	incorrectText  = "Answer is INCORRECT"
	updatedText    = "The description for the new tool has been updated successfully."
	notUpdatedText = "Tool update failed. There is something wrong with the arguments you send for UpdateTool. " +
		"Please modify it."
	failedText      = "The call failed."
	genericText     = "There is something wrong with your command you send. Please modify it."
	opArgumentBytes = 200 // how much of the arguments an error shows
)

// answer is the environment's response to one action.
type answer[S any] struct {
	session S
	result  envs.Result
	grade   envs.Grade
	learned string // a tool description
	learns  bool
	loads   int // how many loads the turn counts as, towards their limit
	passing passing[S]
	notes   []string // about what the answer or the arguments mean now
}

// Step runs one action. A state that is not of this kind of environment, or not running, is an
// error.
func (e *Environment[S]) Step(ctx context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	from, ok := s.(*state[S])
	if !ok {
		return envs.Transition{}, envs.Fail(envs.StageEnvironment, "step", fmt.Errorf("a state of type %T", s))
	}

	if from.status != envs.Running {
		return envs.Transition{}, envs.Fail(envs.StageEnvironment,
			fmt.Sprintf("step in task %q", from.history.Task().ID),
			fmt.Errorf("the state is %s", from.status))
	}

	turn := envs.Turn{Action: envs.Action(e.codec.Trim(validUTF8(string(a))))}

	ans, err := e.act(ctx, from, &turn)
	if err != nil {
		return envs.Transition{}, err
	}
	return e.transition(from, turn, ans), nil
}

// callAll plays calls in order, up to one that fails or ends the task. The turn is that of the last
// one played; its observation has the answers to all.
func (e *Environment[S]) callAll(
	ctx context.Context, from *state[S], turn *envs.Turn, calls []envs.Call,
) (answer[S], error) {
	// Each call begins with what the tools remember of the one before; the state itself never
	// changes.
	at, written, loads := *from, turn.Action, 0
	texts := slices.Repeat([]string{action.NotRun}, len(calls))

	var ans answer[S]
	var played []envs.Turn

	for i, call := range calls {
		*turn = envs.Turn{Action: written, Maker: turn.Maker}

		var err error
		if ans, err = e.call(ctx, &at, turn, call); err != nil {
			return ans, err
		}

		ans.loads = e.countsAsLoad(call, ans)
		ans.result.Maker = cmp.Or(ans.result.Maker, turn.Maker)
		e.observe(turn, ans)

		// An answer may follow in the same message, and is graded by what was done before it.
		at.session, at.passing, at.history = ans.session, ans.passing, at.history.Append(*turn)
		played = append(played, *turn)
		texts[i] = action.OneResult(turn.Observation)
		// The calls make one turn, but each of them counts towards the limit.
		loads += ans.loads

		// The rest was written before this failure was known.
		if turn.Outcome != envs.OK {
			break
		}
	}

	turn.Calls, turn.Observation, ans.loads = played, action.JoinResults(texts), loads
	return ans, nil
}

// Call answers a call without a task, as a server of the deployed version does: nothing is
// remembered. Finish and UpdateTool belong to tasks, so calling them is an error.
func (e *Environment[S]) Call(ctx context.Context, call envs.Call) (envs.Turn, error) {
	if known := e.entry(call); known != nil && known.run == nil && known.api != nil {
		return envs.Turn{}, envs.Fail(envs.StageEnvironment, "call "+call.Name, errors.New("it belongs to a task"))
	}

	var turn envs.Turn

	ans, err := e.call(ctx, &state[S]{}, &turn, call)
	if err != nil {
		return envs.Turn{}, err
	}

	e.observe(&turn, ans)
	return turn, nil
}

// observe fills in the observation of a turn.
func (e *Environment[S]) observe(turn *envs.Turn, ans answer[S]) {
	turn.Outcome, turn.Maker = ans.result.Outcome, ans.result.Maker

	turn.Observation = validUTF8(ans.result.Observation)
	if e.options.ObservationWords > 0 {
		turn.Observation = truncateWords(turn.Observation, e.options.ObservationWords)
	}

	if e.options.Hint == HintAnswer {
		turn.Observation = silent.Noted(turn.Observation, ans.notes)
	}

	if format := e.deployed.Response; format != nil && served(*turn) {
		turn.Observation = format.Wrap(turn.Outcome == envs.OK, turn.Observation)
	}
}

// served reports whether a turn was answered by the server: actions that cannot be read or name an
// unknown tool never get there, and Finish and UpdateTool are the environment's own.
func served(turn envs.Turn) bool {
	switch turn.Call.Tool {
	case "", envs.FinishTool, envs.UpdateTool:
		return false
	}
	return turn.Outcome != envs.InvalidAction
}

// transition returns the state after a turn and its reward.
func (e *Environment[S]) transition(from *state[S], turn envs.Turn, ans answer[S]) envs.Transition {
	next := &state[S]{
		session: ans.session, passing: ans.passing, history: from.history.Append(turn), loads: from.loads,
	}
	if ans.learns {
		next.history = next.history.Learn(ans.learned)
	}

	if turn.Outcome == envs.Deprecated && e.options.Announces() {
		next.history = next.history.Announce(e.deployed.Name)
	}

	next.loads += ans.loads

	t := envs.Transition{State: next, Turn: turn, Grade: ans.grade}
	switch {
	case turn.Outcome == envs.Correct:
		next.status, t.Reward = envs.Terminated, 1
	case turn.Outcome == envs.Incorrect:
		next.status, t.Reward = envs.Terminated, -1
	case e.options.MaxLoads > 0 && next.loads > e.options.MaxLoads:
		next.status, t.Reward = envs.Truncated, -1
	}

	return t
}

// act reads the action, fills in the turn, and finds the answer.
func (e *Environment[S]) act(ctx context.Context, from *state[S], turn *envs.Turn) (answer[S], error) {
	calls, wrong := action.Calls(e.codec, string(turn.Action))
	if len(calls) > 1 {
		return e.callAll(ctx, from, turn, calls)
	}

	call := calls[0]

	var ans answer[S]
	var err error

	switch {
	case errors.Is(wrong, action.ErrMalformed):
		ans = from.unchanged(envs.Malformed, malformed(e.codec))
	case wrong != nil:
		ans = from.unchanged(envs.InvocationError, argumentError+wrong.Error())
	default:
		ans, err = e.call(ctx, from, turn, call)
	}

	ans.loads = e.countsAsLoad(call, ans)
	e.observe(turn, ans)
	return ans, err
}

// countsAsLoad returns how many loads a call counts as, towards their limit.
func (e *Environment[S]) countsAsLoad(call envs.Call, ans answer[S]) int {
	loads := ans.loads
	if len(e.options.LoadNames) > 0 {
		loads = 0
		if slices.Contains(e.options.LoadNames, call.Name) {
			loads = 1
		}
	}

	return loads
}

// malformed returns the published text for ReAct, or else one that says how to write a call.
func malformed(codec action.Codec) string {
	if _, ok := codec.(action.ReAct); ok {
		return malformedText + "Please assume all the actions are permitted in this environment and take the action " +
			"again."
	}

	if action.IsNative(codec) {
		return malformedText + "Please take the action again, and call a tool by its name, with a JSON object of its " +
			"parameters."
	}

	example := envs.Call{Name: "TOOL", Args: envs.Object("PARAMETER", "VALUE")}
	return malformedText + "Please take the action again, and write the call as " + codec.Format("", example) + "."
}

// unchanged returns an answer that changes nothing.
func (s *state[S]) unchanged(outcome envs.Outcome, text string) answer[S] {
	return answer[S]{
		session: s.session, passing: s.passing, result: envs.Result{Observation: text, Outcome: outcome},
	}
}

// call fills in the turn's call, and finds the answer to it.
func (e *Environment[S]) call(
	ctx context.Context, from *state[S], turn *envs.Turn, call envs.Call,
) (answer[S], error) {
	turn.Call = call

	known := e.entry(call)
	if known == nil {
		return from.unchanged(e.absent(call.Name, "")), nil
	}

	turn.Call.Tool = known.tool
	if known.notice != "" || known.api == nil {
		return from.unchanged(e.absent(call.Name, known.notice)), nil
	}

	lowered, wrong := known.api.Lower(call.Args)
	if wrong == nil {
		ans, err := e.run(ctx, from, known, call, lowered)
		ans.passing = e.after(from, known.tool, ans.session)

		if known.loads && ans.result.Outcome == envs.OK {
			ans.loads = 1
		}
		return ans, err
	}
	return from.unchanged(e.refused(call, known, wrong)), nil
}

// absent returns the answer to a call of a name that is not deployed; notice is that of a
// deprecated one. Only the feedback with notices lists the names of the prompt's version: others
// must not reveal any.
func (e *Environment[S]) absent(name, notice string) (envs.Outcome, string) {
	switch {
	case e.options.Feedback == toolapi.FeedbackNone:
		return envs.InvalidAction, failedText
	case e.options.Feedback == toolapi.FeedbackGeneric:
		return envs.InvalidAction, genericText
	case e.options.Feedback == toolapi.FeedbackInvocation:
		return envs.InvalidAction, fmt.Sprintf("%sthere is no API %q", argumentError, name)
	case notice == "":
		return envs.InvalidAction, e.invalid
	}

	return envs.Deprecated, notice
}

// refused returns the answer to a call of a deployed API whose arguments do not fit. Finish and
// UpdateTool are the environment's own, and answer the same under every feedback.
func (e *Environment[S]) refused(call envs.Call, known *entry[S], wrong *toolapi.ArgError) (envs.Outcome, string) {
	outdated, ok := e.deployed.Outdated(call.Name, call.Args)

	feedback := e.options.Feedback
	if known.run == nil {
		feedback = toolapi.FeedbackDeprecation
	}

	switch {
	case feedback == toolapi.FeedbackNone:
		return envs.InvocationError, failedText
	case feedback == toolapi.FeedbackGeneric:
		return envs.InvocationError, genericText
	case feedback == toolapi.FeedbackInvocation:
		return envs.InvocationError, argumentError + wrong.Reason
	case ok && !e.options.PublishedFeedback:
		return envs.Deprecated, e.options.notice(outdated)
	case wrong.Text == "":
		return envs.InvocationError, e.invalid
	}

	return envs.InvocationError, wrong.Text
}

// runTool runs a tool on arguments that fit its signature.
func (e *Environment[S]) runTool(
	ctx context.Context, from *state[S], known *entry[S], args envs.Args,
) (answer[S], error) {
	switch known.tool {
	case envs.FinishTool:
		return e.finish(ctx, from, args[0].Value)
	case envs.UpdateTool:
		return update(from, args[0].Value), nil
	}

	session, result, err := known.run.Call(ctx, from.session, args)
	if err == nil && result.Outcome != envs.OK && result.Outcome != envs.ToolError &&
		result.Outcome != envs.InvocationError {
		err = fmt.Errorf("a tool cannot answer with the outcome %s", result.Outcome)
	}

	if err != nil {
		return answer[S]{}, envs.Fail(envs.StageTool, known.tool+" "+shortened(pytext.JSON(args)), err)
	}
	return answer[S]{session: session, result: result}, nil
}

// finish grades the answer, printed as Python prints it.
func (e *Environment[S]) finish(ctx context.Context, from *state[S], v any) (answer[S], error) {
	text := pytext.Str(v)
	task := from.history.Task()

	grade, err := e.grader.Grade(ctx, from.session, from.history, text)
	if err != nil {
		op := fmt.Sprintf("grade %q in task %q", shortened(text), task.ID)
		return answer[S]{}, envs.Fail(envs.StageEnvironment, op, err)
	}

	grade.Answer = text

	right := grade.Official
	if e.options.Reward == rewardStrict {
		right = grade.Strict
	}

	result := envs.Result{Observation: incorrectText, Outcome: envs.Incorrect}
	if right {
		result = envs.Result{Observation: correctText, Outcome: envs.Correct}
	}
	return answer[S]{session: from.session, result: result, grade: grade}, nil
}

// update is the tool-update module of section 3.3. As in the published code, nothing checks whether
// the description is true or new.
func update[S any](from *state[S], v any) answer[S] {
	description, ok := v.(string)
	if !ok {
		return from.unchanged(envs.InvocationError, notUpdatedText)
	}
	return answer[S]{
		session: from.session, result: envs.Result{Observation: updatedText, Outcome: envs.OK},
		learned: pytext.Strip(description), learns: true,
	}
}

// shortened returns s, cut to a length that suits an error message.
func shortened(s string) string {
	if len(s) <= opArgumentBytes {
		return s
	}
	return strings.ToValidUTF8(s[:opArgumentBytes], "") + "…"
}

// validUTF8 returns s with its bytes that are not UTF-8 replaced.
func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
