package server

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Names are the names under which a server may answer for a model. It is safe for concurrent use.
type Names struct {
	model string
	also  []string

	mu      sync.Mutex
	variant string // the one in which replies came; "" before the first
}

// NewNames returns the names of the model of an endpoint.
func NewNames(e Endpoint) *Names { return &Names{model: e.Model, also: e.Names} }

// Has reports whether a reply under a name is of the model: it is its own name, one of
// [Endpoint.Names], or a variant of its name. Only the first variant seen counts, so that a gateway
// that switches to another date is noticed.
func (n *Names) Has(name string) bool {
	if name == n.model || slices.Contains(n.also, name) {
		return true
	}

	if !IsVariant(n.model, name) {
		return false
	}

	n.mu.Lock()
	defer n.mu.Unlock()

	if n.variant == "" {
		n.variant = name
	}
	return n.variant == name
}

// IsVariant reports whether two names are plainly of one model: one has a date that the other lacks
// (gpt-4o and gpt-4o-2024-08-06, mistral-large-latest and mistral-large-2411), or a provider before
// it (Qwen/Qwen3-8B and hosted_vllm/Qwen/Qwen3-8B).
func IsVariant(a, b string) bool {
	undatedA, datedA := undated(a)
	undatedB, datedB := undated(b)
	if datedA && datedB {
		undatedA, undatedB = a, b
	}

	return undatedA == undatedB || strings.HasSuffix(undatedB, "/"+undatedA) ||
		strings.HasSuffix(undatedA, "/"+undatedB)
}

// dateSuffix is what providers end a model's name with, behind - or @: its date, or Google's number
// of a version (gemini-2.0-flash-001).
var dateSuffix = regexp.MustCompile(`[-@](\d{4}-\d{2}-\d{2}|\d{8}|\d{4}|00\d)$`)

// dateLayouts are those of the dates: 2024-08-06, 20240806, 0806, and 2408.
var dateLayouts = []string{"2006-01-02", "20060102", "0102", "0601"}

// undated returns a name without its date, or the word latest in its place.
func undated(name string) (rest string, dated bool) {
	if rest, found := strings.CutSuffix(name, "-latest"); found {
		return rest, false
	}

	place := dateSuffix.FindStringIndex(name)
	if place == nil {
		return name, false
	}

	suffix := name[place[0]+1:]
	isDate := func(layout string) bool {
		_, err := time.Parse(layout, suffix)
		return err == nil
	}

	if len(suffix) > len("001") && !slices.ContainsFunc(dateLayouts, isDate) {
		return name, false
	}
	return name[:place[0]], true
}
