package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	toolevo "toolevo/cmd/internal/app"
	"toolevo/envs/console"
	"toolevo/envs/display"
	"toolevo/envs/names"
	"toolevo/finetune"
	"toolevo/finetune/stored"
	"toolevo/finetune/tabulate"
)

// compareOptions are the flags of `eval compare`.
type compareOptions struct {
	format string
	blocks []string
	flips  int
	read   []finetune.Block // parsed from blocks
}

func (a *app) evalCompareCommand() *cobra.Command {
	var o compareOptions

	cmd := a.command("compare RUN...")
	o.format, o.flips = "table", 5
	addFlags(cmd, "compare", into{
		"block":  repeated(&o.blocks),
		"flips":  &o.flips,
		"format": &o.format,
	})

	host := a.host(console.ProgressNone)
	return does(a, cmd, func(ctx context.Context, runs []string) (c toolevo.Compared, err error) {
		if err := o.check(); err != nil {
			return c, err
		}

		compared, err := host.Compare(ctx, runs)
		if err == nil {
			o.read, err = o.parseBlocks(compared.Report)
		}

		if err != nil {
			return c, err
		}
		return compared, nil
	}, func(c toolevo.Compared) { stored.WriteAs(a.Out, comparedTables{c.Report, &o}, o.format) })
}

// check refuses flags that make no sense.
func (o *compareOptions) check() error {
	if _, err := names.Parse("format", o.format, stored.TableFormats()); err != nil {
		return console.Usage("--format: %w", err)
	}

	switch {
	case o.flips < 0:
		return console.Usage("--flips %d: want 0 questions or more", o.flips)
	case len(o.blocks) > 0 && o.format != "latex":
		return console.Usage("--block is for --format latex: add it, or leave out --block")
	}

	return nil
}

// comparedTables writes a comparison as the flags ask.
type comparedTables struct {
	*finetune.Report
	o *compareOptions
}

// WriteTable writes the report, and for each comparison some of the questions that flipped.
func (c comparedTables) WriteTable(w io.Writer) error {
	if err := c.Report.WriteTable(w); err != nil || c.o.flips == 0 {
		return err
	}

	for _, pair := range c.Comparisons {
		if len(pair.Flipped) == 0 {
			continue
		}

		fmt.Fprintf(w, "\n%d answered correctly by one side:\n  < %s\n  > %s\n", len(pair.Flipped),
			pair.First, pair.Second)

		for _, f := range pair.Flipped[:min(c.o.flips, len(pair.Flipped))] {
			side := map[string]string{"first": "<", "second": ">"}[f.Correct]
			fmt.Fprintf(w, "    %s\n", display.Line(side+" "+f.QuestionID+": "+f.Question, 76))
		}

		if rest := len(pair.Flipped) - c.o.flips; rest > 0 {
			fmt.Fprintf(w, "    and %d more: --flips shows them\n", rest)
		}
	}
	return nil
}

// WriteLaTeX writes LaTeX tables in the blocks that were asked for.
func (c comparedTables) WriteLaTeX(w io.Writer) error { return c.WriteBlocks(w, c.o.read) }

// parseBlocks reads --block, which groups a report's policies.
func (o *compareOptions) parseBlocks(r *finetune.Report) (blocks []finetune.Block, err error) {
	policies := tabulate.Distinct(r.Rows, func(row finetune.Row) string { return row.Policy })
	slices.Sort(policies)

	for _, text := range o.blocks {
		name, members, ok := strings.Cut(text, "=")
		if !ok || name == "" || members == "" {
			return nil, console.Usage("--block %s: want NAME=POLICY,...", text)
		}

		block := finetune.Block{Name: name, Policies: strings.Split(members, ",")}
		for _, policy := range block.Policies {
			if _, err := names.Parse("policy", policy, policies); err != nil {
				return nil, console.Usage("--block %s: %w", name, err)
			}
		}

		blocks = append(blocks, block)
	}
	return blocks, nil
}
