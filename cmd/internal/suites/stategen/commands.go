// Package stategen is the suite of generated tasks, with the commands that need more than the suite
// knows: models, evaluations and servers.
package stategen

import (
	"embed"

	"toolevo/envs/stategen/bench"
	"toolevo/envs/suite"
)

// helpTexts has the help of each command.
//
//go:embed help
var helpTexts embed.FS

// Suite is the suite with all of its commands.
type Suite struct{ bench.StateGen }

// Commands implements [suite.Commander].
func (s Suite) Commands() []suite.Command {
	return append(s.StateGen.Commands(), measureCommand(), sampleCommand(), exportCommand(),
		importCommand(),
		instructCommand(), evalTasksCommand(), sessionsCommand(), voiceCommand())
}
