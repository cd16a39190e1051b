package trajectories

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"toolevo/envs"
)

// Judged returns a sentence on how many of the questions a language model judges, or nothing if it
// judges none.
func Judged(questions []Question) []string {
	var (
		models []string
		n      int
	)

	for _, q := range questions {
		if model := q.Labels[envs.LabelJudge]; model != "" {
			models, n = append(models, model), n+1
		}
	}

	if n == 0 {
		return nil
	}

	slices.Sort(models)
	return []string{fmt.Sprintf("%d of %d questions are judged by the language model %s, by rubrics and no "+
		"gold answers.", n, len(questions), strings.Join(slices.Compact(models), ", "))}
}

// OtherLabels returns a question's labels except its dataset, difficulty and template, which have
// their own JSON keys.
func OtherLabels(labels map[string]string) map[string]string {
	others := maps.Clone(labels)
	maps.DeleteFunc(others, func(name, _ string) bool {
		return name == envs.LabelDataset || name == envs.LabelDifficulty || name == envs.LabelTemplate
	})
	return others
}

// LabelPairs returns the names of a question's other labels in alphabetical order, each followed by
// its value.
func LabelPairs(labels map[string]string) []string {
	var pairs []string

	others := OtherLabels(labels)
	for _, name := range slices.Sorted(maps.Keys(others)) {
		pairs = append(pairs, name, others[name])
	}
	return pairs
}

// validLabels returns labels as a row has them, or nil: an empty label counts as absent.
func validLabels(labels map[string]string) map[string]string {
	all := map[string]string{}

	for name, value := range labels {
		if value != "" {
			all[valid(name)] = valid(value)
		}
	}

	if len(all) == 0 {
		return nil
	}
	return all
}
