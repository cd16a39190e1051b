package simserver

import (
	"encoding/json"
	"errors"
	"strings"

	"toolevo/envs"
)

// maxDepth bounds how deep the arguments of a call may nest.
const maxDepth = 100

var errNotObject = errors.New("not a JSON object")

// readCall reads the call in an action as an environment does: the name between the first "Action:" and the next
// "Action Input", the arguments from the first "Action Input:" to the last brace. ok is false when there is none.
func readCall(action string) (call envs.Call, ok bool) {
	_, after, ok := strings.Cut(action, actionMarker)
	if !ok {
		return envs.Call{}, false
	}

	name, _, ok := strings.Cut(after, strings.TrimSuffix(inputMarker, ":"))
	if !ok {
		return envs.Call{}, false
	}

	_, input, ok := strings.Cut(action, inputMarker)
	if !ok {
		return envs.Call{}, false
	}

	args, err := readObject(input[:strings.LastIndexByte(input, '}')+1])
	if err != nil {
		return envs.Call{}, false
	}

	return envs.Call{Name: strings.TrimSpace(name), Args: args}, true
}

// readObject reads a JSON object with its keys in order.
func readObject(text string) (envs.Args, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()

	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}

	if tok != json.Delim('{') {
		return nil, errNotObject
	}

	args, err := readMembers(dec, 1)
	if err == nil && dec.More() {
		err = errNotObject
	}

	return args, err
}

func readMembers(dec *json.Decoder, depth int) (envs.Args, error) {
	args := envs.Args{}

	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}

		value, err := readValue(dec, depth)
		if err != nil {
			return nil, err
		}

		args = append(args, envs.Arg{Name: key.(string), Value: value})
	}

	_, err := dec.Token()

	return args, err
}

func readValue(dec *json.Decoder, depth int) (any, error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}

	switch t := tok.(type) {
	case json.Number:
		return envs.Number(t), nil
	case json.Delim:
		if depth >= maxDepth {
			return nil, errNotObject
		}

		if t == '{' {
			return readMembers(dec, depth+1)
		}

		list := []any{}

		for dec.More() {
			v, err := readValue(dec, depth+1)
			if err != nil {
				return nil, err
			}

			list = append(list, v)
		}

		_, err := dec.Token()

		return list, err
	}

	return tok, nil
}
