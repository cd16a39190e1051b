package silent

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Change is a silent change as data. It has exactly one of its kinds.
type Change struct {
	Tools []string `yaml:"tools,flow"` // the tools that it changes

	Scaled   *Scaled   `yaml:"scaled,omitempty,flow"`
	Swapped  *Swapped  `yaml:"swapped,omitempty,flow"`
	Quoted   *Quoted   `yaml:"quoted,omitempty,flow"`
	Dated    *Dated    `yaml:"dated,omitempty,flow"`
	Zoned    *Zoned    `yaml:"zoned,omitempty,flow"`
	Renamed  *Renamed  `yaml:"renamed,omitempty,flow"`
	Moved    *Moved    `yaml:"moved,omitempty,flow"`
	Reversed *Reversed `yaml:"reversed,omitempty,flow"`
	Paged    *Paged    `yaml:"paged,omitempty,flow"`
	Withheld *Withheld `yaml:"withheld,omitempty,flow"`
}

// kind is one kind of change.
type kind interface {
	effect() effect
	// note says what has changed; read is its inverse, and false for a note of another kind.
	note() string
	read(note string) bool
	check() error
}

// effect is what a change does. Its functions change nothing in place.
type effect struct {
	answer  func(call envs.Args, v any) any // the deployed API's answer where the tool answers v
	restore func(v any) any                 // what the tool answered, as far as an answer tells
	lift    func(call envs.Args) envs.Args  // from a tool's arguments to the deployed API's
	lower   func(call envs.Args) envs.Args  // the inverse of lift
}

// ofValues returns the effect of a change of whole values and its inverse, in answers and in the
// values of arguments. The names of arguments stay: they are those of parameters.
func ofValues(now, was func(any) any) effect {
	within := func(change func(any) any) func(envs.Args) envs.Args {
		return func(call envs.Args) envs.Args {
			changed := slices.Clone(call)
			for i := range changed {
				changed[i].Value = change(changed[i].Value)
			}
			return changed
		}
	}
	return effect{func(_ envs.Args, v any) any { return now(v) }, was, within(now), within(was)}
}

// ofView returns the effect of a change that callers undo by asking for something else.
func ofView(answer func(call envs.Args, v any) any, by asked) effect {
	return effect{answer, func(v any) any { return v }, by.lift, by.lower}
}

// kind returns the kind of the change, nil unless it has exactly one.
func (c *Change) kind() kind {
	var found kind

	for _, field := range reflect.ValueOf(*c).Fields() {
		if k, ok := field.Interface().(kind); ok && !field.IsNil() {
			if found != nil {
				return nil
			}

			found = k
		}
	}
	return found
}

// Check reports what is wrong with a change.
func (c *Change) Check() error {
	k := c.kind()

	switch {
	case k == nil:
		return errors.New("a silent change has exactly one kind")
	case len(c.Tools) == 0:
		return errors.New("a silent change names no tool")
	}

	return k.check()
}

// IsProbed reports whether calls can reveal a change: a view by asking for something else, damage
// by asking the other tool. A re-encoded value shows nothing to those who never saw the former one.
func (c *Change) IsProbed() bool { return c.Reversed != nil || c.Paged != nil || c.Withheld != nil }

// IsAbout reports whether a change affects a tool.
func (c *Change) IsAbout(tool string) bool { return slices.Contains(c.Tools, tool) }

// Changes are the changes of one API, in the order in which they were made.
type Changes []Change

// Lift returns the arguments of a call of the tool as the deployed API wants them.
func (all Changes) Lift(call envs.Args) envs.Args {
	for i := range all {
		call = all[i].kind().effect().lift(call)
	}
	return call
}

// Lower is the inverse of Lift.
func (all Changes) Lower(call envs.Args) envs.Args {
	for i := range slices.Backward(all) {
		call = all[i].kind().effect().lower(call)
	}
	return call
}

// Answer returns what the deployed API answers to a call, with arguments as the caller gave them,
// where the tool answers with a text; and the notes of the changes that show in the arguments or in
// the answer.
func (all Changes) Answer(call envs.Args, text string) (answer string, notes []string) {
	value, print := read(text)
	shows := make([]bool, len(all))

	lowered := call
	for i := range slices.Backward(all) {
		next := all[i].kind().effect().lower(lowered)
		// A view drops an argument: whoever gave it knows of the change and needs no note.
		shows[i] = len(next) == len(lowered) && !reflect.DeepEqual(next, lowered)
		lowered = next
	}

	for i := range all {
		k := all[i].kind()

		if print != nil {
			next := k.effect().answer(call, value)
			shows[i] = shows[i] || !reflect.DeepEqual(next, value)
			value = next
		}

		if shows[i] {
			notes = append(notes, k.note())
		}
	}

	// Prose, such as an error, has no value to change, but quotes what the tool was given.
	if print == nil {
		return quoteCaller(text, lowered, call), notes
	}
	return print(value), notes
}

// read returns the value in a text, and a function that writes the text with another value; both
// are nil if it has no value. A text that is no JSON is a list of its lines, if it has several, or
// else has the first list or dictionary in it, if it is written as Python prints it.
func read(text string) (value any, print func(any) string) {
	if v, err := pytext.DecodeStrict(text); err == nil {
		return v, pytext.JSON
	}

	if lines := strings.Split(text, "\n"); len(lines) > 1 {
		return envs.Listed(lines), func(v any) string {
			var lines []string
			for _, line := range v.([]any) { // no change makes anything else of a list
				lines = append(lines, line.(string))
			}
			return strings.Join(lines, "\n")
		}
	}

	at := strings.IndexAny(text, "[{")
	if at < 0 {
		return nil, nil
	}

	v, rest, err := pytext.DecodeLiteralPrefix(text[at:])
	if err != nil || pytext.Repr(v)+rest != text[at:] {
		return nil, nil
	}
	return v, func(v any) string { return text[:at] + pytext.Repr(v) + rest }
}

// quoteCaller has a text quote the arguments of a call as the caller gave them, not as the tool got
// them.
func quoteCaller(text string, lowered, call envs.Args) string {
	for _, arg := range lowered {
		was, _ := arg.Value.(string)
		if given, ok := call.Text(arg.Name); ok && was != "" {
			text = strings.ReplaceAll(text, was, given)
		}
	}

	return text
}

// Restore returns what the tool answered, as far as an answer tells.
func (all Changes) Restore(answer string) string {
	value, print := read(answer)
	if print == nil {
		return answer
	}

	for i := range slices.Backward(all) {
		value = all[i].kind().effect().restore(value)
	}
	return print(value)
}

// Notes returns the notes of all changes.
func (all Changes) Notes() (notes []string) {
	for i := range all {
		notes = append(notes, all[i].Note())
	}
	return notes
}

// Note returns the line that says what a change is.
func (c *Change) Note() string { return c.kind().note() }

// ParseNote reads a note, which does not name its tools: they are those that answered with it.
func ParseNote(note string) (c Change, ok bool) {
	fields := reflect.ValueOf(&c).Elem()

	for i := range fields.NumField() {
		field := fields.Field(i)
		if field.Kind() != reflect.Pointer {
			continue
		}

		empty := reflect.New(field.Type().Elem())
		if empty.Interface().(kind).read(note) { // every pointer of a Change is a kind
			field.Set(empty)
			return c, true
		}
	}

	return c, false
}

// NoteWord begins a note in other text.
const NoteWord = "Note: "

// Passing is the note on an answer that is wrong for a while: half of it, or a former one.
const Passing = "This answer is old, or not whole; the same call is answered again later."

// Noted returns an answer with notes above it, a line each.
func Noted(answer string, notes []string) string {
	for _, note := range slices.Backward(notes) {
		answer = NoteWord + note + "\n" + answer
	}
	return answer
}

// Cut is the inverse of Noted.
func Cut(text string) (answer string, notes []string) {
	for {
		line, rest, ok := strings.Cut(text, "\n")

		note, isNote := strings.CutPrefix(line, NoteWord)
		if !ok || !isNote {
			return text, notes
		}

		notes, text = append(notes, note), rest
	}
}
