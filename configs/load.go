package configs

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"toolevo/envs/action"
	"toolevo/envs/disk"
	"toolevo/envs/names"
	"toolevo/envs/yamltext"
)

//go:embed default.yaml python.yaml tools.yaml finetune/*.yaml finetune/*.json improve/*.yaml
//go:embed policies/*.yaml search/*.yaml servers/*.yaml
var files embed.FS

// Layer sets some of the settings.
type Layer struct {
	Origin string // where the values come from, e.g. "flag --seed"
	YAML   []byte // as in a configuration file

	body ast.Node // what YAML says, once it is parsed
	key  string   // of the one setting, or value of a mapping, that it sets; "" where it may set several
}

// Resolved is a configuration and where each value came from.
type Resolved struct {
	Config
	origins map[string]string // by dotted key
}

// Load resolves a configuration: the defaults, the preset that the layers choose, what the codec
// that they choose wants otherwise, then the layers in order.
func Load(layers ...Layer) (*Resolved, error) {
	layers = slices.Clone(layers)
	for i := range layers { // each is read twice
		if err := layers[i].parse(); err != nil {
			return nil, err
		}
	}

	choice, err := resolve(slices.Concat(defaults(), layers))
	if err != nil {
		return nil, err
	}

	text, err := files.ReadFile(path.Join("search", choice.Preset+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("configs: %s: %w", choice.origins["preset"],
			names.Unknown("preset", choice.Preset, Presets()))
	}

	shipped := append(defaults(), shippedLayer("preset "+choice.Preset, text))

	if codec := choice.Environment.ActionCodec(); codec == (action.Python{}) || action.IsNative(codec) {
		if text, err = files.ReadFile(codec.String() + ".yaml"); err != nil {
			return nil, err
		}

		shipped = append(shipped, shippedLayer("codec "+codec.String(), text))
	}

	r, err := resolve(slices.Concat(shipped, layers))
	if err != nil {
		return nil, err
	}
	return r, r.validate()
}

// resolve applies layers in order.
func resolve(layers []Layer) (*Resolved, error) {
	r := &Resolved{Config: *newConfig(), origins: map[string]string{}}
	fields := fieldsOf(&r.Config)

	for _, l := range layers {
		d := decoder{layer: l, fields: fields, origins: r.origins}
		if err := d.section("", l.body); err != nil {
			return nil, err
		}
	}

	return r, nil
}

// defaults are those of the program and of the suites.
func defaults() []Layer {
	text, err := files.ReadFile("default.yaml")
	if err != nil {
		panic(err) // embedded
	}

	layers := []Layer{shippedLayer("default", text)}
	for _, c := range configurables() {
		layers = append(layers, shippedLayer("default", c.Defaults()))
	}
	return layers
}

// shippedLayers are those of the texts that are parts of the program, by text. Parsing these texts
// takes longer than all else about a configuration, and decoding does not change them.
var shippedLayers sync.Map

func shippedLayer(origin string, text []byte) Layer {
	if l, ok := shippedLayers.Load(string(text)); ok {
		return l.(Layer)
	}

	l := Layer{Origin: origin, YAML: text}
	if err := l.parse(); err != nil {
		panic(err)
	}

	shippedLayers.Store(string(text), l)
	return l
}

// Presets lists the names of the search presets.
func Presets() []string {
	names := shipped("search")
	for i, name := range names {
		names[i] = path.Base(name)
	}
	return names
}

// Policies lists the names of the shipped files about models on servers, e.g. "policies/llama3-8b".
func Policies() []string { return shipped("policies") }

// shipped lists the files of an embedded folder, without their ending.
func shipped(folder string) []string {
	names, _ := fs.Glob(files, folder+"/*") // the pattern is valid
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".yaml")
	}
	return names
}

// FileLayer reads a configuration file, or the shipped one of that name (see Policies) where there
// is no such file.
func FileLayer(name string) (Layer, error) {
	text, err := readFile(name)
	if errors.Is(err, fs.ErrNotExist) && slices.Contains(Policies(), name) {
		text, err = files.ReadFile(name + ".yaml")
	}

	if errors.Is(err, fs.ErrNotExist) {
		err = names.Unknown("file or shipped configuration", name, Policies())
	}

	if err != nil {
		return Layer{}, fmt.Errorf("configs: %w", err)
	}
	return Layer{Origin: name, YAML: text}, nil
}

// readFile reads a configuration file, as far as one can be one.
func readFile(name string) ([]byte, error) {
	f, err := disk.OpenText(name)
	if err != nil {
		return nil, err
	}

	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err == nil && len(text) > maxText {
		err = fmt.Errorf("%s: more than %d bytes are not a configuration", name, maxText)
	}
	return text, errors.Join(err, f.Close())
}

// maxText is how long a configuration may be, in bytes: each is a hundred lines.
const maxText = 64 << 10

// parse reads YAML into the body, unless it stands there.
func (l *Layer) parse() error {
	var err error

	switch {
	case !utf8.Valid(l.YAML):
		err = errors.New("is not UTF-8 text")
	case len(l.YAML) > maxText:
		err = fmt.Errorf("more than %d bytes are not a configuration", maxText)
	case l.body == nil:
		l.body, err = yamltext.Parse(l.YAML)
	}

	if err != nil {
		return fmt.Errorf("configs: %s: %w", l.Origin, err)
	}
	return nil
}
