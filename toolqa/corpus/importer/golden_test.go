package importer

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
			Options{AllowShort: true, SkipBad: 10})
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
