package mcts

import (
	"fmt"
	"math"
)

// Config is one preset of the search, spelled out. The three presets (paper, reference, efficient)
// are values of this type and nothing else: there is one implementation. ALGORITHM.md says what
// each chooses and why.
type Config struct {
	CPUCT   float64 `yaml:"cpuct"`   // c in equation 2
	Samples int     `yaml:"samples"` // k in equation 3: completions per expansion
	// completions per node made in a rollout; expanding it draws the rest; 0 means all k
	RolloutSamples int `yaml:"rollout_samples"`
	Simulations    int `yaml:"simulations"` // M: simulations per tree
	Trees          int `yaml:"trees"`       // trees per question

	MaxDepth   int `yaml:"max_depth"`   // T: the depth limit
	DepthSlack int `yaml:"depth_slack"` // how far beyond T a node may still act; see DeepestActing

	ParentVisits ParentVisits `yaml:"parent_visits"` // what N(s) counts in equation 2
	Rollouts     Rollouts     `yaml:"rollouts"`      // which new children of an expansion are rolled out
	Duplicates   Duplicates   `yaml:"duplicates"`    // which siblings count as the same
	RolloutNodes RolloutNodes `yaml:"rollout_nodes"` // what becomes of the nodes that a rollout makes

	// CloseAtOnce marks a subtree with nothing left to expand as soon as that is so. Without it the
	// mark rises one level per simulation, each of which finds nothing to do and is spent (as in
	// the published code).
	CloseAtOnce bool `yaml:"close_at_once"`

	// Enough ends a question once it has this many trajectories that training takes and that call
	// different tools, or half as many again, whatever they call; 0 never does. With it a node
	// draws no more samples than are still wanted, and the trees of a question depend on those
	// before them.
	Enough int `yaml:"enough"`
	// Barren gives a question up after this many trees in a row without such a trajectory, and one
	// more for each that it has; 0 never does.
	Barren int `yaml:"barren"`
	// Widen is how many more samples a node draws while the tree before found no such trajectory.
	Widen int `yaml:"widen"`
	// Completions bounds the samples of all trees of a question; 0 is no bound. A tree ends when
	// they are used up, also in the middle of a rollout, which then has no reward. With it, too,
	// trees depend on those before them.
	Completions int `yaml:"completions"`

	// Redraw is how many more samples are drawn, once, at a node whose samples all repeat a
	// failure, or all fail where AvoidFailures is set; 0 is off.
	Redraw int `yaml:"redraw"`
	// Repeats truncates a path, by LimitRepeat, once this many turns in a row repeat a failure; 0
	// is off.
	Repeats int `yaml:"repeats"`
	// AvoidFailures has rollouts follow a turn that failed only where all its siblings did. A
	// deprecation is not a failure here: it says what to call.
	AvoidFailures bool `yaml:"avoid_failures"`

	// Reflect is the self-reflection module: a state whose last observation is an invocation error
	// is expanded like any other. Without it (Table 5, "w/o self-reflection") such a state ends
	// there; deprecation errors never do.
	Reflect bool `yaml:"reflect"`
}

// ParentVisits says what N(s) counts in equation 2.
type ParentVisits string

// The two readings of N(s).
const (
	OwnVisits   ParentVisits = "own"      // back-ups that passed through s: its own rollout counts
	ChildVisits ParentVisits = "children" // the sum of its children's visits, as in the published code
)

// Rollouts says which new children of an expansion are rolled out.
type Rollouts string

// The two choices.
const (
	OneRandom Rollouts = "one" // line 16 of Algorithm 1: one of them, at random
	Every     Rollouts = "all" // each in turn, backing up before the next, as in the published code
)

// Duplicates says which siblings count as the same; only the first is kept. Node.Draws counts the
// others.
type Duplicates string

// The two choices.
const (
	SameText   Duplicates = "text"   // byte-equal completions
	SameAction Duplicates = "action" // the same tool with the same arguments: one child, drawn as often as they are
)

// RolloutNodes says what becomes of the nodes that a rollout makes.
type RolloutNodes string

// The two choices.
const (
	Cached RolloutNodes = "cached" // paper, A.3: they are invisible until selection reaches their parent
	// they are nodes like any other: the reward is backed up from the end of the rollout
	Visible RolloutNodes = "visible"
)

// Validate reports the first value that makes no sense, and what it may be.
func (c Config) Validate() error {
	for _, whole := range []struct {
		name      string
		is, least int
	}{
		{"samples", c.Samples, 1}, {"simulations", c.Simulations, 1}, {"trees", c.Trees, 1},
		{"max_depth", c.MaxDepth, 1}, {"depth_slack", c.DepthSlack, 0}, {"enough", c.Enough, 0},
		{"redraw", c.Redraw, 0}, {"repeats", c.Repeats, 0}, {"completions", c.Completions, 0},
	} {
		if whole.is < whole.least {
			return fmt.Errorf("mcts: %s is %d, want at least %d", whole.name, whole.is, whole.least)
		}
	}

	switch {
	// Not c.CPUCT < 0, which a NaN would pass.
	case !(c.CPUCT >= 0) || math.IsInf(c.CPUCT, 1):
		return fmt.Errorf("mcts: cpuct is %v, want a finite number of at least 0", c.CPUCT)
	case c.RolloutSamples < 0 || c.RolloutSamples > c.Samples:
		return fmt.Errorf("mcts: rollout_samples is %d, want 1..samples (%d), or 0 for samples", c.RolloutSamples,
			c.Samples)
	// Barren and Widen go by trees without a trajectory that counts towards Enough.
	case c.Barren < 0 || c.Barren > 0 && c.Enough == 0:
		return fmt.Errorf("mcts: barren is %d, want at least 0, and 0 without enough", c.Barren)
	case c.Widen < 0 || c.Widen > 0 && c.Enough == 0:
		return fmt.Errorf("mcts: widen is %d, want at least 0, and 0 without enough", c.Widen)
	case c.ParentVisits != OwnVisits && c.ParentVisits != ChildVisits:
		return fmt.Errorf("mcts: parent_visits is %q, want own or children", c.ParentVisits)
	case c.Rollouts != OneRandom && c.Rollouts != Every:
		return fmt.Errorf("mcts: rollouts is %q, want one or all", c.Rollouts)
	case c.RolloutNodes != Cached && c.RolloutNodes != Visible:
		return fmt.Errorf("mcts: rollout_nodes is %q, want cached or visible", c.RolloutNodes)
	case c.Duplicates != SameText && c.Duplicates != SameAction:
		return fmt.Errorf("mcts: duplicates is %q, want text or action", c.Duplicates)
	}

	return nil
}

// InTurn reports whether the trees of a question grow one after the other, because what a tree does
// depends on those before it.
func (c Config) InTurn() bool { return c.Enough > 0 || c.Completions > 0 }

// DeepestActing is the depth of the deepest node that may still act; its children, if they do not
// end the task, are truncated. Line 5 of Algorithm 1 drops a leaf deeper than T, so nodes at depth
// T still act (slack 0); the published code tests the parent's depth, one more (slack 1).
func (c Config) DeepestActing() int { return c.MaxDepth + c.DepthSlack }

// seesRepeats reports whether turns that repeat a failure are noted.
func (c Config) seesRepeats() bool { return c.Redraw > 0 || c.Repeats > 0 }

// samplesInRollout is the number of completions for a node made in a rollout.
func (c Config) samplesInRollout() int {
	if c.RolloutSamples == 0 {
		return c.Samples
	}
	return c.RolloutSamples
}
