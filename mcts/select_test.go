package mcts

import (
	"math"
	"testing"

	"toolevo/envs"
)

// Equation 2, computed by hand.
func TestPUCT(t *testing.T) {
	for _, test := range []struct {
		c, q, prior          float64
		parentVisits, visits int
		want                 float64
	}{
		{1.25, 0, 0.5, 0, 0, 0},                // nothing visited: nothing to explore with
		{1.25, 0, 0.5, 4, 0, 1.25},             // 1.25 * 0.5 * 2 / 1
		{1.25, 0.5, 0.5, 4, 1, 1.125},          // 0.5 + 1.25 * 0.5 * 2 / 2
		{1.25, -1, 0.8, 9, 2, 0},               // -1 + 1.25 * 0.8 * 3 / 3
		{2, 1, 0.25, 16, 3, 1.5},               // 1 + 2 * 0.25 * 4 / 4
		{0, 0.25, 1, 100, 0, 0.25},             // no exploration
		{1.25, 0, 1, 2, 0, 1.7677669529663689}, // 1.25 * sqrt 2
	} {
		got := puct(test.c, test.q, test.prior, test.parentVisits, test.visits)
		if math.Abs(got-test.want) > 1e-12 {
			t.Errorf("c=%v Q=%v P=%v N(s)=%d N(s,a)=%d: %v, want %v",
				test.c, test.q, test.prior, test.parentVisits, test.visits, got, test.want)
		}
	}
}

// A sibling that no rollout followed is tried before one that only failed, and after one that led
// to any success. Where rollouts are cached its Q is 0, and it is tried first in both cases.
func TestSiblingsThatWereNotFollowed(t *testing.T) {
	half := Node{Record: Record{Prior: 0.5, Visits: 2, TotalValue: 0}}

	failed := Node{Record: Record{Prior: 0.5, Visits: 1, TotalValue: -1}}
	for _, test := range []struct {
		nodes RolloutNodes
		first Node
		want  int
	}{{Visible, half, 0}, {Visible, failed, 1}, {Cached, half, 1}, {Cached, failed, 1}} {
		g := selector(Config{CPUCT: 0.5, ParentVisits: OwnVisits, RolloutNodes: test.nodes})

		n := hand(test.first.Visits, test.first, Node{Record: Record{Prior: 0.5}})
		if got := g.best(n, simulationRand(1, 0)).Ordinal; got != test.want {
			t.Errorf("%s, %d visits: child %d was chosen, want %d", test.nodes, test.first.Visits, got, test.want)
		}
	}
}

// hand builds a node with children of the given visits, values and priors.
func hand(visits int, children ...Node) *Node {
	parent := &Node{Record: Record{Visits: visits, Expanded: true}}
	for i := range children {
		children[i].Parent, children[i].Ordinal = parent, i
		parent.Children = append(parent.Children, &children[i])
	}

	return parent
}

func selector(c Config) *growth { return &growth{Search: &Search{Config: c}} }

// A node that was rolled out once and expanded has N(s) = 1 by its own count and 0 by its
// children's. The first lets the prior decide; by the second all unvisited children tie.
func TestParentVisits(t *testing.T) {
	n := hand(1, Node{Record: Record{Prior: 0.1}}, Node{Record: Record{Prior: 0.9}})
	own, children := selector(Config{CPUCT: 1.25, ParentVisits: OwnVisits}),
		selector(Config{CPUCT: 1.25, ParentVisits: ChildVisits})
	picked := map[int]int{}

	for i := range 100 {
		if got := own.best(n, simulationRand(1, i)); got.Ordinal != 1 {
			t.Fatalf("by own visits child %d was chosen over the likelier one", got.Ordinal)
		}
		picked[children.best(n, simulationRand(1, i)).Ordinal]++
	}

	if picked[0] < 25 || picked[1] < 25 {
		t.Errorf("by the children's visits the tie was broken %v, want about 50 each", picked)
	}
}

// Ties are broken uniformly, also among more than two: of 3,000 draws among five, each child has
// 600, give or take five standard deviations of a binomial (22).
func TestTiesAreUniform(t *testing.T) {
	g := selector(Config{CPUCT: 1.25, ParentVisits: OwnVisits})
	alike := Node{Record: Record{Prior: 0.2}}
	n := hand(5, alike, alike, alike, alike, alike, Node{Record: Record{Prior: 0.1}})
	picked := map[int]int{}

	for i := range 3000 {
		picked[g.best(n, simulationRand(1, i)).Ordinal]++
	}

	for i := range 5 {
		if picked[i] < 490 || picked[i] > 710 {
			t.Errorf("five children tie, and were chosen %v times", picked)

			break
		}
	}
}

func TestBestSkipsWhatIsOver(t *testing.T) {
	g := selector(Config{CPUCT: 1.25, ParentVisits: OwnVisits})

	n := hand(4,
		Node{Record: Record{Prior: 1, Status: envs.Terminated, Visits: 1, TotalValue: 1}},
		Node{Record: Record{Prior: 0.9, Visits: 1, TotalValue: 1}, Closed: true},
		Node{Record: Record{Prior: 0.8, Status: envs.Truncated}},
		Node{Record: Record{Prior: 0.1, Visits: 2, TotalValue: -2}})
	if got := g.best(n, simulationRand(1, 1)); got == nil || got.Ordinal != 3 {
		t.Errorf("chose %v, want the only open child", got)
	}

	n.Children = n.Children[:3]
	if got := g.best(n, simulationRand(1, 1)); got != nil {
		t.Errorf("chose child %d where none is open", got.Ordinal)
	}
}

// Equation 4 is a running mean: backing rewards up one after the other gives their mean along the
// path.
func TestBackup(t *testing.T) {
	root := &Node{}
	a, b := &Node{Parent: root}, &Node{Parent: root}
	backup(a, 1)
	backup(a, -1)
	backup(a, 1)
	backup(b, -1)

	for _, test := range []struct {
		name   string
		n      *Node
		visits int
		q      float64
	}{{"a", a, 3, 1.0 / 3}, {"b", b, 1, -1}, {"root", root, 4, 0}} {
		if test.n.Visits != test.visits || math.Abs(test.n.Q()-test.q) > 1e-12 {
			t.Errorf("%s: N=%d Q=%v, want %d and %v", test.name, test.n.Visits, test.n.Q(), test.visits, test.q)
		}
	}
}

// The published code marks one level per simulation; the others close at once.
func TestClosing(t *testing.T) {
	answered, truncated := Node{Record: Record{Status: envs.Terminated}}, Node{Record: Record{Status: envs.Truncated}}
	visited := answered
	visited.Visits = 1
	leaf := hand(2, visited, truncated)
	root := hand(2, *leaf)
	leaf = root.Children[0]
	leaf.Expanded = true
	leaf.Children = hand(2, answered, truncated).Children

	g := selector(Config{CPUCT: 1.25, ParentVisits: ChildVisits})

	g.tree = &Tree{Root: root}
	if got := g.descend(simulationRand(1, 1)); got != nil || !leaf.Closed || root.Closed {
		t.Fatalf("first pass: leaf closed %v, root closed %v", leaf.Closed, root.Closed)
	}

	if got := g.descend(simulationRand(1, 2)); got != nil || !root.Closed {
		t.Fatal("second pass: the root is still open")
	}

	leaf.Closed, root.Closed = false, false
	if closeExhausted(leaf); !leaf.Closed || !root.Closed {
		t.Errorf("at once: leaf closed %v, root closed %v", leaf.Closed, root.Closed)
	}
}

func TestConfigValidate(t *testing.T) {
	good := Config{
		CPUCT:          1,
		Samples:        2,
		RolloutSamples: 1,
		Simulations:    1,
		Trees:          1,
		MaxDepth:       1,
		ParentVisits:   OwnVisits,
		Rollouts:       Every,
		Duplicates:     SameText,
		RolloutNodes:   Cached,
		Enough:         1,
		Barren:         1,
		Widen:          1,
	}
	least := good // what may be 0 is
	least.CPUCT, least.RolloutSamples, least.Enough, least.Barren, least.Widen = 0, 0, 0, 0, 0
	most := good
	most.RolloutSamples, most.Completions, most.Redraw, most.Repeats = most.Samples, 1, 1, 1

	for _, c := range []Config{good, least, most} {
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
	}

	for name, spoil := range map[string]func(*Config){
		"cpuct": func(c *Config) { c.CPUCT = -1 }, "samples": func(c *Config) { c.Samples = 0 },
		"rollout_samples":         func(c *Config) { c.RolloutSamples = 3 },
		"rollout_samples below 0": func(c *Config) { c.RolloutSamples = -1 },
		"completions":             func(c *Config) { c.Completions = -1 },
		"redraw":                  func(c *Config) { c.Redraw = -1 },
		"repeats":                 func(c *Config) { c.Repeats = -1 },
		"simulations":             func(c *Config) { c.Simulations = 0 },
		"trees":                   func(c *Config) { c.Trees = 0 }, "max_depth": func(c *Config) { c.MaxDepth = 0 },
		"depth_slack": func(c *Config) { c.DepthSlack = -1 }, "enough": func(c *Config) { c.Enough = -1 },
		"barren":                func(c *Config) { c.Barren = -1 },
		"barren without enough": func(c *Config) { c.Enough, c.Widen = 0, 0 },
		"widen":                 func(c *Config) { c.Widen = -1 },
		"widen without enough":  func(c *Config) { c.Enough, c.Barren = 0, 0 },
		"rollout_nodes":         func(c *Config) { c.RolloutNodes = "gone" },
		"parent_visits":         func(c *Config) { c.ParentVisits = "mine" },
		"rollouts":              func(c *Config) { c.Rollouts = "some" },
		"duplicates":            func(c *Config) { c.Duplicates = "" },
		"cpuct of NaN":          func(c *Config) { c.CPUCT = math.NaN() },
		"cpuct of infinity":     func(c *Config) { c.CPUCT = math.Inf(1) },
	} {
		c := good
		spoil(&c)

		if c.Validate() == nil {
			t.Errorf("a senseless %s was taken", name)
		}
	}
}

// Seeds are the same in every version, or no run could go on where it was left: a change of these
// numbers is a new format of runs.
func TestSeeds(t *testing.T) {
	for _, test := range []struct {
		run      uint64
		question string
		tree     int
		want     [3]uint64 // of the tree, of samples at a node, and the first number of a simulation
	}{
		{0, "", 0, [3]uint64{0xa5e0dba6c385580a, 0x682f0e5a463065a9, 0x135ce31f34165451}},
		{7, "maze", 0, [3]uint64{0x1859f03372de6d07, 0x7acb4b656bc18880, 0x77517ead977c3a96}},
		{7, "maze", 1, [3]uint64{0xa2f7272b727cde80, 0x71d5102c37a249a4, 0x616ba109b5395632}},
		{1 << 63, "easy-coffee-0001", 12, [3]uint64{0x9d5128668a5d58a7, 0x5ed5729fae04ae30, 0x5010af9ed6485c1e}},
	} {
		seed := TreeSeed(test.run, test.question, test.tree)
		got := [3]uint64{seed, sampleSeed(seed, "0.1.0"), simulationRand(seed, 3).Uint64()}

		if got != test.want {
			t.Errorf("%d, %q, %d: %#x", test.run, test.question, test.tree, got)
		}
	}
}

// A path is the ordinals in decimal, from the root.
func TestPath(t *testing.T) {
	root := &Node{}
	below := &Node{Record: Record{Depth: 1, Ordinal: 12}, Parent: root}
	last := &Node{Record: Record{Depth: 2, Ordinal: 3}, Parent: below}

	if got := [3]string{root.Path(), below.Path(), last.Path()}; got != [3]string{"0", "0.12", "0.12.3"} {
		t.Errorf("paths are %q", got)
	}
}
