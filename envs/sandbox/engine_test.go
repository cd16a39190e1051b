package sandbox

import (
	"slices"
	"testing"
)

func TestStamp(t *testing.T) {
	for _, tt := range []struct {
		stamp   Stamp
		text    string
		modules []string
	}{
		{Stamp{Engine: "unsafe", Python: "3.12.0"}, "unsafe python 3.12.0", nil},
		{Stamp{
			Engine: "forkserver", Python: "3.11.2", Modules: []string{"numpy 1.24.2"}, Missing: []string{"landlock"},
		},
			"forkserver python 3.11.2 numpy 1.24.2 without landlock", []string{"numpy"}},
		{Stamp{Engine: "forkserver", Python: "3.11.2", Modules: []string{"numpy 1.24.2", "pandas 2.1", "sympy 1.12"}},
			"forkserver python 3.11.2 numpy 1.24.2 pandas 2.1 sympy 1.12", []string{"numpy", "pandas", "sympy"}},
	} {
		if got := tt.stamp.String(); got != tt.text {
			t.Errorf("got %q, want %q", got, tt.text)
		}

		if got := tt.stamp.ModuleNames(); !slices.Equal(got, tt.modules) {
			t.Errorf("the modules of %s: got %q, want %q", tt.text, got, tt.modules)
		}
	}
}
