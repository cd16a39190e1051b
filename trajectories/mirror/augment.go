package mirror

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/recorded"
	"toolevo/envs/toolbench/virtual"
)

// shown is how many real calls a model is shown before it invents one.
const shown = 10

// augment lets the model invent n calls after recorded ones, first of the APIs with the fewest
// pairs.
func (m *Model) augment(ctx context.Context, pairs []Pair, n int, r *Report) ([]recorded.Call, error) {
	byAPI := map[toolbench.Key][]Pair{}
	real := []Pair{}

	for _, p := range pairs {
		if p.Kind == Recorded {
			byAPI[p.Key] = append(byAPI[p.Key], p)
			real = append(real, p)
		}
	}

	if len(real) == 0 {
		return nil, nil
	}

	keys := slices.SortedFunc(maps.Keys(byAPI), func(a, b toolbench.Key) int {
		return cmp.Or(cmp.Compare(len(byAPI[a]), len(byAPI[b])), a.Compare(b))
	})

	r.Written.Pairs += n
	return written(ctx, m, n, r, func(ctx context.Context, i int) (answer[recorded.Call], error) {
		target := byAPI[keys[i%len(keys)]]
		document := target[0].Document
		request := m.examples(i, target, real) + shownDocument(document)
		return ask(ctx, m, augmentPrompt, request, i, func(text string) (recorded.Call, error) {
			return invented(text, document)
		})
	})
}

// examples returns real calls of any API, and then some of the target's.
func (m *Model) examples(number int, target, real []Pair) string {
	random := envs.Random(m.Seed+uint64(number), "examples")
	same, _ := draw(target, shown/2, random)

	var all []Pair
	for range shown - len(same) {
		all = append(all, real[random.IntN(len(real))])
	}

	var b strings.Builder

	seen := map[string]bool{}
	for _, p := range append(all, same...) {
		if text := described(&p); !seen[text] {
			seen[text] = true
			b.WriteString(text + "\n\n")
		}
	}

	return b.String()
}

// invented reads a call that a model wrote. Arguments that do not fit the document are accepted
// only if the call fails.
func invented(text string, d *toolbench.Document) (c recorded.Call, err error) {
	object, err := kept.Object(text, "request")
	if err != nil {
		return c, err
	}

	request, _ := object.Get("request")

	input, ok := request.(envs.Args)
	if !ok {
		return c, errUnreadable
	}

	answer, err := virtual.ReadReply(text)
	if err != nil {
		return c, errUnreadable
	}

	if answer.Error == "" && !fits(d, input) {
		return c, errAPILimit
	}
	return recorded.Call{Key: d.Key, Input: input, Answer: answer}, nil
}

// fits reports whether a document has all parameters of a call, and the call all required ones.
func fits(d *toolbench.Document, input envs.Args) bool {
	given := input.Names()
	known := map[string]bool{}

	for _, p := range d.Required {
		known[p.Name] = true

		if !slices.Contains(given, p.Name) {
			return false
		}
	}

	for _, p := range d.Optional {
		known[p.Name] = true
	}
	return !slices.ContainsFunc(given, func(name string) bool { return !known[name] })
}
