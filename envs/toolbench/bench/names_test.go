package bench

import (
	"os"
	"testing"

	"toolevo/envs/envtest/suitetest"
)

// Names of made versions keep the sense of the published ones.
func TestMadeNames(t *testing.T) {
	t.Parallel()

	for name, folder := range map[string]string{"invented": queries, "published": publishedFolder()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if _, err := os.Stat(folder); err != nil {
				t.Skipf("the published data is not here: %v (set TOOLEVO_SHARED_DATA)", err)
			}

			s := open(t, choice(t, folder))
			suitetest.Names(t, s.choice.Versions, base, "../../drift/words.yaml", 2, "youtube", "instagram", "crypto")
		})
	}
}
