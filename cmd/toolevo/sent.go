package main

import (
	"strings"

	"toolevo/configs"
	"toolevo/envs"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/prompt"
)

// sent is what a model on a server is sent about a history: a text that it completes, or the messages of a chat.
type sent struct {
	render     func(envs.History) string         // nil where messages are sent
	messages   func(envs.History) []chat.Message // nil where a text is
	stops      []string                          // that end a turn of the form
	addSpecial bool                              // whether the server puts its token of the text's beginning before it
}

// sent returns what a model is sent in the form that the configuration wants.
func (b *bench) sent(kind string) (sent, error) {
	c := b.config.Server

	shown, err := b.prompt()
	if err != nil {
		return sent{}, err
	}

	shown.Shots = c.Shots
	if shown.Layout, err = prompt.ParseLayout(c.Layout); err != nil {
		return sent{}, err
	}

	clean, err := chat.NewSanitizer()
	if err != nil {
		return sent{}, err
	}

	shown.Clean = clean.Clean
	system := func(h envs.History) string { return shown.System(h.Task().Labels[envs.LabelDataset]) }

	switch c.Form {
	case configs.FormFewShot: // a plain prompt has no beginning-of-text token of its own
		return sent{render: shown.Render, addSpecial: true}, nil
	case configs.FormChat:
		messages := func(h envs.History) []chat.Message { return chat.Messages(system(h), h, clean) }
		return sent{messages: messages, addSpecial: true}, nil
	}

	template, err := chat.ParseTemplate(c.Form)
	if err != nil {
		return sent{}, err
	}

	template = template.In(b.config.Codec())
	render := func(h envs.History) string {
		text := template.Render(system(h), h, clean)
		if kind == kindOllama {
			text = strings.TrimPrefix(text, template.BOS()) // Ollama puts it there itself
		}

		return text
	}

	return sent{render: render, stops: template.Stops(), addSpecial: template.AddSpecialTokens()}, nil
}
