package app

import (
	"fmt"
	"slices"
	"strings"

	"toolevo/configs"
	"toolevo/envs/display"
	"toolevo/mcts"
)

// Announce says first what a job is made of, so that a forgotten option shows at once.
func (h *Host) Announce(command string, of ...string) {
	h.Say("%s: %s", command, display.Line(strings.Join(of, ", "), 0))
}

// announce says once what a run will be made of.
func (j *RunJob) announce(c *configs.Resolved) {
	if j.announced {
		return
	}

	j.announced = true

	words := choiceOf(c, j.Data)
	if by := c.ParaphrasedBy(); by != "" {
		words = append(words, "questions paraphrased by "+by)
	}

	j.Announce(j.command, words...)
}

// choiceOf lists what a configuration chooses: policies, versions, preset and data.
func choiceOf(c *configs.Resolved, data string) []string {
	return []string{
		"policy " + PoliciesOf(c.Policy), "API " + strings.Join(c.API, ", "), "prompt " + c.Prompt,
		"preset " + c.Preset, "data " + data,
	}
}

// PoliciesOf names policies, and marks those that are scripts.
func PoliciesOf(policies []string) string {
	named := slices.Clone(policies)

	for i, name := range named {
		if mcts.IsScripted(name) {
			named[i] = fmt.Sprintf("%s (a script)", name)
		}
	}

	return strings.Join(named, ", ")
}
