package app

import (
	"cmp"
	"fmt"
	"os"

	"toolevo/envs/suite"
	"toolevo/trajectories/export"
)

// elsewhere reads the questions of the splits that are not exported, and says so if there are none.
func (e *ExportJob) elsewhere(s *sources) (*export.Elsewhere, error) {
	o := otherSplits{e, e.Selection.Split, &export.Elsewhere{}, map[splitSource]bool{}}

	for _, r := range s.runs {
		if err := o.add(r.data, r.benchmark); err != nil {
			return nil, err
		}
	}

	if s.imported == nil {
		return o.known, nil
	}

	for _, name := range s.imported.Suites() {
		if err := o.addNamed(name); err != nil {
			return nil, err
		}
	}

	return o.known, nil
}

// exportElsewhere reads the questions that an export must not have, if there is a data folder.
func (e *ExportJob) exportElsewhere(folder string) (*export.Elsewhere, error) {
	m, err := export.ReadManifest(folder)
	if err != nil || e.dataFolder() == "" {
		return nil, err
	}

	o := otherSplits{e, m.Selection.Split, &export.Elsewhere{}, map[splitSource]bool{}}

	for _, run := range m.Runs {
		if err := o.addNamed(run.Suite); err != nil {
			return nil, err
		}
	}

	return o.known, nil
}

// dataFolder returns the folder that was named, or the default one if it exists.
func (e *ExportJob) dataFolder() string {
	if e.Data != "" {
		return e.Data
	}

	if _, err := os.Stat(e.DefaultData()); err != nil {
		return ""
	}
	return e.DefaultData()
}

// otherSplits reads questions of the splits that are not exported.
type otherSplits struct {
	*ExportJob
	split string // that is exported: of a folder its own, whatever the job says
	known *export.Elsewhere
	found map[splitSource]bool // those that were read, and whether they have such questions
}

// splitSource is where splits are.
type splitSource struct{ data, suite string }

// addNamed reads those of a suite in the data folder; "" stands for documents of other programs,
// which may ask what any suite asks.
func (o *otherSplits) addNamed(name string) error {
	if name == "" {
		return o.add(o.dataFolder(), suite.All()...)
	}

	benchmark, err := suite.Lookup(name)
	if err != nil {
		return err
	}
	return o.add(o.dataFolder(), benchmark)
}

// add reads those of some suites in a data folder, each once. If none has any, nothing can be
// compared.
func (o *otherSplits) add(data string, suites ...suite.Benchmark) error {
	any := false

	for _, benchmark := range suites {
		from := splitSource{data, benchmark.Name()}

		found, read := o.found[from]
		if !read && data != "" {
			var err error
			if found, err = o.read(benchmark, data); err != nil {
				return err
			}

			o.found[from] = found
		}

		any = any || found
	}

	if !any {
		o.known.Skip()
		o.Say("No questions of other splits in %s: whether one of them is exported was not "+
			"checked. Give the data folder with ‹data›.", cmp.Or(data, "this folder"))
	}

	return nil
}

// read reads those of a suite, and reports whether there are any.
func (o *otherSplits) read(benchmark suite.Benchmark, data string) (found bool, err error) {
	lister, ok := benchmark.(suite.Lister)
	if !ok {
		return false, nil
	}

	for _, split := range suite.Splits() {
		if split == o.split {
			continue
		}

		tasks, err := lister.List(data, split)
		if err != nil {
			return false, err
		}

		for _, t := range tasks {
			o.known.Add(t.Question, fmt.Sprintf("%s: %s", split, t.ID))
		}

		found = found || len(tasks) > 0
	}
	return found, nil
}
