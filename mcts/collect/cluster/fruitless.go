package cluster

import (
	"context"
	"fmt"

	"toolevo/envs"
)

// mostFruitless is how many workers in a row may begin a unit without adding anything to its log.
const mostFruitless = 5

// suspicious is how many workers do so before the next one does nothing else meanwhile: the units
// that were beside the one which brings workers down were lost each time, too.
const suspicious = 2

// allRoom is the room of a worker: more than any number of units at once.
const allRoom = 1 << 20

// takeRoom waits until the worker has room for the unit: for one that may bring it down, until it
// does no other. The others may go on once something of the unit is in its log.
func (a *Assignment) takeRoom(ctx context.Context) error {
	a.leaveRoom()

	room := int64(1)
	if n := a.fruitless.Workers; n >= suspicious && n < mostFruitless {
		room = allRoom
	}

	if err := a.worker.room.Acquire(ctx, room); err != nil {
		return err
	}

	a.flushing.Lock()
	defer a.flushing.Unlock()

	a.room = room
	return nil
}

// shareRoom lets other units be done beside this one. The caller holds the lock of the log.
func (a *Assignment) shareRoom() {
	if a.room > 1 {
		a.worker.room.Release(a.room - 1)
		a.room = 1
	}
}

// leaveRoom gives the room back.
func (a *Assignment) leaveRoom() {
	a.flushing.Lock()
	defer a.flushing.Unlock()

	a.worker.room.Release(a.room)
	a.room = 0
}

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
