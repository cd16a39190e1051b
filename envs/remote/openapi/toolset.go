package openapi

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
	"toolevo/envs/toolapi"
)

// Options say what is made of a document. The zero Options take all of it.
type Options struct {
	// Choose are patterns of the operations that are wanted. They fit the name of the tool, the
	// path, the method and the path ("GET /pets/*"), or a tag. A * stands for any characters, a ?
	// for one.
	Choose []string

	// Leave has the names of operations that are not wanted, whatever is chosen.
	Leave []string

	Server string // the base URL in place of the document's; "" is the first that it names

	// AnyHost says that whoever sends the requests has a host for them, so that the document's does
	// not matter.
	AnyHost bool

	MostDescription int // characters of a description; 0 is 256
}

const usualDescription = 256

// Toolset is what a document offers.
type Toolset struct {
	Tools    []Tool
	Left     []Left
	Unchosen []string // operations, by the names that their tools would have
}

// Tool is an operation as a tool.
type Tool struct {
	API       toolapi.APISpec
	Operation Operation
	Notes     []string // where the tool differs from the document
}

// Left is a part of a document that is not a tool.
type Left struct {
	Name  string // method and path, or the name of a webhook
	Cause Cause
	Why   string
}

// Cause is why something is not a tool.
type Cause string

// The causes.
const (
	Reference Cause = "reference"      // one leads out of the document, nowhere, or in a circle
	Multipart Cause = "multipart body" // mostly files
	Binary    Cause = "binary body"
	Media     Cause = "media type" // of a body or parameter, neither JSON nor a form
	Style     Cause = "style"      // of a parameter, not one of its place
	Schema    Cause = "schema"     // not a JSON Schema
	Size      Cause = "size"       // of the schemas
	Malformed Cause = "malformed"  // not as OpenAPI says
	Webhook   Cause = "webhook"    // the service's request to its user
)

// refusal is the error that becomes the cause of an operation.
type refusal struct {
	cause Cause
	why   string
}

func (r *refusal) Error() string { return string(r.cause) + ": " + r.why }

func refuse(cause Cause, format string, values ...any) error {
	return &refusal{cause, fmt.Sprintf(format, values...)}
}

func leftOut(name string, err error) Left {
	var r *refusal
	if !errors.As(err, &r) {
		r = &refusal{Malformed, err.Error()}
	}
	return Left{name, r.cause, r.why}
}

// methods are the members of a path that are operations.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// entry is an operation in a document.
type entry struct {
	name, method, path string
	object, item       envs.Args // the operation, and what it shares with others of its path
}

func (e entry) String() string { return e.method + " " + e.path }

// Load makes the tools of a document in JSON or YAML.
func Load(text []byte, o Options) (*Toolset, error) {
	d, err := parse(text)
	if err != nil {
		return nil, err
	}

	t := &Toolset{}
	entries, bad := d.entries()
	t.Left = bad

	// Only what is chosen has to be within the limit: some documents are larger by far.
	if entries, t.Unchosen, err = chooseEntries(entries, o.Choose); err != nil {
		return nil, err
	}

	entries = slices.DeleteFunc(entries, func(e entry) bool {
		leaves := slices.Contains(o.Leave, e.name)
		if leaves {
			t.Unchosen = append(t.Unchosen, e.name)
		}
		return leaves
	})

	if len(entries) > mostOperations {
		return nil, fmt.Errorf("openapi: %d operations are more than %d: choose some", len(entries),
			mostOperations)
	}

	o.MostDescription = cmp.Or(o.MostDescription, usualDescription)

	for _, e := range entries {
		tool, err := d.tool(e, o)
		if err != nil {
			// One operation that cannot be a tool does not take the others with it.
			t.Left = append(t.Left, leftOut(e.String(), err))
			continue
		}

		t.Tools = append(t.Tools, *tool)
	}

	// Patterns choose operations, and webhooks are not operations.
	if len(o.Choose) == 0 {
		for _, name := range d.root.Object("webhooks").Names() {
			t.Left = append(t.Left, Left{name, Webhook, "nothing here is called by a service"})
		}
	}

	return t, nil
}

// entries returns the operations of a document under the names of their tools, and the paths that
// cannot be read.
func (d *document) entries() (all []entry, bad []Left) {
	shared := map[string]int{}

	for _, path := range d.root.Object("paths") {
		// A member that begins otherwise is an extension.
		if !strings.HasPrefix(path.Name, "/") {
			continue
		}

		item, err := d.resolve(path.Value)
		if err != nil {
			bad = append(bad, leftOut(path.Name, err))
		}

		for _, m := range item {
			operation, ok := m.Value.(envs.Args)
			if !ok || !slices.Contains(methods, m.Name) {
				continue
			}

			e := entry{method: strings.ToUpper(m.Name), path: path.Name, object: operation,
				item: item}
			id, _ := operation.Text("operationId")
			e.name = toName(cmp.Or(id, m.Name+path.Name))

			// Names are counted before any choice, so that none depends on what else is chosen.
			shared[e.name]++
			all = append(all, e)
		}
	}

	for i, e := range all {
		all[i].name = Named(e.name, e.String(), shared[e.name] > 1)
	}
	return all, bad
}

var unnamed = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)

// toName returns a text as a name, which may be empty or too long.
func toName(text string) string { return strings.Trim(unnamed.ReplaceAllString(text, "_"), "_") }

// chooseEntries returns the operations that a pattern fits, and the names of the others. A pattern
// that fits none is an error.
func chooseEntries(all []entry, patterns []string) (some []entry, others []string, err error) {
	if len(patterns) == 0 {
		return all, nil, nil
	}

	wanted := make([]bool, len(all))

	for _, pattern := range patterns {
		// Only * and ? have a meaning: paths have other characters that an expression would
		// interpret.
		glob := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))

		fits, err := regexp.Compile("(?s)^(?:" + glob + ")$")
		if err != nil {
			return nil, nil, fmt.Errorf("openapi: pattern %q: %w", pattern, err)
		}

		met := false

		for i, e := range all {
			texts := []string{e.name, e.path, e.String()}
			for _, tag := range e.object.List("tags") {
				text, _ := tag.(string)
				texts = append(texts, text)
			}

			if slices.ContainsFunc(texts, fits.MatchString) {
				wanted[i], met = true, true
			}
		}

		// A pattern that fits nothing is most likely misspelled.
		if !met {
			return nil, nil, fmt.Errorf("openapi: no operation has a name, path or tag that fits "+
				"%q", pattern)
		}
	}

	for i, e := range all {
		if wanted[i] {
			some = append(some, e)
		} else {
			others = append(others, e.name)
		}
	}

	return some, others, nil
}
