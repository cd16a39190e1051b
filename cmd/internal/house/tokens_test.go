package house

import (
	"cmp"
	"go/scanner"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

// tokenBudget is how many Go tokens the product may have. Tokens are counted, and not lines, so
// that comments, blank lines and short lines cost nothing. Native tool calls took 15,200: a codec,
// parsers of six ways to write calls, their place in servers' protocols and in exports, several
// calls of a turn, lists of tools that change, and a simulated server that gets them wrong. Token
// ids took 3,600: how a log holds them as differences, whether a turn says what was sampled, and
// lists of numbers in Parquet. Prompts of tokens that a server made took 1,310, studies of any
// setting 310, and replies that a server cannot read 150. A memo of messages that are read again
// 60, a second look of the doctor at what failed by chance 46. The published versions of drift,
// with adapters, took 920, and a scripted reader that follows notices about parameters with types
// 1,450. Native calls that are written and checked once for the trajectories of a tree took 97.
// Drift that is silent took 9,200, with a policy that heeds notes 1,300, faults that pass 1,900,
// tables by cell 546, and exports that ask who noticed 1,000. That it reaches graphs and SQL took
// 1,850, and other time zones 660. Tools that are split, merged, added, removed or documented
// otherwise took 5,950: versions that say so, notices and documents of them, a scripted reader that
// follows these, and operators. Words of made names by their sense took 1,150, and a model that
// chooses what becomes of parameters and of answers, with a trial of what it chose, 3,625.
// Baselines that policies are measured with took 1,140, a judge beside the rule in an experiment
// with drift 1,230, and a simulator that sees what is deployed 590. Tools that live elsewhere took
// 3,020: instances that are brought to each state of a search, and servers of MCP. Tools from
// OpenAPI documents, and the requests of their calls, took 10,880, samples that fit bounds and
// patterns 1,250. Lists of MCP servers as tools took 2,400, and the user's own tools as a suite,
// with tasks, their checks and four commands, 10,300. A gate before a release, its interval,
// verdicts, reports and command, took 7,700. Services over HTTP as tools took 6,600, and versions
// that are inferred from the lists of two releases 14,600, with two adapters that real releases
// need. Tasks that are made by using tools took 8,500, tasks of recorded runs and a dry run of
// every call 4,200, a judge with a rubric 1,350, a model in the place of tools 900, all revisions
// of MCP, and what is not sure in a version, 1,800. StableToolBench's own client, evaluator and
// prompts took 3,100; queries that models write, what of them can be solved, which APIs work, and
// labels for a judge of completeness, 10,700. StateEval's rows in both forms, to be played and for
// its evaluators, with its own sets of APIs, took 9,400, richer tasks and aims that are true of
// them 3,100, other words for every prompt, and for test sets, 900. One in-memory reader of graphs
// and what stood twice, 5,200, went. Search trees as training data took 1,400. What people meet
// first took 15,500: runs and what they cost, estimates, lists in pages, cards of exports and what
// is private in them, answers to flags of other programs; bleve and names of slots went, 1,100.
// Servers that join and leave while a run is on took 3,500, and commas of lines that were broken at
// 100 columns 700. Runs that workers on other machines do, through NATS, took 24,400. What was
// wrong in some hundred and forty places that readers found, without a failing test, took 12,300,
// and workers that go home wherever nothing can be handed in any more 220. What readers found that
// stood twice or did nothing, 2,500, went.
const tokenBudget = 914_000

// helpers are the folders of what is no product: what tests share, and tools for developers.
var helpers = []string{
	"envtest", "faulttest", "killtest", "mctstest", "suitetest", "wiretest", "golden", "browser", "testrun",
	"trainingtest", "pytooltest", "remotetest", "ordertest", "graphtest", "sandboxtest",
	"layouttest",
	"trajectories/internal/synth", "house",
	"interop",
	"cmd/internal/dist",      // packs a release, and is in no binary
	"cmd/internal/mutants",   // breaks the source to try its tests, and is in no binary
	"cmd/internal/proofgrid", // runs a proof of finetune/PROOF.md, and is in no binary
}

// The product stays small: what is added is paid for by what becomes unnecessary.
func TestTokenBudget(t *testing.T) {
	_, files := source(t)
	total, packages := 0, map[string]int{}

	for _, f := range files {
		if !f.test && !isHelper(f.pkg) {
			n := tokensOf(f.text)
			total += n
			packages[f.pkg] += n
		}
	}

	t.Logf("%d tokens in %d packages", total, len(packages))

	if total <= tokenBudget {
		return
	}

	largest := slices.SortedFunc(maps.Keys(packages), func(a, b string) int {
		return cmp.Compare(packages[b], packages[a])
	})
	t.Errorf("the product has %d Go tokens, %d more than its budget: look for code that this change makes "+
		"unnecessary, or that does what other code does already, and remove it (the largest packages are %s); "+
		"if the feature is worth its size, raise tokenBudget in the same commit and say why there",
		total, total-tokenBudget, strings.Join(largest[:5], ", "))
}

// isHelper reports whether a package is in, or below, a folder of helpers.
func isHelper(pkg string) bool {
	return slices.ContainsFunc(helpers, func(h string) bool { return strings.Contains("/"+pkg+"/", "/"+h+"/") })
}

// tokensOf counts the tokens of a Go file without its comments, and without the semicolons that the
// scanner puts at ends of lines.
func tokensOf(text []byte) (n int) {
	var (
		code scanner.Scanner
		fset = token.NewFileSet()
	)

	code.Init(fset.AddFile("", -1, len(text)), text, nil, 0)

	for {
		_, kind, literal := code.Scan()
		if kind == token.EOF {
			return n
		}

		if kind != token.SEMICOLON || literal != "\n" {
			n++
		}
	}
}

// Line breaks and comments are no tokens.
func TestTokensOf(t *testing.T) {
	for text, want := range map[string]int{
		"":                            0,
		"package p // a comment\n":    2,
		"package p\n\nvar a, b = 1\n": 8,
		"package p;var a,b=1":         9, // a semicolon that somebody wrote
	} {
		if n := tokensOf([]byte(text)); n != want {
			t.Errorf("%q has %d tokens, want %d", text, n, want)
		}
	}
}
