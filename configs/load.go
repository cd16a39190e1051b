package configs

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed default.yaml search/*.yaml
var files embed.FS

// Layer sets some of the settings.
type Layer struct {
	Origin string // where the values come from, e.g. "flag --seed"
	YAML   []byte // as in a configuration file
}

// Resolved is a configuration and where each value came from.
type Resolved struct {
	Config
	origins map[string]string // by dotted key
}

// Presets lists the names of the search presets.
func Presets() []string {
	entries, err := fs.ReadDir(files, "search")
	if err != nil {
		panic(err) // embedded
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	return names
}

// Load resolves a configuration: the defaults, the preset that the layers choose, then the layers in order.
func Load(layers ...Layer) (*Resolved, error) {
	preset, err := choosePreset(layers)
	if err != nil {
		return nil, err
	}
	r := &Resolved{origins: map[string]string{}}
	for _, l := range slices.Concat([]Layer{defaults(), preset}, layers) {
		if err := r.apply(l); err != nil {
			return nil, err
		}
	}
	if err := r.validate(); err != nil {
		return nil, err
	}
	return r, nil
}

// FileLayer reads a configuration file.
func FileLayer(name string) (Layer, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return Layer{}, fmt.Errorf("configs: %w", err)
	}
	return Layer{Origin: name, YAML: text}, nil
}

// EnvironmentLayers returns a layer for each environment variable of the form TOOLEVO_SEARCH_CPUCT that names a
// setting. Variables that name none are other programs' business and left alone.
func EnvironmentLayers(environ []string) ([]Layer, error) {
	keys, err := Keys()
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(keys))
	for _, key := range keys {
		names["TOOLEVO_"+strings.ToUpper(strings.ReplaceAll(key, ".", "_"))] = key
	}
	var layers []Layer
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if key, ok := names[name]; ok {
			layers = append(layers, SettingLayer("environment "+name, key, value))
		}
	}
	return layers, nil
}

// SettingLayer sets one setting from text, as flags and the environment give it. A list may be written a,b,c.
func SettingLayer(origin, key, value string) Layer {
	if isList(key) && !strings.HasPrefix(value, "[") {
		parts := strings.Split(value, ",")
		for i, p := range parts {
			parts[i] = fmt.Sprintf("%q", strings.TrimSpace(p))
		}
		value = "[" + strings.Join(parts, ", ") + "]"
		if value == `[""]` {
			value = "[]"
		}
	}
	var b strings.Builder
	parts := strings.Split(key, ".")
	for i, p := range parts {
		b.WriteString(strings.Repeat("  ", i) + p + ":")
		if i < len(parts)-1 {
			b.WriteByte('\n')
		}
	}
	b.WriteString(" " + value + "\n")
	return Layer{Origin: origin, YAML: []byte(b.String())}
}

// isList reports whether a setting is a list of names.
func isList(key string) bool {
	return slices.Contains([]string{"dataset", "api", "policy", "environment.compat"}, key)
}

// Keys lists the keys of all settings, in the order of the printed configuration.
func Keys() ([]string, error) {
	r, err := Load()
	if err != nil {
		return nil, err
	}
	text, err := yaml.Marshal(r.Config)
	if err != nil {
		return nil, fmt.Errorf("configs: %w", err)
	}
	return flatten(text)
}

// String is the configuration as a file: loading it again gives the same configuration.
func (r *Resolved) String() string {
	text, err := yaml.Marshal(r.Config)
	if err != nil {
		panic(fmt.Sprintf("configs: a configuration that was read cannot be written: %v", err))
	}
	return string(text)
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

// Hash identifies the configuration: the first 16 hexadecimal digits of the SHA-256 of String.
func (r *Resolved) Hash() string {
	sum := sha256.Sum256([]byte(r.String()))
	return hex.EncodeToString(sum[:8])
}

// Difference lists the settings that differ between two configurations as String prints them, "key: ours, theirs".
func Difference(ours, theirs string) []string {
	a, b := values(ours), values(theirs)
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	var out []string
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if a[k] != b[k] {
			out = append(out, fmt.Sprintf("%s: %s, not %s", k, orUnset(a[k]), orUnset(b[k])))
		}
	}
	return out
}

func orUnset(v string) string {
	if v == "" {
		return "(unset)"
	}
	return v
}

func defaults() Layer {
	text, err := files.ReadFile("default.yaml")
	if err != nil {
		panic(err) // embedded
	}
	return Layer{Origin: "default", YAML: text}
}

// choosePreset returns the preset that the defaults and the layers name, as a layer below theirs.
func choosePreset(layers []Layer) (Layer, error) {
	var chosen struct {
		Preset string `yaml:"preset"`
	}
	origin := ""
	for _, l := range append([]Layer{defaults()}, layers...) {
		before := chosen.Preset
		if err := yaml.Unmarshal(l.YAML, &chosen); err != nil {
			return Layer{}, fmt.Errorf("configs: %s: %w", l.Origin, err)
		}
		if chosen.Preset != before {
			origin = l.Origin
		}
	}
	text, err := files.ReadFile(path.Join("search", chosen.Preset+".yaml"))
	if err != nil {
		return Layer{}, fmt.Errorf("configs: %s: unknown preset %q: valid are %s", origin, chosen.Preset, strings.Join(Presets(), ", "))
	}
	return Layer{Origin: "preset " + chosen.Preset, YAML: text}, nil
}

func (r *Resolved) apply(l Layer) error {
	if err := yaml.UnmarshalWithOptions(l.YAML, &r.Config, yaml.Strict()); err != nil {
		return fmt.Errorf("configs: %s: %w", l.Origin, err)
	}
	keys, err := flatten(l.YAML)
	if err != nil {
		return fmt.Errorf("configs: %s: %w", l.Origin, err)
	}
	for _, k := range keys {
		r.origins[k] = l.Origin
	}
	return nil
}

// Value returns the value of a setting as text, "" when there is no such setting.
func (r *Resolved) Value(key string) string { return values(r.String())[key] }
