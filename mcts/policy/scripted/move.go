package scripted

import (
	"cmp"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/envs/silent"
)

// move is what the policy is about to write.
type move struct {
	kind    situation
	thought string
	call    envs.Call      // in the prompt version
	via     *usage         // the successor to call instead; nil calls what the prompt lists
	known   envs.Call      // the call as a policy that was told writes it; without a name if it was not
	filled  bool           // what the call leaves out is filled from the successor's example
	changes silent.Changes // of what it calls, as far as they are known
	form    form
	cost    float64 // what the move takes off the log-probability, by how unlikely a model makes it
}

// situation is why the move is made; it chooses the words.
type situation uint8

const (
	proceeding situation = iota
	migrating            // the last call was deprecated and its successor is known
	adjusting            // the same, where only the parameters have changed
	retrying             // the last call was an error
	describing           // a new tool worked for the first time
	givingUp
)

// form is what is wrong with the text, if anything.
type form uint8

const (
	sound form = iota
	missingBrace
	singleQuotes
	missingAction
	oldParams // the successor's name with the arguments of the prompt version
)

// unknownAnswer is what the policy finishes with when it gives up. It is the answer of no question.
const unknownAnswer = "unknown"

// decide returns the right move, as far as the profile knows.
func (sc *scene) decide() move {
	if sc.plan == nil || sc.st.errors >= sc.profile.Patience {
		return giveUp()
	}

	if sc.profile.ReadsNotices && !sc.profile.NoUpdateTool {
		if u, t := sc.st.updateDue(); u != nil {
			return move{
				kind: describing,
				via:  u,
				call: envs.Call{
					Name: envs.UpdateTool,
					Args: envs.Object("newtool_desc", u.describe(t.Call.Args)),
				},
			}
		}
	}

	return sc.step()
}

// step returns the plan's next call.
func (sc *scene) step() move {
	thought, call, err := sc.next()
	if err != nil {
		return giveUp()
	}

	m := move{thought: thought, call: call}

	// What the deployed version cannot express is called as the prompt lists it.
	if sc.knows != nil {
		m.known, _ = envs.Lift(sc.knows, sc.h, call)
	}

	if sc.profile.ReadsNotices {
		m.via = sc.st.successor(sc.h, call.Name, call.Args)
	}

	// Written the same way it would fail the same way: then the example's values go where the plan
	// says nothing.
	if t := sc.st.last(); t != nil && (t.Outcome.IsError() || t.Outcome == envs.Unavailable) {
		m.filled = m.via != nil && sameCall(t.Call, envs.Call{Name: m.via.name, Args: m.args()})

		switch {
		case t.Outcome != envs.Deprecated || m.via == nil:
			m.kind = retrying
		case m.via.name == call.Name:
			m.kind = adjusting
		default:
			m.kind = migrating
		}
	}

	followed := m.kind == migrating || m.kind == adjusting
	if sc.profile.QuotesNotices && followed && len(m.via.example) > 0 {
		m.thought = "Its example is " + pytext.JSON(m.via.example) + ". " + m.thought
	}

	// Last, because it depends on the name and the arguments that the move has by now.
	m.changes = sc.st.knowledge.changes(envs.Call{Tool: call.Tool, Name: m.name(), Args: m.args()})
	return m
}

// next returns the plan's next call, or one for what the last one's answer lacks.
func (sc *scene) next() (thought string, call envs.Call, err error) {
	results := sc.st.results

	thought, call, err = sc.plan(results[:len(results):len(results)])
	if call.Name = cmp.Or(call.Name, call.Tool); err == nil && sc.st.knowledge.lacking != nil {
		call = sc.st.knowledge.ask(call)
	}
	return thought, call, err
}

func giveUp() move {
	return move{kind: givingUp, call: envs.Finish(unknownAnswer)}
}

// name is the tool name the move writes.
func (m *move) name() string {
	switch {
	case m.known.Name != "":
		return m.known.Name
	case m.via != nil && m.kind != describing:
		return m.via.name
	}

	return m.call.Name
}

// args are the arguments the move writes.
func (m *move) args() envs.Args {
	switch {
	case m.known.Name != "":
		return m.known.Args
	case m.via != nil && m.kind != describing && m.form != oldParams:
		return m.changes.Lift(m.via.apply(m.call.Args, m.filled))
	}

	return m.changes.Lift(m.call.Args)
}

// text returns the whole completion.
func (m *move) text(codec action.Codec, w wording) string {
	call := envs.Call{Name: m.name(), Args: m.args()}
	thought := string(w.append(nil, m))
	text := codec.Format(thought, call)

	if action.IsNative(codec) && (m.form == missingBrace || m.form == singleQuotes) {
		return action.Message{
			Content: thought, Calls: []action.ToolCall{{Name: call.Name, Arguments: m.spoilt(pytext.JSON(call.Args))}},
		}.Text()
	}

	switch m.form {
	case missingBrace:
		return m.spoilt(text)
	case singleQuotes:
		input := strings.LastIndexByte(text, '\n') + 1
		return text[:input] + m.spoilt(text[input:])
	case missingAction:
		text = strings.Replace(text, "\n"+action.ActionMarker+" "+call.Name, "", 1)
		return strings.Replace(text, `{"name": "`+call.Name+`", `, "{", 1)
	}

	return text
}

// spoilt returns the text of arguments as a move in a wrong form writes it.
func (m *move) spoilt(arguments string) string {
	if m.form == missingBrace {
		return strings.TrimSuffix(arguments, "}")
	}
	return strings.ReplaceAll(arguments, `"`, "'")
}
