package recorded

import (
	"fmt"

	"toolevo/envs"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/virtual"
)

// Call is a request and the answer to it.
type Call struct {
	toolbench.Key // as the record has the names: published ones, or those of requests
	Input         envs.Args
	Answer        toolbench.Answer
}

// Request identifies the call without its answer, whatever the order of its arguments. Requests of
// one API begin alike.
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
