package judge

import "context"

// Judge says what answers are worth. Its errors are failures of the infrastructure; a reply that
// cannot be read is Lost. It is safe for concurrent use.
type Judge interface {
	// Status says whether an answer solves its query, in a pass from 0.
	Status(ctx context.Context, a *Answer, pass int) (Status, error)

	// Complete says whether an answer takes up all of its query: Solved or Unsolved.
	Complete(ctx context.Context, a *Answer) (Status, error)

	// Prefer says which of two answers to a query is better, in a round from 0.
	Prefer(ctx context.Context, first, second *Answer, round int) (Preference, error)
}

// Preference is which of two answers is better.
type Preference int

// The preferences.
const (
	Neither Preference = iota
	First
	Second
	NoPreference // lost: the judge wrote nothing that can be read
)

// other returns the preference between the same two in the other order.
func (p Preference) other() Preference {
	switch p {
	case First:
		return Second
	case Second:
		return First
	}

	return p
}

// Rule judges by what the deployed version took: an answer is solved, and complete, when every
// relevant function was called before with arguments that fit. That is the reward of the suite
// toolbench, so it takes no model.
type Rule struct{}

// Status implements [Judge].
func (Rule) Status(_ context.Context, a *Answer, _ int) (Status, error) { return a.byRule(), nil }

// Complete implements [Judge].
func (Rule) Complete(_ context.Context, a *Answer) (Status, error) { return a.byRule(), nil }

// Prefer implements [Judge].
func (Rule) Prefer(context.Context, *Answer, *Answer, int) (Preference, error) { return Neither, nil }

// byRule returns the verdict of the rule; Lost for published answers, of which it knows nothing.
func (a *Answer) byRule() Status {
	switch {
	case a.Conduct == nil:
		return Lost
	case a.Right:
		return Solved
	}

	return Unsolved
}
