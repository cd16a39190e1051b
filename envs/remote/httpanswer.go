package remote

import (
	"fmt"
	"net/http"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/pytext"
)

// answer is a service's answer.
type answer struct {
	status int
	kind   string // the type of the body
	body   []byte
	large  bool // the body has more bytes than it may
}

// result returns what the agent sees of an answer.
func (i *httpInstance) result(a answer) envs.Result {
	r := envs.Result{Observation: a.text(), Outcome: envs.OK}
	if a.status >= http.StatusBadRequest {
		r.Outcome = envs.ToolError
	}

	if a.large {
		r = tooLarge(i.MostBytes)
	}

	r.Observation = i.hide(strings.NewReplacer(i.own...).Replace(r.Observation))
	return r
}

// tooLarge is the result of an answer with more bytes than it may have. Truncated, it would not be
// JSON any more, and only the agent can ask for less.
func tooLarge(most int64) envs.Result {
	text := fmt.Sprintf("The answer has more than %d bytes: ask for less.", most)
	return envs.Result{Observation: text, Outcome: envs.ToolError}
}

// text returns the body, in one line if it is JSON, or the status if it is empty.
func (a answer) text() string {
	text := strings.ToValidUTF8(string(a.body), "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return a.name()
	}

	if value, err := pytext.DecodeStrict(text); err == nil {
		return pytext.JSON(value)
	}

	if strings.ContainsRune(text, 0) {
		return sized(a.kind, a.body)
	}
	return text
}

func (a answer) name() string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)))
}

// describeAnswer quotes the answer of a request, for an error.
func (i *httpInstance) describeAnswer(a answer) string {
	return "it was answered " + display.Line(a.name()+" "+i.hide(string(a.body)), mostShown)
}
