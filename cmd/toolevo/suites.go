package main

import (
	"toolevo/cmd/internal/suites/stategen"
	"toolevo/cmd/internal/suites/toolbench"
	"toolevo/envs/suite"
	_ "toolevo/toolqa/bench" // registers itself, and so comes first: it is the suite of commands that name none
)

// The other suites that the program knows.
func init() {
	suite.Register(toolbench.Suite{})
	suite.Register(stategen.Suite{})
}
