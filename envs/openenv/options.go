package openenv

import (
	"context"
	"log/slog"
	"time"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
)

// Options say what is served, and to whom.
type Options struct {
	Name     string      // of the suite
	Software string      // the version of this program
	Split    string      // of the tasks
	Tasks    []envs.Task // in the order of seeds

	Prompt   *toolapi.Version                       // what agents are shown
	Deployed *drift.Deployed                        // what they may meet
	Open     func(version string) (Deployed, error) // called once for each version
	Text     Text
	Codec    action.Codec // how actions are written; nil is ReAct

	Shapes map[Shape]float64 // what is rewarded in addition to the answer, and by how much
	// IsTrue reports whether a description by UpdateTool is true of a version; needed for
	// TruthfulUpdate.
	IsTrue func(description string, v *toolapi.Version) bool

	Recorder Recorder // nil keeps nothing

	Key         string        // that clients have to send; "" for none
	MaxTurns    int           // of an episode, at least 1
	MaxSessions int           // 0 is DefaultMaxSessions
	MaxBytes    int64         // of a frame, and of all actions of an episode; 0 is DefaultMaxBytes
	Idle        time.Duration // how long a session may be silent; 0 is DefaultIdle
	Log         *slog.Logger  // for failures of the server; nil for nowhere
}

// The default limits.
const (
	DefaultMaxSessions = 1024
	DefaultMaxBytes    = 1 << 20
	DefaultIdle        = 15 * time.Minute
)

// Deployed is a version in force.
type Deployed struct {
	Env     envs.Environment
	Version *toolapi.Version
}

// Text shows tasks to a model.
type Text interface {
	// List returns the tools of the prompt version that are shown with a task.
	List(t envs.Task) []*toolapi.API
	// System returns the guidelines and the tools for a task.
	System(t envs.Task) string
	// Render returns the text that a model continues.
	Render(h envs.History) string
}

// Shape is something that is rewarded in addition to the answer.
type Shape string

// The shapes.
const (
	// RecoveredDeprecation is a successful call of a tool after a deprecated call of it, once for
	// each tool.
	RecoveredDeprecation Shape = "recovered-deprecation"
	// TruthfulUpdate is a description by UpdateTool that is true of the deployed version and not of
	// the prompt's, in each episode at most once for every tool with a deprecated call.
	TruthfulUpdate Shape = "truthful-update"
)

// Shapes lists all shapes.
func Shapes() []Shape { return []Shape{RecoveredDeprecation, TruthfulUpdate} }

// Recorder keeps episodes. It is safe for concurrent use.
type Recorder interface {
	// Record keeps an episode that is over, and returns once it is safe.
	Record(ctx context.Context, e Episode) error
}

// Episode is an episode that is over.
type Episode struct {
	Start   envs.State // before its first turn
	Version string     // that was deployed
	Env     envs.Environment
	Turns   []envs.Transition // in their order
	Silent  bool              // the agent had no more to say, or was not listened to any more
}
