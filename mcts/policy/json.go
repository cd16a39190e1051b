package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"toolevo/envs"
)

// appendObject appends arguments as Python's json.dumps writes them, but with letters of any script as they are.
func appendObject(b []byte, args envs.Args) []byte {
	b = append(b, '{')
	for i, a := range args {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendString(b, a.Name)
		b = append(b, ": "...)
		b = appendValue(b, a.Value)
	}
	return append(b, '}')
}

func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		if v {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case envs.Number:
		return append(b, v...)
	case string:
		return appendString(b, v)
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendValue(b, e)
		}
		return append(b, ']')
	case envs.Args:
		return appendObject(b, v)
	}
	return appendString(b, fmt.Sprint(value))
}

// appendString appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += size
			continue
		}
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c == '\t':
			b = append(b, '\\', 't')
		case c == '\r':
			b = append(b, '\\', 'r')
		case c < ' ' || c == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
		i++
	}
	return append(b, '"')
}

// maxDepth bounds how deep the examples in notices may nest; real ones are flat.
const maxDepth = 16

// decodeObject reads the JSON object at the beginning of text, after any space, with its keys in order, and returns
// what follows it. Control characters inside strings are taken as they are: published notices contain newlines there.
// Of a key that occurs twice the last value counts, at the place of the first.
func decodeObject(text string) (args envs.Args, rest string, err error) {
	text = escapeControls(text)
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	tok, err := dec.Token()
	if err != nil {
		return nil, "", fmt.Errorf("not a JSON object: %w", err)
	}
	if tok != json.Delim('{') {
		return nil, "", errors.New("not a JSON object")
	}
	args, err = decodeArgs(dec, 1)
	if err != nil {
		return nil, "", fmt.Errorf("not a JSON object: %w", err)
	}
	return args, text[dec.InputOffset():], nil
}

func decodeArgs(dec *json.Decoder, depth int) (envs.Args, error) {
	args := envs.Args{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		key, ok := tok.(string)
		if !ok {
			return nil, fmt.Errorf("key is %v", tok)
		}
		value, err := decodeValue(dec, depth)
		if err != nil {
			return nil, err
		}
		if at := indexOf(args, key); at >= 0 {
			args[at].Value = value
		} else {
			args = append(args, envs.Arg{Name: key, Value: value})
		}
	}
	_, err := dec.Token()
	return args, err
}

func indexOf(args envs.Args, name string) int {
	for i, a := range args {
		if a.Name == name {
			return i
		}
	}
	return -1
}

func decodeValue(dec *json.Decoder, depth int) (any, error) {
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t := tok.(type) {
	case json.Number:
		return envs.Number(t), nil
	case json.Delim:
		if depth >= maxDepth {
			return nil, fmt.Errorf("nested deeper than %d", maxDepth)
		}
		if t == '{' {
			return decodeArgs(dec, depth+1)
		}
		list := []any{}
		for dec.More() {
			v, err := decodeValue(dec, depth+1)
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

// escapeControls writes the control characters inside JSON strings as escapes.
func escapeControls(text string) string {
	var b []byte
	inside, from := false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inside = !inside
		case c == '\\' && inside:
			i++
		case c < ' ' && inside:
			b = append(b, text[from:i]...)
			b = fmt.Appendf(b, `\u%04x`, c)
			from = i + 1
		}
	}
	if b == nil {
		return text
	}
	return string(append(b, text[from:]...))
}
