package session

import (
	"fmt"
	"slices"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
)

// localType is the type of a local session, in words for instructions.
const localType = "a local session, an object with source, type and data"

// typeOf returns the type, in words, of a text in data.
func typeOf(key string) string {
	return map[string]string{
		title:                    "a title",
		"description":            "a description",
		"members":                "a number of members, written as a string",
		"similarities":           "a number of similarities, written as a string",
		"significantDifferences": "a number of significant differences, written as a string",
	}[key]
}

// move is a candidate in the making: the variables that it declares, its arguments as expressions
// and as values, and how it changes the copies.
type move struct {
	*schema
	transition string
	declares   []stategen.Variable
	names      map[*held]string // of local sessions whose variables it declares
	args       []stategen.Named
	given      envs.Args
	assign     string
	pairs      []stategen.Pair
	copy       *held  // that it edits or writes
	changes    string // the variable of which it edits, replaces or deletes an element
	reads      string // the variable from which an edit copies a part

	stmt  stategen.Stmt
	after func(result any)
}

func (s *schema) move(transition string, producers ...string) *move {
	return &move{
		schema: s, transition: transition, names: map[*held]string{}, pairs: stategen.Pairs(transition, producers...),
	}
}

// declare returns the name of a new variable of the user.
func (m *move) declare(kind string, value any) string {
	v := stategen.Variable{
		Name: m.NextVariable("user_variable", len(m.declares)), Role: stategen.User, Type: kind,
		Value: stategen.Value{Any: value},
	}
	m.declares = append(m.declares, v)

	return v.Name
}

// variable returns the variable of a copy. One that no statement has named yet is declared.
func (m *move) variable(h *held) string {
	if h.name != "" {
		return h.name
	}

	if m.names[h] == "" {
		m.names[h] = m.declare(localType, h.draft)
	}
	return m.names[h]
}

// arg gives the call an argument, as an expression and as a value.
func (m *move) arg(name string, e stategen.Expr, value any) {
	m.args = append(m.args, stategen.Named{Name: name, Expr: e})
	m.given = m.given.With(name, value)
}

// part gives the call a part of a copy.
func (m *move) part(name string, h *held, path ...string) {
	value, err := stategen.At(m.value(h), path)
	if err != nil {
		panic(fmt.Sprintf("session: a copy without a part: %v", err))
	}

	m.arg(name, stategen.Var(m.variable(h), slices.Concat(h.path, path)...), value)
}

// place gives the call the source and type of a copy.
func (m *move) place(h *held) {
	m.part("source", h, "source")
	m.part("type", h, "type")
}

// text returns a new variable that holds a text of data.
func (m *move) text(key, value string) stategen.Expr {
	return stategen.Var(m.declare(typeOf(key), value))
}

// keep assigns the result of the call to a variable.
func (m *move) keep() { m.assign = m.NextResult() }

// call returns the candidate of a call.
func (m *move) call(after func(result any)) stategen.Candidate {
	m.stmt.Call = &stategen.Call{Assign: m.assign, Tool: m.transition, Args: m.args}
	m.after = after
	return m.candidate(true)
}

func (m *move) candidate(counts bool) stategen.Candidate {
	return stategen.Candidate{
		Transition: m.transition, Key: string(pytext.AppendCanonical(nil, m.given)), Pairs: m.pairs, Counts: counts,
		Params: m,
	}
}

// Apply implements [stategen.Schema].
func (s *schema) Apply(c stategen.Candidate) {
	m := c.Params.(*move)
	s.made = append(s.made, c.Transition+c.Key)
	s.Declare(m.declares...)

	for h, name := range m.names {
		h.name = name
	}

	result := s.Run(s.Domain, m.stmt)
	s.note(m)

	if m.after != nil {
		m.after(result)
	}
}

// note notes which reads a move uses or changes. Taking only the source and type of a session does
// not use what was read.
func (s *schema) note(m *move) {
	s.changed[m.changes], s.used[m.changes], s.used[m.reads] = true, true, true

	for _, a := range m.args {
		if a.Name != "source" && a.Name != "type" {
			s.used[a.Expr.Var] = true
		}
	}
}
