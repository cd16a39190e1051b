package configs

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"toolevo/envs/names"
	"toolevo/envs/regular"
)

//go:embed default.yaml search/*.yaml policies/*.yaml
var files embed.FS

// Layer sets some of the settings.
type Layer struct {
	Origin string // where the values come from, e.g. "flag --seed"
	YAML   []byte // as in a configuration file

	// Earlier says that another version wrote it: settings that this one does not have are passed over.
	Earlier bool

	single   bool                     // one setting, where a position means nothing
	document func() (ast.Node, error) // parses YAML, and is nil where that has to be done anew
}

// Resolved is a configuration and where each value came from.
type Resolved struct {
	Config
	origins map[string]string // by dotted key
}

// Presets lists the names of the search presets.
func Presets() []string { return shipped("search", "") }

// Load resolves a configuration: the defaults, the preset that the layers choose, then the layers in order.
func Load(layers ...Layer) (*Resolved, error) {
	layers = slices.Clone(layers)
	for i, l := range layers { // each is decoded twice
		layers[i].document = sync.OnceValues(func() (ast.Node, error) { return parse(l.YAML) })
	}

	preset, err := choosePreset(layers)
	if err != nil {
		return nil, err
	}

	r := &Resolved{Config: Config{BySection: newSections()}, origins: map[string]string{}}
	for _, l := range slices.Concat(defaults(), []Layer{preset}, layers) {
		if err := r.apply(l); err != nil {
			return nil, err
		}
	}

	if err := r.validate(); err != nil {
		return nil, err
	}

	return r, nil
}

// Policies lists the names of the shipped files about models on servers, e.g. "policies/llama3-8b".
func Policies() []string { return shipped("policies", "policies/") }

// shipped lists the files of an embedded folder, without their ending and behind a prefix.
func shipped(folder, prefix string) []string {
	entries, err := fs.ReadDir(files, folder)
	if err != nil {
		panic(err) // embedded
	}

	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = prefix + strings.TrimSuffix(e.Name(), ".yaml")
	}

	return names
}

// FileLayer reads a configuration file, or the shipped one of that name (see Policies) where there is no such file.
func FileLayer(name string) (Layer, error) {
	text, err := readFile(name)
	if errors.Is(err, fs.ErrNotExist) && slices.Contains(Policies(), name) {
		text, err = files.ReadFile(name + ".yaml")
	}

	if errors.Is(err, fs.ErrNotExist) {
		return Layer{}, fmt.Errorf("configs: %w", names.Unknown("file or shipped configuration", name, Policies()))
	}

	if err != nil {
		return Layer{}, fmt.Errorf("configs: %w", err)
	}

	return Layer{Origin: name, YAML: text}, nil
}

// readFile reads a configuration file, as far as one can be one.
func readFile(name string) ([]byte, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, err
	}

	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err == nil && len(text) > maxText {
		err = fmt.Errorf("%s: more than %d bytes are not a configuration", name, maxText)
	}

	return text, errors.Join(err, f.Close())
}

// String is the configuration as a file: loading it again gives the same configuration.
func (r *Resolved) String() string {
	var out strings.Builder

	write := func(v any) {
		text, err := yaml.MarshalWithOptions(v, yaml.CustomMarshaler(writeText))
		if err != nil {
			panic(fmt.Sprintf("configs: a configuration that was read cannot be written: %v", err))
		}

		out.Write(text)
	}
	write(r.Config)

	for name, settings := range r.Sections() {
		write(yaml.MapSlice{{Key: name, Value: settings}})
	}

	return out.String()
}

// plain is text that needs no quotes, wherever it stands.
var plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./-]*$`)

// writeText quotes all but plain text: what goccy leaves bare, or breaks into a block of lines, a list on one line does
// not always hold.
func writeText(text string) ([]byte, error) {
	if plain.MatchString(text) && !token.IsNeedQuoted(text) {
		return []byte(text), nil
	}

	return []byte(quote(text)), nil
}

// Annotated is String with each value's origin as a comment.
func (r *Resolved) Annotated() string {
	var out strings.Builder
	var path []string

	for line := range strings.Lines(r.String()) {
		line = strings.TrimSuffix(line, "\n")
		depth := (len(line) - len(strings.TrimLeft(line, " "))) / 2
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		path = append(path[:min(depth, len(path))], name)

		out.WriteString(line)

		if origin := r.origins[strings.Join(path, ".")]; origin != "" {
			out.WriteString(" # " + origin)
		}

		out.WriteByte('\n')
	}

	return out.String()
}

// extent lists the settings that say how far a run goes: the same run may go further.
var extent = []string{"dataset", "difficulty", "template", "split", "questions", "limit", "search.trees"}

// incidental lists the settings that change no result: how often something is tried, and where
// something is whose nature stands among a run's inputs.
var incidental = []string{
	"attempts", "python.engine", "python.executable", "python.wasm", "python.accept",
	"training.tokenizer",
}

// later has the settings that earlier versions did not have, with their defaults, which are what those versions did: a
// run of theirs is one with these values.
var later = sync.OnceValue(func() map[string]string {
	all := values(string(defaults()[0].YAML))

	return map[string]string{
		"environment.codec": all["environment.codec"], "environment.feedback": all["environment.feedback"],
		"suite": all["suite"], "template": all["template"], "eval.repeats": all["eval.repeats"],
		"branch.from": all["branch.from"], "branch.question": all["branch.question"],
		"branch.actions": all["branch.actions"], "branch.api": all["branch.api"],
		"server.prompt.tools": all["server.prompt.tools"],
	}
})

// isExtent reports whether a setting says how far a run goes.
func isExtent(key string) bool { return slices.Contains(extent, key) }

// isIdentity reports whether a setting decides what a run finds as far as it goes.
func isIdentity(key string) bool {
	return !isExtent(key) && !slices.Contains(incidental, key) && !isIncidentalToASuite(key)
}

// Hash identifies the settings that decide what a run finds as far as it goes: the first 16
// hexadecimal digits of a SHA-256. Settings that say how far it goes are not among them, so that a
// run keeps its hash when it is extended, nor are those that change no result.
func (r *Resolved) Hash() string {
	var lines []string

	err := walk([]byte(r.String()), func(key string, value any) {
		if before, ok := later()[key]; isIdentity(key) && (!ok || before != fmt.Sprint(value)) {
			lines = append(lines, fmt.Sprintf("%s: %#v\n", key, value))
		}
	})
	if err != nil {
		panic(fmt.Sprintf("configs: a configuration that was written cannot be read: %v", err))
	}

	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "")))

	return hex.EncodeToString(sum[:8])
}

// Difference lists the settings that differ between two configurations, which String printed, and
// that decide what a run finds as far as it goes: "key: ours, not theirs".
func Difference(ours, theirs string) []string { return difference(ours, theirs, isIdentity) }

// DifferentExtent lists the settings that differ and say how far a run goes, as Difference does.
func DifferentExtent(ours, theirs string) []string { return difference(ours, theirs, isExtent) }

func difference(ours, theirs string, counts func(key string) bool) []string {
	a, b := values(ours), values(theirs)
	keys := maps.Clone(a)
	maps.Copy(keys, b)

	var out []string

	for _, k := range slices.Sorted(maps.Keys(keys)) {
		x, y := cmp.Or(a[k], later()[k]), cmp.Or(b[k], later()[k])
		if counts(k) && x != y {
			out = append(out, fmt.Sprintf("%s: %s, not %s", k, cmp.Or(x, "(unset)"), cmp.Or(y, "(unset)")))
		}
	}

	return out
}

// defaults are those of the program and of the suites.
func defaults() []Layer {
	text, err := files.ReadFile("default.yaml")
	if err != nil {
		panic(err) // embedded
	}

	layers := []Layer{{Origin: "default", YAML: text, document: parsedOnce(text)}}
	for _, c := range configurables() {
		own := c.Defaults()
		layers = append(layers, Layer{Origin: "default", YAML: own, document: parsedOnce(own)})
	}

	return layers
}

// defaultPreset is the preset of the defaults, which are the same for all configurations.
var defaultPreset = sync.OnceValue(func() string {
	name := ""

	for _, l := range defaults() {
		c := Config{BySection: newSections()}

		if keys, err := l.decode(&c); err == nil && slices.Contains(keys, "preset") {
			name = c.Preset
		}
	}

	return name
})

// choosePreset returns the preset that the defaults and the layers name, as a layer below theirs.
func choosePreset(layers []Layer) (Layer, error) {
	name, origin := defaultPreset(), "default"

	for _, l := range layers {
		c := Config{BySection: newSections()}

		keys, err := l.decode(&c)
		if err != nil {
			return Layer{}, err
		}

		if slices.Contains(keys, "preset") {
			name, origin = c.Preset, l.Origin
		}
	}

	text, err := files.ReadFile(path.Join("search", name+".yaml"))
	if err != nil {
		return Layer{}, fmt.Errorf("configs: %s: %w", origin, names.Unknown("preset", name, Presets()))
	}

	return Layer{Origin: "preset " + name, YAML: text, document: parsedOnce(text)}, nil
}

func (r *Resolved) apply(l Layer) error {
	keys, err := l.decode(&r.Config)
	if err != nil {
		return err
	}

	for _, k := range keys {
		r.origins[k] = l.Origin
	}

	return nil
}

// Values returns the value of every setting as text.
func (r *Resolved) Values() map[string]string { return values(r.String()) }
