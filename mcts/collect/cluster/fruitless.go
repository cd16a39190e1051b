package cluster

import (
	"fmt"

	"toolevo/envs"
)

// mostFruitless is how many workers in a row may begin a unit without adding anything to its log.
const mostFruitless = 5

// FruitlessError means that a unit was begun by several workers in a row, none of which added
// anything to it: it may be what brings them down.
type FruitlessError struct {
	Workers int
	Reason  string // of the last one that gave one; "" if none did
}

// Error counts the workers.
func (e *FruitlessError) Error() string {
	text := fmt.Sprintf("%d workers began it one after the other, and none did anything of it", e.Workers)
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// stageWorker is the stage of a unit that brings workers down: nothing is said about the model.
const stageWorker envs.Stage = "worker"

// GivenUp is the reason in a few words; see envs.GivenUp.
func (e *FruitlessError) GivenUp() string { return fmt.Sprintf("%d workers lost", e.Workers) }
