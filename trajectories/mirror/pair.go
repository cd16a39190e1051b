package mirror

import (
	"cmp"
	"errors"
	"slices"

	"toolevo/envs"
	"toolevo/envs/toolbench"
	"toolevo/envs/toolbench/recorded"
)

// Kind says where a pair is from.
type Kind string

// The kinds.
const (
	Recorded  Kind = "recorded"
	Augmented Kind = "augmented"
	Cached    Kind = "cached"
)

// kinds lists the kinds by how much they prove: of two equal pairs the first kind stays.
var kinds = []Kind{Recorded, Cached, Augmented}

// Pair is a call with the document of its API.
type Pair struct {
	recorded.Call
	Document  *toolbench.Document
	Kind      Kind
	Class     recorded.Class
	Rationale string // "" if no model explained the API

	request string // the same for equal requests
	answer  string // the answer as text
}

// newPair returns the pair of a call.
func newPair(c recorded.Call, kind Kind, documents *recorded.Documents, rules *recorded.Rules) (Pair, error) {
	d, err := c.Find(documents)
	if err != nil {
		return Pair{}, err
	}

	if c.Input == nil {
		return Pair{}, errors.New("a call has no input: want {} where there are no arguments")
	}

	c.Key = d.Key
	return Pair{
		Call: c, Document: d, Kind: kind, Class: rules.Of(c.Answer), request: c.Request(), answer: c.Answer.Text(),
	}, nil
}

// fails reports whether the call failed.
func (p *Pair) fails() bool { return p.Class != recorded.Success }

// compare orders pairs by their contents, so that the order of files does not matter.
func (p *Pair) compare(q *Pair) int {
	rank := func(k Kind) int { return slices.Index(kinds, k) }
	return cmp.Or(cmp.Compare(p.request, q.request), cmp.Compare(rank(p.Kind), rank(q.Kind)),
		cmp.Compare(p.answer, q.answer))
}

// Options say which pairs are taken.
type Options struct {
	Seed     uint64
	Failures int             // the most failures to keep, of those that requests may have caused
	Rules    *recorded.Rules // class the results of calls
}

// PaperFailures is how many failures the paper keeps.
const PaperFailures = 10_000

// The reasons for dropping calls, besides classes of failures, which are "class NAME".
const (
	noDocument   = "no document"
	duplicate    = "duplicate"
	conflict     = "another answer to the same request"
	tooManyFails = "failures beyond the limit"
	offDocument  = "does not follow its document"
	unjudged     = "no verdict on whether it follows its document"
	heldOut      = "its API is held out"
	tested       = "its request is tested, with another answer"
	classDropped = "class "
)

// selectPairs returns the pairs of calls that are worth training on, sorted by their contents, and
// counts the others in the report. Of equal pairs one stays. Different answers to one request stay
// if they were recorded, as APIs change their minds; an answer that a model wrote goes.
func selectPairs(calls map[Kind][]recorded.Call, documents *recorded.Documents, o Options, r *Report) []Pair {
	var all []Pair

	for kind, list := range calls {
		r.Calls += len(list)
		all = append(all, useful(list, kind, documents, o.Rules, r)...)
	}
	return fewFailures(unique(all, r), o, r)
}

// useful returns the pairs of calls of known APIs that succeed, or fail because of the request.
func useful(calls []recorded.Call, kind Kind, documents *recorded.Documents, rules *recorded.Rules,
	r *Report) (all []Pair) {
	for _, c := range calls {
		p, err := newPair(c, kind, documents, rules)

		switch {
		case err != nil:
			r.drop(noDocument)
		case p.fails() && p.Class != recorded.ParameterChange:
			r.drop(classDropped + string(p.Class))
		default:
			all = append(all, p)
		}
	}

	return all
}

// unique sorts pairs and leaves out repetitions.
func unique(all []Pair, r *Report) []Pair {
	slices.SortFunc(all, func(p, q Pair) int { return p.compare(&q) })

	var kept []Pair

	for start, end := 0, 0; start < len(all); start = end {
		for end = start; end < len(all) && all[end].request == all[start].request; {
			end++
		}

		kept = append(kept, uniqueAnswers(all[start:end], r)...)
	}
	return kept
}

// uniqueAnswers leaves out repeated and doubtful answers among pairs of one request.
func uniqueAnswers(same []Pair, r *Report) (kept []Pair) {
	seen := map[string]bool{}
	real := slices.ContainsFunc(same, func(p Pair) bool { return p.Kind != Augmented })

	written := map[string]bool{} // what models answered
	for _, p := range same {
		if p.Kind == Augmented {
			written[p.answer] = true
		}
	}

	for _, p := range same {
		switch {
		case seen[p.answer]:
			r.drop(duplicate)
		case p.Kind == Augmented && (real || len(written) > 1):
			r.drop(conflict)
		default:
			seen[p.answer] = true
			kept = append(kept, p)
		}
	}

	return kept
}

// fewFailures keeps at most o.Failures failures, drawn at random.
func fewFailures(all []Pair, o Options, r *Report) []Pair {
	// Only failures are bounded, as in the paper (PaperFailures).
	var failed []int

	for i := range all {
		if all[i].fails() {
			failed = append(failed, i)
		}
	}

	if len(failed) <= o.Failures {
		return all
	}

	// Places are shuffled rather than pairs, so that those that stay keep their order.
	envs.Random(o.Seed, "failures").Shuffle(len(failed), func(i, j int) {
		failed[i], failed[j] = failed[j], failed[i]
	})

	dropped := map[int]bool{}
	for _, i := range failed[o.Failures:] {
		dropped[i] = true
		r.drop(tooManyFails)
	}

	kept := make([]Pair, 0, len(all)-len(dropped))
	for i, p := range all {
		if !dropped[i] {
			kept = append(kept, p)
		}
	}

	return kept
}
