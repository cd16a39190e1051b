package main

import (
	"context"
	"fmt"
	"strings"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/finetune/stored"
	"toolevo/finetune/tabulate"
	"toolevo/trajectories"
)

// questionPlayed is what inspect says of a question of an evaluation.
type questionPlayed struct {
	shownQuestion
	Episodes []episodeSummary `json:"episodes"` // one for each policy and API version
}

// episodeSummary is an episode in brief.
type episodeSummary struct {
	Episode      int    `json:"episode"`      // its number among the question's, from 0
	Policy       string `json:"policy"`       // e.g. "scripted:reader"
	API          string `json:"api"`          // the deployed API version
	Status       string `json:"status"`       // "terminated" or "truncated"
	Limit        string `json:"limit"`        // what truncated it; "" when nothing did
	Turns        int    `json:"turn_count"`   // number of turns
	Deprecations int    `json:"deprecations"` // turns that met a deprecated API
	Answer       string `json:"answer"`       // the answer the agent gave
	Official     bool   `json:"official"`     // right by the benchmark's own matcher
	Strict       bool   `json:"strict"`       // right by the strict matcher
}

// inspectEvaluation shows an evaluation, a question's episodes, or one of them.
func (a *app) inspectEvaluation(ctx context.Context, v *stored.Run, args []string,
	o lookOptions) error {
	// The usage allows a third argument because trees have nodes.
	if len(args) > 2 {
		return console.Usage("%s is an evaluation, whose episodes have no nodes: `toolevo inspect RUN QUESTION "+
			"EPISODE` shows one whole", v.Dir)
	}

	if len(args) == 0 {
		e, err := v.Evaluation(v.Questions).Read(ctx)
		if err != nil {
			return err
		}
		return a.inspectEvaluated(ctx, e, o)
	}

	q, err := toolevo.QuestionOf(v, args[0])
	if err != nil {
		return err
	}

	// EPISODE is a number among them, so all are read to show one.
	var episodes []trajectories.Episode
	for episode, err := range v.Evaluation([]trajectories.Question{q}).Episodes(ctx, nil) {
		if err != nil {
			return err
		}

		episodes = append(episodes, episode)
	}

	if len(args) == 1 {
		return a.inspectEpisodes(q, episodes)
	}

	n, err := toolevo.Number("EPISODE", args[1])
	if err != nil {
		return err
	}

	if n >= len(episodes) {
		return console.Usage("question %s has %d episodes in this evaluation, numbered from 0: "+
			"`toolevo inspect %s %s` lists them", q.ID, len(episodes), v.Dir, q.ID)
	}

	return a.inspectEpisode(&episodes[n])
}

// inspectEvaluated shows an evaluation's accuracies and questions.
func (a *app) inspectEvaluated(ctx context.Context, e *stored.Reading, o lookOptions) error {
	if e.Unfinished {
		e.Run.SayUnfinished(a.Say)
	}

	all, err := toolevo.EvaluatedOverview(ctx, e)
	if err != nil {
		return err
	}

	return a.Show(all, func() {
		a.printRunHead(all.Run, all.Engines, nil)
		_ = all.WriteTable(a.Out) // a.Out keeps the first error
		fmt.Fprintln(a.Out)
		a.printQuestions(all.Questions, o)
		a.sayGivenUp("episodes", e.Noted, toolevo.Continuation(e.Run))
	})
}

func (a *app) printQuestions(questions []toolevo.QuestionEpisodes, o lookOptions) {
	var lines [][]string

	for _, l := range questions {
		if l.Episodes == 0 {
			continue
		}

		line := tabulate.Texts(display.Line(l.QuestionID, 0), l.Episodes, l.Correct)
		lines = append(lines, append(line, o.text(l.Question)...))
	}

	a.writeQuestions([]string{"question", "episodes", "correct"}, lines, len(questions), "episode")
}

// inspectEpisodes shows the episodes of a question.
func (a *app) inspectEpisodes(q trajectories.Question, episodes []trajectories.Episode) error {
	all := questionPlayed{shownOf(q), make([]episodeSummary, len(episodes))}
	for i, e := range episodes {
		all.Episodes[i] = episodeSummary{
			Episode: i, Policy: e.Policy, API: e.DeployedAPI, Status: e.Status, Limit: e.Limit,
			Turns: e.TurnCount, Deprecations: e.Deprecations, Answer: e.Answer, Official: e.Official, Strict: e.Strict,
		}
	}

	return a.Show(all, func() {
		a.printQuestion(q)
		heads := []string{"episode", "policy", "api", "turns", "deprecated", "official", "strict",
			"answer"}

		var lines [][]string

		// Without an answer, an empty cell would look as if the agent had answered with nothing.
		for _, s := range all.Episodes {
			answer := s.Answer
			if s.Limit != "" {
				answer = "none; stopped: " + s.Limit
			}

			lines = append(lines, tabulate.Texts(s.Episode, display.Line(s.Policy, 0), s.API,
				s.Turns, s.Deprecations, tick(s.Official), tick(s.Strict), display.Line(answer, 0)))
		}

		_ = tabulate.WriteList(a.Out, heads, lines)
	})
}

// tick says whether an answer is right.
func tick(right bool) string {
	if right {
		return "✓"
	}
	return "✗"
}

// inspectEpisode shows an episode as it happened.
func (a *app) inspectEpisode(e *trajectories.Episode) error {
	return a.Show(e, func() {
		fmt.Fprintf(a.Out, "%s under %s\nQuestion: %s\n", display.Line(e.Policy, 0),
			display.Line(e.DeployedAPI, 0), e.Question)

		for _, t := range e.Turns {
			fmt.Fprintf(a.Out, "\n%s\n\nObservation: %s\n", strings.TrimSpace(t.Action),
				strings.TrimSpace(t.Observation))
		}

		if e.Limit != "" {
			fmt.Fprintf(a.Out, "\nstopped: %s\n", e.Limit)
		}
	})
}
