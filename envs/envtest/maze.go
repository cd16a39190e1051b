package envtest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"toolevo/envs"
)

// Maze is a walk through six rooms from start to goal:
//
//	attic   landing   goal
//	start   hall      pit
//
// Every two rooms side by side or above each other are connected, but nothing leads out of the pit.
// The moves are left, right, down and climb. The prompt's word for climb is up: it is deprecated,
// and its notice names the successor. "stop" ends the task, rightly in the goal and wrongly
// anywhere else. "learn WORDS" adds WORDS to the learned descriptions. The task is truncated by its
// eighth turn.
//
//	OK               a move to a connected room; learn with words
//	Malformed        empty text
//	InvalidAction    any other word
//	InvocationError  a move or stop with more words, learn without any
//	Deprecated       up
//	ToolError        a move into a wall, and every move in the pit
//	Correct          stop in the goal
//	Incorrect        stop elsewhere
//
// There are exactly two solutions of four turns, MazeSolutions, and none shorter.
type Maze struct{}

// mazeTurns is how many turns a task in the Maze may take.
const mazeTurns = 8

// MazeTask is the one task of the Maze.
var MazeTask = envs.Task{
	ID:       "maze",
	Labels:   map[string]string{envs.LabelDataset: "toy"},
	Question: "Walk to the goal and stop there. You can: left, right, up, down, stop, learn.",
}

// NewMaze returns the maze.
func NewMaze() *Maze { return &Maze{} }

// MazeSolutions returns the two shortest solutions.
func MazeSolutions() [][]envs.Action {
	return [][]envs.Action{{"climb", "right", "right", "stop"}, {"right", "climb", "right", "stop"}}
}

// Actions returns actions with every outcome but Malformed among them.
func (m *Maze) Actions() []envs.Action {
	return []envs.Action{"left", "right", "up", "down", "climb", "stop", "learn climb leads up", "fly", "left twice"}
}

// Rooms are numbered row by row from the attic.
const (
	mazeWidth = 3
	mazeStart = 3
	mazeGoal  = 2
	mazePit   = 5
)

var mazeRooms = [...]string{"attic", "landing", "goal", "start", "hall", "pit"}

// Canonical implements [envs.Canonicalizer].
func (m *Maze) Canonical(a envs.Action) string {
	_, text := toyText(a)
	return strings.Join(strings.Fields(text), " ")
}

// Alike implements [envs.Comparer]: what a room answers depends on nothing else.
func (m *Maze) Alike(a, b envs.State) bool { return samePlace(a, b) }

// Reset returns the state in the start room.
func (m *Maze) Reset(_ context.Context, t envs.Task) (envs.State, error) {
	if t.ID != MazeTask.ID || t.Question != MazeTask.Question {
		return nil, envs.Fail(envs.StageEnvironment, fmt.Sprintf("reset to task %q", t.ID), errors.New("unknown task"))
	}
	return &toyState{history: envs.NewHistory(t), place: mazeStart}, nil
}

// Step takes one action.
func (m *Maze) Step(_ context.Context, s envs.State, a envs.Action) (envs.Transition, error) {
	from, err := toyFrom(s)
	if err != nil {
		return envs.Transition{}, err
	}

	kept, text := toyText(a)

	word, rest := "", ""
	if fields := strings.Fields(text); len(fields) > 0 {
		word, rest = fields[0], strings.Join(fields[1:], " ")
	}

	turn := envs.Turn{Action: kept}
	place := from.place

	// Only an action that can be read has a call.
	if word == "" {
		turn.Outcome, turn.Observation = envs.Malformed, "Say something."
	} else {
		turn.Call = envs.Call{Tool: mazeTools[word], Name: word}
		if rest != "" {
			turn.Call.Args = envs.Args{{Name: "words", Value: rest}}
		}

		place, turn.Outcome, turn.Observation = mazeAct(place, word, rest)
	}

	t := from.after(turn, place)
	if word == "learn" && turn.Outcome == envs.OK {
		// Nobody else has the new state yet, so it may still be changed.
		next := t.State.(*toyState)
		next.history = next.history.Learn(rest)
	}

	return t, nil
}

// mazeTools maps words to tools, which have the prompt's names.
var mazeTools = map[string]string{"left": "left", "right": "right", "up": "up", "climb": "up", "down": "down",
	"stop": "stop", "learn": "learn"}

// mazeAct returns the room after a word and what the agent reads.
func mazeAct(room int, word, rest string) (int, envs.Outcome, string) {
	switch {
	case mazeTools[word] == "":
		return room, envs.InvalidAction, "Nobody here can do that. Valid are left, right, up, down, stop and learn."
	case word == "up":
		return room, envs.Deprecated, "Error: up is deprecated and will be removed in future releases. Use climb " +
			"instead."
	case word == "learn":
		if rest == "" {
			return room, envs.InvocationError, "learn needs words."
		}
		return room, envs.OK, "Learned."
	case rest != "":
		return room, envs.InvocationError, word + " takes no more words."
	case word == "stop":
		if room == mazeGoal {
			return room, envs.Correct, "This is the goal."
		}
		return room, envs.Incorrect, "This is the " + mazeRooms[room] + "."
	}

	next, ok := mazeMove(room, word)
	if !ok {
		return room, envs.ToolError, "There is no way."
	}
	return next, envs.OK, "You are in the " + mazeRooms[next] + "."
}

func mazeMove(room int, word string) (int, bool) {
	column, upper := room%mazeWidth, room < mazeWidth
	switch {
	case room == mazePit:
	case word == "left" && column > 0:
		return room - 1, true
	case word == "right" && column < mazeWidth-1:
		return room + 1, true
	case word == "climb" && !upper:
		return room - mazeWidth, true
	case word == "down" && upper:
		return room + mazeWidth, true
	}

	return room, false
}
