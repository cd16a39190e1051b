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

	body ast.Node // YAML, once it is parsed
	// of the one setting, or value of a mapping, that it sets; "" if it may set several
	key     string
	written bool // by this program: of any length
}

// WrittenLayer returns the layer of a text that this program wrote, which may be longer than what
// people give.
func WrittenLayer(origin string, text []byte) Layer {
	return Layer{Origin: origin, YAML: text, written: true}
}

// Resolved is a configuration and where each value came from.
type Resolved struct {
	Config
	origins map[string]string // by dotted key
}

// Load resolves a configuration from the defaults, the preset and the codec's own settings, as the
// layers choose them, and then the layers in order.
func Load(layers ...Layer) (*Resolved, error) {
	// Parsed once, in a copy: each layer is read twice below.
	layers = slices.Clone(layers)
	for i := range layers {
		if err := layers[i].parse(); err != nil {
			return nil, err
		}
	}

	// A layer of any rank may choose the preset and the codec, whose own settings have to come
	// before all layers: this first pass only finds out what is chosen.
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

	// After the preset: a codec that writes programs or native calls needs its values in any
	// search.
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

// defaults returns the defaults of the program and of the suites.
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

// shippedLayers caches the layers of embedded texts, by text. Parsing these takes longer than all
// else about a configuration, and decoding does not change them.
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

// shipped lists the files of an embedded folder, without their extension.
func shipped(folder string) []string {
	names, _ := fs.Glob(files, folder+"/*") // the pattern is valid
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".yaml")
	}
	return names
}

// FileLayer reads a configuration file, or, if there is no such file, the shipped one of that name
// (see Policies).
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

// readFile reads a configuration file, which must not be longer than maxText.
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

// maxText is the most bytes of a configuration that people give. Real ones have about a hundred
// lines.
const maxText = 64 << 10

// parse reads YAML into the body, unless it has been read already.
func (l *Layer) parse() error {
	var err error

	switch {
	case !utf8.Valid(l.YAML):
		err = errors.New("is not UTF-8 text")
	case len(l.YAML) > maxText && !l.written:
		err = fmt.Errorf("more than %d bytes are not a configuration", maxText)
	case l.body == nil:
		l.body, err = yamltext.Parse(l.YAML)
	}

	if err != nil {
		return fmt.Errorf("configs: %s: %w", l.Origin, err)
	}
	return nil
}
