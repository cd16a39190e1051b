package toolbench

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// Simulator answers calls in place of the APIs.
type Simulator interface {
	// Simulate returns the answer of an API to arguments that fit its document. An error is a
	// failure on this side, not an answer.
	Simulate(ctx context.Context, d *Document, args envs.Args) (Answer, error)
}

// Answer is what an API answers.
type Answer struct {
	Error    string // "" if there is none
	Response any    // as decoded from JSON
	Maker    string // the model that answered, or what stands for it; "" if there is none
}

// Text returns an answer as the virtual server sends it.
func (a Answer) Text() string {
	return pytext.JSON(envs.Object(
		"error", a.Error, "response", a.Response,
	))
}

// Scripted is a [Simulator] that fills the template of a document with values drawn by a hash of
// the call. An API without a template answers with a sentence. Equal calls, whatever the order of
// their arguments, get equal responses.
type Scripted struct{}

// mostItems is how many items of a list are filled.
const mostItems = 3

// Simulate implements [Simulator].
func (Scripted) Simulate(_ context.Context, d *Document, args envs.Args) (Answer, error) {
	sorted := slices.SortedFunc(slices.Values(args), func(a, b envs.Arg) int { return cmp.Compare(a.Name, b.Name) })
	call := pytext.AppendJSON([]byte(d.Key.String()), envs.Args(sorted))
	f := filler{rand.New(rand.NewPCG(xxh3.Hash(call), 0)), args}

	template, err := pytext.DecodeStrict(string(d.Template))
	if text, ok := template.(string); ok && err == nil { // some templates are written as a text, which may be cut
		template, err = pytext.DecodeStrict(text)
	}

	if err != nil || template == nil {
		return Answer{Response: fmt.Sprintf("%s of %s: done, reference %s.", d.API, d.Tool, f.word())}, nil
	}
	return Answer{Response: f.fill("", template)}, nil
}

// filler fills templates.
type filler struct {
	rand *rand.Rand
	args envs.Args
}

// listOf is how a template says what a list holds.
var listOf = regexp.MustCompile(`^list of (\w+) with length (\d+)$`)

// lengthHint is the member by which an item says how many there are.
const lengthHint = "_list_length"

// fill returns a value for a part of a template, which is the member called name of an object.
func (f filler) fill(name string, part any) any {
	switch part := part.(type) {
	case envs.Args:
		filled := envs.Args{}

		for _, member := range part {
			if member.Name != lengthHint {
				filled = filled.With(member.Name, f.fill(member.Name, member.Value))
			}
		}

		return filled
	case []any:
		return f.list(name, part)
	case string:
		return f.leaf(name, part)
	}

	return part
}

// list fills a list. An item may say how many it stands for.
func (f filler) list(name string, items []any) any {
	filled := []any{}

	for _, item := range items {
		if text, ok := item.(string); ok && listOf.MatchString(text) {
			return f.leaf(name, text)
		}

		n := 1

		if object, ok := item.(envs.Args); ok {
			hint, _ := object.Get(lengthHint)
			number, _ := hint.(envs.Number)
			n, _ = strconv.Atoi(string(number))
		}

		for range min(max(n, 1), mostItems) {
			filled = append(filled, f.fill(name, item))
		}
	}
	return filled
}

// leaf returns a value of a type. A text or number that has the name of an argument has its value,
// too.
func (f filler) leaf(name, kind string) any {
	if match := listOf.FindStringSubmatch(kind); match != nil {
		n, _ := strconv.Atoi(match[2]) // too many digits are many items
		items := []any{}

		for range min(max(n, 0), mostItems) {
			items = append(items, f.leaf("", match[1]))
		}
		return items
	}

	// An answer about Rome should say Rome, as a real one does.
	given, _ := f.args.Get(name)

	switch kind {
	case "str":
		if text, ok := given.(string); ok && text != "" {
			return text
		}
		return f.word()
	case "int", "float":
		if number, ok := given.(envs.Number); ok {
			return number
		}

		if kind == "int" {
			return envs.Number(strconv.Itoa(f.rand.IntN(1000)))
		}
		return envs.Number(fmt.Sprintf("%d.%02d", f.rand.IntN(100), f.rand.IntN(100)))
	case "bool":
		return f.rand.IntN(2) == 1
	case "NoneType":
		return nil
	case "list", "empty list":
		return []any{}
	case "dict":
		return envs.Args{}
	}

	// What names no type is a value of the template's own.
	return kind
}

var syllables = strings.Fields("al bor cen dri el fon gra hul in jo ka lum mer nor os pel qui ros sta tel un vir wes")

// word returns an invented word.
func (f filler) word() string {
	var b strings.Builder
	for range 3 {
		b.WriteString(syllables[f.rand.IntN(len(syllables))])
	}
	return b.String()
}
