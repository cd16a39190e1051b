package serving

import (
	"fmt"
	"strings"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/pytext"
	"toolevo/envs/toolapi"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/server"
	"toolevo/mcts/policy/toolcalls"
)

// Sent is what a model on a server is sent about a history: a text that it completes, or the
// messages of a chat.
type Sent struct {
	Render     func(envs.History) string         // nil where messages are sent
	Messages   func(envs.History) []chat.Message // nil where a text is
	functions  func(envs.History) []envs.Args    // that may be called natively; nil where none may
	clean      func(string) string               // breaks control tokens
	lead       string                            // with which the text ends, and what the model writes begins
	stops      []string                          // that end a reply in the form
	addSpecial bool                              // whether the server puts its token of the text's beginning before it
}

// Sent returns what a model on servers of a kind is sent in the form that the configuration wants;
// of a kind that is not one of servers, what it would be sent.
func (m *Models) Sent(kind string) (Sent, error) {
	c := m.Config.Server
	shown, err := m.Prompt()
	if err != nil {
		return Sent{}, err
	}

	clean, err := chat.NewSanitizer()
	if err != nil {
		return Sent{}, err
	}

	reasoning := m.Config.Reasoning()
	var functions func(envs.History) []envs.Args
	if shown.Native() {
		functions = shown.Functions
	}

	switch c.Form {
	case configs.FormFewShot: // a plain prompt has no beginning-of-text token of its own
		lead := shown.Lead()
		render := func(h envs.History) string { return shown.Render(reasoning.Shown(h)) + lead }
		return Sent{Render: render, lead: lead, stops: shown.Stops(), addSpecial: true}, nil
	case configs.FormChat:
		tell := chat.Messages
		if functions != nil {
			tell = chat.ToolMessages
		}

		messages := func(h envs.History) []chat.Message { return tell(shown.SystemAfter(h), reasoning.Shown(h), clean) }
		return Sent{Messages: messages, functions: functions, clean: clean.Clean, addSpecial: true}, nil
	}

	template, err := chat.ParseTemplate(c.Form)
	if err != nil {
		return Sent{}, err
	}

	template = template.In(m.Config.Environment.ActionCodec())
	k := server.FindKind(kind)
	render := func(h envs.History) string {
		var text string
		if functions != nil {
			text = template.RenderTools(shown.SystemAfter(h), functions(h), reasoning.Shown(h), clean)
		} else {
			text = template.Render(shown.SystemAfter(h), reasoning.Shown(h), clean)
		}

		if k == nil { // a script, which no server reads for
			return text
		}
		return k.Text(text, template.BOS())
	}
	return Sent{
		Render: render, functions: functions, clean: clean.Clean,
		stops: template.Stops(), addSpecial: template.AddSpecialTokens(),
	}, nil
}

// Shown is what is sent about a history, for people: the text, or the tools and the messages below
// their roles in brackets, each call on a line of its own.
func (s Sent) Shown(h envs.History) string {
	if s.Messages == nil {
		return s.Render(h)
	}

	var text strings.Builder

	if s.functions != nil {
		text.WriteString("[tools]\n")

		for _, f := range s.functions(h) {
			text.WriteString(pytext.JSON(f) + "\n")
		}

		text.WriteString("\n")
	}

	for _, m := range s.Messages(h) {
		fmt.Fprintf(&text, "[%s]\n", strings.TrimSpace(m.Role+" "+m.CallID))

		// A message that only calls says nothing; one that does neither is shown to be empty.
		if m.Content != "" || len(m.Calls) == 0 {
			text.WriteString(m.Content + "\n")
		}

		for _, c := range m.Calls {
			fmt.Fprintf(&text, "%s: %s %s\n", c.ID, c.Name, c.Arguments)
		}

		text.WriteString("\n")
	}
	return text.String()
}

// Tools are the functions that are sent beside messages, as a JSON list; nil sends none.
func (s Sent) Tools() func(envs.History) string {
	if s.functions == nil || s.Messages == nil {
		return nil
	}
	return func(h envs.History) string { return toolapi.FunctionList(s.functions(h)) }
}

// callsOfServer reports whether the server finds native calls.
func (s Sent) callsOfServer(c configs.Server) bool {
	_, ours := c.Tools.Parser()
	return s.Messages != nil && !ours
}

// readCalls returns what reads the native calls of samples, nil in other codecs. Where the server
// finds the calls, it only says where the first one ends.
func (s Sent) readCalls(c configs.Server) func(envs.History, string) (action.Message, int) {
	if s.functions == nil {
		return nil
	}

	parser := toolcalls.Parser(c.Tools.Calls)

	switch {
	case s.callsOfServer(c):
		parser = toolcalls.Generic
	case c.Tools.Calls == server.CallsAuto:
		parser = toolcalls.Hermes // that of the templates with a place for tools
	}

	return func(h envs.History, text string) (action.Message, int) {
		r := parser.Read(text, s.functions(h))
		return r.Message, r.End
	}
}
