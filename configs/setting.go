package configs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"toolevo/envs/names"
)

// foreign are the environment variables TOOLEVO_* that are no settings: the data folder, and what the tests read.
var foreign = []string{"TOOLEVO_DATA", "TOOLEVO_SHARED_DATA", "TOOLEVO_INTEROP_PYTHON", "TOOLEVO_TEST_PYTHON",
	"TOOLEVO_BIN", "TOOLEVO_SOAK",
	"TOOLEVO_HOSTILE", "TOOLEVO_HOSTILE_SEED"}

// EnvironmentLayers returns a layer for each environment variable of the form TOOLEVO_SEARCH_CPUCT. One that names no
// setting is an error, but for TOOLEVO_DATA and those that the tests read.
func EnvironmentLayers(environ []string) ([]Layer, error) {
	keys := map[string]string{}
	var variables []string

	for _, key := range Keys() {
		name := "TOOLEVO_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
		keys[name] = key
		variables = append(variables, name)
	}
	var layers []Layer

	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")

		key, ok := keys[name]
		switch {
		case ok:
			layers = append(layers, SettingLayer("environment "+name, key, value))
		case !strings.HasPrefix(name, "TOOLEVO_"), slices.Contains(foreign, name),
			strings.HasPrefix(name, "TOOLEVO_VLLM_"), strings.HasPrefix(name, "TOOLEVO_OLLAMA_"):
		default:
			err := fmt.Errorf("configs: environment variable %s names no setting", name)
			if meant, ok := names.Closest(name, variables); ok {
				return nil, fmt.Errorf("%w, did you mean %s?", err, meant)
			}

			return nil, fmt.Errorf("%w: `toolevo collect --dry-run` lists the settings; unset it", err)
		}
	}

	return layers, nil
}

// SettingLayer sets one setting from text, as flags and the environment give it. A list is written a,b,c or, where a
// name has a comma, as in YAML: ["a,b", c]; a mapping as in YAML: {a: 1, b: 2}. What does not fit the setting is for
// Load to refuse.
func SettingLayer(origin, key, value string) Layer {
	text := quote(value)
	if t, ok := typeOf(key); ok {
		text = literal(t, value)
	}

	for _, name := range slices.Backward(strings.Split(key, ".")) {
		text = "{" + quote(name) + ": " + text + "}"
	}

	if !utf8.ValidString(key + value) {
		text = key + "=" + value // quoting would replace what is wrong with it
	}

	return Layer{Origin: origin, YAML: []byte(text), single: true}
}

// literal writes a value of a type as YAML; what is none, as a quoted string.
func literal(t reflect.Type, text string) string {
	trimmed := strings.TrimSpace(text)

	switch t.Kind() {
	case reflect.String:
		return quote(text)
	case reflect.Slice:
		if strings.HasPrefix(trimmed, "[") {
			break
		}

		var names []string
		for name := range strings.SplitSeq(trimmed, ",") {
			names = append(names, quote(strings.TrimSpace(name)))
		}

		if trimmed == "" {
			names = nil
		}

		return "[" + strings.Join(names, ", ") + "]"
	case reflect.Map, reflect.Struct:
	default:
		if setScalar(reflect.New(t).Elem(), trimmed) {
			return trimmed
		}

		return quote(text)
	}

	if node, err := parse([]byte(trimmed)); err == nil && node != nil {
		if flow, ok := inFlow(node); ok {
			return flow
		}
	}

	return quote(text)
}

// inFlow writes a node on one line, free of comments.
func inFlow(node ast.Node) (string, bool) {
	var items []string

	switch n := node.(type) {
	case ast.MapNode:
		for it := n.MapRange(); it.Next(); {
			value, ok := inFlow(it.Value())
			if !ok {
				return "", false
			}

			items = append(items, quote(it.Key().GetToken().Value)+": "+value)
		}

		return "{" + strings.Join(items, ", ") + "}", true
	case *ast.SequenceNode:
		for _, item := range n.Values {
			value, ok := inFlow(item)
			if !ok {
				return "", false
			}

			items = append(items, value)
		}

		return "[" + strings.Join(items, ", ") + "]", true
	}

	text, plain, ok := scalar(node)
	if _, word := node.(*ast.StringNode); word || !plain {
		text = quote(text)
	}

	return text, ok
}

// quote writes text in double quotes, as JSON does, which is YAML.
func quote(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)

	if err := e.Encode(text); err != nil {
		panic(fmt.Sprintf("configs: a string cannot be written: %v", err)) // into memory
	}

	return strings.TrimSuffix(b.String(), "\n")
}
