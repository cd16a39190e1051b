package main

import (
	remotesuite "toolevo/cmd/internal/suites/remote"
	"toolevo/cmd/internal/suites/stategen"
	"toolevo/cmd/internal/suites/toolbench"
	"toolevo/envs/remote/bench"
	"toolevo/envs/suite"
	_ "toolevo/toolqa/bench"
)

// The suites of the program besides ToolQA, which registers itself.
func init() {
	suite.Register(toolbench.Suite{})
	suite.Register(stategen.Suite{})
	suite.Register(bench.Remote{Recordings: remotesuite.Recordings})
}
