package trajectories

import (
	"toolevo/envs"
	"toolevo/trajectories/internal/pq"
)

// rowColumns are the columns of a trajectories file, in file order. SCHEMA.md is generated from them.
var rowColumns = []pq.Column[stored]{
	pq.Int("schema_version", "version of these columns", func(r *stored) *int { return &r.SchemaVersion }),
	pq.Text("run_id", "the run that made it; no other run has this ID",
		func(r *stored) *string { return &r.RunID }).Repeating(),
	pq.Text("run_hash", "of the run's settings and inputs: runs of one hash grow the same trees if their models "+
		"answer the same; in older files the `run_id`",
		func(r *stored) *string { return &r.RunHash }).Repeating().Later(),
	pq.Text("dataset", "dataset of the question",
		func(r *stored) *string { return &r.old.dataset }).Repeating(),
	pq.Text("difficulty", "`easy` or `hard`", func(r *stored) *string { return &r.old.difficulty }).Repeating(),
	pq.Text("split", "`train`, `dev` or `test`; `own`: the user's own questions",
		func(r *stored) *string { return &r.Split }).Repeating(),
	pq.Int("question_index", "place of the question in its split, from 0",
		func(r *stored) *int { return &r.QuestionIndex }),
	pq.Text("question_id", "ID of the question, unique within a run", func(r *stored) *string { return &r.QuestionID }),
	pq.Text("question", "what the agent was asked", func(r *stored) *string { return &r.Question }),
	pq.Text("template", "the template the question was made from",
		func(r *stored) *string { return &r.old.template }).Repeating(),
	pq.List("labels", "all that its suite says of the question: dataset, difficulty, template and others",
		func(r *stored) *[]label { return &r.labels }, labelColumns).Later(),
	pq.Text("gold", "the gold answer: for people, in no export", func(r *stored) *string { return &r.Gold }),
	pq.Text("preset", "search preset", func(r *stored) *string { return &r.Preset }).Repeating(),
	pq.Text("policy", "the policy, `kind:name`", func(r *stored) *string { return &r.Policy }).Repeating(),
	pq.Text("prompt_api", "API version the model was shown",
		func(r *stored) *string { return &r.PromptAPI }).Repeating(),
	pq.Text("deployed_api", "API version the server enforced",
		func(r *stored) *string { return &r.DeployedAPI }).Repeating(),
	pq.Uint("seed", "the run's seed", func(r *stored) *uint64 { return &r.Seed }),
	pq.Text("config_hash", "hash of the settings that change a result",
		func(r *stored) *string { return &r.ConfigHash }).Repeating(),
	pq.Text("software", "version of toolevo that made the row",
		func(r *stored) *string { return &r.Software }).Repeating(),
	pq.Text("python_engine", "what kept model-written programs inside, e.g. `forkserver`; `unsafe` is nothing. Of "+
		"a run that was told to mix engines, each one whose output the trajectory holds, separated by `; `, here "+
		"and in the columns that follow", func(r *stored) *string { return &r.old.python.Engine }).Repeating().Later(),
	pq.Text("python_version", "version of that Python",
		func(r *stored) *string { return &r.old.python.Version }).Repeating().Later(),
	pq.Text("python_modules", "what programs could import beside the standard library, e.g. `numpy 1.24.2`",
		func(r *stored) *string { return &r.old.python.Modules }).Repeating().Later(),
	pq.Text("python_without", "walls that the machine did not offer and the user did without, e.g. `landlock`",
		func(r *stored) *string { return &r.old.python.Without }).Repeating().Later(),
	pq.Text("python_limits", "limits of one program, e.g. `wall 32s, cpu 8s, memory 1024 MiB, output 64 KiB`",
		func(r *stored) *string { return &r.old.python.Limits }).Repeating().Later(),
	pq.List("makers", "the programs that made parts of it, those that ran Python among them: of each kind those whose "+
		"output it holds, or else the run's first",
		func(r *stored) *[]Maker { return &r.Makers }, makerColumns).Later(),
	pq.Int("tree", "index of the tree among the question's, from 0", func(r *stored) *int { return &r.Tree }),
	pq.Uint("tree_seed", "the tree's seed, derived from the run's", func(r *stored) *uint64 { return &r.TreeSeed }),
	pq.Int("node", "ID of the leaf in its tree", func(r *stored) *int { return &r.Node }),
	pq.Text("node_path", "ordinals from the root to the leaf, e.g. `0.1.0`",
		func(r *stored) *string { return &r.NodePath }),
	pq.Text("key", "SHA-256 of the canonical actions in order; equal keys did the same",
		func(r *stored) *string { return &r.Key }),
	pq.List("turns", "the turns, first to last", func(r *stored) *[]Turn { return &r.Turns }, turnColumns),
	pq.Text("answer", "the answer the agent gave", func(r *stored) *string { return &r.Answer }),
	pq.Bool("official", "right by the benchmark's own matcher", func(r *stored) *bool { return &r.Official }),
	pq.Bool("strict", "right by the strict matcher", func(r *stored) *bool { return &r.Strict }),
	pq.Int("visits", "N of the leaf", func(r *stored) *int { return &r.Visits }),
	pq.Float("value", "Q of the leaf, -1 to 1", func(r *stored) *float64 { return &r.Value }),
	pq.Int("turn_count", "number of turns", func(r *stored) *int { return &r.TurnCount }),
	pq.Int("deprecations", "turns that met a deprecated API", func(r *stored) *int { return &r.Deprecations }),
	pq.Int("recovered", "of those, the ones whose tool was called with success later on",
		func(r *stored) *int { return &r.Recovered }),
	pq.Int("updates", "successful UpdateTool turns", func(r *stored) *int { return &r.Updates }),
	pq.Int("errors", "turns that met an invocation error, deprecations apart",
		func(r *stored) *int { return &r.Errors }),
	pq.Int("cuts", "turns that the limit of a completion's length cut before their action was whole: the model "+
		"did not write them so, and no export has them", func(r *stored) *int { return &r.Cuts }).Later(),
}

var labelColumns = []pq.Column[label]{
	pq.Text("name", "e.g. `dataset`", func(l *label) *string { return &l.name }).Repeating(),
	pq.Text("value", "what it says", func(l *label) *string { return &l.value }).Repeating(),
}

var makerColumns = []pq.Column[Maker]{
	pq.Text("kind", "what it does, e.g. `python`: it runs programs",
		func(m *Maker) *string { return &m.Kind }).Repeating(),
	pq.Text("name", "which one, e.g. the engine `forkserver`", func(m *Maker) *string { return &m.Name }).Repeating(),
	pq.OptionalText("version", "of it, e.g. of Python", func(m *Maker) *string { return &m.Version }).Repeating(),
	pq.OptionalText("with", "what it has besides, e.g. modules", func(m *Maker) *string { return &m.With }).Repeating(),
	pq.OptionalText("without", "what it lacks and should have, e.g. walls",
		func(m *Maker) *string { return &m.Without }).Repeating(),
	pq.OptionalText("limits", "of one call", func(m *Maker) *string { return &m.Limits }).Repeating(),
	pq.Bool("unconfined", "fewer walls were around programs than there should be",
		func(m *Maker) *bool { return &m.Unconfined }),
}

var turnColumns = []pq.Column[Turn]{
	pq.Text("action", "the model's text, without the stop marker", func(t *Turn) *string { return &t.Action }),
	pq.OptionalText("thought", "its Thought; null when there is none", func(t *Turn) *string { return &t.Thought }),
	pq.OptionalText("tool", "the tool meant, by its prompt-version name; null when there is none",
		func(t *Turn) *string { return &t.Tool }).Repeating(),
	pq.OptionalText("api", "the API name as written; null when none could be read",
		func(t *Turn) *string { return &t.API }).Repeating(),
	pq.Text("key", "canonical form of the action: equal keys are the same call",
		func(t *Turn) *string { return &t.Key }),
	pq.Text("observation", "the environment's answer", func(t *Turn) *string { return &t.Observation }),
	pq.Coded("outcome", "what kind of observation it is", func(t *Turn) *envs.Outcome { return &t.Outcome },
		envs.ParseOutcome),
	pq.Float("prior", "P(s,a), 0 to 1", func(t *Turn) *float64 { return &t.Prior }),
	pq.Int("visits", "N(s,a)", func(t *Turn) *int { return &t.Visits }),
	pq.Float("value", "Q(s,a), -1 to 1; 0 when there were no visits", func(t *Turn) *float64 { return &t.Value }),
	pq.OptionalText("limit", "which limit truncated the node; null when none did",
		func(t *Turn) *string { return &t.Limit }).Repeating(),
}
