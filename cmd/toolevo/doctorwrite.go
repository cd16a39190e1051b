package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/mcts/policy/doctor"
)

// mostTries is how often an examination is made again with settings that it found: one problem may
// hide another.
const mostTries = 4

// adopt takes over the settings by which problems can be solved, and by which a model acts more
// often. It reports whether there are any that were not taken before.
func (d *serverDoctor) adopt() bool {
	adopted := map[string]string{}

	for _, s := range d.found.Servers {
		for _, c := range s.Checks {
			if c.Verdict == doctor.Problem || c.Name == doctor.Actions && c.Verdict == doctor.Warning {
				maps.Copy(adopted, c.Set)
			}
		}
	}

	return d.setAll(adopted)
}

// setAll sets settings as if they had been given by --set, and reports whether any is new.
func (d *serverDoctor) setAll(settings map[string]string) (changed bool) {
	var added []string

	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if kv := key + "=" + settings[key]; !slices.Contains(d.settings.set, kv) {
			added = append(added, kv)
		}
	}

	if len(added) > 0 && !d.app.JSON {
		fmt.Fprintf(d.app.Out, "\nOnce more, with %s:\n\n", strings.Join(added, ", "))
	}

	d.settings.set = append(d.settings.set, added...)

	return len(added) > 0
}

// writeSettings writes a configuration file with what the arguments say of the model, its servers
// and the programs that it writes, and what was found about these. While a run would be wrong, no file
// is written.
func (d *serverDoctor) writeSettings(ctx context.Context, cmd *cobra.Command) error {
	if d.found.Verdict == doctor.Problem {
		d.app.Say("%s is not written: no settings were found that solve what is marked !!.", d.write)
		return nil
	}

	for _, s := range d.found.Servers {
		for key, value := range s.Settings() {
			d.settings.set = append(d.settings.set, key+"="+value)
		}
	}

	if d.Servers.Addresses != "" && !d.Servers.Exposed() {
		d.settings.set = append(d.settings.set, "server.urls="+d.Servers.Addresses)
	}

	job, err := d.collectJob()
	if err != nil {
		return err
	}

	job = job.Prepared()

	c, _, err := job.Configure(ctx)
	if err != nil {
		return err
	}

	text := "# Settings that toolevo doctor found to work. For --config of collect and eval.\n" + c.Own(ofModel)
	if err := disk.Write(d.write, []byte(text)); err != nil {
		return console.GaveUp(err)
	}

	d.app.Say("The settings are in %s. Next:\n  toolevo %s", d.write, console.Shell(d.next(cmd.Flags())...))

	return nil
}

// next are the arguments of the collection that was examined, with the settings that were written.
func (d *serverDoctor) next(given *pflag.FlagSet) []string {
	args := []string{"collect", "--config", d.write}

	given.Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "config", "set", "policy", "server", "python", // what was written has them
			"write", "quick", "timeout", "side-by-side", "json": // are the examination's
		default:
			args = append(args, "--"+f.Name+"="+f.Value.String())
		}
	})

	return args
}

// ofModel reports whether a setting is about the model, its servers, or the programs that it
// writes.
func ofModel(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return section == "policy" || section == "server" || section == "python" || key == "environment.codec"
}
