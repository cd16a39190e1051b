package questions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"toolevo/toolqa/internal/pystr"
)

// pythonStr returns Python's str of a JSON scalar: json.loads and then str.
func pythonStr(raw json.RawMessage) (string, error) {
	switch text := string(raw); {
	case text == "null":
		return "None", nil
	case text == "true":
		return "True", nil
	case text == "false":
		return "False", nil
	case raw[0] == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return "", err
		}
		return s, nil
	case raw[0] == '[' || raw[0] == '{':
		return "", fmt.Errorf("want a text or a number, not %.40s", text)
	case strings.ContainsAny(text, ".eE"):
		// A number that is too large is infinite, in Python and in what ParseFloat returns beside the error.
		f, _ := strconv.ParseFloat(text, 64)
		return pystr.Float(f), nil
	case text == "-0":
		return "0", nil
	default:
		return text, nil
	}
}

// quoteNaN puts quotes around the NaN and Infinity that Python writes into JSON, in the form that str gives them.
func quoteNaN(line []byte) []byte {
	if !bytes.Contains(line, []byte("NaN")) && !bytes.Contains(line, []byte("Infinity")) {
		return line
	}
	var out []byte
	inString := false
	for i := 0; i < len(line); {
		if !inString {
			if word, str := pythonSpecial(line[i:]); word != "" {
				out = append(out, str...)
				i += len(word)
				continue
			}
		}
		switch c := line[i]; {
		case inString && c == '\\' && i+1 < len(line):
			out = append(out, c)
			i++
		case c == '"':
			inString = !inString
		}
		out = append(out, line[i])
		i++
	}
	return out
}

// pythonSpecial returns the special number that text begins with, and the JSON string of its str.
func pythonSpecial(text []byte) (word, str string) {
	for _, special := range [...][2]string{{"NaN", `"nan"`}, {"-Infinity", `"-inf"`}, {"Infinity", `"inf"`}} {
		if bytes.HasPrefix(text, []byte(special[0])) {
			return special[0], special[1]
		}
	}
	return "", ""
}
