package instruct

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"toolevo/envs"
	"toolevo/envs/display"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// Verdicts of a reviewer; any other text is a diagnosis, and "" is no verdict.
const (
	OK         = "ok"
	Impossible = "impossible"
)

// Rounds is the maximum number of drafts (StateGen, III-E).
const Rounds = 3

// Negotiator has two models agree on instructions: one writes, and the other compares that with the
// program. It asks the same for equal tasks, so that their texts can be kept, see package
// envs/kept.
type Negotiator struct {
	Writer, Reviewer kept.Writer
	Prompts          kept.Prompts
	Policy           string // the writer's name

	Domain func(*stategen.Program) (stategen.Domain, error) // with the program's set of APIs

	// Program writes a program for models, without its variables.
	Program func(stategen.Domain, *stategen.Program) (string, error)

	Seed uint64

	// Published stops after two reviews, as the published code does: the last draft is never
	// accepted.
	Published bool
}

// Negotiate writes the instruction of a task, and reports whether the reviewer accepted it. A draft
// that shows a hidden value, or lacks a variable, goes back without a review.
func (n *Negotiator) Negotiate(ctx context.Context, t *stategen.Task) (
	made stategen.Instruction, accepted bool, err error,
) {
	about, err := n.subject(t)
	if err != nil {
		return made, false, err
	}

	made.Writer = n.Policy

	for round := range Rounds {
		draft, err := n.draft(ctx, about, t, made.Drafts)
		if err != nil {
			return made, false, err
		}

		// A draft with a verdict has a mistake already, so it needs no reviewer.
		if seen := !n.Published || round < Rounds-1; draft.Verdict == "" && seen {
			draft.Verdict, err = n.review(ctx, about, draft, round)
			if err != nil {
				return made, false, err
			}
		}

		made.Variables, made.Text = draft.Variables, draft.Text
		made.Drafts = append(made.Drafts, draft)

		// The reviewer calls a program impossible, not a draft: another draft would not help.
		if draft.Verdict == OK || draft.Verdict == Impossible {
			return made, draft.Verdict == OK, nil
		}
	}

	return made, false, nil
}

// subject is what both models are told about a task.
type subject struct {
	id               string
	writing, reviews string // their instructions
	program          string
}

// subject gathers what the models are told.
func (n *Negotiator) subject(t *stategen.Task) (s subject, err error) {
	d, err := n.Domain(&t.Program)
	if err != nil {
		return s, fmt.Errorf("instruct: %s: %w", t.ID, err)
	}

	x := words().domains[d.Name()]
	if x == nil {
		return s, errNoWords(d.Name())
	}

	tools := "- " + strings.Join(toolLines(d), "\n- ")
	s.writing = pytext.Format(n.Prompts.Text(writerPrompt), "{scene}", x.Scene, "{tools}", tools)
	s.reviews = pytext.Format(n.Prompts.Text(reviewerPrompt), "{scene}", x.Scene, "{tools}", tools)

	text, err := n.Program(d, &t.Program)
	if err != nil {
		return s, fmt.Errorf("instruct: %s: %w", t.ID, err)
	}

	s.id = t.ID
	s.program = "# Variables\n\n" + variableLines(t.Program.Init) +
		"\n# Program\n\n" + strings.TrimSpace(text)
	return s, nil
}

var (
	//go:embed generator.txt
	generatorText string
	//go:embed evaluator.txt
	evaluatorText string

	writerPrompt   = kept.NewPrompt("instruction-writer", generatorText)
	reviewerPrompt = kept.NewPrompt("instruction-reviewer", evaluatorText)
)

// toolLines says what the tools of a domain do, a line for each.
func toolLines(d stategen.Domain) (lines []string) {
	for _, a := range d.APIs() {
		about, _, _ := strings.Cut(a.Description, "\n")
		lines = append(lines, fmt.Sprintf("%s(%s): %s", a.Name, strings.Join(parameters(a), ", "), about))
	}
	return lines
}

func parameters(a toolapi.APISpec) (names []string) {
	for _, p := range a.Parameters.All {
		name := p.Name
		if p.Optional {
			name += "?"
		}

		names = append(names, name)
	}
	return names
}

// variableLines writes the variables of a program, loaded ones first.
func variableLines(all []stategen.Variable) string {
	var loaded, others strings.Builder

	for _, v := range all {
		if v.Role == stategen.Loaded {
			fmt.Fprintf(&loaded, "%s: %s, loaded beforehand\n", v.Name, v.Type)
			continue
		}

		fmt.Fprintf(&others, "%s: %s; hidden value: %s\n", v.Name, v.Type, pytext.AppendJSON(nil, v.Value.Any))
	}
	return loaded.String() + others.String()
}

// draft asks for a draft. Its verdict has the mistakes that can be found without a model.
func (n *Negotiator) draft(
	ctx context.Context, about subject, t *stategen.Task, before []stategen.Draft,
) (stategen.Draft, error) {
	request := about.program

	if len(before) > 0 {
		last := before[len(before)-1]
		said := cmp.Or(last.Verdict, "It was not accepted, and nobody said why.")
		request += "\n\n# Your last answer\n\n" + answerText(last) + "\n\n# What was said about it\n\n" + said +
			"\n\nWrite the whole answer again, and mend that."
	}

	reply, err := n.Writer.Write(ctx, about.writing, request, n.seed(about.id, "writer", len(before)))
	if err != nil {
		return stategen.Draft{}, err
	}

	draft, err := parseDraft(reply)
	if err == nil {
		err = check(t, stategen.Instruction{Variables: draft.Variables, Text: draft.Text})
	}

	if err != nil {
		draft.Verdict = display.Capital(err.Error()) + "."
	}
	return draft, nil
}

// review asks what is wrong with a draft.
func (n *Negotiator) review(ctx context.Context, about subject, draft stategen.Draft, round int) (
	string, error,
) {
	request := about.program + "\n\n# Description\n\n" + answerText(draft)
	reply, err := n.Reviewer.Write(ctx, about.reviews, request, n.seed(about.id, "reviewer", round))
	return parseVerdict(reply), err
}

// seed returns a model's seed; servers accept 63 bits.
func (n *Negotiator) seed(task, role string, round int) uint64 {
	return envs.Hash(fmt.Sprintf("%d %s %s %d", n.Seed, task, role, round)) >> 1
}

// answerText writes a draft as the writer answered it.
func answerText(d stategen.Draft) string { return "VARIABLES\n" + d.Variables + "\n\nTASK\n" + d.Text }

// Headings of an answer, as models write them: with marks around them, or a colon.
var (
	variablesHeading = regexp.MustCompile(`(?mi)^[#*_ \t]*variables[*_: \t]*$`)
	taskHeading      = regexp.MustCompile(`(?mi)^[#*_ \t]*task[*_: \t]*$`)
)

// parseDraft reads an answer of the writer. An unreadable one is a draft without definitions.
func parseDraft(reply string) (stategen.Draft, error) {
	// The next request shows the writer its own answer, so it is kept even if it is unreadable.
	whole := stategen.Draft{Text: strings.TrimSpace(reply)}

	first := variablesHeading.FindStringIndex(reply)
	if first == nil {
		return whole, errors.New("the answer has no heading VARIABLES")
	}

	second := taskHeading.FindStringIndex(reply[first[1]:])
	if second == nil {
		return whole, errors.New("the answer has no heading TASK behind VARIABLES")
	}

	rest := reply[first[1]:]
	// Models that think aloud write drafts before their answer.
	if variablesHeading.MatchString(rest) || taskHeading.MatchString(rest[second[1]:]) {
		return whole, errors.New("the answer has the headings twice: write it once, without drafts")
	}

	d := stategen.Draft{
		Variables: strings.TrimSpace(rest[:second[0]]), Text: strings.TrimSpace(rest[second[1]:]),
	}

	switch {
	case d.Variables == "":
		return d, errors.New("nothing is said below VARIABLES")
	case d.Text == "":
		return d, errors.New("nothing is said below TASK")
	case strings.Contains(d.Text, "```"):
		return d, errors.New("the task has a block of code: say it in words")
	}

	return d, nil
}

// parseVerdict reads an answer of the reviewer. Only a word alone on the first line accepts.
func parseVerdict(reply string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(reply), "\n")

	switch word := strings.Trim(strings.ToLower(line), " \t\r<>*#_`\"'.:"); word {
	case OK, Impossible:
		return word
	case "revise":
		return strings.TrimSpace(rest)
	}

	return strings.TrimSpace(reply)
}
