package bench

import (
	"os"
	"testing"

	"toolevo/envs/drift"
)

// BenchmarkMadeVersions makes and writes 50 versions of the published functions.
func BenchmarkMadeVersions(b *testing.B) {
	if _, err := os.Stat(publishedFolder()); err != nil {
		b.Skipf("the published data is not here: %v (set TOOLEVO_SHARED_DATA)", err)
	}

	s := open(b, choice(b, publishedFolder()))

	for b.Loop() {
		m, err := drift.NewMaker(s.choice.Versions, base, []string{inDomain, outOfIt}, 1)
		if err != nil {
			b.Fatal(err)
		}

		for i := range 50 {
			made, _ := m.Version(i)

			text, err := made.Encode()
			if err != nil {
				b.Fatal(err)
			}

			b.SetBytes(int64(50 * len(text)))
		}
	}
}
