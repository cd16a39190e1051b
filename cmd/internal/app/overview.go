package app

import (
	"context"

	"toolevo/envs/sandbox/engines"
	"toolevo/finetune"
	"toolevo/finetune/stored"
	"toolevo/mcts/store"
)

// RunOverview is what there is to say of a collection.
type RunOverview struct {
	Run       store.Manifest  `json:"run"`                // as run.json has it
	Questions []QuestionTrees `json:"questions"`          // in the order of the run
	GivenUp   []store.GivenUp `json:"given_up,omitempty"` // trees, as a request failed alone
	Engines   []string        `json:"engines"`            // what ran model-written programs, in words
	Warnings  []string        `json:"warnings,omitempty"` // what a reader must know, a sentence each
}

// QuestionTrees summarizes the trees of a question.
type QuestionTrees struct {
	QuestionID string `json:"question_id"`       // unique within a run
	Question   string `json:"question"`          // what the agent was asked
	Trees      int    `json:"trees"`             // in the run
	Calls      int    `json:"calls"`             // of the model, in these trees
	Correct    int    `json:"correct"`           // correct trajectories, which the official matcher takes
	Distinct   int    `json:"distinct_accepted"` // of those, the distinct ones that the strict matcher accepts, too
}

// Overview summarizes each question of a collection.
func Overview(ctx context.Context, v *stored.Run) (all RunOverview, err error) {
	all = RunOverview{Run: v.Manifest, Questions: make([]QuestionTrees, 0, len(v.Questions))}

	for _, q := range v.Questions {
		trees, found, err := TreesOf(ctx, v, q.ID)
		if err != nil {
			return all, err
		}

		l := QuestionTrees{QuestionID: q.ID, Question: q.Text, Trees: len(trees),
			Distinct: found.Len()}
		for _, t := range trees {
			l.Calls += t.Calls
			l.Correct += t.Correct
		}

		all.Questions = append(all.Questions, l)
	}

	all.Engines, all.Warnings = engines.InWords(v.Engines), v.Warnings()
	all.GivenUp, err = v.GivenUp(ctx)
	return all, err
}

// EvaluationOverview is what there is to say of an evaluation.
type EvaluationOverview struct {
	Run store.Manifest `json:"run"` // as run.json has it
	*finetune.Report
	Questions []QuestionEpisodes `json:"questions"`          // in the order of the run
	GivenUp   []store.GivenUp    `json:"given_up,omitempty"` // episodes, as a request failed alone
}

// QuestionEpisodes summarizes the episodes of a question.
type QuestionEpisodes struct {
	QuestionID string `json:"question_id"` // unique within a run
	Question   string `json:"question"`    // what the agent was asked
	Episodes   int    `json:"episodes"`    // in the run: one for each policy and API version, except those lost
	Correct    int    `json:"correct"`     // of those, the ones whose answer the official matcher accepts
}

// EvaluatedOverview summarizes each question of an evaluation.
func EvaluatedOverview(ctx context.Context, e *stored.Reading) (all EvaluationOverview, err error) {
	all = EvaluationOverview{Run: e.Manifest, GivenUp: e.Noted,
		Questions: make([]QuestionEpisodes, len(e.Questions))}
	if all.Report, err = e.Report(ctx, e.Missing); err != nil {
		return all, err
	}

	// Episodes come policy by policy and version by version, not in the order of the questions.
	place := map[string]int{}
	for i, q := range e.Questions {
		all.Questions[i] = QuestionEpisodes{QuestionID: q.ID, Question: q.Text}
		place[q.ID] = i
	}

	for episode, err := range e.Episodes(ctx, e.Missing) {
		if err != nil {
			return all, err
		}

		// What infrastructure lost counts neither as an episode nor as a wrong one.
		if episode.Lost != "" {
			continue
		}

		l := &all.Questions[place[episode.QuestionID]]

		l.Episodes++
		if episode.Official {
			l.Correct++
		}
	}

	return all, nil
}
