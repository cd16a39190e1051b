package layout

// Network builds AuthorNet from papers, by the rules of the published notebook. An edge takes 8
// bytes and its place in an index, an entry 8.
type Network struct {
	Index   map[uint64]uint32 // the edge of two authors, the smaller first
	Ends    [][2]uint32       // of each edge
	joint   [][2]uint32       // edge and paper, in the order in which the papers come
	authors int
}

// NewNetwork returns a network of authors without an edge.
func NewNetwork(authors int) *Network {
	return &Network{Index: map[uint64]uint32{}, authors: authors}
}

// Add joins every two authors of a paper. The first paper of two authors makes an edge with one
// entry; each further one is entered twice, since the notebook adds it in both directions of what
// is one edge.
func (n *Network) Add(paper uint32, authors []uint32) {
	for i, a := range authors {
		for _, b := range authors[i+1:] {
			if a == b {
				continue
			}

			key := uint64(min(a, b))<<32 | uint64(max(a, b))

			e, ok := n.Index[key]
			if !ok {
				e = uint32(len(n.Ends))
				n.Index[key] = e
				n.Ends = append(n.Ends, [2]uint32{a, b})
			} else {
				n.joint = append(n.joint, [2]uint32{e, paper})
			}

			n.joint = append(n.joint, [2]uint32{e, paper})
		}
	}
}

// Grouped is lists of numbers, one after the other.
type Grouped struct {
	Starts []uint32 // of each list, and the end of the last
	All    []uint32
}

// List returns list i.
func (g Grouped) List(i int) []uint32 { return g.All[g.Starts[i]:g.Starts[i+1]] }

// group makes n lists of the values of each, in their order; each yields the number of a list and a
// value. It is called twice.
func group(n int, each func(yield func(list, value uint32))) Grouped {
	g := Grouped{Starts: make([]uint32, n+1)}

	each(func(list, _ uint32) { g.Starts[list+1]++ })

	for i := range n {
		g.Starts[i+1] += g.Starts[i]
	}

	g.All = make([]uint32, g.Starts[n])
	next := append([]uint32(nil), g.Starts...)

	each(func(list, value uint32) {
		g.All[next[list]] = value
		next[list]++
	})
	return g
}

// Papers returns the entries of each edge.
func (n *Network) Papers() Grouped {
	return group(len(n.Ends), func(yield func(list, value uint32)) {
		for _, j := range n.joint {
			yield(j[0], j[1])
		}
	})
}

// Neighbours returns the edges of each author in the order of their making, which is the order in
// which networkx lists the neighbours.
func (n *Network) Neighbours() Grouped {
	return group(n.authors, func(yield func(list, value uint32)) {
		for e, ends := range n.Ends {
			yield(ends[0], uint32(e))
			yield(ends[1], uint32(e))
		}
	})
}
