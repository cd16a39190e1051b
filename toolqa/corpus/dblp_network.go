package corpus

// network builds AuthorNet from papers, by the rules of the published notebook. An edge takes 8 bytes and its
// place in an index, an entry 8.
type network struct {
	index   map[uint64]uint32 // the edge of two authors, the smaller first
	ends    [][2]uint32       // of each edge
	joint   [][2]uint32       // edge and paper, in the order in which the papers come
	authors int
}

func newNetwork(authors int) *network {
	return &network{index: map[uint64]uint32{}, authors: authors}
}

// add joins every two authors of a paper. The first paper of two authors makes an edge with one entry; each further one
// is entered twice, since the notebook adds it in both directions of what is one edge.
func (n *network) add(paper uint32, authors []uint32) {
	for i, a := range authors {
		for _, b := range authors[i+1:] {
			if a == b {
				continue
			}

			key := uint64(min(a, b))<<32 | uint64(max(a, b))

			e, ok := n.index[key]
			if !ok {
				e = uint32(len(n.ends))
				n.index[key] = e
				n.ends = append(n.ends, [2]uint32{a, b})
			} else {
				n.joint = append(n.joint, [2]uint32{e, paper})
			}

			n.joint = append(n.joint, [2]uint32{e, paper})
		}
	}
}

// grouped is lists of numbers, one after the other.
type grouped struct {
	starts []uint32 // of each list, and the end of the last
	all    []uint32
}

// list returns list i.
func (g grouped) list(i int) []uint32 { return g.all[g.starts[i]:g.starts[i+1]] }

// group makes n lists of the values of each, in their order; each yields the number of a list and a value. It is
// called twice.
func group(n int, each func(yield func(list, value uint32))) grouped {
	g := grouped{starts: make([]uint32, n+1)}

	each(func(list, _ uint32) { g.starts[list+1]++ })

	for i := range n {
		g.starts[i+1] += g.starts[i]
	}

	g.all = make([]uint32, g.starts[n])
	next := append([]uint32(nil), g.starts...)

	each(func(list, value uint32) {
		g.all[next[list]] = value
		next[list]++
	})

	return g
}

// papers returns the entries of each edge, and neighbours the edges of each author in the order of their
// making, which is the order in which networkx lists the neighbours.
func (n *network) papers() grouped {
	return group(len(n.ends), func(yield func(list, value uint32)) {
		for _, j := range n.joint {
			yield(j[0], j[1])
		}
	})
}

func (n *network) neighbours() grouped {
	return group(n.authors, func(yield func(list, value uint32)) {
		for e, ends := range n.ends {
			yield(ends[0], uint32(e))
			yield(ends[1], uint32(e))
		}
	})
}
