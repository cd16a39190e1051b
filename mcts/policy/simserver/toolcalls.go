package simserver

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sashabaranov/go-openai"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/envs/wire"
)

// native returns a proposal as a model with tools writes it, whatever the codec: the thought as
// content, or at the end of its reasoning, and the call in tags. What is not a call is there, too.
func (s *Server) native(text string, p *input) string {
	thought, call, err := s.allowed(text, p.tools)
	object, giveUp := inTags.Format("", call), inTags.Format("", envs.Finish("unknown"))
	before := s.thought(true, inTags, "")

	switch {
	case err != nil:
		return before + callTag + text + callEnd
	case s.o.wrong(CallsAsText) && p.history.Len()%2 == 0:
		return before + object + "\n" + giveUp
	case s.o.wrong(CallsAsText):
		return before + "```json\n" + object + "\n```"
	}

	written := callTag + object + callEnd
	if s.o.wrong(ParallelCalls) {
		written += "\n" + responseTag + "The requested result is available." + responseEnd + "\n" +
			callTag + giveUp + callEnd
	}

	switch {
	case thought == "":
		return before + written
	case s.o.Thoughts == NoThoughts || s.o.Thoughts == EmptyTags:
		return before + thought + "\n" + written
	}

	return s.thought(true, inTags, "\n"+thought) + written
}

// inTags writes calls as they are in tags.
var inTags action.FunctionCall

// allowed returns what of a proposal a request lets the model write: all of it, unless a grammar
// allows only a call, or only listed names, of which it then writes the most similar.
func (s *Server) allowed(text string, u *toolUse) (thought string, call envs.Call, err error) {
	thought = s.reader.codec.Thought(text)
	call, err = s.reader.codec.Parse(text)

	if u.choice == "required" || u.choice == "named" {
		thought = ""
		if err != nil {
			call, err = envs.Call{Name: u.tools[0].name}, nil
		}
	}

	call.Name = cmp.Or(u.name, call.Name)
	if !s.o.wrong(ListedNamesOnly) || !u.single || u.choice == "none" || u.lists(call.Name) {
		return thought, call, err
	}

	shared := func(t tool) int { return common([]byte(t.name), []byte(call.Name)) }
	closest := slices.MaxFunc(u.tools, func(a, b tool) int { return cmp.Compare(shared(a), shared(b)) })
	call.Name = closest.name
	return thought, call, err
}

var (
	// taggedCall is a call in its tags; one that was cut has no end.
	taggedCall = regexp.MustCompile(`(?s)<tool_call>(.*?)(?:</tool_call>|$)`)
	// cutCall is a call that was cut in its arguments.
	cutCall = regexp.MustCompile(`(?s)^\s*\{"name": "([^"]+)", "arguments": (.+)$`)
	// jsonToken is a text or a number.
	jsonToken = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*`)
)

// parseCalls takes the calls out of a text that the model wrote, as vLLM's parser for Hermes does:
// text behind the first is dropped, and if one cannot be read, all is content. A lenient parser
// reads calls that were cut.
func parseCalls(text string, lenient bool) (content string, calls []openai.ToolCall) {
	for _, found := range taggedCall.FindAllStringSubmatch(text, -1) {
		object, err := wire.Object(found[1])
		f := openai.FunctionCall{}
		f.Name, _ = object.Text("name")
		arguments, ok := object.Get("arguments")
		f.Arguments = pytext.JSON(arguments)

		if cut := cutCall.FindStringSubmatch(found[1]); err != nil && lenient && cut != nil {
			f.Name, f.Arguments, ok = cut[1], cut[2], true
		}

		if f.Name == "" || !ok {
			return text, nil
		}

		calls = append(calls, openai.ToolCall{Type: openai.ToolTypeFunction, Function: f})
	}

	if calls == nil {
		return text, nil
	}

	content, _, _ = strings.Cut(text, strings.TrimSpace(callTag))
	return content, calls
}

// readCalls takes the calls out of a completion, as well as the server can.
func (s *Server) readCalls(d *drawn, u *toolUse) {
	if u.choice == "none" {
		return
	}

	content, calls := parseCalls(d.text, d.length && s.o.wrong(FinishOverLength))

	for i := range calls {
		f := &calls[i].Function
		calls[i].ID = fmt.Sprintf("chatcmpl-tool-%016x", s.random64())

		if s.o.wrong(RewrittenNumbers) {
			f.Arguments = jsonToken.ReplaceAllStringFunc(f.Arguments, rewritten)
		}

		if s.o.wrong(SubstringNames) {
			// A name that matches no tool makes such a server return the text as it is.
			j := slices.IndexFunc(u.tools, func(t tool) bool { return strings.Contains(f.Name, t.name) })
			if j < 0 {
				return
			}

			f.Name = u.tools[j].name
		}
	}

	// Without a call the text stays what it was, tags and all.
	if len(calls) == 0 {
		return
	}

	if u.single {
		calls = calls[:1]
	}

	if s.o.wrong(DroppedText) {
		content = ""
	}

	d.text, d.calls = content, calls
	// Such a server reports tool_calls even where the completion was cut.
	d.length = d.length && !s.o.wrong(FinishOverLength)
}

// rewritten returns a number as Python writes it after reading it; a quoted text stays.
func rewritten(token string) string { return pytext.Repr(envs.Number(token)) }
