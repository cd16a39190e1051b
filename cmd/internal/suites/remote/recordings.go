// Package remote reads recorded runs of the user's own tools, which the suite makes tasks of.
package remote

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"toolevo/envs"
	"toolevo/envs/action"
	"toolevo/envs/disk"
	"toolevo/envs/remote/bench"
	"toolevo/trajectories"
	"toolevo/trajectories/atif"
)

// Recordings reads the ATIF documents of a file, or of all files in a folder; nil if a file is
// something else. A document that does not record a whole run is left out and named.
func Recordings(path string) (*bench.Recordings, error) {
	if is, err := isDocument(path); err != nil || !is {
		return nil, err
	}

	files, err := atif.Files(path)
	if err != nil {
		return nil, err
	}

	found := &bench.Recordings{}

	// Trials that ended without a document are named, or their tasks would be missing silently.
	refused, err := atif.OtherTrials(path, files)
	for _, r := range refused {
		found.Left = append(found.Left, bench.LeftTask{From: r.Document, Why: r.Why})
	}

	if err != nil {
		return nil, err
	}

	for _, file := range files {
		for d, err := range atif.Read(file) {
			if err != nil {
				return nil, err
			}

			// From a damaged file nothing is taken; what is whole and says too little is named.
			if run, err := recordedRun(file, &d); err != nil {
				found.Left = append(found.Left, bench.LeftTask{From: d.Name, Why: reasonOf(err)})
			} else {
				found.Runs = append(found.Runs, run)
			}
		}
	}

	return found, nil
}

// isDocument reports whether a path is a folder, or a file that begins with an ATIF document.
func isDocument(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return err == nil, err
	}

	text, err := disk.ReadFile(path)
	if err != nil {
		return false, err
	}

	var first struct {
		SchemaVersion string `json:"schema_version"`
	}

	err = json.NewDecoder(bytes.NewReader(text)).Decode(&first)
	return err == nil && strings.HasPrefix(first.SchemaVersion, "ATIF-"), nil
}

// reasonOf says what keeps a document from being a task, without its name.
func reasonOf(err error) string {
	var refusal *atif.Refusal

	switch {
	case errors.As(err, &refusal) && refusal.Step > 0:
		return fmt.Sprintf("step %d: %s", refusal.Step, refusal.Why)
	case errors.As(err, &refusal):
		return refusal.Why
	}

	return err.Error()
}

// recordedRun returns what a document says of a run.
func recordedRun(file string, d *atif.Named) (bench.Recorded, error) {
	row, shown, err := d.Row("")
	if err != nil {
		return bench.Recorded{}, err
	}

	run := bench.Recorded{
		From: d.Name, ID: idOf(file, d), Question: row.Question, Answer: row.Answer,
		Dataset: row.Labels[envs.LabelDataset], Difficulty: row.Labels[envs.LabelDifficulty],
	}

	ours := d.Extra.Ours
	if ours == nil {
		// Other programs give their answer as the text of the last step.
		if last := d.Steps[len(d.Steps)-1]; len(last.ToolCalls) == 0 {
			run.Answer = strings.TrimSpace(last.Message.Value)
		}
	} else {
		run.Version = row.DeployedAPI
	}

	// Only our own documents say whether the answer was right; any other is believed.
	switch {
	case run.Answer == "":
		return run, errors.New("it has no final answer")
	case ours != nil && !row.Official:
		return run, errors.New("its final answer was found wrong")
	}

	run.Calls, err = succeededCalls(row.Turns, action.OrDefault(shown.Codec))
	return run, err
}

// succeededCalls returns the calls of tools that were answered. Documents of other programs do not
// say which were refused.
func succeededCalls(turns []trajectories.Turn, codec action.Codec) (all []envs.Call, err error) {
	for i, t := range turns {
		calls, unread := action.Calls(codec, t.Action)

		switch {
		case unread != nil || t.Outcome.Ends():
			continue // a text, or the answer
		case t.Outcome != envs.OK && len(calls) > 1:
			return nil, fmt.Errorf("turn %d has %d calls, and says of one alone that it failed",
				i+1, len(calls))
		case t.Outcome != envs.OK:
			continue
		}

		for _, c := range calls {
			if !envs.IsSystem(c.Name) {
				all = append(all, c)
			}
		}
	}

	return all, nil
}

// idOf names the task of a document: as its question if it is ours, and otherwise as the document,
// its trial or its file.
func idOf(file string, d *atif.Named) string {
	if ours := d.Extra.Ours; ours != nil {
		return ours.QuestionID
	}

	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if atif.IsTrial(file) {
		name = filepath.Base(filepath.Dir(filepath.Dir(file)))
	}

	if _, line, ok := strings.Cut(d.Name, ", line "); ok {
		name += "-" + line
	}

	// Commas separate IDs in settings.
	return strings.NewReplacer(",", "-", "\n", "-").Replace(cmp.Or(d.TrajectoryID, name))
}
