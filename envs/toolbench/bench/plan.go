package bench

import (
	"fmt"
	"strings"

	"github.com/zeebo/xxh3"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/toolbench"
)

// planned returns the calls that solve a query in the base version: of every relevant function,
// with the parameters that it requires.
func (o *opened) planned(q *toolbench.Query) []envs.Call {
	calls := make([]envs.Call, len(q.Relevant))

	for i, k := range q.Relevant {
		d, _ := o.collection.Document(k) // a collection has those of its queries
		name := o.functions[k]
		calls[i] = envs.Call{Tool: name, Name: name, Args: envs.Args{}}

		for _, p := range d.Required {
			if _, twice := calls[i].Args.Get(p.Name); !twice {
				calls[i].Args = calls[i].Args.With(p.Name, valueOf(p, name))
			}
		}
	}

	return calls
}

// valueOf returns the default of a function's parameter, or a value of its type.
func valueOf(p toolbench.Parameter, function string) any {
	if v, ok := p.Example(); ok {
		return v
	}

	n := xxh3.HashString(function+" "+p.Name) % 1000

	switch p.JSONType() {
	case "number", "integer":
		return envs.Number(fmt.Sprint(n))
	case "boolean":
		return n%2 == 0
	case "array":
		return []any{}
	case "object":
		return envs.Args{}
	}

	return fmt.Sprintf("value %d", n)
}

// planOf returns the plan that makes the calls and then tells what the last of them answered.
func planOf(calls []envs.Call) envs.Plan {
	return func(results []string) (string, envs.Call, error) {
		if i := len(results); i < len(calls) {
			return fmt.Sprintf("I need what %s answers.", calls[i].Name), calls[i], nil
		}

		answer := "I found this: " + display.Line(strings.Join(results, " "), 300)
		return "Now I can answer.", envs.Finish(answer), nil
	}
}
