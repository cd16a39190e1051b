package bench

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// reference fits a reference to a call's answer, or to the value at a JSON pointer of it: {{2 /id}}
// is the id in the second answer.
var reference = regexp.MustCompile(`\{\{ *([0-9]+)(?: +(/[^{}]*?))? *\}\}`)

// referenceTo returns the reference to the value at a pointer of a step's answer.
func referenceTo(step int, p envs.Pointer) string {
	return strings.Replace(fmt.Sprintf("{{%d %s}}", step, p), " }}", "}}", 1)
}

// lastReference returns the number of the last call that a text refers to, or 0.
func lastReference(text string) (n int) {
	for _, m := range reference.FindAllStringSubmatch(text, -1) {
		number, err := strconv.Atoi(m[1])
		if err != nil || number < 1 {
			return int(^uint(0) >> 1)
		}

		n = max(n, number)
	}
	return n
}

// plan returns the task's solution, or nil.
func (t *Task) plan() envs.Plan {
	if len(t.Solution) == 0 && t.Final == "" {
		return nil
	}
	return func(results []string) (string, envs.Call, error) {
		i := len(results)
		if i < len(t.Solution) {
			args, err := t.Solution[i].args()
			if err != nil {
				return "", envs.Call{}, err
			}

			args, err = fillArgs(args, results)
			tool := t.Solution[i].Tool
			thought := fmt.Sprintf("I need what %s answers.", tool)
			return thought, envs.Call{Tool: tool, Name: tool, Args: args}, err
		}

		if t.Final == "" {
			return "Now I can answer.", envs.Finish(t.Answer), nil
		}

		answer, err := fillText(t.Final, results)
		return "Now I can answer.", envs.Finish(t.spelled(answer)), err
	}
}

// spelled returns an answer as the task's matcher reads it.
func (t *Task) spelled(answer any) string {
	if _, isText := answer.(string); !isText && t.matcher() == matchJSON {
		return pytext.JSON(answer)
	}
	return pytext.Str(answer)
}

// fillArgs replaces the references in arguments by values of the results.
func fillArgs(args envs.Args, results []string) (envs.Args, error) {
	var failed error

	all := envs.Map(args, func(part any) (any, bool) {
		text, ok := part.(string)
		if !ok {
			return part, false
		}

		value, err := fillText(text, results)
		if err != nil && failed == nil {
			failed = err
		}
		return value, true
	})

	object, _ := all.(envs.Args)
	return object, failed
}

// fillText replaces the references in a text. A text that is one reference becomes the value
// itself.
func fillText(text string, results []string) (any, error) {
	if m := reference.FindStringSubmatch(text); m != nil && m[0] == text {
		return valueAt(m[1], m[2], results)
	}

	var failed error
	return reference.ReplaceAllStringFunc(text, func(ref string) string {
		m := reference.FindStringSubmatch(ref)

		value, err := valueAt(m[1], m[2], results)
		if err != nil && failed == nil {
			failed = err
		}

		if part, ok := value.(string); ok {
			return part
		}
		return pytext.JSON(value)
	}), failed
}

// valueAt returns the value at a JSON pointer (RFC 6901) of a call's answer, or the answer's text
// for the pointer "".
func valueAt(number, pointer string, results []string) (any, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(results) {
		return nil, fmt.Errorf("there is no call %s before", number)
	}

	if pointer == "" {
		return results[n-1], nil
	}

	value, ok := valueIn(results[n-1])
	if !ok {
		return nil, fmt.Errorf("call %d was not answered with JSON", n)
	}

	if value, ok = envs.Pointer(pointer).In(value); !ok {
		return nil, fmt.Errorf("the answer of call %d has nothing at %s", n, pointer)
	}
	return value, nil
}

// valueIn returns the JSON value that an answer is or ends with: many servers say "Success:" first.
func valueIn(answer string) (any, bool) {
	value, err := pytext.DecodeStrict(strings.TrimSpace(answer))
	if err == nil {
		return value, true
	}

	i := strings.IndexAny(answer, "{[")
	if i < 0 {
		return nil, false
	}

	value, err = pytext.DecodeStrict(strings.TrimSpace(answer[i:]))
	return value, err == nil
}
