package main

import (
	stategen "toolevo/envs/stategen/bench"
	"toolevo/envs/suite"
	toolbench "toolevo/envs/toolbench/bench"
	_ "toolevo/toolqa/bench" // registers itself, and so comes first: it is the suite of commands that are not told
)

// The other suites that the program knows.
func init() {
	suite.Register(toolbench.ToolBench{})
	suite.Register(stategen.StateGen{})
}
