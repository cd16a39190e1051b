package compat

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		names []string
		want  Set
	}{
		{nil, 0},
		{[]string{"published"}, Published},
		{Names()[1:], Published},
		{[]string{"published", "notices"}, Published},
		{[]string{"notices"}, Notices},
		{[]string{"failed-loads"}, FailedLoads},
		{[]string{"partial-filter"}, PartialFilter},
		{[]string{"split-conditions"}, SplitConditions},
		{[]string{"regex-categories"}, RegexCategories},
		{[]string{"cast-columns"}, CastColumns},
		{[]string{"graph-weights"}, GraphWeights},
		{[]string{"spoiled-edges"}, SpoiledEdges},
		{[]string{"text-sql"}, TextSQL},
		{[]string{"text-sql", "python-capture"}, TextSQL | PythonCapture},
	}
	for _, tt := range tests {
		got, err := Parse(tt.names...)
		if err != nil || got != tt.want {
			t.Errorf("Parse(%v) = %b, %v, want %b", tt.names, got, err, tt.want)
		}

		if loads := got.LoadNames(); (len(loads) == 6) != got.Has(FailedLoads) {
			t.Errorf("under %v loads are %v", tt.names, loads)
		}
	}

	_, err := Parse("notice")

	want := `unknown compat option "notice", did you mean notices? Valid are published, notices, `
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error = %v, want %s…", err, want)
	}
}
