package instruct

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// ByTemplate is the writer of instructions that need no model.
const ByTemplate = "template"

// mostWordings is how many wordings of a task are tried: a wording may happen to contain a hidden
// value.
const mostWordings = 8

// Instruct writes a task's instruction by templates. Other seeds give other wordings.
func Instruct(t *stategen.Task, seed uint64) (stategen.Instruction, error) {
	x := words().domains[t.Program.Domain]
	if x == nil {
		return stategen.Instruction{}, errNoWords(t.Program.Domain)
	}

	random := envs.Random(seed, t.ID)

	var refused error

	for range mostWordings {
		made, err := render(x, &words().frame, &t.Program, random)
		if err != nil {
			return stategen.Instruction{}, fmt.Errorf("instruct: %s: %w", t.ID, err)
		}

		if refused = check(t, made); refused == nil {
			return made, nil
		}
	}
	return stategen.Instruction{}, fmt.Errorf("instruct: %s: no wording will do: %w", t.ID, refused)
}

func errNoWords(domain string) error {
	return fmt.Errorf("instruct: no words for the domain %q: add a file to the folder words", domain)
}

// render writes the instruction of a program.
func render(x *lexicon, f *frame, p *stategen.Program, random *rand.Rand) (stategen.Instruction, error) {
	r := &renderer{lexicon: x, frame: f, random: random, orders: map[string][]int{}, scope: scope{}}

	paragraphs, err := r.program(p)
	if err != nil {
		return stategen.Instruction{}, err
	}
	return stategen.Instruction{
		Variables: r.variables(p.Init),
		Text:      r.noteOnce(strings.Join(paragraphs, "\n\n")),
		Writer:    ByTemplate,
	}, nil
}

// noteOnce removes the notes in brackets from all nouns in a text but the first of each.
func (r *renderer) noteOnce(text string) string {
	for _, noun := range r.lexicon.Nouns {
		short, _, noted := strings.Cut(noun, " (")
		if before, after, found := strings.Cut(text, noun); noted && found {
			text = before + noun + strings.ReplaceAll(after, noun, short)
		}
	}

	return text
}

// variables says what the names of a program mean.
func (r *renderer) variables(all []stategen.Variable) string {
	lines := []string{r.pick("headings", r.frame.Headings)}
	constant, loaded := r.pick("constants", r.frame.Constants), r.pick("loaded", r.frame.Loaded)

	for _, v := range all {
		line := "- " + quoted(v.Name) + ": " + v.Type

		switch v.Role {
		case stategen.Constant:
			line += constant
		case stategen.Loaded:
			line += loaded
		default:
			line += structure(v)
		}

		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// structure says which members an object has that its type does not name, or "" if it is none.
func structure(v stategen.Variable) string {
	object, _ := v.Value.Any.(envs.Args)

	var own, inner []string

	for _, m := range object {
		if !hasWord(v.Type, m.Name) {
			own = append(own, quoted(m.Name))
		}

		if members, ok := m.Value.(envs.Args); ok {
			inner = append(inner, "its "+quoted(m.Name)+" has "+join(quotedAll(members.Names())))
		}
	}

	if len(own) > 0 {
		inner = append([]string{"it has " + join(own)}, inner...)
	}

	if len(inner) == 0 {
		return ""
	}
	return "; " + join(inner)
}
