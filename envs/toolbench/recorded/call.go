package recorded

import (
	"errors"
	"fmt"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// Call is a request and the answer to it.
type Call struct {
	toolbench.Key // as the record has the names: published ones, or those of requests
	Input         envs.Args
	Answer        toolbench.Answer
}

// The members of an answer.
const (
	errorMember    = "error"
	responseMember = "response"
)

// parseAnswer reads an object of error and response.
func parseAnswer(v any) (toolbench.Answer, error) {
	object, ok := v.(envs.Args)
	if !ok {
		return toolbench.Answer{}, errors.New("the answer is no object of error and response")
	}

	failure, hasError := object.Get(errorMember)
	response, hasResponse := object.Get(responseMember)

	if !hasError && !hasResponse {
		return toolbench.Answer{}, errors.New("the answer has neither error nor response")
	}

	a := toolbench.Answer{Response: response}

	switch failure := failure.(type) {
	case nil:
	case string:
		a.Error = failure
	default:
		a.Error = pytext.JSON(failure)
	}

	if response == nil {
		a.Response = ""
	}

	return a, nil
}

// Request identifies the call without its answer. Equal requests have one, in whatever order their arguments stand, and
// those of an API begin alike.
func (c *Call) Request() string {
	return virtual.Normalised(c.Key).String() + " " + virtual.NewCall("", c.Key, c.Input).Key()
}

// Find returns the document of the call's API in a collection.
func (c *Call) Find(documents *Documents) (*toolbench.Document, error) {
	d, ok := documents.byName[virtual.Normalised(c.Key)]
	if !ok {
		return nil, fmt.Errorf("no document of %s", c.Key)
	}

	return d, nil
}
