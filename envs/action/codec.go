package action

import (
	"errors"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/names"
	"toolevo/envs/pytext"
)

// ErrMalformed is the error of a text in which no call can be found.
var ErrMalformed = errors.New("no action can be read")

// Codec is a way to write an action as text. Equal codecs are ==.
type Codec interface {
	// String returns the name that ParseCodec reads.
	String() string
	// Parse returns the call in a text, without its Tool. The error is the agent's: ErrMalformed,
	// or the [pytext.Error] about text that is not JSON. Such a call has only its name, if that
	// could be read.
	Parse(text string) (envs.Call, error)
	// Thought returns what a text says before its call.
	Thought(text string) string
	// Trim returns a text without what follows its call. A text without a call, or with nothing but
	// space after it, is returned unchanged.
	Trim(text string) string
	// Format returns the text of a thought and a call.
	Format(thought string, c envs.Call) string
	// Stop returns the texts at which a completion ends, in a new slice: the environment writes
	// what follows.
	Stop() []string
}

// Codecs returns every codec; the first is the default.
func Codecs() []Codec { return []Codec{ReAct{}, FunctionCall{}, Tools{}, Python{}} }

// ParseCodec returns the codec of a name. The error about an unknown name lists the valid ones.
func ParseCodec(name string) (Codec, error) {
	var valid []string

	for _, c := range Codecs() {
		if c.String() == name {
			return c, nil
		}

		valid = append(valid, c.String())
	}
	return nil, names.Unknown("codec", name, valid)
}

// trim returns a text without what follows its call, if that is more than space.
func trim(text, after string) string {
	if strings.TrimSpace(after) == "" {
		return text
	}
	return strings.TrimSuffix(text, after)
}

// OrDefault returns the codec, or the default one for nil.
func OrDefault(c Codec) Codec {
	if c == nil {
		return ReAct{}
	}
	return c
}

// Canonical returns the key of a call: the name as it was written and the arguments in the order
// they were written, on one line, e.g. LoadDB {"DBName": "coffee"}.
func Canonical(c envs.Call) string {
	name := c.Name
	if !plain(name) {
		name = strconv.Quote(name)
	}
	return string(pytext.AppendJSON([]byte(name+" "), c.Args))
}

// CutKey returns the name and the arguments, as JSON, of a line of a key. ok is false for the key
// of a text without a call.
func CutKey(line string) (name, arguments string, ok bool) {
	name, arguments, ok = strings.Cut(line, " ")

	// A name that is quoted may have a space.
	if quoted, err := strconv.QuotedPrefix(line); err == nil {
		name, _ = strconv.Unquote(quoted)
		arguments, ok = strings.CutPrefix(line[len(quoted):], " ")
	}
	return name, arguments, ok
}

// ReadKey returns the call of a line of a key; that of a text without a call is empty.
func ReadKey(line string) envs.Call {
	name, arguments, _ := CutKey(line)
	args, _, _ := pytext.DecodeObject(arguments) // which a call's key has
	return envs.Call{Name: name, Args: args}
}

// Key returns the canonical keys of the calls in a text, one a line. The key of any other text is
// its content without the space around it, quoted, so that no text can pretend to be a call. The
// content includes the thought of a [FunctionCall], as it does that of any other codec.
func Key(codec Codec, text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")

	calls, err := Calls(codec, text)
	if err != nil {
		content := text
		if codec != (FunctionCall{}) {
			_, content = Part(text)
		}
		return strconv.Quote(pytext.Strip(content))
	}

	keys := make([]string, len(calls))
	for i, c := range calls {
		keys[i] = Canonical(c)
	}
	return strings.Join(keys, "\n")
}

// Calls returns the calls of a text that are played: with most codecs, one. There is also one with
// an error, which is that of the codec's Parse.
func Calls(codec Codec, text string) ([]envs.Call, error) {
	if t, ok := codec.(Tools); ok {
		return t.calls(read(text))
	}

	c, err := codec.Parse(text)
	return []envs.Call{c}, err
}

// plain reports whether a name looks like one: letters, digits and underscores.
func plain(name string) bool {
	for i := range len(name) {
		c := name[i]
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}

	return name != ""
}
