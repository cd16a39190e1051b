package bench

import (
	"embed"

	"toolevo/envs/suite"
)

// helpTexts has the help of each command.
//
//go:embed help
var helpTexts embed.FS

// Commands implements [suite.Commander].
func (StateGen) Commands() []suite.Command {
	return []suite.Command{{Use: "tasks", Help: helpTexts}, generateCommand(), showCommand(), verifyCommand()}
}
