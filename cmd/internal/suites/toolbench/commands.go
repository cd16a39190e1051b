// Package toolbench is the suite ToolBench, with the commands that need more than the suite knows:
// models, evaluations and servers.
package toolbench

import (
	"embed"

	"toolevo/envs/suite"
	"toolevo/envs/toolbench/bench"
)

// helpTexts has the help of each command.
//
//go:embed help
var helpTexts embed.FS

// Suite is the suite with all of its commands.
type Suite struct{ bench.ToolBench }

// DriftDefaults implements [suite.Drifter].
func (s Suite) DriftDefaults() map[string]string {
	return map[string]string{"suite": s.Name(), "split": "test", "api": "dtb_v2"}
}

// Commands implements [suite.Commander].
func (s Suite) Commands() []suite.Command {
	return append(s.ToolBench.Commands(), suite.Command{Use: "mirror", Help: helpTexts},
		mirrorRequestsCommand(), mirrorDataCommand(), mirrorQueriesCommand(),
		mirrorWorkingCommand(), mirrorJudgeCommand(),
		judgeCommand(), simulatorCommand(), toolsCommand())
}
