package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/cmd/internal/cmdline"
	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/mcts/policy/doctor"
)

// doctorCommand examines what a run needs: all that collect refuses to begin without, and the
// servers of its models. Commands below it examine what else a run depends on.
func (a *app) doctorCommand() *cobra.Command {
	cmd := a.command("doctor")
	f := &doctorFlags{app: a, collectFlags: a.addCollectionFlags(cmd)}

	flags := cmd.Flags()

	for _, name := range []string{
		"dry-run", "probe", "tokens-per-second", "prices", "ignore-unreadable", "workers",
	} {
		// These change nothing here: they let doctor take the arguments of collect as they are.
		flags.Lookup(name).Hidden = true
	}

	timeout := flags.Lookup("timeout")
	timeout.DefValue = doctor.DefaultTimeout.String()
	timeout.Usage = fmt.Sprintf("`TIME` that one probe may take, loading the model included (with --quick %v)",
		doctor.QuickTimeout)
	f.job.Parallel = doctor.DefaultParallel
	addFlags(cmd, "doctor", into{
		"write":        &f.write,
		"quick":        &f.job.Quick,
		"side-by-side": &f.job.Parallel,
	})
	cmd.AddCommand(a.sandboxCommand())

	return does(a, cmd, f.examine, func(*toolevo.Diagnosis) {}) // each finding is written as it comes
}

// doctorFlags are the flags of doctor.
type doctorFlags struct {
	app *app
	*collectFlags
	job   toolevo.DoctorJob
	write string
}

// examine does what the flags ask for.
func (f *doctorFlags) examine(ctx context.Context, _ []string) (*toolevo.Diagnosis, error) {
	if err := f.read(); err != nil {
		return nil, err
	}

	d, err := toolevo.Doctor(ctx, f.job)
	if err == nil && f.write != "" {
		err = f.writeSettings(d)
	}

	if err != nil {
		return nil, err
	}

	switch d.Verdict {
	case doctor.OK, doctor.Skipped:
		return d, nil
	case doctor.Problem:
		return d, console.GaveUp(errors.New("doctor: there are problems"))
	}

	return d, console.Bad("doctor: there are findings")
}

// read refuses flags that make no sense, and makes the job that the others ask for.
func (f *doctorFlags) read() (err error) {
	given := f.cmd.Flags()

	switch {
	case f.job.Parallel < 2:
		return console.Usage("--side-by-side %d: want at least 2", f.job.Parallel)
	case f.job.Quick && given.Changed("side-by-side"):
		return console.Usage("--side-by-side is of no use with --quick, which makes one request at a time")
	case f.write != "" && isOthers(f.write):
		return console.Usage("--write %s: the file is there, and doctor did not write it: name "+
			"another file", f.write)
	}

	// Without --timeout, probes use their own timeouts and the first turns of tasks the quick one.
	if given.Changed("timeout") {
		f.job.Timeout = f.Servers.Timeout
	} else {
		f.Servers.Timeout = doctor.QuickTimeout
	}

	f.job.Adopt, f.job.Word = f.write != "", unmet
	if !f.app.JSON {
		f.job.Text = f.app.Out
	}

	f.job.CollectJob, err = f.collectJob()
	return err
}

// unmet words a need of a run that is not met as collect does when it refuses to begin.
func unmet(c *doctor.Check, err error) {
	c.Seen, c.Do = cmdline.Flags(c.Seen), cmp.Or(cmdline.Flags(c.Do), advice(err))
	c.Run += fmt.Sprintf(": exit code %d", cmdline.ExitCode(err))
}

// writeSettings writes the settings that were found, unless a run would still be wrong with them.
func (f *doctorFlags) writeSettings(d *toolevo.Diagnosis) error {
	if d.Verdict == doctor.Problem {
		f.app.Say("%s is not written: no settings were found that solve what is marked !!.", f.write)
		return nil
	}

	text := written + " For --config of collect and eval.\n" + d.Settings
	if err := disk.Write(f.write, []byte(text)); err != nil {
		return console.GaveUp(err)
	}

	f.app.Say("The settings are in %s. Next:\n  toolevo %s", f.write, console.Shell(f.next(d)...))
	return nil
}

// written begins each file of settings.
const written = "# Settings that toolevo doctor found to work."

// isOthers reports whether there is a file that doctor did not write.
func isOthers(path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && !strings.HasPrefix(string(text), written)
}

// next returns the arguments of the collection that was examined, under the settings that were
// written.
func (f *doctorFlags) next(d *toolevo.Diagnosis) []string {
	args := []string{"collect", "--config", f.write}

	f.cmd.Flags().Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "config", "set", "policy", "server", "python", // the written settings have them
			"write", "quick", "timeout", "side-by-side", "json": // collect does without these
		default:
			args = append(args, "--"+flag.Name+"="+flag.Value.String())
		}
	})

	for _, kv := range f.settings.set {
		if key, _, _ := strings.Cut(kv, "="); !toolevo.IsModelSetting(key) {
			args = append(args, "--set", kv)
		}
	}

	// A file holds neither credentials nor a command: without the former the address is of use.
	if f.Servers.Addresses != "" && !d.Located {
		args = append(args, f.Servers.Arguments()[:2]...)
	}
	return args
}
