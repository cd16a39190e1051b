package simserver

import (
	"fmt"
	"math"
)

// ollamaOptions are the options of a request that have an effect here.
type ollamaOptions struct {
	sampling
	seeded bool
	window int // 0 when not stated
}

// readOllamaOptions reads the options by name. A value of the wrong type is an error, in Ollama's words; names that
// are not modelled are ignored.
func readOllamaOptions(values map[string]any) (o ollamaOptions, err error) {
	o.n, o.maxTokens = 1, -1

	number := func(name string, whole bool) (float64, bool) {
		v, ok := values[name]
		if !ok || err != nil {
			return 0, false
		}

		f, ok := v.(float64)
		switch {
		case whole && (!ok || f != math.Trunc(f)):
			err = fmt.Errorf("option %q must be of type integer", name)
		case !ok:
			err = fmt.Errorf("option %q must be of type float32", name)
		default:
			return f, true
		}

		return 0, false
	}
	if v, ok := number("num_ctx", true); ok {
		o.window = int(v)
	}

	if v, ok := number("num_predict", true); ok && v >= 0 {
		o.maxTokens = int(v)
	}

	if v, ok := number("seed", true); ok && v >= 0 {
		o.seed, o.seeded = uint64(v), true
	}

	if v, ok := number("temperature", false); ok {
		o.greedy = v == 0
	} else {
		o.unset |= unsetTemperature
	}

	for name, bit := range map[string]uint64{"top_p": unsetTopP, "top_k": unsetTopK,
		"repeat_penalty": unsetRepetition} {
		if _, ok := number(name, name == "top_k"); !ok {
			o.unset |= bit
		}
	}

	if err != nil {
		return o, err
	}

	o.stop, err = stopOption(values["stop"])

	return o, err
}

func stopOption(v any) ([]string, error) {
	if v == nil {
		return nil, nil
	}

	wrong := fmt.Errorf("option %q must be of type array", "stop")

	list, ok := v.([]any)
	if !ok {
		return nil, wrong
	}
	var stop []string

	for _, v := range list {
		text, ok := v.(string)
		if !ok {
			return nil, wrong
		}

		if text != "" {
			stop = append(stop, text)
		}
	}

	return stop, nil
}
