package apis

import (
	"io/fs"
	"slices"
	"testing"
)

func TestFS(t *testing.T) {
	got, err := fs.Glob(FS(), "*")
	if err != nil {
		t.Fatal(err)
	}

	want := []string{
		"b2_names_character.yaml", "b2_names_text.yaml", "b2_parameters_character.yaml", "b2_parameters_text.yaml",
		"b2_response.yaml", "p_c.yaml", "p_s_in.yaml", "p_s_ood.yaml", "p_s_ood_proprietary.yaml",
	}
	if !slices.Equal(got, want) {
		t.Errorf("embedded files = %v, want %v", got, want)
	}
}
