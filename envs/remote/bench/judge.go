package bench

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/zeebo/xxh3"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/pytext"
)

// How a judge is asked.
const (
	judgeTokens = 2048 // of a verdict, with what the model thinks before it; it is asked greedily
	judgeTries  = 3    // until a verdict can be read
)

//go:embed judge.txt
var judgeInstructions string

var judgePrompt = kept.NewPrompt("rubric", judgeInstructions)

// judgeRequest has the rubric and the episode.
const judgeRequest = "Rubric:\n%s\n\nEpisode, one line of JSON:\n%s\n\n" +
	"That was the episode. Is the task solved, by the rubric?"

// judgeIdentity names everything that a verdict depends on except what is judged.
func (o *opened) judgeIdentity() string {
	instructions := o.choice.Prompts.Text(judgePrompt)
	return o.toolset.Judge.identity(instructions, judgeRequest, fmt.Sprint(judgeTokens))
}

// openJudge finds the judge of the chosen tasks that have a rubric, and labels them.
func (o *opened) openJudge() error {
	// The label names who judges: rows, reports and exports count these tasks by it.
	judged := 0

	for _, t := range o.tasks {
		if o.byID[t.ID].Rubric == "" {
			continue
		}

		judged++

		if j := o.toolset.Judge; j != nil {
			t.Labels[envs.LabelJudge] = j.Model
		}
	}

	// The lineage names a judge only if results depend on one.
	if judged == 0 {
		return nil
	}

	j := o.toolset.Judge
	if j == nil {
		return fmt.Errorf("%d tasks of the split %s have a rubric, and nobody judges by it: name "+
			"a language model in %s, as in `judge: {model: openai:MODEL}`, with `server: URL` "+
			"where that is not the policies'", judged, o.choice.Split, toolsetPath(o.choice.Data))
	}

	o.lineage["judge"] = o.judgeIdentity()
	o.judge = o.lazy("judge", j, judgeTokens)
	return nil
}

// judged asks the judge whether an episode is as the task's rubric says, once for each episode of a
// run.
func (g grader) judged(ctx context.Context, t *Task, e Episode) (
	solved bool, reason string, err error,
) {
	// The episode cannot end its own quotation: JSON escapes its quotes and line breaks.
	episode, err := json.Marshal(e)
	if err != nil {
		return false, "", err
	}

	j := g.suite.toolset.Judge
	request := fmt.Sprintf(judgeRequest, strings.TrimSpace(t.Rubric), episode)
	ask := func() (envs.Result, error) {
		verdict, unread, err := kept.Ask(ctx, g.suite.judge, kept.Asking{
			Instructions: g.suite.choice.Prompts.Text(judgePrompt),
			Request:      request,
			Seed:         xxh3.HashString(request),
			Tries:        judgeTries,
		}, readVerdict)
		if err == nil && unread != nil {
			err = &kept.Lost{Reason: "the judge wrote no verdict", Err: fmt.Errorf("%s wrote no "+
				"verdict in %d tries: %w: name another judge, or make the rubric plainer",
				j.Model, judgeTries, unread)}
		}

		verdict.Maker = j.Model
		return verdict, err
	}

	// The key has all that a verdict depends on: a resumed run pays for none again, and another
	// judge, prompt or rubric is asked anew.
	key := "judge " + kept.Key(g.suite.judgeIdentity(), request)

	verdict, err := envs.Remembered(ctx, g.memory, key, ask)
	if err != nil {
		return false, "", fmt.Errorf("judge %s by its rubric: %w", t.ID, err)
	}
	return verdict.Outcome == envs.Correct, verdict.Observation, nil
}

// readVerdict reads a judge's reply: the outcome, and the reason as the observation.
func readVerdict(reply string) (envs.Result, error) {
	object, err := kept.Object(reply, "solved")
	if err != nil {
		return envs.Result{}, err
	}

	value, _ := object.Get("solved")

	solved, ok := value.(bool)
	if !ok {
		return envs.Result{}, errors.New("its member solved is neither true nor false")
	}

	verdict := envs.Result{Outcome: envs.Incorrect}
	if solved {
		verdict.Outcome = envs.Correct
	}

	if reason, ok := object.Get("reason"); ok {
		verdict.Observation = pytext.Str(reason)
	}
	return verdict, nil
}
