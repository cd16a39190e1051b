package layout

import (
	"slices"
	"testing"
)

func TestSchemasHaveKinds(t *testing.T) {
	for ds, schema := range Schemas() {
		for _, c := range schema.Columns {
			if !slices.Contains([]Kind{Text, Real, Integer, Bool, Date, Code, Clock, Object}, c.Kind) {
				t.Errorf("%s: column %s is of kind %q", ds, c.Name, c.Kind)
			}
		}
	}
}
