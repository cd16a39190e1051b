package taskfile

import (
	"fmt"
	"slices"

	"toolevo/envs"
	"toolevo/envs/stategen"
)

// Sampling says which tasks of a split to keep, as StateEval was sampled from what its authors
// generated and read.
type Sampling struct {
	Each     int // tasks of each domain
	Seed     uint64
	Rejected []string // IDs of tasks that people rejected
}

// Sampled is how the tasks of a domain were sampled.
type Sampled struct {
	Domain   string `json:"domain"`   // e.g. "session"
	Tasks    int    `json:"tasks"`    // that the split has
	Rejected int    `json:"rejected"` // of them
	Chosen   int    `json:"chosen"`   // of the others, at random
}

// Sample draws tasks from a split, and calls keep with each, in the order of the file. A rejected
// ID that the split does not have, and too few tasks, are errors before the first call.
func (f *File) Sample(s Sampling, keep func(*stategen.Task) error) ([]Sampled, error) {
	// Only places are remembered, by domain, of the tasks not rejected: a split may be large.
	places := map[string][]int{}

	var all []Sampled

	unknown := slices.Clone(s.Rejected)

	for i := range f.Len() {
		t, err := f.Task(i)
		if err != nil {
			return nil, err
		}

		domain := t.Program.Domain

		at := slices.IndexFunc(all, func(one Sampled) bool { return one.Domain == domain })
		if at < 0 {
			at = len(all)
			all = append(all, Sampled{Domain: domain})
		}

		all[at].Tasks++

		if slices.Contains(s.Rejected, t.ID) {
			all[at].Rejected++
			unknown = slices.DeleteFunc(unknown, func(id string) bool { return id == t.ID })

			continue
		}

		places[domain] = append(places[domain], i)
	}

	// A mistyped ID would let the task through that it was to reject.
	if len(unknown) > 0 {
		return nil, fmt.Errorf("stategen: %d rejected tasks are not in the split, the first is %q: "+
			"reject what it has", len(unknown), unknown[0])
	}

	var chosen []int

	for i, one := range all {
		left := places[one.Domain]
		if len(left) < s.Each {
			return nil, fmt.Errorf("stategen: %d tasks of %s are left, want %d: "+
				"generate more, or reject fewer", len(left), one.Domain, s.Each)
		}

		all[i].Chosen = s.Each
		chosen = append(chosen, s.draw(one.Domain, left)...)
	}

	// The order of the file tells nothing of the draw.
	slices.Sort(chosen)

	for _, i := range chosen {
		t, err := f.Task(i)
		if err != nil {
			return nil, err
		}

		if err := keep(t); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// draw returns some of the places of a domain, independently of other domains.
func (s Sampling) draw(domain string, places []int) []int {
	envs.Random(s.Seed, domain).Shuffle(len(places), func(i, j int) {
		places[i], places[j] = places[j], places[i]
	})
	return places[:s.Each]
}
