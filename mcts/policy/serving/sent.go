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
	Render     func(envs.History) string         // nil if messages are sent
	Messages   func(envs.History) []chat.Message // nil if a text is sent
	functions  func(envs.History) []envs.Args    // that may be called natively; may be nil
	clean      func(string) string               // breaks control tokens
	lead       string                            // ends the text and begins what the model writes
	stops      []string                          // that end a reply in the form
	addSpecial bool                              // whether the server puts its token of the text's beginning before it
}

// Sent returns what a model on a server is sent in the form that the configuration wants, or would
// be sent if it were on one.
func (m *Models) Sent() (Sent, error) {
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
	// A plain prompt has no beginning-of-text token of its own: the server has to add it.
	case configs.FormFewShot:
		lead := shown.Lead()
		render := func(h envs.History) string { return shown.Render(reasoning.Shown(h)) + lead }
		return Sent{Render: render, lead: lead, stops: shown.Stops(), addSpecial: true}, nil
	case configs.FormChat:
		messagesOf := chat.Messages
		if functions != nil {
			messagesOf = chat.ToolMessages
		}

		// The system text is that of the whole history, the turns those of it that may be shown.
		messages := func(h envs.History) []chat.Message {
			return messagesOf(shown.SystemAfter(h), reasoning.Shown(h), clean)
		}
		return Sent{Messages: messages, functions: functions, clean: clean.Clean, addSpecial: true}, nil
	}

	template, err := chat.ParseTemplate(c.Form)
	if err != nil {
		return Sent{}, err
	}

	template = template.In(m.Config.Environment.ActionCodec())
	render := func(h envs.History) string {
		var text string
		if functions != nil {
			text = template.RenderTools(shown.SystemAfter(h), functions(h), reasoning.Shown(h), clean)
		} else {
			text = template.Render(shown.SystemAfter(h), reasoning.Shown(h), clean)
		}

		return template.Sent(text)
	}
	return Sent{
		Render: render, functions: functions, clean: clean.Clean,
		stops: template.Stops(), addSpecial: template.AddSpecialTokens(),
	}, nil
}

// Shown returns what is sent about a history, for people: the text, or the tools and the messages
// below their roles in brackets, each call on a line of its own.
func (s Sent) Shown(h envs.History) string {
	if s.Messages == nil {
		return s.Render(h)
	}

	var text strings.Builder

	// They are sent beside the messages, and have no role of their own.
	if s.functions != nil {
		text.WriteString("[tools]\n")

		for _, f := range s.functions(h) {
			text.WriteString(pytext.JSON(f) + "\n")
		}

		text.WriteString("\n")
	}

	for _, m := range s.Messages(h) {
		fmt.Fprintf(&text, "[%s]\n", strings.TrimSpace(m.Role+" "+m.CallID))

		// A message with calls may have no text; one with neither is shown to be empty.
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

// Tools returns the functions that are sent beside messages, as a JSON list; nil sends none.
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

// readCalls returns the reader of native calls in samples, nil in other codecs. If the server finds
// the calls, it only says where the first one ends.
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
