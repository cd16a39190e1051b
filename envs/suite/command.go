package suite

import (
	"context"
	"io"
	"io/fs"

	"toolevo/envs/console"
	"toolevo/envs/kept"
	"toolevo/envs/sandbox"
	"toolevo/envs/wire"
)

// Commander has commands of its own.
type Commander interface {
	// Commands returns them, those before that others belong to.
	Commands() []Command
}

// Command is a command of a suite's own. The program makes its options flags, and prints its result
// as text or, with --json, as a document.
type Command struct {
	// Use is the words that call it, and its arguments in capitals, such as "tasks show ID". What
	// an argument may be without is in brackets, what may be repeated ends in dots.
	Use string

	// Help has the file help/WORDS.txt, the words joined by hyphens: what the command does in a
	// line, an empty line, the description, and below a line "Examples:" the examples.
	Help fs.FS

	// Options are what a user may choose.
	Options []Option

	// Configured is set where the command reads settings.
	Configured *Configured

	Progress bool // it takes long enough to show how far it is

	// Demonstrates is set where the data folder gets new tasks, so that what prompts show of them,
	// solved, is made afterwards.
	Demonstrates bool

	// Document is an empty one of those that it prints, from which they are documented.
	Document any

	// Run does the work. Its result is printed unless it fails in another way than by being bad.
	// Without Run, the command only groups others.
	Run func(ctx context.Context, c *Call) error
}

// Configured says how a command is configured. Whatever it names, a user can set all settings.
type Configured struct {
	Models   bool              // it may ask language models on servers
	Flags    []string          // of settings, e.g. "api"
	Own      []SettingFlag     // flags of settings that are the suite's own
	Defaults map[string]string // of this command alone, by key, e.g. "split": "test"
}

// SettingFlag is a flag that sets a setting.
type SettingFlag struct {
	Flag, Key, Usage string
	Names            func() []string // that the value may be; nil is any
}

// Option is what a user may choose. It is checked before a command runs.
type Option struct {
	Name string

	// Value points to where the value goes, and to the default: a string, bool, int, uint64, a
	// []string whose values commas separate, or [Repeated].
	Value any

	// Usage explains it. The word in back quotes stands for the value; DIR is a folder.
	Usage string

	Names    func() []string // that the value may be, or each of several; nil is any
	Least    int             // of an int
	Required bool            // of a text
}

// Repeated are the values of an option that may be given several times.
type Repeated []string

// Call is one call of a command. What it opens is closed when the command ends.
type Call struct {
	*console.Program
	Args     []string
	Progress *console.Steps // is shown from the first step on
	Version  string         // of the program, e.g. "0.1.0"

	// What the command came to, as a document and as the same for people; nil prints nothing.
	Document any
	Text     func(w io.Writer)

	// Models opens language models where the command is Configured. folder, unless it is "", keeps
	// what they write, so that the same command can continue there.
	Models func(folder string) (Models, error)
	// Choose reads what the settings choose from a data folder, "" for nothing that is in one.
	Choose func(data string) (Chosen, error)
	// Engine opens the engine that the settings choose, for programs that a model wrote.
	Engine func(ctx context.Context) (sandbox.Engine, error)
}

// Result notes what the command came to, and returns the error beside it.
func (c *Call) Result(document any, text func(w io.Writer), err error) error {
	c.Document, c.Text = document, text
	return err
}

// Chosen is what the settings of a command choose.
type Chosen struct {
	Choice
	Benchmark Benchmark
	Deployed  []string // API versions, the default first
}

// Models are the language models of a command.
type Models interface {
	// Policies are those that the configuration names.
	Policies() []string
	// Writer opens a model by a policy's name.
	Writer(name string, o WriterOptions) (kept.Writer, error)
	// Embedder opens an embedding model.
	Embedder(name string) (Embedder, error)
	// Texts are where texts are kept, nil where they are not.
	Texts() *kept.Texts
	// Prompts are what the user has them told in place of our own words.
	Prompts() kept.Prompts
}

// DataOption is the data folder.
func DataOption(dir *string) Option {
	return Option{Name: "data", Value: dir, Usage: "data folder `DIR` (or TOOLEVO_DATA)"}
}

// SplitOption is the split of tasks.
func SplitOption(split *string) Option {
	return Option{Name: "split", Value: split, Usage: "`NAME` of the split: train, dev, test or examples",
		Names: Splits}
}

// SeedOption is the seed of all that is drawn or written.
func SeedOption(seed *uint64) Option {
	return Option{Name: "seed", Value: seed, Usage: "random seed `N`"}
}

// WorkersOption is how many texts are asked for at the same time.
func WorkersOption(workers *int) Option {
	return Option{Name: "workers", Value: workers,
		Usage: "`N` texts are asked for at the same time", Least: 1}
}

// DoorOptions are where a server listens, and whether clients need a key.
func DoorOptions(d *wire.Door) []Option {
	return []Option{
		{Name: "listen", Value: &d.Listen, Usage: "listen on `ADDR`, PORT or HOST:PORT; port 0 is any free one"},
		{Name: "require-key", Value: &d.RequireKey,
			Usage: "ask clients for the key in " + d.Variable},
	}
}

// StdioOption has a server speak over a pipe instead.
func StdioOption(stdio *bool) Option {
	return Option{Name: "stdio", Value: stdio, Usage: "be an MCP server over stdin and stdout, " +
		"and listen nowhere"}
}

// OutOption is a folder for files.
func OutOption(out *string, usage string) Option {
	return Option{Name: "out", Value: out, Usage: usage}
}
