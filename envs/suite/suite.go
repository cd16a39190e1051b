package suite

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/disk"
	"toolevo/envs/dynamic"
	"toolevo/envs/kept"
	"toolevo/envs/sandbox"
	"toolevo/envs/toolapi"
)

// Benchmark is what is known of a benchmark before a choice is opened.
type Benchmark interface {
	// Name is how a configuration chooses it (the setting suite).
	Name() string

	// Versions returns the API versions for a data folder, and those in the user's own files. A
	// benchmark whose tools do not depend on the data does not look at the folder.
	Versions(data string, own ...toolapi.File) (*toolapi.Catalog, error)

	// Tools returns the APIs of a version that prompts list, in that order. modules are the
	// third-party modules that programs may import; nil says nothing about modules.
	Tools(v *toolapi.Version, modules []string) []*toolapi.API

	// Open reads what a choice needs.
	Open(ctx context.Context, c Choice) (Suite, error)
}

// Suite is an opened benchmark. It is safe for concurrent use.
type Suite interface {
	// Tasks returns the tasks of the choice in the order of the rows, those of one dataset and
	// difficulty together.
	Tasks() []envs.Task

	// Datasets returns the datasets of the chosen tasks, in the order of the rows.
	Datasets() []string

	// Environment returns the environment that deploys an API version. m, which may be nil, keeps
	// results of tools that might differ another time.
	Environment(version string, m envs.Memory) (envs.Environment, error)

	// Lineage returns the hashes of what tasks and tools were made from, by name: they are part of
	// a run's identity.
	Lineage() map[string]string

	Close() error
}

// Choice says which part of a benchmark a run uses, and how its environments behave.
type Choice struct {
	Data         string   // the data folder
	Datasets     []string // nil is all that the data folder has
	Difficulties []string // nil is all
	Split        string

	// Own is the user's own file of tasks in place of the split's, for an [Asker]; "" for the
	// split.
	Own string

	// Rephrase changes what the user asks in the task of an ID, and nothing else in its question;
	// nil changes nothing. See [Choice.Ask].
	Rephrase func(id, query string) string

	Prompts kept.Prompts // for models that are asked for anything but actions

	Prompt      string           // the API version that prompts show
	Deployed    []string         // those that questions meet: a suite may tell which they touch
	Versions    *toolapi.Catalog // what can be deployed; nil is Benchmark.Versions(Data)
	Environment dynamic.Settings
	Programs    sandbox.Limits // of one program that a model wrote

	// Settings are those of the benchmark's own sections, by section; see [Configurable].
	Settings map[string]Settings

	// Embedder opens an embedding model at a server, "" for the policies' own; a probe does not
	// retry.
	Embedder func(model, server string, retry bool) (Embedder, error)
	// Writer opens a language model that writes texts, by a policy's name, at a server, "" for the
	// policies' own. The caller closes it.
	Writer func(name string, o WriterOptions) (Writer, error)
	// Watch shows what a command prepares, if it takes long, and its progress. It may be nil.
	Watch func(what string) (set func(done, total int), stop func())
	// Warn says what a preparation leaves out. It may be nil.
	Warn func(format string, args ...any)
}

// Ask returns what the user asks in the task of an ID, rephrased as the choice says.
func (c *Choice) Ask(id, query string) string {
	if c.Rephrase == nil {
		return query
	}
	return c.Rephrase(id, query)
}

// Narrow returns the tasks of the chosen datasets and difficulties, those of one dataset and
// difficulty together in alphabetical order, and the datasets.
func (c *Choice) Narrow(all []envs.Task) (tasks []envs.Task, datasets []string) {
	isChosen := func(chosen []string, name string) bool {
		return chosen == nil || slices.Contains(chosen, name)
	}

	all = slices.SortedStableFunc(slices.Values(all), func(a, b envs.Task) int {
		return cmp.Or(cmp.Compare(a.Labels[envs.LabelDataset], b.Labels[envs.LabelDataset]),
			cmp.Compare(a.Labels[envs.LabelDifficulty], b.Labels[envs.LabelDifficulty]))
	})

	for _, t := range all {
		if !isChosen(c.Datasets, t.Labels[envs.LabelDataset]) {
			continue
		}

		// A dataset without tasks of the chosen difficulties is chosen nevertheless.
		datasets = append(datasets, t.Labels[envs.LabelDataset])

		if isChosen(c.Difficulties, t.Labels[envs.LabelDifficulty]) {
			tasks = append(tasks, t)
		}
	}
	return tasks, slices.Compact(datasets)
}

// Embedder turns texts into vectors.
type Embedder interface {
	// Embed returns a vector for each text, all of one length. The vector of a text that cannot be
	// embedded, though others can, is nil, and envs.GivenUp holds for the error.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model identifies the model: vectors of different models cannot be compared.
	Model() string
	Close()
}

// Writer is an open language model, closed when it is no longer used.
type Writer interface {
	kept.Writer
	Close() error
}

// WriterOptions say how a model writes.
type WriterOptions struct {
	Server      string  // base URLs, separated by commas; "" means those of the policies
	Temperature float64 // 0 is greedy
	MaxTokens   int     // of one text
}

// Planner is a suite with the solutions of its tasks, for scripted and simulated policies.
type Planner interface {
	// Plan returns the solution of a question in the base version, and whether the question is
	// recognised.
	Plan(question string) (envs.Plan, bool)
}

// Plans returns the solutions of a suite's questions, none if it is nil or no [Planner].
func Plans(s Suite) func(question string) (envs.Plan, bool) {
	if p, ok := s.(Planner); ok {
		return p.Plan
	}
	return func(string) (envs.Plan, bool) { return nil, false }
}

// WordPlanner is a benchmark that recognizes its questions by their words: it plans as its suites
// do, without their data.
type WordPlanner interface {
	Plans() func(question string) (envs.Plan, bool)
}

// Demonstrator is a benchmark with embedded solved tasks, which prompts show under the paper's
// settings.
type Demonstrator interface {
	// Demonstrations returns the files DATASET.yaml of package mcts/policy/prompt.
	Demonstrations() fs.FS
}

// ExampleMaker can make the tasks of the split [Examples] from the rest of a data folder.
type ExampleMaker interface {
	// MakeExamples adds tasks to the split until each dataset has enough to choose demonstrations
	// from.
	MakeExamples(ctx context.Context, data string) error
}

// Harmless is a suite with tasks whose solutions may change what nothing brings back.
type Harmless interface {
	// IsHarmless reports whether the solution of a task changes no such thing.
	IsHarmless(task string) bool
}

// Narrower knows which of its tools serve a dataset, so that a prompt can show only those.
type Narrower interface {
	// DatasetTools returns the names of each dataset's tools ([toolapi.API.Tool]), including Finish
	// and UpdateTool, and whether prompts show no others unless a user wants all.
	DatasetTools() (tools map[string][]string, unasked bool)
}

// Configurable is a benchmark with settings of its own.
type Configurable interface {
	// Values lists the valid values of the settings dataset, difficulty, template, split and
	// environment.compat; nil is whatever the data folder has.
	Values(setting string) []string

	// Sections are its sections of the configuration.
	Sections() []Section

	// Defaults is a YAML file that sets all of them, with a comment for each setting.
	Defaults() []byte
}

// Section is a section of the configuration that a benchmark owns.
type Section struct {
	Name string
	New  func() Settings // a pointer to a struct with yaml tags
	// Incidental are the settings that change no result, and so are not part of a run's identity.
	Incidental []string
}

// Settings are the settings of a section.
type Settings interface {
	// Validate returns the first invalid setting, by its name in the section, and what is wrong.
	Validate() (setting string, err error)
}

// Drifter has defaults for experiments on drifting APIs.
type Drifter interface {
	// DriftDefaults are settings of such an experiment, by key.
	DriftDefaults() map[string]string
}

// Judger is a benchmark whose answers a language model can judge, in addition to the rule of its
// rewards.
type Judger interface {
	// Judge has the model that by names, and open opens, judge the evaluation in dir with the
	// prompts, and writes the verdicts to dir. judge is what the verdicts call the model.
	Judge(ctx context.Context, dir, by string, p kept.Prompts, open OpenWriter) (judge string, err error)
}

// OpenWriter opens a language model that writes texts.
type OpenWriter func(WriterOptions) (kept.Writer, error)

// Filler can fill a data folder with something small to try.
type Filler interface {
	// Fill fills the folder. software is the program with its version.
	Fill(ctx context.Context, data, software string) error
}

// Lister can list its tasks without opening anything.
type Lister interface {
	// List returns the tasks of a split in a data folder, which may have none.
	List(data, split string) ([]envs.Task, error)
}

// Verifier keeps files in the data folder together with their hashes.
type Verifier interface {
	// Verify reads the files completely. An error means that the check itself failed.
	Verify(ctx context.Context, data string) ([]VerifiedFile, error)
}

// VerifiedFile is a file of the data folder.
type VerifiedFile struct {
	Path   string `json:"path"`             // of the file
	Has    string `json:"has,omitempty"`    // what is in it, for people
	Damage string `json:"damage,omitempty"` // what is wrong with it
}

// VerifySplits calls open with each split, and describes the file of each that the data folder has.
func VerifySplits(ctx context.Context, open func(split string) (path, has string, err error)) (
	[]VerifiedFile, error,
) {
	var all []VerifiedFile

	for _, split := range Splits() {
		path, has, err := open(split)

		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			all = append(all, VerifiedFile{Path: path, Damage: err.Error()})
		default:
			all = append(all, VerifiedFile{Path: path, Has: has})
		}
	}

	return all, nil
}

// DemonstrationsDir returns the folder with the solved tasks of a suite, DATASET.yaml, in a data
// folder.
func DemonstrationsDir(data, name string) string {
	return filepath.Join(data, "demonstrations", name)
}

// VerifyDemonstrations describes the files of solved tasks that a data folder has.
func VerifyDemonstrations(data, name string) (all []VerifiedFile, err error) {
	paths, err := filepath.Glob(filepath.Join(DemonstrationsDir(data, name), "*.yaml"))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err == nil {
			_, err = disk.Unseal(text)
		}

		file := VerifiedFile{Path: path, Has: "demonstrations"}
		if err != nil {
			file = VerifiedFile{Path: path, Damage: err.Error()}
		}

		all = append(all, file)
	}
	return all, err
}

// Sourced is a benchmark that makes its versions from what is in the data folder.
type Sourced interface {
	// Sources returns the hashes of that, by their names in a suite's lineage.
	Sources(data string) (map[string]string, error)
}

// OwnSplit is what rows call the split of the user's own tasks.
const OwnSplit = "own"

// Asker is a benchmark that reads the user's own tasks ([Choice.Own]).
type Asker interface {
	// CountTasks reads the tasks of a file for a data folder, and returns their number.
	CountTasks(data, path string) (int, error)
}

// Answerer knows the gold answers of its tasks. Rows have them, for people; no policy and no export
// sees them.
type Answerer interface {
	Answer(task string) string
}

// Matcher can compare answers without an environment.
type Matcher interface {
	// Matchers returns the functions that report whether an answer agrees with the gold answer, by
	// name: "official" is the benchmark's own matcher, "strict" the strict one.
	Matchers() map[string]func(gold, answer string) bool
}

// Codecs returns how actions can be written in a benchmark: turn by turn, unless it is a
// [Programmer] with codecs of its own.
func Codecs(b Benchmark) []action.Codec {
	if p, ok := b.(Programmer); ok {
		return p.Codecs()
	}
	return []action.Codec{action.ReAct{}, action.FunctionCall{}, action.Tools{}}
}

// Programmer is a benchmark whose tasks may also be answered with one program ([action.Python]).
// Such an episode ends with its first turn.
type Programmer interface {
	Codecs() []action.Codec
}

// Sandboxed runs programs that a model wrote.
type Sandboxed interface {
	// UseEngine sets the engine of environments made from now on. The caller closes it.
	UseEngine(e sandbox.Engine)
}

// ProbeTime bounds one probe of a server before a run begins.
const ProbeTime = 4 * time.Second

// Live says whether calls of tools reach something that others use, or that costs money, so that
// no call is made that nobody asked for.
type Live interface{ Live() bool }

// Preparer has something to do before a run begins, such as probing a server.
type Preparer interface {
	// Remote reports whether the preparation involves another machine.
	Remote() bool
	Prepare(ctx context.Context) error
}
