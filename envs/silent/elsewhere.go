package silent

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"toolevo/envs"
)

// Elsewhere says which other tool has what a tool does not answer: its answer is a list of objects,
// identified by one of their members.
type Elsewhere struct {
	Source string   `yaml:"source"`    // the other tool
	With   []string `yaml:"with,flow"` // arguments of the call that the other tool takes, too

	// By is the member. The call has an argument of that name, or its answer a member.
	By string `yaml:"by"`
}

// elsewhereText matches what text writes, in three groups.
const elsewhereText = `(\S+)\[(.*)\] has it, by (.+)\.`

func (e Elsewhere) text() string {
	return fmt.Sprintf("%s[%s] has it, by %s.", e.Source, strings.Join(e.With, ", "), e.By)
}

// elsewhere is the inverse of text: it takes the groups of elsewhereText.
func elsewhere(groups []string) Elsewhere {
	return Elsewhere{groups[0], strings.Split(groups[1], ", "), groups[2]}
}

func (e Elsewhere) check() error {
	if e.Source == "" || len(e.With) == 0 || e.By == "" {
		return errors.New("want a source with arguments, and a member by which items are told apart")
	}
	return nil
}

// Ask returns the arguments of a call that the other tool takes.
func (e Elsewhere) Ask(call envs.Args) envs.Args {
	other := func(arg envs.Arg) bool { return !slices.Contains(e.With, arg.Name) }
	return slices.DeleteFunc(slices.Clone(call), other)
}

// Find returns what the other tool's answer has on an object or a call, or nil.
func (e Elsewhere) Find(one envs.Args, answer any) envs.Args {
	by, _ := one.Get(e.By)
	items, _ := answer.([]any)

	for _, item := range items {
		object, _ := item.(envs.Args)
		if key, ok := object.Get(e.By); ok && key == by {
			return object
		}
	}

	return nil
}

// Removed is a tool that a version does not have. Another tool may have what it answered.
type Removed struct {
	Tool      string `yaml:"tool"`
	Elsewhere `yaml:",inline"`
}

const removedText = "Error: %s was removed. "

// Notice returns what an agent reads when it calls the API, of this signature, that exposed the
// tool.
func (r Removed) Notice(signature string) string {
	text := fmt.Sprintf(removedText, signature)
	if r.Source == "" {
		return text + "Nothing takes its place."
	}
	return text + r.text()
}

var removedNotice = regexp.MustCompile(` was removed\. ` + elsewhereText + `$`)

// ParseRemoved reads the notice of a removed tool; ok is false if it names no other tool.
func ParseRemoved(notice string) (e Elsewhere, ok bool) {
	groups := removedNotice.FindStringSubmatch(notice)
	if groups == nil {
		return e, false
	}
	return elsewhere(groups[1:]), true
}
