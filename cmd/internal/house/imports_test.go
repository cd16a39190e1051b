package house

import (
	"slices"
	"strings"
	"testing"
)

// rule says what a package may import.
type rule struct {
	pkg     string
	imports []string
}

// allowed is the table of imports among our packages, lowest first. A package may import those
// named here, and no other package of toolevo. A name with "/..." stands for the packages below it,
// too.
var allowed = []rule{
	{"envs", nil},
	{"envs/pytext", []string{"envs"}},
	{"envs/names", nil},
	{"envs/exact", nil},
	{"envs/yamltext", nil},
	{"envs/disk", []string{"envs/names"}},
	{"envs/memo", nil},
	{"envs/score", []string{"envs", "envs/pytext"}},
	{"envs/action", []string{"envs", "envs/memo", "envs/names", "envs/pytext"}},
	{"envs/display", nil},
	{"envs/console", []string{"envs/display"}},
	{"envs/wire", []string{"envs", "envs/console", "envs/pytext"}},
	{"envs/kept", []string{"envs", "envs/action", "envs/pytext", "envs/yamltext"}},
	{"envs/sqlite", []string{"envs/disk"}},
	{"envs/killtest", nil},
	{"envs/faulttest", nil},
	{"envs/perturb", []string{"envs", "envs/kept", "envs/names", "envs/yamltext"}},
	{"envs/sandbox", nil},
	{"envs/keeper", nil},
	{"envs/sandbox/confine", []string{"envs/keeper"}},
	{"envs/sandbox/worker", []string{"envs/disk", "envs/sandbox/confine"}},
	{"envs/sandbox/python", []string{"envs/sandbox", "envs/sandbox/confine", "envs/sandbox/worker"}},
	{"envs/sandbox/forkserver", []string{"envs/sandbox", "envs/sandbox/confine", "envs/sandbox/python",
		"envs/sandbox/worker"}},
	{"envs/sandbox/attack", []string{"envs/disk", "envs/sandbox"}},
	{"envs/sandbox/engines", []string{"envs/names", "envs/sandbox", "envs/sandbox/attack", "envs/sandbox/confine",
		"envs/sandbox/forkserver", "envs/sandbox/python", "envs/sandbox/worker"}},
	{"envs/envtest", []string{"envs"}},
	{"envs/silent", []string{"envs", "envs/pytext"}},
	{"envs/toolapi", []string{"envs", "envs/action", "envs/display", "envs/names", "envs/pytext",
		"envs/silent", "envs/wire",
		"envs/yamltext"}},
	{"envs/dynamic", []string{"envs", "envs/action", "envs/names", "envs/pytext", "envs/silent", "envs/toolapi"}},
	{"envs/drift", []string{"envs", "envs/console", "envs/kept", "envs/memo", "envs/names", "envs/pytext", "envs/disk",
		"envs/silent", "envs/wire", "envs/toolapi", "envs/yamltext"}},
	{"envs/drift/release", []string{"envs", "envs/display", "envs/drift", "envs/exact", "envs/pytext", "envs/silent",
		"envs/toolapi"}},
	{"envs/toolbench", []string{"envs", "envs/display", "envs/drift", "envs/disk", "envs/names", "envs/pytext",
		"envs/toolapi"}},
	{"envs/remote/openapi", []string{"envs", "envs/display", "envs/names", "envs/pytext", "envs/toolapi", "envs/wire",
		"envs/yamltext"}},
	{"envs/suite", []string{"envs", "envs/action", "envs/console", "envs/disk", "envs/dynamic", "envs/wire",
		"envs/kept", "envs/names", "envs/sandbox", "envs/toolapi"}},
	{"envs/remote", []string{"envs", "envs/disk", "envs/display", "envs/keeper", "envs/pytext", "envs/remote/openapi",
		"envs/sandbox/worker", "envs/toolapi", "envs/wire"}},
	{"envs/remote/remotetest", nil},
	{"envs/remote/explore", []string{"envs", "envs/display", "envs/drift", "envs/pytext",
		"envs/toolapi"}},
	{"envs/remote/bench", []string{"envs", "envs/action", "envs/console", "envs/disk", "envs/display", "envs/drift",
		"envs/dynamic", "envs/keeper", "envs/kept", "envs/names", "envs/pytext", "envs/drift/release",
		"envs/remote",
		"envs/remote/explore",
		"envs/remote/openapi", "envs/score", "envs/suite", "envs/toolapi", "envs/yamltext"}},
	{"envs/remote/ordertest", nil},
	{"envs/remote/ordertest/orders", []string{"envs/remote/ordertest"}},
	{"envs/openenv", []string{"envs", "envs/action", "envs/drift", "envs/wire", "envs/names",
		"envs/pytext",
		"envs/toolapi"}},
	{"envs/stategen", []string{"envs", "envs/names", "envs/pytext", "envs/toolapi"}},
	{"envs/stategen/tensor", []string{"envs", "envs/pytext", "envs/stategen", "envs/toolapi"}},
	{"envs/stategen/session", []string{"envs", "envs/pytext", "envs/stategen", "envs/toolapi"}},
	{"envs/stategen/session/serve", []string{"envs", "envs/wire", "envs/pytext", "envs/stategen",
		"envs/stategen/session", "envs/toolapi"}},
	{"envs/stategen/voice", []string{"envs", "envs/yamltext", "envs/display", "envs/pytext", "envs/stategen",
		"envs/toolapi"}},
	{"envs/stategen/voice/serve", []string{"envs", "envs/wire", "envs/pytext", "envs/stategen",
		"envs/stategen/voice"}},
	{"envs/stategen/domains", []string{"envs/names", "envs/stategen", "envs/stategen/session",
		"envs/stategen/tensor", "envs/stategen/voice"}},
	{"envs/stategen/taskfile", []string{"envs", "envs/disk", "envs/stategen"}},
	{"envs/stategen/instruct", []string{"envs", "envs/yamltext", "envs/display", "envs/kept",
		"envs/pytext", "envs/stategen", "envs/toolapi"}},
	{"envs/stategen/measure", []string{"envs", "envs/pytext", "envs/sandbox", "envs/stategen"}},
	{"envs/stategen/code", []string{"envs", "envs/action", "envs/pytext", "envs/sandbox", "envs/stategen",
		"envs/stategen/session", "envs/stategen/session/serve", "envs/toolapi"}},
	{"envs/stategen/stateeval", []string{"envs", "envs/yamltext", "envs/pytext", "envs/stategen", "envs/stategen/code",
		"envs/stategen/tensor", "envs/stategen/voice"}},
	{"envs/stategen/bench", []string{"envs", "envs/action", "envs/console", "envs/display", "envs/drift",
		"envs/dynamic", "envs/memo", "envs/names", "envs/pytext", "envs/sandbox", "envs/stategen",
		"envs/stategen/code", "envs/stategen/domains", "envs/stategen/instruct",
		"envs/stategen/stateeval", "envs/stategen/taskfile", "envs/suite", "envs/toolapi"}},
	{"envs/toolbench/answers", []string{"envs", "envs/action", "envs/pytext", "envs/toolbench"}},
	{"envs/toolbench/virtual", []string{"envs", "envs/disk", "envs/kept", "envs/names", "envs/pytext", "envs/sqlite",
		"envs/toolbench"}},
	{"envs/toolbench/recorded", []string{"envs", "envs/yamltext", "envs/pytext", "envs/disk", "envs/toolbench",
		"envs/toolbench/virtual", "envs/wire"}},
	{"envs/toolbench/bench", []string{"envs", "envs/action", "envs/console", "envs/display", "envs/drift",
		"envs/disk", "envs/dynamic", "envs/names", "envs/pytext", "envs/suite", "envs/toolapi",
		"envs/toolbench", "envs/toolbench/answers", "envs/toolbench/recorded", "envs/toolbench/virtual"}},
	{"envs/toolbench/serve", []string{"envs", "envs/wire",
		"envs/toolbench", "envs/toolbench/bench"}},
	{"envs/envtest/suitetest", []string{"envs", "envs/action", "envs/drift", "envs/dynamic", "envs/pytext",
		"envs/suite", "envs/toolapi"}},

	{"configs/apis", nil},
	{"toolqa", []string{"envs", "envs/names"}},
	{"toolqa/corpus/internal/layout", []string{"envs/yamltext", "envs", "envs/disk", "envs/pytext", "envs/sqlite",
		"toolqa"}},
	{"toolqa/corpus/synth", []string{"envs", "envs/exact", "envs/pytext", "toolqa", "toolqa/corpus/internal/..."}},
	{"toolqa/corpus/graphtest", []string{"toolqa/corpus/internal/layout"}},
	{"toolqa/corpus/internal/layout/layouttest", []string{"toolqa/corpus/internal/layout"}},
	{"toolqa/corpus", []string{"envs/disk", "envs/pytext", "envs/sqlite", "envs/yamltext", "toolqa",
		"toolqa/corpus/internal/layout"}},
	{"toolqa/corpus/importer", []string{"envs", "envs/pytext", "envs/disk", "envs/sandbox", "envs/sandbox/engines",
		"toolqa", "toolqa/corpus", "toolqa/corpus/internal/..."}},
	{"toolqa/questions", []string{"envs/yamltext", "envs", "envs/pytext", "envs/disk", "envs/score",
		"toolqa", "toolqa/corpus"}},
	{"toolqa/table", []string{"envs", "envs/pytext", "toolqa", "toolqa/corpus"}},
	{"toolqa/graph", []string{"envs", "envs/pytext", "toolqa", "toolqa/corpus"}},
	{"toolqa/sqltool", []string{"envs", "envs/display", "envs/exact", "envs/memo", "envs/pytext",
		"envs/sandbox/worker", "envs/silent", "toolqa", "toolqa/corpus"}},
	{"toolqa/retrieve", []string{"envs", "envs/disk", "envs/exact", "envs/memo", "toolqa",
		"toolqa/corpus"}},
	{"toolqa/pytool", []string{"envs", "envs/pytext", "envs/sandbox", "toolqa"}},
	{"toolqa/datacmd", []string{"envs/console", "envs/display", "envs/disk", "envs/names",
		"envs/sandbox/engines", "envs/score", "envs/suite", "toolqa",
		"toolqa/corpus", "toolqa/corpus/importer", "toolqa/corpus/synth", "toolqa/questions",
		"toolqa/retrieve"}},
	{"toolqa/bench", []string{"configs/apis", "envs", "envs/dynamic", "envs/names",
		"envs/sandbox", "envs/score", "envs/suite", "envs/toolapi", "toolqa",
		"toolqa/corpus", "toolqa/datacmd", "toolqa/graph", "toolqa/pytool", "toolqa/questions",
		"toolqa/retrieve", "toolqa/sqltool", "toolqa/table"}},
	{"toolqa/pytool/pytooltest", nil},
	{"envs/sandbox/sandboxtest", []string{"envs/sandbox", "envs/sandbox/confine", "envs/sandbox/forkserver",
		"envs/sandbox/python"}},

	{"mcts", []string{"envs", "envs/display", "envs/exact"}},
	{"mcts/mctstest", []string{"mcts"}},
	{"mcts/account", []string{"envs/disk", "envs/display", "mcts"}},
	{"mcts/policy/prompt", []string{"envs", "envs/action", "envs/disk", "envs/names", "envs/pytext",
		"envs/toolapi", "envs/yamltext"}},
	{"mcts/policy/chat", []string{"envs", "envs/action", "envs/names", "envs/pytext", "mcts/policy/prompt"}},
	{"mcts/policy/toolcalls", []string{"envs", "envs/action", "envs/pytext"}},
	{"mcts/policy/scripted", []string{"envs/yamltext", "envs", "envs/action", "envs/exact",
		"envs/memo", "envs/names", "envs/pytext", "envs/silent", "envs/wire", "mcts"}},
	{"mcts/policy/server", []string{"envs", "envs/action", "envs/names", "mcts", "mcts/account", "mcts/policy/chat",
		"mcts/policy/toolcalls"}},
	{"mcts/policy/internal/golden", nil},
	{"mcts/policy/internal/wire", []string{"envs/display", "envs/wire", "mcts/policy/server"}},
	{"mcts/policy/internal/wiretest", []string{"mcts/policy/server"}},
	{"mcts/policy/openai", []string{"envs", "envs/action", "mcts/policy/chat", "mcts/policy/server",
		"mcts/policy/internal/wire"}},
	{"mcts/policy/ollama", []string{"mcts/policy/chat", "mcts/policy/server", "mcts/policy/internal/wire"}},
	{"mcts/policy/doctor", []string{"envs/action", "envs/pytext", "envs/yamltext", "envs/display", "mcts/policy/chat",
		"mcts/policy/server"}},
	{"mcts/policy/simserver", []string{"envs/yamltext", "envs", "envs/action", "envs/names", "envs/pytext",
		"envs/wire", "mcts",
		"mcts/policy/prompt", "mcts/policy/chat"}},
	{"mcts/policy/interop", nil},
	{"mcts/estimate", []string{"envs", "mcts", "mcts/account"}},
	{"mcts/store", []string{"envs", "envs/disk", "envs/sqlite", "mcts"}},
	{"mcts/collect", []string{"envs", "envs/kept", "mcts", "mcts/store"}},

	{"mcts/collect/cluster", []string{"envs", "mcts", "mcts/account", "mcts/collect", "mcts/store"}},
	{"mcts/metrics", []string{"envs/wire", "envs/yamltext", "mcts/account", "mcts/collect", "mcts/collect/cluster",
		"mcts/policy/server"}},

	{"trajectories/internal/bpe", nil},
	{"trajectories/internal/pq", []string{"envs/disk"}},
	{"trajectories", []string{"envs", "envs/action", "envs/disk", "envs/pytext", "mcts",
		"trajectories/internal/..."}},
	{"trajectories/atif", []string{"envs", "envs/action", "envs/pytext", "envs/disk", "mcts", "mcts/policy/chat",
		"mcts/store", "trajectories"}},
	{"trajectories/export", []string{"envs", "envs/action", "envs/disk", "envs/memo", "envs/names", "envs/pytext",
		"envs/toolapi", "envs/yamltext",
		"mcts", "mcts/policy/chat", "mcts/policy/prompt", "trajectories", "trajectories/atif",
		"trajectories/internal/..."}},
	{"trajectories/mirror", []string{"envs", "envs/display", "envs/kept", "envs/pytext", "envs/toolbench",
		"envs/toolbench/answers", "envs/toolbench/recorded", "envs/toolbench/virtual",
		"trajectories/export"}},
	{"trajectories/internal/synth", []string{"envs", "envs/action", "mcts", "trajectories"}},
	{"trajectories/interop/...", []string{"trajectories", "trajectories/export", "trajectories/internal/..."}},
	{"finetune/tabulate", []string{"envs/console", "envs/disk", "envs/display"}},
	{"finetune/gate", []string{"envs/console", "envs/display", "finetune/tabulate"}},
	{"finetune/failure", []string{"envs", "envs/action", "envs/names", "envs/pytext", "envs/toolapi", "mcts",
		"trajectories"}},
	{"finetune/facts", []string{"envs", "envs/toolapi", "finetune/failure", "finetune/tabulate", "mcts",
		"trajectories"}},
	{"finetune", []string{"envs", "envs/display", "envs/kept", "finetune/facts", "finetune/tabulate", "mcts",
		"mcts/store", "trajectories"}},
	{"finetune/external", []string{"envs", "envs/openenv", "finetune", "mcts", "mcts/store"}},
	{"finetune/internal/browser", nil},
	{"finetune/inspectlog", []string{"envs", "envs/action", "envs/disk", "finetune", "mcts",
		"mcts/policy/chat", "trajectories", "trajectories/atif"}},
	{"finetune/rundir", []string{"envs/console", "envs/disk", "envs/display", "envs/names", "finetune",
		"mcts/account", "mcts/estimate", "mcts/store"}},
	{"finetune/viewer", []string{"envs", "envs/display", "envs/kept", "envs/wire", "finetune/rundir", "mcts",
		"mcts/account", "mcts/store", "trajectories"}},
	{"finetune/fidelity", []string{"envs", "envs/kept", "envs/disk", "envs/toolbench",
		"envs/toolbench/recorded", "envs/toolbench/virtual", "finetune/tabulate", "trajectories/mirror"}},
	{"finetune/judge", []string{"envs", "envs/disk", "envs/kept", "envs/pytext", "envs/toolapi",
		"envs/toolbench/answers", "finetune", "finetune/facts", "finetune/failure",
		"finetune/tabulate", "trajectories"}},
	{"finetune/judge/labels", []string{"envs", "envs/disk", "envs/pytext", "finetune/judge",
		"trajectories/export"}},
	{"finetune/robustness", []string{"envs/drift", "finetune", "finetune/facts",
		"finetune/tabulate"}},
	{"finetune/programs", []string{"envs", "envs/display", "envs/kept", "envs/sandbox", "envs/stategen",
		"envs/stategen/code", "envs/stategen/domains", "envs/stategen/measure", "envs/stategen/taskfile",
		"envs/yamltext", "envs/pytext", "finetune", "finetune/tabulate", "mcts",
		"trajectories"}},
	{"finetune/checkpoint", []string{"envs/disk", "trajectories/export"}},
	{"finetune/child", []string{"envs/disk", "envs/keeper"}},
	{"finetune/training", []string{"envs/console", "envs/disk", "finetune/checkpoint",
		"finetune/child", "trajectories/export", "envs/yamltext"}},
	{"finetune/training/trainingtest", nil},
	{"finetune/host", []string{"envs/names", "envs/disk", "finetune/checkpoint", "finetune/child",
		"mcts", "mcts/policy/server", "envs/yamltext"}},
	{"finetune/improve", []string{"envs/console", "envs/disk", "envs/names", "finetune",
		"finetune/checkpoint", "finetune/child", "finetune/host", "finetune/tabulate", "mcts", "mcts/store",
		"envs/yamltext"}},

	{"finetune/report", []string{"envs/display", "finetune", "finetune/facts", "finetune/failure",
		"finetune/improve", "finetune/robustness", "finetune/tabulate",
		"finetune/viewer"}},

	{"configs", []string{"envs", "envs/action", "envs/dynamic", "envs/names", "envs/perturb", "envs/disk",
		"envs/sandbox/engines", "envs/suite", "envs/toolapi", "mcts", "mcts/account", "mcts/policy/server",
		"envs/yamltext"}},

	{"mcts/policy/serving", []string{"configs", "envs", "envs/action", "envs/console", "envs/display", "envs/keeper",
		"envs/names",
		"envs/pytext", "envs/suite", "envs/toolapi", "mcts", "mcts/account", "mcts/policy/chat",
		"mcts/policy/doctor",
		"mcts/policy/prompt",
		"mcts/policy/scripted", "mcts/policy/server", "mcts/policy/toolcalls"}},
	{"finetune/stored", []string{"configs", "envs", "envs/console", "envs/drift", "envs/disk",
		"envs/sandbox", "envs/sandbox/engines", "envs/suite", "envs/toolapi", "finetune", "finetune/facts",
		"finetune/rundir",
		"finetune/viewer", "mcts", "mcts/store", "trajectories"}},

	{"cmd/internal/cmdline", []string{"envs/console", "envs/disk", "envs/names", "envs/suite"}},
	{"cmd/internal/app", []string{"cmd/internal/app", "envs/...", "mcts/...", "trajectories",
		"trajectories/atif", "trajectories/export", "finetune/...", "configs/..."}},
	{"cmd/internal/suites/remote", []string{"envs", "envs/action", "envs/disk", "envs/remote/bench", "trajectories",
		"trajectories/atif"}},
	{"cmd/internal/suites/stategen", []string{"cmd/internal/cmdline", "envs/console",
		"envs/display", "envs/disk", "envs/sandbox", "envs/wire", "envs/stategen",
		"envs/stategen/bench", "envs/stategen/code", "envs/stategen/domains",
		"envs/stategen/instruct", "envs/stategen/session/serve", "envs/stategen/stateeval",
		"envs/stategen/taskfile", "envs/stategen/voice/serve", "envs/suite",
		"finetune/programs", "finetune/tabulate", "finetune/stored", "trajectories/export"}},
	{"cmd/internal/suites/toolbench", []string{"envs", "envs/console",
		"envs/disk", "envs/kept", "envs/pytext", "envs/wire", "envs/names", "envs/suite", "envs/toolbench",
		"envs/toolbench/bench", "envs/toolbench/recorded", "envs/toolbench/serve",
		"envs/toolbench/virtual", "finetune/tabulate", "finetune/fidelity", "finetune/facts", "finetune/judge",
		"finetune/judge/labels", "finetune/stored", "mcts/policy/serving", "mcts/store", "trajectories",
		"trajectories/export",
		"trajectories/mirror"}},
	{"cmd/...", []string{"cmd/internal/...", "envs/...", "toolqa/bench", "mcts/...", "trajectories",
		"trajectories/atif", "trajectories/export", "finetune/...", "configs/..."}},
}

// Imports point downwards. Tests may look anywhere but into the commands.
func TestImports(t *testing.T) {
	_, files := source(t)
	for _, f := range files {
		i := slices.IndexFunc(allowed, func(r rule) bool { return matches(r.pkg, f.pkg) })
		if i < 0 {
			t.Errorf("%s: package %s is not in the table of imports", f.path, f.pkg)
			continue
		}

		for _, path := range f.imports() {
			ours, ok := strings.CutPrefix(path, module+"/")
			if !ok {
				continue
			}

			switch {
			case f.test && !matches("cmd/...", ours):
			case !slices.ContainsFunc(allowed[i].imports, func(a string) bool { return matches(a, ours) }):
				t.Errorf("%s: %s may not import %s", f.path, f.pkg, ours)
			}
		}
	}
}

// The table itself points downwards: what stands on the right was on the left before.
func TestTableIsInOrder(t *testing.T) {
	for i, r := range allowed {
		for _, name := range r.imports {
			if strings.HasPrefix(name, strings.TrimSuffix(r.pkg, "...")) {
				continue // a package's own internal folder
			}

			above := func(a rule) bool { return matches(name, a.pkg) || a.pkg == name }
			if !slices.ContainsFunc(allowed[:i], above) {
				t.Errorf("%s imports %s, which does not stand above it in the table", r.pkg, name)
			}
		}
	}
}

func matches(pattern, pkg string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == prefix || strings.HasPrefix(pkg, prefix+"/")
	}
	return pkg == pattern
}
