package release

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs/toolapi"
)

// match is the successor of a tool.
type match struct {
	to   int // in the release
	sure float64
	why  string
}

// leastTool is how sure it has to be that a tool of another name is the successor.
const leastTool = 0.6

// matchTools finds the successors of tools: those of the same name, then those of the same
// endpoint, and then those that are clearly more alike than any others.
func (b *builder) matchTools() map[int]match {
	pairs, taken := map[int]match{}, map[int]bool{}

	for _, key := range []func(toolapi.APISpec) string{
		func(a toolapi.APISpec) string { return a.Name }, endpoint,
	} {
		// A name or endpoint that occurs twice identifies no tool.
		was, now := unique(b.old, key), unique(b.next, key)

		for name, i := range was {
			to, ok := now[name]
			if _, done := pairs[i]; ok && !done && !taken[to] {
				pairs[i], taken[to] = match{to, 1, "the same endpoint"}, true
			}
		}
	}

	var left, free []int

	for i := range b.old {
		if _, ok := pairs[i]; !ok {
			left = append(left, i)
		}
	}

	for k := range b.next {
		if !taken[k] {
			free = append(free, k)
		}
	}

	// The order of the release must not decide between two that are equally good.
	slices.SortFunc(free, func(x, y int) int { return cmp.Compare(b.next[x].Name, b.next[y].Name) })
	b.matchAlike(left, free, pairs)
	return pairs
}

// matchAlike matches tools of other names.
func (b *builder) matchAlike(left, free []int, pairs map[int]match) {
	scores, why := make([][]float64, len(left)), make([][]string, len(left))

	for x, i := range left {
		scores[x], why[x] = make([]float64, len(free)), make([]string, len(free))
		for y, k := range free {
			scores[x][y], why[x][y] = b.toolsAlike(b.old[i], b.next[k])
		}
	}

	columns := assignment(scores)
	for x, y := range columns {
		if y < 0 {
			continue
		}

		if sure := confidence(scores[x][y], gap(scores, columns, x)); sure >= leastTool {
			pairs[left[x]] = match{free[y], sure, why[x][y]}
		}
	}
}

// unique returns the indexes of APIs, by a key that no other has.
func unique(all []toolapi.APISpec, key func(toolapi.APISpec) string) map[string]int {
	at, count := map[string]int{}, map[string]int{}

	for i, a := range all {
		if k := key(a); k != "" {
			at[k] = i
			count[k]++
		}
	}

	for k, n := range count {
		if n > 1 {
			delete(at, k)
		}
	}

	return at
}

var (
	host      = regexp.MustCompile(`^(\w+ )?\w+://[^/]*`)
	inPath    = regexp.MustCompile(`\{[^{}]*\}`)
	numbering = regexp.MustCompile(`/v[0-9]+(\.[0-9]+)*(/|$)`)
)

// endpoint returns a method and path without the host, the names of parameters and the number of
// the interface.
func endpoint(a toolapi.APISpec) string {
	url := inPath.ReplaceAllString(host.ReplaceAllString(a.URL, "$1"), "{}")
	return strings.TrimSuffix(numbering.ReplaceAllString(url, "/"), "/")
}

// toolsAlike returns how likely one tool is the successor of another, and why.
func (b *builder) toolsAlike(old, now toolapi.APISpec) (float64, string) {
	name := b.words.names(old.Name, now.Name)
	text := b.words.descriptions(old.Description, now.Description)
	parameters := b.parametersAlike(old, now)

	// Tools of one service share many words, so sharing half of them tells little.
	score := either(0.95*name*name*name, 0.95*text*text*text, 0.3*parameters*parameters)

	was, _, _ := strings.Cut(old.URL, " ")
	is, _, _ := strings.Cut(now.URL, " ")

	if was != "" && is != "" && was != is { // a method
		score /= 2
	}
	return score, fmt.Sprintf("names alike by %.2f, descriptions by %.2f, parameters by %.2f",
		name, text, parameters)
}

// parametersAlike returns how alike the parameters of two tools are: 0 if neither has any, which
// tells nothing.
func (b *builder) parametersAlike(old, now toolapi.APISpec) float64 {
	var sum float64

	for _, p := range old.Parameters.All {
		best := 0.0
		for _, q := range now.Parameters.All {
			best = max(best, b.likeness(p, q))
		}

		sum += best
	}
	return sum / float64(max(len(old.Parameters.All), len(now.Parameters.All), 1))
}
