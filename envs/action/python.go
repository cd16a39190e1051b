package action

import (
	"strings"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// fence begins and ends a block of code, unless lines of the code begin with it: then a longer one
// does.
const fence = "```"

// answerParameter is the parameter of [envs.FinishTool] that takes a program.
const answerParameter = "answer"

// Python is the [Codec] of a program in a fenced block, which is the answer to the task: a call of
// [envs.FinishTool] and nothing else. The last block of a text counts.
type Python struct{}

// String implements [Codec].
func (Python) String() string { return "python" }

// Parse implements [Codec].
func (Python) Parse(text string) (envs.Call, error) {
	b, ok := lastBlock(text)
	if !ok {
		return envs.Call{}, ErrMalformed
	}
	return envs.Call{Name: envs.FinishTool, Args: envs.Object(answerParameter, b.code)}, nil
}

// Thought returns the text before the block.
func (Python) Thought(text string) string {
	if b, ok := lastBlock(text); ok {
		text = b.before
	}
	return strings.TrimSpace(text)
}

// Trim implements [Codec].
func (Python) Trim(text string) string {
	b, ok := lastBlock(text)
	if !ok {
		return text
	}
	return trim(text, b.after)
}

// Format implements [Codec]. A call that does not answer with a text is written as its key, which
// is not a program.
func (Python) Format(thought string, c envs.Call) string {
	code, ok := c.Args.Text(answerParameter)
	if c.Name != envs.FinishTool || !ok {
		code = Canonical(c)
	}

	around := fence
	for line := range strings.Lines(code) {
		if n := backquotes(line); n >= len(around) {
			around = strings.Repeat("`", n+1)
		}
	}

	text := around + "python\n" + code + "\n" + around
	if thought == "" {
		return text
	}
	return thought + "\n\n" + text
}

// Stop implements [Codec]: a program ends where the completion does.
func (Python) Stop() []string { return nil }

// block is a fenced block and the texts around it.
type block struct{ before, code, after string }

// lastBlock returns the last fenced block. A line that begins with three or more backquotes begins
// a block, and a line of as many and nothing else ends it. A line of as many or more with a
// language begins another block in its place. Blocks in reasoning do not count.
func lastBlock(text string) (last block, ok bool) {
	_, content := Part(text)
	at := len(text) - len(content)
	start, code := 0, 0
	open := 0 // how many backquotes the open block began with

	for line := range strings.Lines(content) {
		n := backquotes(line)
		bare := len(pytext.Strip(line)) == n

		switch {
		case n < len(fence):
		case open == 0 || !bare && n >= open:
			start, code, open = at, at+len(line), n
		case bare && n == open:
			end := at + strings.LastIndexByte(line, '`') + 1
			inner := strings.TrimSuffix(text[code:at], "\n")
			last, ok = block{text[:start], inner, text[end:]}, true
			open = 0
		}

		at += len(line)
	}
	return last, ok
}

// backquotes counts the backquotes that a line begins with, after any space.
func backquotes(line string) int {
	line = strings.TrimLeftFunc(line, pytext.IsSpace)
	return len(line) - len(strings.TrimLeft(line, "`"))
}
