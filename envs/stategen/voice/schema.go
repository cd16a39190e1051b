package voice

import (
	"math/rand/v2"
	"slices"

	"toolevo/envs/stategen"
)

// schema implements [stategen.Schema].
type schema struct {
	stategen.Growing
	things []thing // inputs, used or not, and results, in the order in which they were made
}

func (s *schema) service() *state { return s.State.(*state) }

// kind says how calls can use a thing.
type kind int

// The kinds.
const (
	aText kind = iota
	aSpeech
	aSearch
	aVoice
	someSettings
	foundVoices // the result of a search
)

// thing is a variable, or an input that is no variable yet because no call uses it.
type thing struct {
	kind     kind
	name     string // "" if not declared
	value    any
	speech   *speech // as it was made, or nil
	identity string  // of a speech: the same for speeches made in the same way
	producer string  // the transition that touched it last
	consumed bool
	result   bool // of a call
}

// Apply implements [stategen.Schema].
func (s *schema) Apply(c stategen.Candidate) {
	m := c.Params.(move)
	stmt := stategen.Call{Tool: m.tool}

	for _, a := range m.args {
		s.declare(a.of)

		// A transcribed speech still exists, and its history has changed.
		t := &s.things[a.of]
		switch {
		case m.tool == speechToText:
			t.producer = speechToText
		case t.uses(a):
			t.consumed = true
		}

		stmt.Args = append(stmt.Args, stategen.Named{Name: a.name, Expr: stategen.Var(t.name, a.path...)})
	}

	if m.tool != outboundCall {
		stmt.Assign = s.NextResult()
	}

	s.run(stmt, c)
}

// declare turns an input into a variable.
func (s *schema) declare(i int) {
	t := &s.things[i]
	if t.name != "" {
		return
	}

	t.name = s.NextVariable("user_variable", 0)
	v := stategen.Variable{Name: t.name, Role: stategen.User, Type: t.words()}

	if t.kind == aSpeech {
		v.Role, t.value = stategen.Loaded, t.speech.value(t.name)
		s.State = s.service().with(named{t.name, t.speech})
	}

	v.Value.Any = t.value
	s.Declare(v)
}

// run makes a call and adds its result to the things.
func (s *schema) run(c stategen.Call, of stategen.Candidate) {
	result := s.Run(Domain{}, stategen.Stmt{Call: &c})
	if c.Assign == "" {
		return
	}

	t := thing{name: c.Assign, value: result, producer: c.Tool, result: true}

	switch c.Tool {
	case speechToText:
		t.kind = aText
	case searchVoices:
		t.kind = foundVoices
	default:
		t.kind, t.identity = aSpeech, identity(of.Transition, of.Key)
		_, t.speech, _ = readSpeech(result)
	}

	s.things = append(s.things, t)
}

// Condition implements [stategen.Schema]: it compares the voice of a result or of a search, the
// number of sentences, or the duration.
func (s *schema) Condition(rng *rand.Rand) (stategen.Test, stategen.Variable, bool) {
	t, ok := s.newest()
	if !ok {
		return stategen.Test{}, stategen.Variable{}, false
	}

	coin := rng.IntN(2) == 0

	switch {
	case t.kind == foundVoices && coin:
		return stategen.Compared(voiceWords, stategen.Var(t.name), "voice_name")
	case t.kind == foundVoices:
		return stategen.Compared(voiceWords, stategen.Var(t.name, "0", "voice_name"))
	case t.kind == aSpeech && t.speech.voice != "" && coin && !s.isGiven(t.speech.voice):
		return stategen.Compared(voiceWords, stategen.Var(t.name, "voice_name"))
	case t.kind == aSpeech && rng.IntN(2) == 0:
		return stategen.Compared("a number", stategen.Var(t.name, "duration"))
	case t.kind == aSpeech:
		return stategen.Compared("a number", sentences(stategen.Var(t.name, "text")))
	}

	return stategen.Compared("a number", sentences(stategen.Var(t.name)))
}

// isGiven reports whether the user named a voice: then nothing has to be looked up.
func (s *schema) isGiven(voice string) bool {
	return slices.ContainsFunc(s.things, func(t thing) bool { return t.kind == aVoice && t.value == voice })
}

// newest returns the result of the last call that has one.
func (s *schema) newest() (thing, bool) {
	for _, t := range slices.Backward(s.things) {
		if t.result {
			return t, true
		}
	}

	return thing{}, false
}

func sentences(of stategen.Expr) stategen.Expr {
	return stategen.Expr{Func: stategen.Sentences, List: []stategen.Expr{of}}
}

// Result implements [stategen.Schema]: a result that nothing has consumed, or the list of them.
func (s *schema) Result() (stategen.Expr, bool) {
	var left []stategen.Expr

	for _, t := range s.things {
		if t.result && !t.consumed {
			left = append(left, stategen.Var(t.name))
		}
	}

	return stategen.OneOrAll(left)
}

// Clone implements [stategen.Schema].
func (s *schema) Clone() stategen.Schema {
	return &schema{s.Growing.Clone(), slices.Clone(s.things)}
}
