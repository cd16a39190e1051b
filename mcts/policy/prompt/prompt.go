package prompt

import (
	"slices"
	"strconv"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/names"
	"toolevo/envs/toolapi"
)

// Layout says where a prompt lists the tools an agent has learned, and how the parts of a step are
// separated.
type Layout string

// The layouts.
const (
	// Stable lists no learned tool: the UpdateTool call that describes it is among the turns
	// already. What was rendered once never changes, so a server's prefix cache serves a whole
	// tree. Thought, Action and Action Input of a step are on lines of their own without a blank
	// line between them, as in training samples.
	Stable Layout = "stable"
	// Paper is appendix D.2: learned tools continue the tool list, before the demonstrations, and
	// blank lines separate Thought, Action and Action Input of the template and the demonstrations.
	// What a model wrote stays as it wrote it. Every UpdateTool makes a server read the prompt
	// again.
	Paper Layout = "paper"
)

// ParseLayout returns the layout called name; the error of an unknown name lists the valid ones.
func ParseLayout(name string) (Layout, error) {
	return names.Parse("layout", name, []Layout{Stable, Paper})
}

// DefaultShots is how many demonstrations a prompt shows (ToolEvo, section 5.1: three).
const DefaultShots = 3

// Prompt says what a model is shown besides the history. It is a value; nothing here is changed by
// rendering.
type Prompt struct {
	Tools          []*toolapi.API             // of the prompt version, in the order of the list
	Codec          action.Codec               // how a step is written; nil is ReAct
	Demonstrations map[string][]Demonstration // the pool of each dataset, in the order of preference
	Shots          int                        // how many of the pool are shown; fewer when the pool is smaller
	Layout         Layout                     // "" is Stable

	// ByDataset are those of Tools that serve a dataset, shown to its tasks in place of all; a
	// dataset that is not here is shown all.
	ByDataset map[string][]*toolapi.API

	// Clean is applied to texts from outside: the question, its own tools and the observations.
	// Servers recognise the control tokens of their model in plain text, so one in an observation
	// would end it; nil leaves them.
	Clean func(text string) string

	// Learns adds the descriptions given to UpdateTool to the list that is sent beside messages: in
	// place of the entry of that name, or behind all others. What does not describe a callable tool
	// is left out.
	Learns bool

	// Announced returns the APIs of another version that replace a listed one once that version has
	// been announced ([envs.History.Announce]), maybe none; nil keeps the list.
	Announced func(version string, listed *toolapi.API) []*toolapi.API

	// NoUpdateTool is the ablation without the tool-update module (Table 5): UpdateTool is left out
	// of the tools, and with it every guideline that names it.
	NoUpdateTool bool
}

// New returns the default prompt over the tools of the prompt version, without demonstrations.
func New(tools []*toolapi.API) Prompt {
	return Prompt{Tools: tools, Shots: DefaultShots, Layout: Stable}
}

// System returns the guidelines and the tools of a task, and nothing else: no demonstration, no
// learned tool, no question. It is the system text of a training sample and of a chat. Tasks
// without tools of their own have that of their dataset.
func (p Prompt) System(t envs.Task) string { return p.SystemAfter(envs.NewHistory(t)) }

// SystemAfter is System with what a history says of its agent at the end: rules on tools that
// change, and, in codecs that send no list of tools, the documents of an announced version.
func (p Prompt) SystemAfter(h envs.History) string { return p.system(h, nil, p.wording().Format) }

func (p Prompt) wording() wording {
	name := action.OrDefault(p.Codec).String()
	if native, ok := p.Codec.(action.Tools); ok && native.Most > 1 {
		name += "-parallel"
	}
	return wordings()[name]
}

// Render returns the text a model continues with its next Thought. It ends with a blank line.
func (p Prompt) Render(h envs.History) string {
	var learned []string

	// Only the paper's layout lists learned tools. It changes the beginning of the prompt, and a
	// server's prefix cache is of no use after that.
	spaced := func(text string) string { return text }
	if p.Layout == Paper {
		learned, spaced = h.Learned(), paperSpacing.Replace
	}

	task := h.Task()

	// Most prompts fit, so the text is not copied while it grows.
	var b strings.Builder
	b.Grow(1 << 14)
	b.WriteString(p.system(h, learned, spaced(p.wording().Format)))
	b.WriteString("\n\n")

	if shown := p.shown(task); len(shown) > 0 {
		b.WriteString(examplesHeading)
		b.WriteString("\n\n")

		for _, d := range shown {
			d.render(&b, action.OrDefault(p.Codec), spaced)
		}

		b.WriteString(TurnHeading)
		b.WriteString("\n\n")
	}

	b.WriteString(QuestionText(p.cleaned(task.Question)))
	b.WriteString("\n\n")

	// The model's own actions are not cleaned: it has to see them as it wrote them.
	for _, t := range h.Turns() {
		renderTurn(&b, string(t.Action), p.cleaned(t.Observation))
	}
	return b.String()
}

// Lead returns the beginning of the next action that a model is given, so that it does not continue
// the task or the examples instead. Prompts in the layout Paper end as the published ones do.
func (p Prompt) Lead() string {
	if _, ok := action.OrDefault(p.Codec).(action.ReAct); ok && p.Layout != Paper {
		return action.ThoughtMarker
	}
	return ""
}

// Stops returns the texts with which a model begins another task, as the examples do. The paper has
// none.
func (p Prompt) Stops() []string {
	if p.Layout == Paper {
		return nil
	}
	return []string{"\n" + QuestionMarker}
}

// QuestionText returns the line that asks a question.
func QuestionText(question string) string { return QuestionMarker + " " + strings.TrimSpace(question) }

// ObservationText returns the line that shows an observation.
func ObservationText(observation string) string {
	return action.ObservationMarker + " " + strings.TrimSpace(observation)
}

func renderTurn(b *strings.Builder, written, observation string) {
	b.WriteString(strings.TrimSpace(written))
	b.WriteString("\n\n")
	b.WriteString(ObservationText(observation))
	b.WriteString("\n\n")
}

// paperSpacing separates the parts of a step as the published template and demonstrations do.
var paperSpacing = strings.NewReplacer(
	"\n"+action.ActionMarker, "\n\n"+action.ActionMarker, "\n"+action.InputMarker, "\n\n"+action.InputMarker)

func (p Prompt) system(h envs.History, learned []string, format string) string {
	var b strings.Builder
	t := h.Task()
	tools := p.List(t)
	b.WriteString(p.wording().Opening)
	b.WriteString("\n\n")

	// Native tools are sent beside the messages.
	if !p.Native() {
		p.appendList(&b, t, tools, learned)
	}

	b.WriteString(guidelinesHeading)

	for i, g := range p.guidelines(tools) {
		b.WriteByte('\n')
		b.WriteString(strconv.Itoa(i + 1))
		b.WriteString(". ")
		b.WriteString(g)
	}

	if format != "" {
		b.WriteString("\n\n")
		b.WriteString(format)
	}

	// What only some histories have comes last, so that all share as long a beginning as they can.
	if h.Advised() {
		b.WriteString("\n\n" + baselines().Rules)
	}

	// Tools that an announced version left unchanged are in the list above.
	changed := slices.DeleteFunc(p.announced(h), func(a *toolapi.API) bool {
		return slices.ContainsFunc(tools, func(b *toolapi.API) bool { return p.toolText(a) == p.toolText(b) })
	})
	if len(changed) > 0 && !p.Native() {
		b.WriteString("\n\n" + baselines().Documents + "\n\n")
		p.appendList(&b, t, changed, nil)
	}

	return strings.TrimRight(b.String(), "\n")
}

// ForPeople returns the system text with all that a server shows beside it: the tools, and how an
// action is written.
func (p Prompt) ForPeople(t envs.Task) string {
	text := p.System(t)
	if !p.Native() {
		return text
	}

	var list strings.Builder
	p.appendList(&list, t, p.List(t), nil)

	example := p.Codec.Format("what you conclude and what to do next", envs.Call{
		Name: "the name of one tool", Args: envs.Object("the name of a parameter", "its value"),
	})
	return text + "\n\nThe tools are:\n\n" + list.String() +
		"\nWrite what a server would make of a reply:\n\n" + example
}

// appendList lists the tools of a task, and what was learned of others.
func (p Prompt) appendList(b *strings.Builder, t envs.Task, tools []*toolapi.API, learned []string) {
	for i, a := range tools {
		text := p.toolText(a)
		if t.Tools != "" { // a task's own tools are texts from outside
			text = p.cleaned(text)
		}

		appendNumbered(b, i+1, text)
	}

	for i, line := range learned {
		appendNumbered(b, len(tools)+i+1, line)
	}

	b.WriteByte('\n')
}

// cleaned returns a text from outside as a prompt shows it.
func (p Prompt) cleaned(text string) string {
	if p.Clean == nil {
		return text
	}
	return p.Clean(text)
}

// Native reports whether servers are sent the tools beside the messages, so that no text lists
// them.
func (p Prompt) Native() bool { return action.IsNative(p.Codec) }

// codes reports whether a program is the whole answer: it ends by itself, and the agent cannot
// learn in between.
func (p Prompt) codes() bool { return p.Codec == action.Python{} }

// guidelines returns those of the wording and, among them, those of the listed tools.
func (p Prompt) guidelines(tools []*toolapi.API) []string {
	w := p.wording()

	all := slices.Clone(w.First)
	if p.Layout == Paper && w.Paper != nil {
		all = slices.Clone(w.Paper)
	}

	for _, a := range tools {
		if a.Guideline != "" && !p.codes() { // they are about single calls
			all = append(all, a.Guideline)
		}
	}

	for _, line := range w.Then {
		if !p.NoUpdateTool || !strings.Contains(line, envs.UpdateTool) {
			all = append(all, line)
		}
	}

	return all
}

// shown returns the demonstrations of a task: the first Shots of its dataset's pool with another
// question.
func (p Prompt) shown(t envs.Task) []Demonstration {
	pool := p.Demonstrations[t.Labels[envs.LabelDataset]]
	if p.codes() {
		pool = nil // they show single turns
	}

	shown := make([]Demonstration, 0, max(0, min(p.Shots, len(pool))))
	for _, d := range pool {
		if len(shown) >= p.Shots {
			break
		}

		if !sameQuestion(d.Question, t.Question) {
			shown = append(shown, d)
		}
	}
	return shown
}
