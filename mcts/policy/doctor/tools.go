package doctor

import (
	"context"
	"fmt"
	"strings"

	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/mcts/policy/chat"
)

// What the model is asked to copy: a call of an unlisted tool, whose name begins with that of a
// listed one, with a number that some servers rewrite, and with text beside it.
const (
	listedTool   = "find"
	unlistedTool = "find_v2"
	writtenPrice = "2.50"
	besideCall   = "I look it up."

	copyTools = `[{"type": "function", "function": {"name": "` + listedTool + `", "description": "Finds an entry.", ` +
		`"parameters": {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}}}]`
	copyAsked = "Copy the following text exactly, and write nothing else:\n\n" + besideCall + "\n<tool_call>\n" +
		`{"name": "` + unlistedTool + `", "arguments": {"price": ` + writtenPrice + "}}\n</tool_call>"
	copyTokens = 64
)

// tools finds out whether the model is shown the tools that the server is sent: a template without
// a place for them leaves them out in silence.
func (p *examination) tools(ctx context.Context) (none Check, err error) {
	if p.o.First.Tools == "" {
		return none, nil
	}

	// A server that ignores tools answers all the same: only the length of the prompt tells.
	shown := ask{prompt: p.o.First, n: 1, seed: firstSeed, sampling: neutral(1)}
	hidden := shown
	hidden.prompt.Tools = ""

	var tokens [2]int

	for i, a := range []ask{shown, hidden} {
		r, err := p.draw(ctx, a)
		if err != nil {
			return none, err
		}

		tokens[i] = r.PromptTokens
	}

	// A prompt as long as without tools has no place for them in its template.
	switch {
	case tokens[0] == 0:
		return none, fmt.Errorf("the server does not say how long prompts are")
	case tokens[0] <= tokens[1]:
		return p.finding("tools-hidden", number(tokens[0])), nil
	}

	seen := fmt.Sprintf("shown to the model, in %s tokens", number(tokens[0]-tokens[1]))
	if p.o.Quick {
		return passed("%s; what becomes of its calls is not probed in quick mode", seen), nil
	}
	return p.copied(ctx, seen)
}

// copied finds out what the server makes of a call, as far as the model copies one. seen is what
// was found before.
func (p *examination) copied(ctx context.Context, seen string) (Check, error) {
	messages := []chat.Message{{Role: chat.UserRole, Content: copyAsked}}
	choices, err := p.drawAll(ctx, ask{
		prompt: Prompt{Messages: messages, Tools: copyTools}, n: askedFor,
		seed: firstSeed, sampling: neutral(copyTokens),
	})

	if err != nil {
		return Check{}, err
	}

	for _, c := range choices {
		if finding, copied := judgeCopy(p.message(c.Text)); copied && finding != "" {
			return p.finding(finding, seen), nil
		} else if copied {
			return passed("%s; unlisted names and numbers come through as they are written", seen), nil
		}
	}

	return passed("%s; what becomes of calls is not known, as the model copies none", seen), nil
}

// message returns what a run reads in a reply.
func (p *examination) message(text string) action.Message {
	m := action.Tools{}.Message(text)
	if parser, ours := p.o.Manner.Tools.Parser(); ours && len(m.Calls) == 0 {
		return parser.Read(m.Content, nil).Message
	}
	return m
}

// judgeCopy names the finding about what the server made of a call, or "" if that is right; copied
// is false if the model copied no call.
func judgeCopy(m action.Message) (finding string, copied bool) {
	if len(m.Calls) == 0 {
		finding = "tools-unread"
		return finding, strings.Contains(m.Content, unlistedTool) && strings.Contains(m.Content, writtenPrice)
	}

	args, _, _ := pytext.DecodeObject(m.Calls[0].Arguments)
	price, _ := args.Get("price")

	switch name := m.Calls[0].Name; {
	case name == listedTool:
		finding = "tools-renamed"
	case name != unlistedTool:
		return "", false
	case fmt.Sprint(price) != writtenPrice:
		finding = "tools-rewritten"
	case strings.TrimSpace(m.Content) == "":
		finding = "tools-alone"
	}

	return finding, true
}
