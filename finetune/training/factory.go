package training

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"toolevo/finetune/child"
)

// Factory is an installed LLaMA-Factory.
type Factory struct {
	program string // absolute
}

// factoryProgram is the command line of LLaMA-Factory.
const factoryProgram = "llamafactory-cli"

// install says how to get it; the pinned versions belong together.
const install = `LLaMA-Factory is installed in an environment of its own:
  python3 -m venv ~/llamafactory
  ~/llamafactory/bin/pip install llamafactory==0.9.5 torch==2.11.0 torchaudio==2.11.0 torchvision==0.26.0
and named with --llamafactory ~/llamafactory/bin/llamafactory-cli, or found on the PATH`

// Find returns the LLaMA-Factory at a path, or the one on the PATH if that is "".
func Find(program string) (*Factory, error) {
	if program == "" {
		program = factoryProgram
	}

	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}

	if err != nil {
		return nil, fmt.Errorf("%s was not found (%w).\n%s", program, err, install)
	}
	return &Factory{path}, nil
}

// command returns a command of LLaMA-Factory in the folder of a training. What it starts itself,
// torchrun, is in the same folder as it.
func (f *Factory) command(dir string, args ...string) child.Command {
	return child.Command{
		Args: append([]string{f.program}, args...),
		Dir:  dir,
		Env: []string{
			"PATH=" + filepath.Dir(f.program) + string(os.PathListSeparator) + os.Getenv("PATH"),
		},
		Log: filepath.Join(dir, logFile),
	}
}

var versionLine = regexp.MustCompile(`(?i)llama.?factory, version (\S+)`)

// Version returns the name and the version, e.g. "LLaMA-Factory 0.9.5". That takes seconds, and
// reveals a broken installation.
func (f *Factory) Version(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, f.program, "version").CombinedOutput()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}

	if err != nil {
		return "", fmt.Errorf("%s version: %w: %s\n%s", f.program, err, lastWords(out), install)
	}

	found := versionLine.FindSubmatch(out)
	if found == nil {
		return "", errors.New(f.program + " version does not name LLaMA-Factory")
	}
	return "LLaMA-Factory " + string(found[1]), nil
}

// lastBytes is how much is shown of what a failed program printed.
const lastBytes = 500

// lastWords returns the end of an output, where Python names the error.
func lastWords(out []byte) string {
	return strings.TrimSpace(strings.ToValidUTF8(string(out[max(0, len(out)-lastBytes):]), "?"))
}
