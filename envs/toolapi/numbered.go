package toolapi

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// listSeparator separates the items of a list that a tool takes as one text.
const listSeparator = ", "

// Numbered is a list of parameters Item1, Item2, … for one text that contains the items. A single
// parameter called Item, without a number, is also taken.
//
// As in the published code, the k-th parameter of the call must have the number k, counting the
// parameters in Beside: {"ReturnResult": "True", "column2": "price"} fits and {"ReturnResult":
// "True", "column1": "price"} does not. A call without parameters is an empty list. A value that is
// not a text becomes what Python's str makes of it.
type Numbered struct {
	Item   string   `yaml:"item"`
	To     string   `yaml:"to"`
	Beside []string `yaml:"beside,omitempty"` // parameters allowed in the list, and required with a single Item
}

// Lower joins the items; the parameters in Beside follow them.
func (n Numbered) Lower(args envs.Args) (envs.Args, *ArgError) {
	if n.single(args) {
		return n.joined(args), nil
	}

	for i, arg := range args {
		if !slices.Contains(n.Beside, arg.Name) && !n.numbered(arg.Name, i+1) {
			return nil, &ArgError{parameter: arg.Name,
				problem: "is not known, or not at its number"}
		}
	}

	return n.joined(args), nil
}

// single reports whether the call has exactly the parameters Item and Beside.
func (n Numbered) single(args envs.Args) bool {
	if len(args) != 1+len(n.Beside) {
		return false
	}

	for _, arg := range args {
		if arg.Name != n.Item && !slices.Contains(n.Beside, arg.Name) {
			return false
		}
	}

	_, ok := args.Get(n.Item)
	return ok
}

func (n Numbered) numbered(name string, k int) bool {
	number, ok := strings.CutPrefix(name, n.Item)
	return ok && number == strconv.Itoa(k)
}

func (n Numbered) joined(args envs.Args) envs.Args {
	var texts []string

	lowered := make(envs.Args, 1)
	for _, arg := range args {
		if slices.Contains(n.Beside, arg.Name) {
			lowered = append(lowered, arg)
		} else {
			texts = append(texts, pytext.Str(arg.Value))
		}
	}

	lowered[0] = envs.Arg{Name: n.To, Value: strings.Join(texts, listSeparator)}
	return lowered
}

// Lift splits the text into numbered items, which come first.
func (n Numbered) Lift(args envs.Args) (envs.Args, error) {
	text, ok := args.Text(n.To)
	if !ok {
		return nil, fmt.Errorf("%s is not a text", n.To)
	}

	items := strings.Split(text, listSeparator)

	lifted := make(envs.Args, 0, len(items)+len(args))
	for i, item := range items {
		lifted = lifted.With(n.Item+strconv.Itoa(i+1), item)
	}
	return append(lifted, args.Without(n.To)...), nil
}
