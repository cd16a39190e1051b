package configs

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

func TestRecipes(t *testing.T) {
	got, err := fs.Glob(Recipes(), "*")
	if err != nil {
		t.Fatal(err)
	}

	want := []string{
		"fac-8b.yaml", "llama3-8b-paper.yaml", "llama3-8b-static.yaml", "llama3.1-8b.yaml", "many.yaml",
		"mirrorapi-7b.yaml", "proof.yaml",
		"qwen2-7b-paper.yaml", "qwen2.5-7b-openai.yaml", "qwen3-8b-dpo.yaml", "qwen3-8b-kto.yaml",
		"qwen3-8b-lora.yaml", "qwen3-8b-reward.yaml", "qwen3-8b-step.yaml", "qwen3-8b.yaml",
		"tiny.yaml", "zero2.json",
	}
	if !slices.Equal(got, want) {
		t.Errorf("embedded files = %v, want %v", got, want)
	}
}

// A baseline that is trained otherwise says nothing of the data.
func TestStaticBaselineIsTrainedAlike(t *testing.T) {
	paper, static := readRecipe(t, "llama3-8b-paper.yaml"), readRecipe(t, "llama3-8b-static.yaml")

	if static["deployed"] != "p_c" {
		t.Errorf("the baseline is trained on runs that deployed %v, want p_c", static["deployed"])
	}
	delete(static, "deployed")

	if d := cmp.Diff(paper, static); d != "" {
		t.Errorf("beside what was deployed, -paper +static:\n%s", d)
	}
}

func readRecipe(t *testing.T, name string) map[string]any {
	t.Helper()

	text, err := fs.ReadFile(Recipes(), name)
	if err != nil {
		t.Fatal(err)
	}

	var recipe map[string]any
	if err := yaml.Unmarshal(text, &recipe); err != nil {
		t.Fatal(err)
	}
	return recipe
}
