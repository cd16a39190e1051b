package envtest

import (
	"context"
	"fmt"
	"strings"

	"toolevo/envs"
)

// Arm is one choice of a Bandit.
type Arm struct {
	Name   envs.Action // one word that is not "on"
	Reward float64     // +1 or -1
}

// On is the action that follows the choice of an arm in a Bandit of depth 2 or more.
const On envs.Action = "on"

// Bandit is one decision with known rewards. Its outcomes are OK for a step that pays nothing yet, Correct or Incorrect
// for the step that pays, Malformed for empty text and InvalidAction for any other. It has no limit on turns.
type Bandit struct {
	arms  []Arm
	depth int
	task  envs.Task
}

// NewBandit returns a bandit whose tasks take depth actions: an arm, then depth-1 times On. It panics when depth is not
// positive, when there are no arms, or when an arm is not as Arm says.
func NewBandit(depth int, arms ...Arm) *Bandit {
	if depth < 1 || len(arms) == 0 {
		panic(fmt.Sprintf("envtest: a bandit of depth %d with %d arms", depth, len(arms)))
	}

	names := make([]string, len(arms))
	for i, arm := range arms {
		names[i] = string(arm.Name)
		if len(strings.Fields(names[i])) != 1 || strings.TrimSpace(names[i]) != names[i] || arm.Name == On ||
			arm.Reward != 1 && arm.Reward != -1 {
			panic(fmt.Sprintf("envtest: arm %q with reward %v", arm.Name, arm.Reward))
		}
	}

	return &Bandit{arms: arms, depth: depth, task: envs.Task{
		ID: "bandit", Labels: toyLabels, Question: "Which arm pays: " + strings.Join(names, ", ") + "?",
	}}
}

// Task returns the one task the bandit knows.
func (b *Bandit) Task() envs.Task { return b.task }

// Actions returns the names of the arms, and On when the depth is 2 or more.
func (b *Bandit) Actions() []envs.Action {
	var actions []envs.Action
	for _, arm := range b.arms {
		actions = append(actions, arm.Name)
	}

	if b.depth > 1 {
		actions = append(actions, On)
	}

	return actions
}

// Canonical implements [envs.Canonicalizer].
func (b *Bandit) Canonical(a envs.Action) string {
	_, word := toyText(a)
	return word
}

// Reset returns the state before the choice.
func (b *Bandit) Reset(_ context.Context, t envs.Task) (envs.State, error) {
	return toyReset(b.task, t, 0)
}

// Step chooses an arm or goes on. The place of a state is 0 before the choice; after it, arm i with n steps to go is
// 1 + i*depth + n.
func (b *Bandit) Step(_ context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	from, err := toyFrom(s)
	if err != nil {
		return envs.Transition{}, err
	}

	kept, word := toyText(a)

	turn := envs.Turn{
		Action:      kept,
		Outcome:     envs.InvalidAction,
		Observation: fmt.Sprintf("There is nothing called %q here.", word),
	}
	if word == "" {
		turn.Outcome, turn.Observation = envs.Malformed, "Say something."
		return from.after(turn, from.place, 0), nil
	}

	turn.Call = envs.Call{Name: word}

	arm, left := b.chosen(from.place, word)
	if arm < 0 {
		return from.after(turn, from.place, 0), nil
	}

	turn.Call.Tool = word

	switch {
	case left > 0:
		turn.Outcome, turn.Observation = envs.OK, fmt.Sprintf("%d to go.", left)
	case b.arms[arm].Reward > 0:
		turn.Outcome, turn.Observation = envs.Correct, "It pays."
	default:
		turn.Outcome, turn.Observation = envs.Incorrect, "It does not pay."
	}

	return from.after(turn, 1+arm*b.depth+left, 0), nil
}

// chosen returns the arm that is chosen after word, and how many steps are left; the arm is -1 when word says nothing.
func (b *Bandit) chosen(place int, word string) (arm, left int) {
	if place > 0 {
		if word != string(On) {
			return -1, 0
		}

		return (place - 1) / b.depth, (place-1)%b.depth - 1
	}

	for i, arm := range b.arms {
		if string(arm.Name) == word {
			return i, b.depth - 1
		}
	}

	return -1, 0
}
