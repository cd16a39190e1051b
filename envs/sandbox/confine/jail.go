package confine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"toolevo/envs/keeper"
)

// Jail is a program and what it may reach.
type Jail struct {
	Path string   // the program, absolute; it may be read and executed
	Args []string // its arguments, without its name
	Env  []string // all of its environment
	Dir  string   // where it starts; default "/"

	Read  []string // files and folders it may read and execute, absolute; those that do not exist are ignored
	Hide  []string // folders that it may not read, except what Read names in them; it may know their files' names
	Write []string // files it may read and write, e.g. /dev/null; those that do not exist are ignored

	Scratch string // a folder in which it may make files, but not remove them; "" for none

	Without []Wall // walls to leave out
	Bwrap   string // the path of bubblewrap, which puts the program into namespaces of its own; "" for none

	// LandlockABI is the newest version of Landlock's interface to use, to see what holds on an
	// older kernel; 0 is the kernel's own.
	LandlockABI int
}

// notLaunched is the exit status of a launcher that could not start the program.
const notLaunched = 125

// marker is the argument by which Main knows that this process is to be the launcher.
const marker = "__confine"

// Main makes this process the launcher if it was started as one, or a keeper, and does not return
// then. main and TestMain call it first.
func Main() {
	keeper.Main()

	if len(os.Args) != 3 || os.Args[1] != marker {
		return
	}

	if os.Args[2] == "" {
		syscall.Exit(0) // see CheckBubblewrap
	}

	fmt.Fprintf(os.Stderr, "confine: %v\n", launch(os.Args[2]))
	syscall.Exit(notLaunched) // not os.Exit, which has the test tools say things, too
}

// Command returns the command that starts the program in its jail by way of this binary. If the
// launcher fails, it says why in one line on stderr that begins with "confine: ", and ends with the
// exit status 125. A wall that this machine does not offer and that is not in Without is a
// [MissingError] here.
//
// The program is the leader of a session and process group of its own, without a terminal, and is
// killed when this process ends, however it ends; see the package's caveats for the one thing to
// mind. Without Landlock this process hides its memory and its environment from the user's other
// processes, as far as the kernel lets it.
func (j Jail) Command(ctx context.Context) (*exec.Cmd, error) {
	if err := Require(j.Without...); err != nil {
		return nil, err
	}

	if err := j.check(); err != nil {
		return nil, fmt.Errorf("confine: %w", err)
	}

	// Nothing else keeps the program from reading /proc of this user's processes.
	if slices.Contains(j.Without, Landlock) {
		if err := hide(); err != nil {
			return nil, fmt.Errorf("confine: hide this process: %w", err)
		}
	}

	// The launcher inside bubblewrap must not start it again.
	inside := j
	inside.Bwrap = ""
	var spec bytes.Buffer
	encoder := json.NewEncoder(&spec)
	encoder.SetEscapeHTML(false) // a program in Args keeps its size

	if err := encoder.Encode(inside); err != nil {
		return nil, fmt.Errorf("confine: describe the jail of %s: %w", j.Path, err)
	}

	args := []string{helper, marker, spec.String()}

	if j.Bwrap != "" {
		outside, err := bubblewrap(j.Bwrap, j.files(), j.Hide, j.Write)
		if err != nil {
			return nil, fmt.Errorf("confine: %w", err)
		}

		// The keeper ends bubblewrap and all inside, however this process ends.
		args = append(keeper.Command(helper, 0, outside), marker, spec.String())
	}

	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	// Lists of processes show a name instead of the path of the binary in /proc.
	cmd.Args[0] = keeper.Name
	cmd.Env = slices.Clone(launcherEnvironment)
	cmd.Dir = "/"
	cmd.SysProcAttr = attributes(j.Bwrap != "")

	return cmd, nil
}

// launcherEnvironment is the environment of the launcher, which passes none of it on. It starts
// sooner if it collects no garbage.
var launcherEnvironment = []string{"GOGC=off"}

// helper is the binary of launchers and keepers.
var helper = keeper.OwnBinary

// UseBinary makes another binary the launcher and keeper of every program that is started from now
// on. Its main must call [Main] first. Tests use it: under the race detector, their own binary
// takes ten times as long to start.
func UseBinary(path string) { helper = path }

// files returns the files that the program may read.
func (j Jail) files() []string { return slices.Concat([]string{j.Path}, j.Read) }

func (j Jail) check() error {
	if !filepath.IsAbs(j.Path) {
		return fmt.Errorf("the program %q has no absolute path", j.Path)
	}

	info, err := os.Stat(j.Path)
	if err != nil {
		return fmt.Errorf("the program: %w", err)
	}

	if info.IsDir() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("the program %s cannot be executed: it is %s", j.Path, info.Mode())
	}

	for _, path := range slices.Concat(j.Read, j.Hide, j.Write) {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("the path %q is not absolute", path)
		}
	}

	if j.Dir != "" && !filepath.IsAbs(j.Dir) {
		return fmt.Errorf("the folder %q is not absolute", j.Dir)
	}
	return nil
}
