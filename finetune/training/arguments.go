package training

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"toolevo/envs/yamltext"
)

// arguments are LLaMA-Factory's, in the order in which they are written.
type arguments yaml.MapSlice

// text returns the value of an argument as text; "" if it is not set.
func (a arguments) text(key string) string {
	for _, item := range a {
		if item.Key == key && item.Value != nil {
			return fmt.Sprint(item.Value)
		}
	}

	return ""
}

// number returns the value of an argument, or another one if it is not set.
func (a arguments) number(key string, otherwise int) (int, error) {
	text := a.text(key)
	if text == "" {
		return otherwise, nil
	}

	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s: %s: want a whole number of at least 1", key, text)
	}
	return n, nil
}

func (a arguments) isTrue(key string) bool { return a.text(key) == "true" }

// with returns the arguments with one added or replaced.
func (a arguments) with(key string, value any) arguments {
	a = slices.Clone(a)

	for i := range a {
		if a[i].Key == key {
			a[i].Value = value
			return a
		}
	}

	return append(a, yaml.MapItem{Key: key, Value: value})
}

// without returns the arguments but one.
func (a arguments) without(key string) arguments {
	return slices.DeleteFunc(slices.Clone(a), func(item yaml.MapItem) bool { return item.Key == key })
}

// set applies "KEY=VALUE", where the value is YAML; an empty one removes the argument.
func (a arguments) set(assignment string) (arguments, error) {
	key, text, ok := strings.Cut(assignment, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return nil, fmt.Errorf("%q: want ARGUMENT=VALUE, as in learning_rate=1.0e-5", assignment)
	}

	if strings.HasPrefix(key, "dataset") && slices.Contains(planArguments, key) {
		return nil, fmt.Errorf("%s cannot be set: name several exports, or another dataset besides "+
			"them", key)
	}

	if slices.Contains(planArguments, key) {
		return nil, fmt.Errorf("%s follows from the export, the folder and the batch and cannot "+
			"be set", key)
	}

	var value any
	if err := yamltext.Decode([]byte(text), &value); err != nil && !errors.Is(err, yamltext.ErrEmpty) {
		return nil, fmt.Errorf("%s: %w", key, err)
	}

	if value == nil {
		return a.without(key), nil
	}
	return a.with(key, value), nil
}

// encode writes the arguments as YAML that means the same in versions 1.1 and 1.2.
func (a arguments) encode() ([]byte, error) {
	var b bytes.Buffer
	float := yaml.CustomMarshaler(func(f float64) ([]byte, error) { return []byte(floatText(f)), nil })
	err := yaml.NewEncoder(&b, float).Encode(yaml.MapSlice(a))
	return b.Bytes(), err
}

// floatText writes a number with a point in it: to YAML 1.1 2e-05 is a string.
func floatText(f float64) string {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	mantissa, exponent, ok := strings.Cut(text, "e")

	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}

	if ok {
		return mantissa + "e" + exponent
	}
	return mantissa
}
