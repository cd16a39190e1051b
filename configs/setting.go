package configs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"toolevo/envs/names"
	"toolevo/envs/yamltext"
)

// foreign lists the environment variables TOOLEVO_* that are not settings: the data folder, keys of
// what is served, and those of the tests.
var foreign = []string{
	"TOOLEVO_DATA", "TOOLEVO_ENV_KEY", "TOOLEVO_METRICS_KEY", "TOOLEVO_SERVICE_KEY",
	"TOOLEVO_SHARED_DATA", "TOOLEVO_INTEROP_PYTHON", "TOOLEVO_TEST_PYTHON",
	"TOOLEVO_TORCH_PYTHON", "TOOLEVO_JUNIT_PYTHON", "TOOLEVO_OPENAPI", "TOOLEVO_BIN", "TOOLEVO_SOAK", "TOOLEVO_HOSTILE",
	"TOOLEVO_HOSTILE_SEED", "TOOLEVO_HOSTILE_KILLS", "TOOLEVO_STATEEVAL", "TOOLEVO_NATS_VERSIONS",
}

// EnvironmentLayers returns a layer for each environment variable of the form TOOLEVO_SEARCH_CPUCT.
// A variable of that form that names no setting is an error, unless it is foreign.
func EnvironmentLayers(environ []string) ([]Layer, error) {
	// Both separators become an underscore, so variables are looked up by the names of all
	// settings: they cannot be split back into keys.
	keys := map[string]string{}
	var variables []string

	for _, key := range Keys() {
		name := "TOOLEVO_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
		keys[name] = key
		variables = append(variables, name)
	}

	var layers []Layer

	// A misspelt variable would change nothing, and nobody would notice.
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")

		key, ok := keys[name]
		switch {
		case ok:
			layers = append(layers, SettingLayer("environment "+name, key, value))
		case !strings.HasPrefix(name, "TOOLEVO_"), slices.Contains(foreign, name),
			strings.HasPrefix(name, "TOOLEVO_VLLM_"), strings.HasPrefix(name, "TOOLEVO_OLLAMA_"),
			strings.HasPrefix(name, "TOOLEVO_MODEL_"):
		default:
			err := fmt.Errorf("configs: environment variable %s names no setting", name)
			if meant, ok := names.Closest(name, variables); ok {
				return nil, fmt.Errorf("%w, did you mean %s?", err, meant)
			}
			return nil, fmt.Errorf("%w: a dry run of `toolevo collect` lists the settings; unset it", err)
		}
	}
	return layers, nil
}

// SettingLayer sets one setting from text, as flags and the environment give it. A list is written
// a,b,c or, where a name has a comma, as in YAML: ["a,b", c]; a mapping as in YAML: {a: 1, b: 2}.
// The key of one value of a mapping leaves its other values as they are. Load refuses what does not
// fit the setting.
func SettingLayer(origin, key, value string) Layer {
	node := nodeOf(find(fieldsOf(newConfig()), key).value, value)

	for _, name := range slices.Backward(strings.Split(key, ".")) {
		item := ast.MappingValue(node.GetToken(), word(name), node)
		node = ast.Mapping(node.GetToken(), true, item)
	}
	return Layer{Origin: origin, YAML: []byte(key + "=" + value), body: node, key: key}
}

// nodeOf returns the YAML that a setting's text means; text that does not fit is a word.
func nodeOf(setting reflect.Value, text string) ast.Node {
	trimmed := strings.TrimSpace(text)

	switch setting.Kind() {
	case reflect.String:
		return word(text)
	case reflect.Slice:
		if !strings.HasPrefix(trimmed, "[") {
			return words(trimmed)
		}
	case reflect.Map, reflect.Invalid: // a section, or unknown
	default:
		return word(trimmed)
	}

	node, err := yamltext.Parse([]byte(trimmed))
	if err != nil {
		return word(text)
	}

	switch node.(type) {
	case ast.MapNode, *ast.SequenceNode:
		return node
	}
	return word(text)
}

// words returns the list of names in a text, which commas separate.
func words(text string) ast.Node {
	list := ast.Sequence(token.New("[", "[", &token.Position{}), true)

	for name := range strings.SplitSeq(text, ",") {
		if text != "" {
			list.Values = append(list.Values, word(strings.TrimSpace(name)))
		}
	}

	return list
}

func word(text string) *ast.StringNode { return ast.String(token.New(text, text, &token.Position{})) }
