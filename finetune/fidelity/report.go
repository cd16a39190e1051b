package fidelity

import (
	"cmp"
	"slices"

	"toolevo/finetune/tabulate"
	"toolevo/trajectories/mirror"
)

// Report is what was measured.
type Report struct {
	Rows []Row `json:"rows"` // by simulator in the order of the cases, and by split
}

// Row has the measures of a simulator on a split.
type Row struct {
	Model string       `json:"model"` // the simulator
	Split mirror.Split `json:"split"` // ood_success, ood_fail, id_high, id_medium, id_low, cache, or a file's name

	N          int     `json:"n"`          // cases
	BLEU       float64 `json:"bleu"`       // BLEU-4 over characters, the mean, 0 to 1
	BLEUWords  float64 `json:"bleu_words"` // the same over words
	Unreadable int     `json:"unreadable"` // answers that are no object of error and response

	Cosine *float64 `json:"cosine,omitempty"` // of embeddings, the mean; missing without an embedding model
	Judge  *Judged  `json:"judge,omitempty"`  // missing without a judge

	// the share of cases in which the answer succeeds or fails as the real one does, by MirrorAPI's
	// rules
	Keeps float64 `json:"keeps"`
}

// Judged is what a judge says of a row.
type Judged struct {
	N         int     `json:"n"`         // cases with a rating
	Lost      int     `json:"lost"`      // cases whose judgement could not be read
	Rating    float64 `json:"rating"`    // the mean, 1 to 10
	Deviation float64 `json:"deviation"` // of the ratings, by n-1

	// the share of cases with a rating in which the judge, by a rating above 5, and the rule of
	// keeps say the same
	Agreement float64 `json:"agreement"`
	Kappa     float64 `json:"kappa"` // Cohen's: the agreement beyond what chance gives
}

// report adds up the measures of cases.
func report(all []measured, o Options) *Report {
	rows := tables().Tables["splits"].Rows(tabulate.Of(all))
	r := &Report{Rows: tabulate.As[Row](rows)}

	for i := range r.Rows {
		if o.Judge == nil {
			r.Rows[i].Judge = nil
		} else if j := r.Rows[i].Judge; j.N > 0 {
			j.Kappa = kappa(j.Agreement, rows[i].Number("judge.good"),
				rows[i].Number("judge.keeping"))
		}
	}

	models := r.models()
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(slices.Index(models, a.Model), slices.Index(models, b.Model)),
			cmp.Compare(a.Split.Rank(), b.Split.Rank()), cmp.Compare(a.Split, b.Split))
	})

	return r
}

// kappa returns Cohen's kappa: how much of what chance leaves open two raters agree on, who say yes
// in the given shares of cases. It is 0 if both always say the same: that agreement is no evidence.
func kappa(agreement, first, second float64) float64 {
	chance := first*second + (1-first)*(1-second)
	if chance == 1 {
		return 0
	}
	return (agreement - chance) / (1 - chance)
}

// models returns the simulators in the order of the rows.
func (r *Report) models() []string {
	return tabulate.Distinct(r.Rows, func(row Row) string { return row.Model })
}

// splits returns the splits of any row in the order of the paper's tables.
func (r *Report) splits() []mirror.Split {
	splits := tabulate.Distinct(r.Rows, func(row Row) mirror.Split { return row.Split })
	slices.SortFunc(splits, func(a, b mirror.Split) int {
		return cmp.Or(cmp.Compare(a.Rank(), b.Rank()), cmp.Compare(a, b))
	})
	return splits
}

// Lost counts the judgements that could not be read.
func (r *Report) Lost() (n int) {
	for _, row := range r.Rows {
		if row.Judge != nil {
			n += row.Judge.Lost
		}
	}

	return n
}
