package toolbench

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// publishedFolder returns the folder of the published files: the one that TOOLEVO_STABLETOOLBENCH
// names, which may have all six groups, or that of the three that are shared; "" where neither is
// here.
func publishedFolder() string {
	if whole := os.Getenv("TOOLEVO_STABLETOOLBENCH"); whole != "" {
		return whole
	}

	if shared := os.Getenv("TOOLEVO_SHARED_DATA"); shared != "" {
		return filepath.Join(shared, "stabletoolbench")
	}
	return ""
}

var readPublished = sync.OnceValues(func() (*Published, error) { return Import(publishedFolder(), "") })

// published returns what the published files hold.
func published(t testing.TB) *Collection {
	t.Helper()

	if _, err := os.Stat(publishedFolder()); err != nil {
		t.Skipf("the published data is not here: %v (set TOOLEVO_SHARED_DATA, or TOOLEVO_STABLETOOLBENCH)", err)
	}

	p, err := readPublished()
	if err != nil {
		t.Fatal(err)
	}
	return p.Collection
}

// isWhole reports whether a collection has all six groups.
func isWhole(c *Collection) bool { return len(c.Groups()) == 6 }

// The files have what was counted in them without this program.
func TestPublishedCounts(t *testing.T) {
	t.Parallel()

	want := Statistics{
		Queries: 440, Entries: 2234, APIs: 1420, Tools: 406, Categories: 40,
		Required: 1421, Optional: 1084, Templates: 960, LongNames: 44,
	}
	c := published(t)
	got := c.Statistics()

	if isWhole(c) {
		want = Statistics{
			Queries: 765, Entries: 4070, APIs: 2490, Tools: 814, Categories: 47,
			Required: 2478, Optional: 2059, Templates: got.Templates, LongNames: 76, // templates were counted by entry
		}
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkImport(b *testing.B) {
	published(b)

	for b.Loop() {
		if _, err := Import(publishedFolder(), ""); err != nil {
			b.Fatal(err)
		}
	}
}
