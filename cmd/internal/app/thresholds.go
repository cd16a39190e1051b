package app

import (
	"slices"
	"strconv"
	"strings"

	"toolevo/envs/console"
	"toolevo/envs/drift"
	"toolevo/envs/names"
	"toolevo/finetune"
)

// thresholds are official accuracies that an evaluation must reach, so that a pipeline can depend
// on it.
type thresholds struct {
	cells float64            // of every cell
	means map[string]float64 // over the datasets, by API version
}

// parseThresholds reads the accuracies that an evaluation must reach.
func parseThresholds(values []string) (t thresholds, err error) {
	t.means = map[string]float64{}

	for _, value := range values {
		version, text := "", value
		if i := strings.LastIndexByte(value, '='); i >= 0 {
			version, text = value[:i], value[i+1:]
		}

		share, err := strconv.ParseFloat(text, 64)
		if err != nil || !(share >= 0 && share <= 1) {
			return t, console.Usage("‹fail-under› %s: want an accuracy from 0 to 1, or "+
				"VERSION=ACCURACY", value)
		}

		if t.means[version] = share; version == "" {
			t.cells = share
		}
	}

	delete(t.means, "")
	return t, nil
}

// check makes sure that every version is one that is measured.
func (t *thresholds) check(d *drift.Deployed) error {
	measured := make([]string, len(d.Families))
	for i, f := range d.Families {
		measured[i] = f.Name
	}

	for version := range t.means {
		if !slices.Contains(measured, version) {
			return console.Usage("‹fail-under›: %w", names.Unknown("API version of this evaluation", version, measured))
		}
	}

	return nil
}

// rounding is what a mean of right answers alone may lack of 1.
const rounding = 1e-9

// checkReport returns the error of the first accuracy that is too low. What was not measured does
// not count.
func (t *thresholds) checkReport(r *finetune.Report) error {
	for _, row := range r.Rows {
		if row.N > 0 && row.Official < t.cells-rounding {
			return console.Bad("%s: official accuracy %.3f is below %v", row.Cell, row.Official,
				t.cells)
		}
	}

	for _, row := range r.Rows {
		c := finetune.Contender{Policy: row.Policy, API: row.API}
		least := t.means[c.API]

		if s, ok := r.Mean(c); ok && s.N > 0 && s.Official < least-rounding {
			return console.Bad("%s: mean official accuracy %.3f is below %v", c, s.Official, least)
		}
	}
	return nil
}
