package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/suite"
	"toolevo/finetune"
	"toolevo/finetune/facts"
	"toolevo/finetune/gate"
	"toolevo/finetune/improve"
	"toolevo/mcts"
	"toolevo/toolqa"
	"toolevo/trajectories"
	"toolevo/trajectories/export"
)

// printedJSON is a document that a command prints with --json.
type printedJSON struct {
	command string // as in the help, without "toolevo"
	of      any
}

// documented are the documents of all commands.
func documented() []printedJSON {
	all := slices.Clone(general)

	for _, b := range suite.All() {
		if c, ok := b.(suite.Commander); ok {
			for _, command := range c.Commands() {
				if command.Document != nil {
					all = append(all, printedJSON{
						strings.Join(cmdline.Words(command.Use), " "), command.Document,
					})
				}
			}
		}
	}

	return all
}

// general are the documents of the commands that no suite has.
var general = []printedJSON{
	{"collect", toolevo.Collected{}},
	{"eval", finetune.Report{}},
	{"eval errors", toolevo.EvaluationErrors{}},
	{"eval adaptation", facts.Adaptation{}},
	{"eval compare", toolevo.Compared{}},
	{"eval rescore", toolevo.Rescored{}},
	{"analyze", toolevo.Analysis{}},
	{"collect --dry-run, eval --dry-run", toolevo.Plan{}},
	{"runs", runList{}},
	{"version", toolevo.Build{}},
	{"inspect RUN", toolevo.RunOverview{}},
	{"inspect RUN QUESTION", questionOverview{}},
	{"inspect RUN QUESTION TREE", mcts.TreeRecord{}},
	{"inspect RUN QUESTION TREE NODE", trajectories.Row{}},
	{"inspect EVALUATION", toolevo.EvaluationOverview{}},
	{"inspect EVALUATION QUESTION", questionPlayed{}},
	{"inspect EVALUATION QUESTION EPISODE", trajectories.Episode{}},
	{"check RUN", toolevo.CheckedTrees{}},
	{"check EVALUATION", toolevo.CheckedEpisodes{}},
	{"check EXPORT", toolevo.CheckedExport{}},
	{"replay", toolevo.Replays{}},
	{"work", toolevo.Worked{}},
	{"branch", toolevo.Collected{}},
	{"export", export.Manifest{}},
	{"export --lint", toolevo.Linted{}},
	{"ablate", toolevo.Compared{}},
	{"eval drift", toolevo.Drifted{}},
	{"gate", gate.Report{}},
	{"finetune", toolevo.FineTuned{}},
	{"improve", improve.Result{}},
	{"doctor", toolevo.Diagnosis{}},
	{"doctor sandbox", toolevo.SandboxReport{}},
	{"bench serve", serveReport{}},
	{"versions make", toolevo.MadeVersions{}},
	{"versions mutate", toolevo.MutatedVersions{}},
	{"versions list", versionList{}},
	{"versions show", shownVersion{}},
	{"versions diff", toolevo.VersionsDifference{}},
	{"versions validate", validatedVersions{}},
	{"serve env", servedEnv{}},
}

const jsonIntroduction = `# What commands print with --json

Generated from the comments in the code: do not edit; ` + "`go test ./cmd/toolevo -run TestJSONIsDocumented -update`" + ` writes it.

With ` + "`--json`" + ` a command prints one JSON document on stdout, and nothing else there. Keys are snake_case, kinds are words.
A key means the same in all of them, and the same as in the columns of [SCHEMA.md](../../trajectories/SCHEMA.md):

- ` + "`question_id`" + ` is the ID of a question, ` + "`question`" + ` its text, ` + "`gold`" + ` its gold answer, ` +
	"`answer`" + ` what the agent gave.
- A trajectory or an answer is *correct* (` + "`official`" + `) when the benchmark's matcher takes it, *strict* when the strict one does, and
  *accepted* when both do and training has room for it. Figures of ` + "`eval`" + ` are shares of ` + "`n`" + `, 0 to 1.
- ` + "`outcome`" + ` is ok, malformed, invalid-action, invocation-error, deprecated, tool-error, correct, incorrect or unavailable.
- ` + "`status`" + ` is running, terminated (by the agent) or truncated (by a ` +
	"`limit`" + `: depth, repeat, reflection, silence, context, environment).
- ` + "`calls`" + ` are requests to a model, ` +
	"`api`" + ` is the deployed API version or, of a turn, the API name as written.
- Times that end in ` + "`_ns`" + ` are nanoseconds, in ` + "`_s`" + ` a second's worth.

In the tables ` + "`a.b`" + ` is the key b of the object at a, ` + "`a[].b`" +
	` of each object in the list at a, and ` + "`a.*.b`" + ` of each object in a, whose
keys are names. "may be missing" means that a key is left out where there is nothing to say.
`

func TestJSONIsDocumented(t *testing.T) {
	t.Parallel()
	d := documenter{t: t, comments: map[string]map[string]string{}}
	d.b.WriteString(jsonIntroduction)

	for _, p := range documented() {
		fmt.Fprintf(&d.b, "\n## %s\n\n", p.command)

		if columns := reflect.TypeOf(p.of); columns.Implements(marshaler) {
			d.b.WriteString("The columns of one row as keys: [SCHEMA.md](../../trajectories/SCHEMA.md).\n")
			continue
		}

		d.b.WriteString("| Key | Type | Meaning |\n|---|---|---|\n")
		d.object("", reflect.TypeOf(p.of))
	}

	const golden = "JSON.md"
	if *update {
		if err := os.WriteFile(golden, []byte(d.b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	if diff := cmp.Diff(string(read(t, golden)), d.b.String()); diff != "" {
		t.Errorf("JSON.md is stale, run with -update; -want +got:\n%s", diff)
	}

	// Every command with --json is among them.
	all := documented()
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), "toolevo ")

		known := func(p printedJSON) bool { return p.command == name || strings.HasPrefix(p.command, name+" ") }
		if cmd.Flags().Lookup("json") != nil && !slices.ContainsFunc(all, known) {
			t.Errorf("toolevo %s --json is not documented", name)
		}

		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit((&app{}).root())
}

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	snakeCase     = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
)

// documenter writes tables of keys from the types that are encoded, and from the comments on their
// fields.
type documenter struct {
	t        *testing.T
	b        strings.Builder
	comments map[string]map[string]string // by package, then by "Type.Field"
}

// object writes the keys of a struct, each behind a prefix.
func (d *documenter) object(prefix string, of reflect.Type) {
	for i := range of.NumField() {
		f := of.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")

		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}

		switch {
		case tag == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && tag == "":
			d.object(prefix, inner)
			continue
		case !snakeCase.MatchString(tag):
			d.t.Errorf("%v.%s is %q in JSON, want snake_case", of, f.Name, tag)
		}

		comment := d.comment(of, f.Name)
		if comment == "" {
			d.t.Errorf("%v.%s, %q in JSON, has no comment", of, f.Name, prefix+tag)
		}

		kind, below, path := describeJSON(inner, prefix+tag)
		switch options {
		case "":
		case "string": // a number that readers of doubles would round
			kind = "text"
		default:
			kind += ", may be missing"
		}

		fmt.Fprintf(&d.b, "| `%s` | %s | %s |\n", prefix+tag, kind, comment)

		if below != nil {
			d.object(path+".", below)
		}
	}
}

// describeJSON says how a type is encoded, and of which struct there is more to say, at which path.
func describeJSON(of reflect.Type, path string) (kind string, below reflect.Type, at string) {
	switch {
	case of == reflect.TypeFor[time.Time]():
		return "time", nil, ""
	case of.Implements(textMarshaler):
		return "word", nil, ""
	case of.Implements(marshaler):
		return "object", nil, ""
	}

	switch of.Kind() {
	case reflect.Pointer:
		return describeJSON(of.Elem(), path)
	case reflect.Struct:
		return "object", of, path
	case reflect.Slice:
		kind, below, at = describeJSON(of.Elem(), path+"[]")
		return "list of " + kind, below, at
	case reflect.Map:
		kind, below, at = describeJSON(of.Elem(), path+".*")
		return kind + " by name", below, at
	case reflect.String:
		return "text", nil, ""
	case reflect.Bool:
		return "true or false", nil, ""
	}

	return "number", nil, ""
}

// comment is what stands behind a field, or else above it, in the source.
func (d *documenter) comment(of reflect.Type, field string) string {
	pkg := of.PkgPath()
	if d.comments[pkg] == nil {
		d.comments[pkg] = d.read(pkg)
	}
	return d.comments[pkg][of.Name()+"."+field]
}

// read returns the comments on the fields of all structs of a package.
func (d *documenter) read(pkg string) map[string]string {
	dir := filepath.Join("..", "..", strings.TrimPrefix(pkg, "toolevo/"))
	if pkg == "main" || strings.HasSuffix(pkg, "cmd/toolevo") {
		dir = "."
	}

	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		d.t.Fatal(err)
	}

	comments := map[string]string{}

	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}

		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			d.t.Fatal(err)
		}

		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}

			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					text := f.Comment.Text()
					if text == "" {
						text = f.Doc.Text()
					}

					for _, name := range f.Names {
						comments[spec.Name.Name+"."+name.Name] = strings.ReplaceAll(
							strings.Join(strings.Fields(text), " "), "|", "\\|")
					}
				}
			}

			return true
		})
	}
	return comments
}

// Each command prints one document, with no other keys than those of its type. A key that is a
// name, of a policy, say, is none of them.
func TestCommandsPrintWhatIsDocumented(t *testing.T) {
	t.Parallel()
	all := documented()
	data, run, eval := smallData(t), smallRun(t), smallEvaluation(t)
	in := func(name string) string { return filepath.Join(t.TempDir(), name) }

	exported, id := in("export"), ask(t, data, "coffee-easy/open", toolqa.Train).ID
	for _, c := range []struct {
		name string
		args []string
	}{
		{"data build", []string{"data", "build", "--data", in("data"), "--dataset", "coffee", "--rows", "30"}},
		{"data verify", []string{"data", "verify", "--data", data}},
		{"data gold", []string{"data", "gold", "--data", data}},
		{"collect", []string{"collect", "--data", data, "--limit", "1", "--trees", "1", "--difficulty", "easy", "--out",
			in("run")}},
		{"eval", []string{"eval", "--data", data, "--limit", "1", "--difficulty", "easy", "--policy", "scripted:reader",
			"--api", "p_c", "--out", in("eval")}},
		{"analyze", []string{"analyze", "--data", data, "--limit", "1", "--difficulty", "easy", "--api",
			"p_c,factor:response", "--out", in("analysis")}},
		{"collect --dry-run, eval --dry-run", []string{"eval", "--dry-run", "--data", data, "--limit", "1"}},
		{"inspect RUN", []string{"inspect", run}},
		{"inspect RUN QUESTION", []string{"inspect", run, id}},
		{"inspect RUN QUESTION TREE", []string{"inspect", run, id, "0"}},
		{"inspect RUN QUESTION TREE NODE", []string{"inspect", run, id, "0", "1"}},
		{"eval errors", []string{"eval", "errors", eval}},
		{"eval adaptation", []string{"eval", "adaptation", eval}},
		{"eval tasks", []string{"eval", "tasks", eval, "--out", in("figures")}},
		{"eval compare", []string{"eval", "compare", eval}},
		{"eval rescore", []string{"eval", "rescore", eval}},
		{"inspect EVALUATION", []string{"inspect", eval}},
		{"inspect EVALUATION QUESTION", []string{"inspect", eval, id}},
		{"inspect EVALUATION QUESTION EPISODE", []string{"inspect", eval, id, "0"}},
		{"check RUN", []string{"check", run}},
		{"check EVALUATION", []string{"check", eval}},
		{"export", []string{"export", "--allow-scripted", run, "--out", exported}},
		{"export --lint", []string{"export", exported, "--lint"}},
		{"check EXPORT", []string{"check", exported}},
		{"doctor", []string{"doctor", "--data", data}},
	} {
		name := c.name
		r := cli(t, append(c.args, "--json")...)

		var got any
		if err := json.Unmarshal([]byte(r.out), &got); err != nil {
			t.Errorf("toolevo %s --json: exit %d, not one document: %v\n%s%s", name, r.code, err, r.out, r.err)
			continue
		}

		i := slices.IndexFunc(all, func(p printedJSON) bool { return p.command == name })
		if of := reflect.TypeOf(all[i].of); !of.Implements(marshaler) {
			d := json.NewDecoder(strings.NewReader(r.out))
			d.DisallowUnknownFields()

			if err := d.Decode(reflect.New(of).Interface()); err != nil {
				t.Errorf("toolevo %s --json: %v", name, err)
			}
		}

		keysIn(got, func(key string) {
			if !snakeCase.MatchString(key) && !strings.ContainsAny(key, ":- ") {
				t.Errorf("toolevo %s --json has the key %q", name, key)
			}
		})
	}
}

// keysIn calls visit with every key below a value.
func keysIn(v any, visit func(string)) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			keysIn(one, visit)
		}
	case map[string]any:
		for key, one := range v {
			visit(key)
			keysIn(one, visit)
		}
	}
}
