package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/sandbox/engines"
	"toolevo/trajectories/export"
)

func (a *app) exportCommand() *cobra.Command {
	cmd := a.command("export RUN… | DOCUMENTS…")
	cmd.Long = describe(cmd.Long)

	f := a.addExportFlags(cmd)
	return does(a, cmd, func(ctx context.Context, args []string) (any, error) {
		if f.lint {
			f.Paths = args
			return toolevo.Lint(ctx, f.ExportJob)
		}

		result, err := f.export(ctx, args)
		if err == nil {
			err = nothingIn(result.(*export.Manifest))
		}
		return result, err
	}, func(result any) {
		switch r := result.(type) {
		case *toolevo.Linted:
			a.printLint(r)
		case *export.Manifest:
			a.printExport(f.Out, r)
		}
	})
}

// exportFlags are the flags of export, most of them fields of its job.
type exportFlags struct {
	toolevo.ExportJob
	lint bool
}

// addExportFlags adds the flags of export.
func (a *app) addExportFlags(cmd *cobra.Command) *exportFlags {
	f := &exportFlags{ExportJob: toolevo.NewExportJob()}
	// The job must tell a flag that was given from one that has its default.
	f.Host, f.Chosen = a.host(console.ProgressNone), cmd.Flags().Changed
	a.runDataFlag(cmd, &f.Data)
	addFlags(cmd, "export", into{
		"allow-scripted":    &f.Scripted,
		"arguments":         &f.Arguments,
		"chat-template":     &f.Template,
		"cutoff":            &f.Cutoff,
		"dev":               &f.Selection.Dev,
		"for":               &f.Trainer,
		"format":            &f.Format,
		"lint":              &f.lint,
		"max-faulty":        &f.MaxFaulty,
		"mix":               &f.Mix,
		"mix-engines":       &f.MixEngines,
		"out":               &f.Out,
		"partial":           &f.Partial,
		"per-question":      &f.Selection.PerQuestion,
		"require-detection": &f.Selection.RequireDetection,
		"require-recovery":  &f.Selection.RequireRecovery,
		"require-update":    &f.Selection.RequireUpdate,
		"score":             &f.Score,
		"seed":              &f.Selection.Seed,
		"show":              &f.Show,
		"skip-faulty":       &f.Selection.SkipFaulty,
		"split":             &f.Selection.Split,
		"strategy":          &f.Strategy,
		"token-ids":         &f.TokenIDs,
		"tokenizer":         &f.Tokenizer,
	})

	return f
}

// export does what the flags ask for.
func (f *exportFlags) export(ctx context.Context, paths []string) (any, error) {
	f.Paths = paths
	return toolevo.Export(ctx, f.ExportJob)
}

// skipping lists how each format keeps faulty turns from being trained.
func skipping() string {
	var ways []string
	for _, f := range export.SkippingFormats() {
		ways = append(ways, fmt.Sprintf("%s (%s)", f.Skipped(), f))
	}
	return strings.Join(ways, ", or ")
}

// describe fills the lists of formats into the help.
func describe(help string) string {
	list := func(is func(export.Format) bool) string {
		var b strings.Builder
		for _, f := range export.FormatsThat(is) {
			b.WriteString(display.Wrap(fmt.Sprintf("  %-16s", f), f.Summary(), console.HelpWidth))
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
	return strings.NewReplacer("{{samples}}", list(export.Format.IsTrained),
		"{{documents}}", list(export.Format.IsDocuments)).Replace(help)
}

// nothingIn returns the error of an empty export, or nil if it holds anything.
func nothingIn(m *export.Manifest) error {
	switch {
	case m.Rows > 0:
		return nil
	case !m.Format.IsDocuments():
		return console.Bad("no sample is left to train on: what was left out above says why")
	case len(m.LeftOut()) == 0:
		return console.Bad("nothing was exported: there are no episodes and no trajectories")
	}

	return console.Bad("nothing was exported: what was left out above says why")
}

// printExport says what was written, and what to do with it.
func (a *app) printExport(dir string, m *export.Manifest) {
	if m.Format.IsDocuments() {
		a.printDocuments(dir, m)

		if open := m.Format.OpenWith(); open != "" && m.Rows > 0 {
			a.Say(open, console.Shell(dir))
		}
		return
	}

	a.printSamples(dir, m)

	// LLaMA-Factory would lose the calls of some formats: it needs advice that TRL, which reads the
	// same messages whole, does not.
	switch {
	case m.Rows == 0:
		return
	case m.Format.Reader() != "":
		a.Say("Train with: the Python module %s, by its function load(%q, …)", m.Format.Reader(), dir)
	case m.FitsLlamaFactory():
		a.Say("Train with: dataset_dir: %s, dataset: %s", dir, m.Format.Dataset())
	case m.Trainer == export.LlamaFactory:
		a.Say("LLaMA-Factory would train these messages without their calls: for it, export again with --format %s",
			export.DefaultFormat)

		fallthrough
	default:
		a.Say("Train with: datasets.load_dataset(%q, split=\"train\")", dir)
	}

	// Export refused a template that spoils the samples: an error means that none was named.
	if fit, err := m.CheckTemplate(m.ChatTemplate); err == nil {
		for _, sentence := range fit.Advice() {
			a.Say("%s", sentence)
		}
	}

	a.sayHowToShare(dir, m)
}

// sayHowToShare says how to put an export on the Hub, or warns of private data in it. That is no
// error: an export that is only trained on this machine may hold such data.
func (a *app) sayHowToShare(dir string, m *export.Manifest) {
	for _, p := range m.Private {
		a.Say("%s, line %d, has %s; %d lines have one: do not share the export before you have looked at them",
			filepath.Join(dir, p.File), p.Line, p.Is, p.Lines)
	}

	if len(m.Private) == 0 {
		a.Say("Share it: name its licence at the head of %s, then:\n      hf auth login\n      %s %s . "+
			"--repo-type dataset --private", filepath.Join(dir, "README.md"), "hf upload USER/NAME", console.Shell(dir))
	}
}

// inBalance words the weights that balance the labels of an export.
func inBalance(m *export.Manifest) string {
	var words []string
	for _, w := range m.Labels.Weights(m.Trainer) {
		words = append(words, fmt.Sprintf("%s=%v", w.Key, w.Value))
	}

	if words == nil {
		return ": nothing is learnt from one kind alone"
	}
	return ", balanced by " + strings.Join(words, " ")
}

func (a *app) printSamples(dir string, m *export.Manifest) {
	fmt.Fprintf(a.Out, "%d samples of %d %s questions in %s\n", m.Rows, m.Questions, m.Selection.Split, dir)

	if m.Selection.Dev > 0 {
		fmt.Fprintf(a.Out, "held out: %d samples of %d questions\n", m.DevRows, m.DevQuestions)
	}

	// Whoever trains on the samples should know which no model wrote and which no rule judged.
	a.printScripted(m.Scripted())

	if n := m.Judged(); n > 0 {
		fmt.Fprintf(a.Out, "a language model judged the answers of %d of the samples, by rubrics\n", n)
	}

	if l := m.Labels; m.Format.IsLabelled() {
		fmt.Fprintf(a.Out, "%d wanted and %d unwanted replies%s\n", l.Desirable, l.Undesirable,
			inBalance(m))
	}

	stamps := toolevo.ExportedStamps(m)
	a.printEngines(engines.InWords(stamps), engines.Warnings(stamps))

	for _, left := range m.LeftOut() {
		fmt.Fprintf(a.Out, "left out %d: %s\n", left.N, left.Why)
	}

	// Thousands of names would push everything above off the screen; the manifest has them all.
	refused := m.Selected.Elsewhere.Refused
	for _, q := range refused[:min(len(refused), toolevo.MostRefused)] {
		fmt.Fprintf(a.Out, "refused %s, which is also in %s\n", display.Line(q.QuestionID, 0),
			display.Line(q.AlsoIn, 0))
	}

	if n := len(refused) - toolevo.MostRefused; n > 0 {
		fmt.Fprintf(a.Out, "refused %d more: the manifest names them\n", n)
	}
}

// printScripted prints how many samples scripts wrote, if any.
func (a *app) printScripted(n int) {
	if n > 0 {
		fmt.Fprintf(a.Out, "scripts wrote %d of the samples, not a language model\n", n)
	}
}

// printDocuments prints how many documents were written, and why others were not.
func (a *app) printDocuments(dir string, m *export.Manifest) {
	fmt.Fprintf(a.Out, "%d trajectories in %s\n", m.Rows, dir)

	for _, left := range m.LeftOut() {
		fmt.Fprintf(a.Out, "left out %d: %s\n", left.N, left.Why)
	}
}

// printLint prints what is wrong with samples, and shows some of them.
func (a *app) printLint(r *toolevo.Linted) {
	a.printSamplesChecked(r.Rows, r.Faulty, r.Problems)

	for _, f := range r.Findings {
		fmt.Fprintf(a.Out, "  %s: %s\n", display.Line(f.Name, 0), display.Line(f.Finding.String(), 0))
	}

	for i, s := range r.Shown {
		fmt.Fprintf(a.Out, "\nsample %d, with the tokens of each part:\n", i)

		for _, p := range s.Pieces {
			word := "read "
			if p.Trained {
				word = "train"
			}

			fmt.Fprintf(a.Out, "%s %5d | %s\n", word, p.Tokens, display.Line(p.Text, 0))
		}
	}
}
