package layout

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The rules of the published notebook on papers that can be checked by hand.
func TestNetworkOfPapers(t *testing.T) {
	net := NewNetwork(4)
	net.Add(0, []uint32{2, 0, 1})
	net.Add(1, []uint32{3})
	net.Add(2, []uint32{0, 2})
	net.Add(3, []uint32{2, 0, 0})

	if diff := cmp.Diff([][2]uint32{{2, 0}, {2, 1}, {0, 1}}, net.Ends); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}

	papers, neighbours := net.Papers(), net.Neighbours()
	for e, want := range [][]uint32{{0, 2, 2, 3, 3, 3, 3}, {0}, {0}} {
		if diff := cmp.Diff(want, papers.List(e)); diff != "" {
			t.Errorf("papers of edge %d (-want +got):\n%s", e, diff)
		}
	}

	for author, want := range [][]uint32{{0, 2}, {1, 2}, {0, 1}, {}} {
		if diff := cmp.Diff(want, neighbours.List(author)); diff != "" {
			t.Errorf("edges of author %d (-want +got):\n%s", author, diff)
		}
	}
}
