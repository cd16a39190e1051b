package cluster

import (
	"context"
	"fmt"
	"time"

	"toolevo/envs"
)

// mostFruitless is how many workers in a row may begin a unit without adding anything to its log.
const mostFruitless = 5

// suspicious is how many workers are lost with a unit before the next one begins nothing else
// beside it: the units that were beside the one which brings workers down were lost, too.
const suspicious = 2

// allRoom is the room of a worker for units that have just begun, more than any number of them, and
// roomTime how long a unit waits for it, at most.
const (
	allRoom  = 1 << 20
	roomTime = 5 * time.Minute
)

// takeRoom waits until the unit may be begun. It then has room until something that was done of it
// is in its log: one that may bring the worker down has all of it.
func (a *Assignment) takeRoom(ctx context.Context) error {
	a.flushing.Lock()
	defer a.flushing.Unlock()

	a.leaveRoom()

	room := int64(1)
	if a.lost >= suspicious && a.fruitless.Workers < mostFruitless {
		room = allRoom
	}

	wait, end := context.WithTimeout(ctx, roomTime)
	defer end()

	// Without it after all that time: a unit that hangs must not stop the others.
	if a.worker.room.Acquire(wait, room) == nil {
		a.room = room
	}
	return ctx.Err()
}

// leaveRoom gives the room back. The caller holds the lock of the log.
func (a *Assignment) leaveRoom() {
	a.worker.room.Release(a.room)
	a.room = 0
}

// end gives the room back of a unit that is not done any more.
func (a *Assignment) end() {
	a.flushing.Lock()
	defer a.flushing.Unlock()
	a.leaveRoom()
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
