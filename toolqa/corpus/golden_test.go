package corpus

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The same seed and size always make the same corpus: runs and questions refer to its hash.
func TestSyntheticContents(t *testing.T) {
	t.Parallel()
	var got strings.Builder

	for _, ds := range toolqa.Datasets() {
		for _, opts := range []BuildOptions{{Seed: 0, Rows: 1}, {Seed: 1, Rows: 40}, {Seed: 2, Rows: 1_000}} {
			info := mustBuild(t, t.TempDir(), ds, opts)
			fmt.Fprintf(&got, "%s, seed %d, %d rows: %s\n", ds, opts.Seed, opts.Rows, info.ContentSHA256)
		}
	}

	compareGolden(t, "testdata/synthetic.golden", got.String())
}

// So do the published files.
func TestImportedContents(t *testing.T) {
	t.Parallel()
	var got strings.Builder

	for _, from := range []struct {
		dataset toolqa.Dataset
		path    string
	}{
		{toolqa.DBLP, pickles},
		{toolqa.Airbnb, published(t, "airbnb_sample")},
		{toolqa.Coffee, published(t, "coffee")},
		{toolqa.SciREX, published(t, "scirex_dev")},
	} {
		done, err := Import(t.Context(), t.TempDir(), from.dataset, from.path,
			ImportOptions{AllowShort: true, SkipBad: 10})
		if err != nil {
			t.Fatal(err)
		}

		info := done.Info
		fmt.Fprintf(&got, "%s, %d rows without %d: %s of %s\n", from.dataset, info.Rows, info.Skipped,
			info.ContentSHA256, info.SourceSHA256)
	}

	compareGolden(t, "testdata/imported.golden", got.String())
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()

	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
