package cmdline

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/spf13/cobra"
)

// helpFolder is the folder of the help texts beside the commands of a package.
const helpFolder = "help"

// Command returns the command of a usage line such as "show RUN [QUESTION] [FILE...]": it takes as
// many arguments as the line names, and has the help text of [Documented].
func Command(use string, files fs.FS) *cobra.Command {
	least, most := Arguments(use)
	return Documented(&cobra.Command{Use: use, Args: Positional(least, most)}, files)
}

// Documented gives a command its help text, help/NAME.txt of the files that its package embeds:
// what the command does in a line, an empty line, the description, and below a line "Examples:" the
// examples. It panics when there is no help: that is a bug.
func Documented(cmd *cobra.Command, files fs.FS) *cobra.Command {
	return documentedBy(cmd, files, cmd.Name())
}

// documentedBy gives a command the help text of a name.
func documentedBy(cmd *cobra.Command, files fs.FS, name string) *cobra.Command {
	text, err := fs.ReadFile(files, path.Join(helpFolder, name+".txt"))
	if err != nil {
		panic(fmt.Sprintf("cmdline: the help of %s: %v", name, err))
	}

	cmd.Short, cmd.Long, _ = strings.Cut(strings.TrimRight(string(text), "\n"), "\n\n")
	cmd.Long, cmd.Example, _ = strings.Cut(cmd.Long, "\n\nExamples:\n")
	return cmd
}
