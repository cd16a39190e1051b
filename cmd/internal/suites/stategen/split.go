package stategen

import (
	"errors"
	"fmt"
	"io/fs"

	"toolevo/envs/stategen"
	"toolevo/envs/stategen/bench"
	"toolevo/envs/stategen/code"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/suite"
)

// taskSplit is the split of a data folder whose tasks a command is about.
type taskSplit struct{ data, split string }

func (s *taskSplit) options() []suite.Option {
	return []suite.Option{suite.DataOption(&s.data), suite.SplitOption(&s.split)}
}

// open reads the tasks of the split.
func (s *taskSplit) open(visit func(*stategen.Task) error) (*taskfile.File, error) {
	f, err := taskfile.Open(s.data, s.split, visit)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: `toolevo tasks generate` makes tasks of the split %s", err, s.split)
	}
	return f, err
}

// surfaces returns how programs reach the tools of a domain, as prompts show a set of APIs.
func surfaces(apis string) (func(stategen.Domain) *code.Surface, error) {
	catalog, err := bench.Catalog(apis)
	if err != nil {
		return nil, err
	}

	base, err := catalog.Version("p_c")
	return func(d stategen.Domain) *code.Surface {
		return &code.Surface{Domain: d, Base: base, Deployed: base}
	}, err
}
