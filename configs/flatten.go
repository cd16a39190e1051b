package configs

import (
	"fmt"

	"github.com/goccy/go-yaml"
)

// values maps the dotted keys of a YAML mapping to their values as text; of text that is not YAML, to nothing.
func values(text string) map[string]string {
	m := map[string]string{}

	if err := walk([]byte(text), func(key string, v any) { m[key] = fmt.Sprint(v) }); err != nil {
		return nil
	}

	return m
}

func walk(text []byte, visit func(key string, value any)) error {
	var root yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(text, &root, yaml.UseOrderedMap()); err != nil {
		return err
	}

	walkMap("", root, visit)

	return nil
}

func walkMap(prefix string, m yaml.MapSlice, visit func(key string, value any)) {
	for _, item := range m {
		key := prefix + fmt.Sprint(item.Key)
		if sub, ok := item.Value.(yaml.MapSlice); ok {
			walkMap(key+".", sub, visit)
			continue
		}

		visit(key, item.Value)
	}
}
