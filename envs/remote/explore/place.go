package explore

import (
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/pytext"
)

// place is where values were in the answers of a tool.
type place struct {
	key    string   // the tool and the pointer, with * for items of lists
	words  []string // of the tool and of the pointer
	values []any    // distinct texts and numbers
}

// The parts of an answer that are looked at.
const (
	mostItems  = 12 // of a list, for values to call with
	firstItems = 3  // of a list, for what a question speaks of: nobody asks for the eleventh
	mostLength = 60 // bytes of a text
	mostValues = 40 // of a place
)

// leaf is a text or a number in an answer.
type leaf struct {
	pointer envs.Pointer
	value   any
}

// leavesOf returns the short texts and the numbers of a value. Of each list, it reads the first
// items only.
func leavesOf(value any, items int) []leaf { return appendLeaves(nil, "", value, items) }

func appendLeaves(all []leaf, pointer envs.Pointer, value any, items int) []leaf {
	switch value := value.(type) {
	case envs.Args:
		for _, a := range value {
			all = appendLeaves(all, pointer.Add(a.Name), a.Value, items)
		}
	case []any:
		for i, item := range value[:min(len(value), items)] {
			all = appendLeaves(all, pointer.Add(strconv.Itoa(i)), item, items)
		}
	case string:
		if value != "" && len(value) <= mostLength && !strings.ContainsAny(value, "\n{}") {
			all = append(all, leaf{pointer, value})
		}
	case envs.Number:
		all = append(all, leaf{pointer, value})
	}

	return all
}

func isIndex(part string) bool {
	_, err := strconv.Atoi(part)
	return err == nil
}

// placeOf returns the place of a leaf of a tool's answer, without its value.
func placeOf(tool string, l leaf) place {
	words, pointer := drift.Stems(tool), l.pointer.Parts()
	for i, part := range pointer {
		if isIndex(part) {
			pointer[i] = "*"
			continue
		}

		words = append(words, drift.Stems(part)...)
	}
	return place{key: tool + " /" + strings.Join(pointer, "/"), words: words}
}

// learn keeps the values of a tool's answer, or of a call.
func (e *Explorer[S]) learn(tool string, answer any) {
	for _, l := range leavesOf(answer, mostItems) {
		at := placeOf(tool, l)

		i := slices.IndexFunc(e.known, func(p place) bool { return p.key == at.key })
		if i < 0 {
			i = len(e.known)
			e.known = append(e.known, at)
		}

		p := &e.known[i]
		if len(p.values) < mostValues && !slices.Contains(p.values, l.value) {
			p.values = append(p.values, l.value)
		}
	}
}

// want is what a parameter asks for.
type want struct {
	key    string   // the tool and the parameter
	words  []string // of its name
	things []string // of the tool's name without its verb
	kind   any      // the schema's type
}

// keys are words for what identifies a thing. A parameter that is called like the thing wants one.
var keys = []string{
	"id", "key", "code", "slug", "sha", "hash", "uuid", "number", "name", "title", "email", "handle",
}

// suits returns how well the values of a place suit a parameter, by names: 0 is not at all.
func (w want) suits(p place) int {
	if len(p.words) == 0 || len(w.words) == 0 {
		return 0
	}

	last, placeLast := w.words[len(w.words)-1], p.words[len(p.words)-1]
	isKey := slices.Contains(keys, last)

	// An order's id is found at order/id, and a customer at customer/id or where another thing
	// names one.
	things := slices.DeleteFunc(slices.Clone(w.words), func(word string) bool {
		return slices.Contains(keys, word)
	})

	// A bare id is that of whatever the tool is about.
	if len(things) == 0 {
		things = w.things
	}

	for _, thing := range things {
		if !slices.Contains(p.words, thing) {
			return 0
		}
	}

	// A parameter called like the thing itself more often takes its id than its name.
	switch {
	case placeLast == last:
		return 3
	case !isKey && placeLast == "id":
		return 2
	case !isKey && slices.Contains(keys, placeLast):
		return 1
	}

	return 0
}

// isMade reports whether a pointer leads to the id of something that a call has made, whatever that
// is called.
func (w want) isMade(p envs.Pointer) bool {
	parts := p.Parts()
	return len(parts) == 1 && slices.Contains(keys, strings.ToLower(parts[0])) &&
		len(w.words) > 0 && w.words[len(w.words)-1] == strings.ToLower(parts[0])
}

// fits reports whether a value has the type that a schema names. A reference is to one that has.
func (w want) fits(value any) bool {
	if _, ok := value.(Ref); ok {
		return true
	}

	switch w.kind {
	case "string":
		_, ok := value.(string)
		return ok
	case "integer":
		n, ok := value.(envs.Number)
		return ok && !strings.ContainsAny(string(n), ".eE")
	case "number":
		_, ok := value.(envs.Number)
		return ok
	case "boolean", "array", "object", "null":
		return false
	}

	return true
}

// spelled returns a value as a question spells it.
func spelled(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return pytext.JSON(value)
}
