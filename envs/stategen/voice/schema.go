package voice

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// schema implements [stategen.Schema].
type schema struct {
	program stategen.Program
	things  []thing        // inputs that were used or may be, and results, in the order of their making
	values  map[string]any // of the program's variables
	service *state
	results int
}

// kind is what calls can use a thing as.
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
	name     string // "" is not declared
	value    any
	speech   *speech // as it was made; nil where it is none
	identity string  // of a speech: the same for speeches that were made in the same way
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

		// A speech that is transcribed is still there, and its history has changed.
		t := &s.things[a.of]
		if m.tool == speechToText {
			t.producer = speechToText
		} else {
			t.consumed = true
		}

		stmt.Args = append(stmt.Args, stategen.Named{Name: a.name, Expr: stategen.Var(t.name, a.path...)})
	}

	if m.tool != outboundCall {
		s.results++
		stmt.Assign = "r_" + strconv.Itoa(s.results)
	}

	s.program.Main = append(s.program.Main, stategen.Stmt{Call: &stmt})
	s.run(stmt, c)
}

// declare makes a variable of an input.
func (s *schema) declare(i int) {
	t := &s.things[i]
	if t.name != "" {
		return
	}

	t.name = "user_variable_" + strconv.Itoa(len(s.program.Init))
	v := stategen.Variable{Name: t.name, Role: stategen.User, Type: t.words()}

	if t.kind == aSpeech {
		v.Role, t.value = stategen.Loaded, t.speech.value(t.name)
		s.service = s.service.with(named{t.name, t.speech})
	}

	v.Value.Any, s.values[t.name] = t.value, t.value
	s.program.Init = append(s.program.Init, v)
}

// run makes a call and takes what it gives.
func (s *schema) run(c stategen.Call, of stategen.Candidate) {
	p := stategen.Program{Main: []stategen.Stmt{{Call: &c}}, Result: new(stategen.Literal(nil))}
	if c.Assign != "" {
		*p.Result = stategen.Var(c.Assign)
	}

	done, err := p.Run(s.values, func(tool string, args envs.Args) (any, error) {
		next, result, err := Domain{}.Call(s.service, tool, args)
		s.service = next.(*state)

		return result, err
	})
	if err != nil {
		panic(fmt.Sprintf("voice: a candidate is refused: %v", err)) // a mistake of Candidates
	}

	if c.Assign == "" {
		return
	}

	s.values[c.Assign] = done.Result
	t := thing{name: c.Assign, value: done.Result, producer: c.Tool, result: true}

	switch c.Tool {
	case speechToText:
		t.kind = aText
	case searchVoices:
		t.kind = foundVoices
	default:
		t.kind, t.identity = aSpeech, identity(of.Transition, of.Key)
		_, t.speech, _ = readSpeech(done.Result)
	}

	s.things = append(s.things, t)
}

// Condition implements [stategen.Schema]: which voice a result has or a search found, how many sentences it has, or how
// long it takes.
func (s *schema) Condition(rng *rand.Rand) (stategen.Test, stategen.Variable, bool) {
	constant := stategen.Variable{Name: "user_constant_0", Role: stategen.Constant, Type: voiceWords}
	test := stategen.Test{Right: stategen.Var(constant.Name)}

	t, ok := s.newest()
	if !ok {
		return test, constant, false
	}

	coin := rng.IntN(2) == 0

	switch {
	case t.kind == foundVoices && coin:
		test.Left, test.Any = stategen.Var(t.name), []string{"voice_name"}
	case t.kind == foundVoices:
		test.Left = stategen.Var(t.name, "0", "voice_name")
	case t.kind == aSpeech && t.speech.voice != "" && coin && !s.isGiven(t.speech.voice):
		test.Left = stategen.Var(t.name, "voice_name")
	case t.kind == aSpeech && rng.IntN(2) == 0:
		constant.Type, test.Left = "a number", stategen.Var(t.name, "duration")
	case t.kind == aSpeech:
		constant.Type, test.Left = "a number", sentences(stategen.Var(t.name, "text"))
	default:
		constant.Type, test.Left = "a number", sentences(stategen.Var(t.name))
	}

	return test, constant, true
}

// isGiven reports whether the user named a voice: nobody has to look which one it is.
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

	if len(left) == 1 {
		return left[0], true
	}

	return stategen.Expr{List: left}, len(left) > 0
}

// Program implements [stategen.Schema].
func (s *schema) Program() stategen.Program {
	p := s.program
	p.Init, p.Main = slices.Clone(p.Init), slices.Clone(p.Main)

	return p
}

// Clone implements [stategen.Schema].
func (s *schema) Clone() stategen.Schema {
	next := *s
	next.program, next.things, next.values = s.Program(), slices.Clone(s.things), maps.Clone(s.values)

	return &next
}
