package tensor

import (
	"strconv"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
)

// arguments reads the arguments of a call. It keeps the first mistake, and what it reads after that
// is meaningless.
type arguments struct {
	state *state
	tool  string
	args  envs.Args
	err   error
}

// refuse refuses an argument that is wrong in any state.
func (a *arguments) refuse(format string, args ...any) {
	if a.err == nil {
		a.err = stategen.Refuse(a.tool+": "+format, args...)
	}
}

// refuseState refuses an argument that does not fit the tensors.
func (a *arguments) refuseState(format string, args ...any) {
	if a.err == nil {
		a.err = refuseState(a.tool+": "+format, args...)
	}
}

// tensor returns the tensor of a handle, or an empty one after a mistake.
func (a *arguments) tensor(name string) *Tensor {
	v, _ := a.args.Get(name)
	return a.byHandle(name, v)
}

func (a *arguments) byHandle(name string, v any) *Tensor {
	handle, isText := v.(string)
	if t := a.state.find(handle); isText && t != nil {
		return t
	}

	a.refuse("%s is %s, want the handle of a tensor, such as %q", name, shown(v), a.state.example())
	return &Tensor{}
}

// tensors returns the tensors of a list of handles.
func (a *arguments) tensors(name string) []*Tensor {
	v, _ := a.args.Get(name)

	list, ok := v.([]any)
	if !ok || len(list) == 0 || len(list) > mostList {
		a.refuse("%s is %s, want a list of 1 to %d handles of tensors", name, shown(v), mostList)
		return nil
	}

	all := make([]*Tensor, len(list))
	for i, v := range list {
		all[i] = a.byHandle(name, v)
	}
	return all
}

// integer returns a whole number, or the default if the argument is missing.
func (a *arguments) integer(name string, otherwise int) int {
	v, ok := a.args.Get(name)
	if !ok {
		return otherwise
	}

	n, ok := wholeNumber(v)
	if !ok {
		a.refuse("%s is %s, want a whole number", name, shown(v))
	}
	return n
}

// integers returns a list of whole numbers.
func (a *arguments) integers(name string) []int {
	v, _ := a.args.Get(name)

	list, ok := v.([]any)
	all := make([]int, len(list))

	for i, item := range list {
		n, isWhole := wholeNumber(item)
		all[i], ok = n, ok && isWhole
	}

	if !ok || len(list) > mostList {
		a.refuse("%s is %s, want a list of at most %d whole numbers", name, shown(v), mostList)
	}
	return all
}

// pair returns two whole numbers, which may be given as one, each at least least.
func (a *arguments) pair(name string, otherwise, least int) (pair [2]int) {
	v, ok := a.args.Get(name)
	if !ok {
		return [2]int{otherwise, otherwise}
	}

	list, isList := v.([]any)
	if !isList {
		list = []any{v, v}
	} else if len(list) == 1 {
		list = []any{list[0], list[0]}
	}

	if ok = len(list) == 2; ok {
		for i := range pair {
			n, isWhole := wholeNumber(list[i])
			pair[i], ok = n, ok && isWhole && n >= least && n <= mostParameter
		}
	}

	if !ok {
		a.refuse("%s is %s, want a number from %d to %d, or two of them", name, shown(v), least, mostParameter)
	}
	return pair
}

// dim returns a dimension of a tensor of a rank. A negative one counts from the end.
func (a *arguments) dim(name string, dim, rank int) int {
	if dim < -rank || dim >= rank {
		a.refuseState("%s is %d: dimension out of range, want one from %d to %d", name, dim, -rank,
			rank-1)
		return 0
	}

	return (dim + rank) % rank
}

// wholeNumber returns the value of a number that is written without a fraction.
func wholeNumber(v any) (int, bool) {
	number, _ := v.(envs.Number)
	n, err := strconv.Atoi(string(number))
	return n, err == nil
}

// mostShown is how many bytes of a wrong argument a refusal shows.
const mostShown = 80

// shown returns a value for a refusal.
func shown(v any) string {
	text := string(pytext.AppendASCII(nil, v))
	if len(text) > mostShown {
		text = text[:mostShown-3] + "..."
	}
	return text
}
