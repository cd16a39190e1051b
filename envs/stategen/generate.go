package stategen

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// Options say which programs to generate.
type Options struct {
	Calls    int // on every path; the paper's n is 5
	Selector Selector
	Seed     uint64
	Workers  int // replays at a time; their number does not change the tasks
}

// DefaultCalls is the paper's number of calls.
const DefaultCalls = 5

// Report says what it took to generate tasks.
type Report struct {
	Kept     int            `json:"kept"`
	Failed   map[string]int `json:"failed"`   // attempts at a program that failed, by reason
	Rejected map[string]int `json:"rejected"` // programs that make no task, by reason
}

// batch is how many programs grow before their cases are found: it bounds memory, and keeps workers
// busy.
const batch = 32

// Generate yields n tasks of a domain, in the order of their numbers, which continue where the book
// stopped. Their instructions are empty. It ends at the first error of yield, or when ctx ends.
// When it returns, the book has the programs up to the last task that was yielded and no other.
func Generate(ctx context.Context, d Domain, o Options, book *Book, n int, yield func(Task) error) (
	Report, error,
) {
	g := &grower{
		domain: d, options: o, book: book,
		report: Report{Failed: map[string]int{}, Rejected: map[string]int{}},
	}

	if o.Calls < 2 {
		return g.report, fmt.Errorf("stategen: programs of %d calls, want at least 2", o.Calls)
	}

	for g.report.Kept < n {
		if err := g.batch(ctx, n, yield); err != nil {
			return g.report, err
		}
	}

	return g.report, nil
}

// batch grows some programs and yields those that are tasks.
func (g *grower) batch(ctx context.Context, n int, yield func(Task) error) error {
	var programs []grown

	// No more than are still wanted, and one at a time: the counts of earlier programs steer the
	// next.
	for range min(batch, n-g.report.Kept) {
		if err := ctx.Err(); err != nil {
			g.forget(programs)
			return err
		}

		p, err := g.next()
		if err != nil {
			g.forget(programs)
			return err
		}

		programs = append(programs, p)
	}

	found := make([][]Case, len(programs))
	why := make([]error, len(programs))

	var group errgroup.Group
	group.SetLimit(max(1, g.options.Workers))

	for i := range programs {
		group.Go(func() error {
			found[i], why[i] = Cases(g.domain, &programs[i].program)
			return nil
		})
	}

	_ = group.Wait() // reasons are kept by program

	// A rejected program stays in the book: later ones were drawn with it counted.
	for i, p := range programs {
		if err := ctx.Err(); err != nil {
			g.forget(programs[i:])
			return err
		}

		if why[i] != nil {
			if err := g.reject(p, why[i]); err != nil {
				g.forget(programs[i:])
				return err
			}

			continue
		}

		g.inVain = 0

		if err := yield(g.task(p, found[i])); err != nil {
			g.forget(programs[i:])
			return err
		}

		g.report.Kept++
	}
	return nil
}

// forget removes the programs grown last from the book.
func (g *grower) forget(programs []grown) {
	for _, p := range programs {
		g.book.add(p.pairs, -1)
		g.book.programs--
	}
}

func (g *grower) task(p grown, found []Case) Task {
	return Task{
		ID:      fmt.Sprintf("%s-%d-%05d", g.domain.Name(), g.options.Seed, p.number),
		Program: p.program,
		Cases:   found,
	}
}

// mostInVain is the number of rejected programs in a row that ends generating.
const mostInVain = 200

// reject counts a program that makes no task. An error that is no reason to reject one is returned.
func (g *grower) reject(p grown, why error) error {
	var reason string

	switch why := why.(type) {
	case *Fault:
		reason = "the program fails"
	case *Refusal:
		reason = "the service refuses a call"
	case unfit:
		reason = why.Error()
	default:
		return fmt.Errorf("stategen: program %d of %s: %w", p.number, g.domain.Name(), why)
	}

	g.report.Rejected[reason]++

	if g.inVain++; g.inVain >= mostInVain {
		return fmt.Errorf("stategen: %d programs of %s in a row are no task: %s",
			g.inVain, g.domain.Name(), reason)
	}
	return nil
}
