// Command proofgrid trains and measures the cells of a grid, one after the other, and makes tables
// of those that are there.
//
//	go run ./cmd/internal/proofgrid -grid FILE -results DIR -dir DIR -toolevo PROGRAM [CELL…]
//	go run ./cmd/internal/proofgrid -grid FILE -results DIR -tables PAGE.md
//
// A cell is one training and its evaluation, or an evaluation of weights of another cell, or of a
// model as it is. The file lists cells in the order in which they are run; type grid says what it
// holds. The results have a folder for each cell: facts.csv, a line for each episode, and
// manifest.json, which says what those were made of. The page has the tables between two marks.
//
// Guarantees: a cell is in the results whole or not at all, and is not run again while it is there.
// A run that is stopped, in whatever way, continues where it was: finished stages are noted, and
// those that were cut short resume as the commands do that they call. Tables depend on the results
// and the file alone, in whatever order the cells were run.
//
// Caveats: a change of the file does not make a cell anew: its folders in the results and in the
// working folder have to be removed, and until then there are no tables, and it is not continued.
// That goes for other inputs, too, which all cells have in common, and for another program while a
// cell is not done. Weights are removed once no cell that is missing needs them; a cell that
// measures weights that are not there is left out, and the run fails at its end.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"toolevo/mcts/policy/openai"
	"toolevo/mcts/policy/server"
)

func init() { server.Register(openai.Kind) } // what vLLM speaks

func main() {
	var (
		path = flag.String("grid", "finetune/proof/grid.yaml", "the `FILE` of the cells")
		page = flag.String("tables", "", "only write the tables into the `PAGE`")
		d    driver
	)

	flag.StringVar(&d.results, "results", "finetune/proof/results",
		"the `DIR` of the results")
	flag.StringVar(&d.dir, "dir", "toolevo-proof-grid", "the `DIR` to work in")
	flag.StringVar(&d.toolevo, "toolevo", "bin/toolevo", "the `PROGRAM` that does the work")
	flag.StringVar(&d.commit, "commit", "", "the `COMMIT` that is checked out")
	flag.Parse()

	// An interrupted cell lets its program save what it has: the next run continues from there.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	err := func() (err error) {
		if d.grid, err = readGrid(*path); err != nil {
			return err
		}

		if *page != "" {
			return writeTables(d.grid, d.results, *page)
		}
		return d.run(ctx, flag.Args())
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "proofgrid:", err)
		stop() // which os.Exit leaves out
		os.Exit(1)
	}
}
