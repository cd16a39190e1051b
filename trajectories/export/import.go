package export

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"toolevo/envs/action"
	"toolevo/trajectories"
	"toolevo/trajectories/atif"
)

// Imported holds the trajectories of documents, of this program or of others.
type Imported struct {
	rows    []trajectories.Row
	refused []*atif.Refusal
	shown   map[origin]trajectories.Shown
	single  map[[2]string][]string // IDs of what is of no tree, by run and question
	blind   map[string]bool        // by the names of rows
}

// Import reads documents from files and folders, as [atif.Files] finds them. Those of other
// programs are taken for trajectories on training questions. What no sample can express is refused.
// So is a trial without a valid document, if its job has a valid one; any other invalid file is an
// error.
func Import(paths []string) (*Imported, error) {
	all := &Imported{
		shown: map[origin]trajectories.Shown{}, single: map[[2]string][]string{},
		blind: map[string]bool{},
	}

	for _, path := range paths {
		files, err := atif.Files(path)
		if err != nil {
			return nil, fmt.Errorf("export: import %s: %w", path, err)
		}

		if err := all.addAll(path, files); err != nil {
			return nil, fmt.Errorf("export: import: %w", err)
		}
	}

	slices.SortStableFunc(all.rows, func(a, b trajectories.Row) int { return trajectories.Compare(&a, &b) })
	return all, nil
}

// addAll adds the documents of the files at a path. A trial that broke off is refused, and does not
// keep the others of its job out.
func (i *Imported) addAll(path string, files []string) error {
	broken := 0

	for _, file := range files {
		err := i.add(file)

		var none *atif.NoDocumentError
		if !errors.As(err, &none) || !atif.IsTrial(file) || file == path {
			if err != nil {
				return err
			}

			continue
		}

		if broken++; broken == len(files) {
			return err // it may be anything but a job
		}

		i.refused = append(i.refused, &atif.Refusal{Document: file, Why: "it is no ATIF document: " + none.Err.Error()})
	}

	others, err := atif.OtherTrials(path, files)
	i.refused = append(i.refused, others...)
	return err
}

// add adds the documents of a file.
func (i *Imported) add(file string) error {
	for d, err := range atif.Read(file) {
		if err != nil {
			return err
		}

		row, shown, err := d.Row(TrainSplit)

		var refusal *atif.Refusal
		if errors.As(err, &refusal) {
			i.refused = append(i.refused, refusal)
			continue
		}

		if err != nil {
			return err
		}

		// Others may have several documents of one session, too.
		if d.IsEpisode() || d.Extra.Ours == nil {
			row.Tree = i.treeOf(&row, cmp.Or(d.TrajectoryID, d.Name))
		}

		// Rows of one origin share what they were shown, and that has to do for all of them.
		origin := originOf(&row)
		if before, ok := i.shown[origin].Codec.(action.Tools); ok {
			native, _ := shown.Codec.(action.Tools)
			native.Most = max(native.Most, before.Most)
			shown.Codec = native
		}

		if ours := d.Extra.Ours; ours != nil && ours.Blind {
			i.blind[row.Name()] = true
		}

		i.rows = append(i.rows, row)
		i.shown[origin] = shown
	}
	return nil
}

// treeOf returns a tree number for what is of no tree, a different one for each of a run and
// question. So policies, API versions and repeats are told apart, but a document that is read twice
// is not.
func (i *Imported) treeOf(row *trajectories.Row, id string) int {
	question := [2]string{row.RunID, row.QuestionID}
	ids := i.single[question]

	tree := slices.Index(ids, id)
	if tree < 0 {
		tree = len(ids)
		i.single[question] = append(ids, id)
	}

	return tree
}

// Rows streams the trajectories in canonical order.
func (i *Imported) Rows() iter.Seq2[trajectories.Row, error] {
	return func(yield func(trajectories.Row, error) bool) {
		for _, row := range i.rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// Refuse leaves out the trajectories that a function gives a reason against, and refuses their
// documents for it.
func (i *Imported) Refuse(why func(*trajectories.Row) string) {
	i.rows = slices.DeleteFunc(i.rows, func(row trajectories.Row) bool {
		reason := why(&row)
		if reason != "" {
			i.refused = append(i.refused, &atif.Refusal{Document: row.Name(), Why: reason})
		}
		return reason != ""
	})
}

// Refused returns which documents no sample can express, or is to be made of, and why.
func (i *Imported) Refused() []*atif.Refusal { return i.refused }

// Shown returns what the model of a row was shown. ok is false if the row was not imported.
func (i *Imported) Shown(row *trajectories.Row) (shown trajectories.Shown, ok bool) {
	shown, ok = i.shown[originOf(row)]
	return shown, ok
}

// IsBlind reports whether a document says that nothing in its trajectory reveals that a call meant
// something else: see [Selection.Blind].
func (i *Imported) IsBlind(row *trajectories.Row) bool { return i.blind[row.Name()] }

// Has reports whether any trajectories are of a run.
func (i *Imported) Has(runID string) bool {
	return slices.ContainsFunc(i.rows, func(r trajectories.Row) bool { return r.RunID == runID })
}

// Codecs returns the codecs that actions are written in, each once, whatever their settings.
func (i *Imported) Codecs() []action.Codec {
	var all []action.Codec

	for _, codec := range action.Codecs() {
		for _, shown := range i.shown {
			if shown.Codec.String() == codec.String() {
				all = append(all, codec)
				break
			}
		}
	}

	return all
}

// Suites returns the benchmarks of the documents, each once; "" stands for documents of other
// programs.
func (i *Imported) Suites() []string {
	var all []string

	for _, shown := range i.shown {
		all = append(all, shown.Suite)
	}

	slices.Sort(all)
	return slices.Compact(all)
}
