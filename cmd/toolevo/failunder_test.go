package main

import (
	"testing"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
)

// A share is what each dataset and difficulty has to reach; with a version, each policy's mean
// under that version.
func TestFailUnder(t *testing.T) {
	t.Parallel()
	dir := copyOf(t, smallEvaluation(t))
	eval := []string{"eval", "--resume", "--out", dir, "--data", smallData(t), "--progress", "none", "--fail-under"}

	for values, want := range map[string]string{
		"0": "", "p_c=1": "", "p_s_in=0,p_c=0.5": "",
		"1":              "scripted:stale/p_s_in/coffee/easy: official accuracy 0.000 is below 1",
		"p_c=1,p_s_in=1": "scripted:stale under p_s_in: mean official accuracy 0.000 is below 1",
	} {
		r := cli(t, append(eval, values)...)
		if want == "" && r.code != exitDone || want != "" && r.code != exitBad {
			t.Errorf("--fail-under %s: exit %d\n%s", values, r.code, r.err)
		}

		says(t, "--fail-under "+values, r.err, want)
	}

	for _, wrong := range []string{"95", "NaN", "p_c=", "p_c=-1", "p_s_ood=0.5", "=x"} {
		fails(t, exitUsage, []string{"--fail-under"}, append(eval, wrong)...)
	}
}

// Neither the share that has to be reached nor the logs that are wanted are a setting of the run:
// the command that resumes it has them.
func TestResumedWithItsThreshold(t *testing.T) {
	t.Parallel()

	f := (&app{}).addEvalFlags(&cobra.Command{})
	f.job.FailUnder, f.job.Format = []string{"0.5", "p_s_ood=0.95"}, "inspect"

	says(t, "the command to resume", f.resumeCommand(toolevo.Stop{}), " --format inspect --fail-under 0.5,p_s_ood=0.95")
}
