package questions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"toolevo/envs"
	"toolevo/toolqa"
	"toolevo/toolqa/corpus"
)

const again = "run `toolevo data questions` again"

// Open reads the questions of one file for a run over the corpus that info describes. Besides what
// [Read] refuses, it refuses questions that do not belong to that corpus and generated questions
// that another split asks, too. Published splits share some ([FindShared]), of which nothing is to
// be trained on.
func Open(dir string, info corpus.Info, d toolqa.Difficulty, s toolqa.Split) ([]toolqa.Question, error) {
	qs, err := ReadAbout(dir, info, d, s)
	if err != nil {
		return nil, err
	}

	sources := map[string]toolqa.Source{}
	for _, q := range qs {
		sources[envs.QuestionKey(q.Text)] = q.Source
	}

	// A question of two splits would be trained on and tested, if not in this run then in another.
	for _, other := range toolqa.Splits() {
		if other == s {
			continue
		}

		others, err := Read(dir, info.Dataset, d, other)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}

		if err != nil {
			return nil, err
		}

		for _, q := range others {
			// What two published splits share was published like that: it cannot be made anew.
			source, shared := sources[envs.QuestionKey(q.Text)]
			if shared && (source == toolqa.Generated || q.Source == toolqa.Generated) {
				return nil, fmt.Errorf("questions: %s and %s share the question %q: %s",
					Path(dir, info.Dataset, d, s), Path(dir, info.Dataset, d, other), q.Text, again)
			}
		}
	}

	return qs, nil
}

// ReadAbout reads the questions of one file. Besides what [Read] refuses it returns an error, with
// the questions, where they do not have their answers from the corpus.
func ReadAbout(dir string, info corpus.Info, d toolqa.Difficulty, s toolqa.Split) (
	[]toolqa.Question, error) {
	path := Path(dir, info.Dataset, d, s)
	qs, err := Read(dir, info.Dataset, d, s)

	for _, q := range qs {
		switch {
		case q.Source == toolqa.Generated && q.Corpus != info.ContentSHA256:
			return qs, fmt.Errorf("questions: %s: question %s was generated from another corpus than the one that is "+
				"there now: %s",
				path, q.ID, again)
		case q.Source == toolqa.Published && info.Source == corpus.Synthetic:
			return qs, fmt.Errorf("questions: %s: published questions need the published corpus, and the one that is "+
				"there is synthetic: "+
				"import it with `toolevo data import`, or remove the file", path)
		}
	}

	return qs, err
}

// Stale returns, for each question file below dir that does not belong to the corpus that info
// describes or cannot be read, an error that names it.
func Stale(dir string, info corpus.Info) []error {
	var stale []error

	for _, d := range toolqa.Difficulties() {
		for _, s := range toolqa.Splits() {
			_, err := ReadAbout(dir, info, d, s)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				stale = append(stale, err)
			}
		}
	}

	return stale
}

// RemoveShared removes the generated files below dir that ask, in another split, a question of the
// published ones of their dataset and difficulty, and returns their paths. It is for before the
// published questions are written: afterwards a run would refuse both.
func RemoveShared(dir string, published []toolqa.Question) (removed []string, err error) {
	// Also of what was removed before something failed: a file that has a checksum and is not there
	// would count as lost.
	defer func() {
		changes := map[string]string{}
		for _, path := range removed {
			changes[path] = ""
		}

		if len(changes) > 0 {
			err = errors.Join(err, updateSums(dir, folder(dir), changes))
		}
	}()

	for _, ds := range toolqa.Datasets() {
		for _, d := range toolqa.Difficulties() {
			for _, s := range toolqa.Splits() {
				// Those of the file's own split do not count: they will replace the file.
				keys := keysOf(slices.DeleteFunc(slices.Clone(published), func(q toolqa.Question) bool {
					return q.Dataset != ds || q.Difficulty != d || q.Split == s
				}))
				path := Path(dir, ds, d, s)

				shares, err := generatedShare(path, ds, d, s, keys)
				if err != nil {
					return removed, err
				}

				if !shares {
					continue
				}

				if err := os.Remove(path); err != nil {
					return removed, fmt.Errorf("questions: %w", err)
				}

				removed = append(removed, path)
			}
		}
	}
	return removed, nil
}

// generatedShare reports whether a file asks, among its generated questions, one of those with the
// keys. It does not matter here whether the file is as it was written.
func generatedShare(path string, ds toolqa.Dataset, d toolqa.Difficulty, s toolqa.Split,
	keys map[string]bool) (bool, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}

	if err != nil {
		return false, fmt.Errorf("questions: %w", err)
	}

	qs, err := parseFile(path, data, ds, d, s, written)
	if err != nil {
		return false, fmt.Errorf("%w: remove the file", err)
	}
	return slices.ContainsFunc(qs, func(q toolqa.Question) bool {
		return q.Source == toolqa.Generated && keys[envs.QuestionKey(q.Text)]
	}), nil
}

func keysOf(qs []toolqa.Question) map[string]bool {
	keys := make(map[string]bool, len(qs))
	for _, q := range qs {
		keys[envs.QuestionKey(q.Text)] = true
	}
	return keys
}
