package bench

import (
	"context"
	"os"
	"runtime"
	"testing"

	"toolevo/envs/drift"
	"toolevo/envs/kept"
)

// BenchmarkMadeVersions makes and writes 50 versions of the published functions, as `versions make`
// does: as many at a time as there are processors.
func BenchmarkMadeVersions(b *testing.B) {
	if _, err := os.Stat(publishedFolder()); err != nil {
		b.Skipf("the published data is not here: %v (set TOOLEVO_SHARED_DATA)", err)
	}

	s := open(b, choice(b, publishedFolder()))

	for b.Loop() {
		m, err := drift.NewMaker(s.choice.Versions, base, []string{inDomain, outOfDomain}, 1)
		if err != nil {
			b.Fatal(err)
		}

		made, err := kept.All(b.Context(), 50, runtime.GOMAXPROCS(0), nil, func(_ context.Context, i int) (int, error) {
			spec, _ := m.Version(i)
			text, err := spec.Encode()
			return len(text), err
		})
		if err != nil {
			b.Fatal(err)
		}

		total := 0
		for _, size := range made {
			total += size
		}

		b.SetBytes(int64(total))
	}
}
