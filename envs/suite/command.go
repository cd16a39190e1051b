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

// Commander is a benchmark with commands of its own.
type Commander interface {
	// Commands returns them, each group before its members.
	Commands() []Command
}

// Command is a suite's own command. The program turns its options into flags, and prints its result
// as text or, with --json, as a document.
type Command struct {
	// Use has the command's words, and its arguments in capitals, such as "tasks show ID". Optional
	// arguments are in brackets, repeated ones end in dots.
	Use string

	// Help has the file help/WORDS.txt, the words joined by hyphens: a line that says what the
	// command does, an empty line, the description, and examples below a line "Examples:".
	Help fs.FS

	// Options are what a user may choose.
	Options []Option

	// Configured is set if the command reads settings.
	Configured *Configured

	Progress bool // it takes long enough to show its progress

	// Demonstrates is set if the command adds tasks to the data folder: prompts show some of them,
	// solved, and those demonstrations are made afterwards, unless Run sets NoExamples.
	Demonstrates bool

	// Document is an empty document of the kind that it prints, to document that kind.
	Document any

	// Run does the work. Its result is printed unless it failed; a bad result is printed, too.
	// Without Run, the command only groups others.
	Run func(ctx context.Context, c *Call) error
}

// Configured says how a command is configured. Whatever it names, a user can set all settings.
type Configured struct {
	Models   bool              // it may ask language models on servers
	Flags    []string          // of settings, e.g. "api"
	Own      []SettingFlag     // flags of the suite's own settings
	Defaults map[string]string // for this command only, by key, e.g. "split": "test"
}

// SettingFlag is a flag that sets a setting.
type SettingFlag struct {
	Flag, Key, Usage string
	Names            func() []string // the valid values; nil is any
}

// Option is what a user may choose. It is checked before a command runs.
type Option struct {
	Name string

	// Value points to where the value goes, and to the default: a string, bool, int, uint64, a
	// []string of values separated by commas, or [Repeated].
	Value any

	// Usage explains it. The word in back quotes names the value; DIR is a folder.
	Usage string

	Names    func() []string // the valid values; nil is any
	Least    int             // of an int
	Required bool            // of a text
}

// Repeated holds the values of an option that may be given several times.
type Repeated []string

// Call is one call of a command. What it opens is closed when the command ends.
type Call struct {
	*console.Program
	Args     []string
	Progress *console.Steps // is shown from the first step on
	Version  string         // of the program, e.g. "0.1.0"

	NoExamples bool // is set if nothing was added that prompts could show

	// The result of the command as a document, and the same for people; nil prints nothing.
	Document any
	Text     func(w io.Writer)

	// Models opens language models if the command is Configured. folder, unless it is "", keeps
	// what they write, so that the same command can continue there.
	Models func(folder string) (Models, error)
	// Choose reads what the settings choose from a data folder; "" reads nothing from one.
	Choose func(data string) (Chosen, error)
	// Engine opens the engine that the settings choose, for programs that a model wrote.
	Engine func(ctx context.Context) (sandbox.Engine, error)
}

// Result keeps the result of the command, and returns err.
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
	// Policies returns the policies that the configuration names.
	Policies() []string
	// Writer opens a model by a policy's name.
	Writer(name string, o WriterOptions) (kept.Writer, error)
	// Embedder opens an embedding model.
	Embedder(name string) (Embedder, error)
	// Texts returns where texts are kept, nil if they are not.
	Texts() *kept.Texts
	// Prompts returns the user's own prompts, which replace the program's.
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

// SeedOption is the seed of everything that is drawn or written.
func SeedOption(seed *uint64) Option {
	return Option{Name: "seed", Value: seed, Usage: "random seed `N`"}
}

// WorkersOption is the number of texts asked for at the same time.
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

// StdioOption makes a server use a pipe instead.
func StdioOption(stdio *bool) Option {
	return Option{Name: "stdio", Value: stdio, Usage: "be an MCP server over stdin and stdout, " +
		"and listen nowhere"}
}

// OutOption is a folder for files.
func OutOption(out *string, usage string) Option {
	return Option{Name: "out", Value: out, Usage: usage}
}
