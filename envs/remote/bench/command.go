package bench

import (
	"embed"

	"toolevo/envs/suite"
)

// helpTexts has the help of each command.
//
//go:embed help
var helpTexts embed.FS

// Commands implements [suite.Commander]. The command that groups the ones of tasks belongs to
// another suite.
func (r Remote) Commands() []suite.Command {
	return []suite.Command{
		{Use: "tools", Help: helpTexts}, importCommand(), nextCommand(), checkToolsCommand(),
		r.addTasksCommand(), makeTasksCommand(), checkTasksCommand(),
	}
}
