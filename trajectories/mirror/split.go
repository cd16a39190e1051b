package mirror

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"

	"toolevo/envs"
	"toolevo/envs/toolbench"
)

// Split is a part of the test set.
type Split string

// The splits, in the order of the paper's tables.
const (
	OODSuccess Split = "ood_success"
	OODFail    Split = "ood_fail"
	IDHigh     Split = "id_high"
	IDMedium   Split = "id_medium"
	IDLow      Split = "id_low"
	OfCache    Split = "cache" // of cached calls
)

// splits returns all splits.
func splits() []Split { return []Split{OODSuccess, OODFail, IDHigh, IDMedium, IDLow, OfCache} }

// Title returns the name of a split in the paper's tables, or its own name if they do not have it.
func (s Split) Title() string {
	titles := map[Split]string{
		OODSuccess: "OOD Succ", OODFail: "OOD Fail", IDHigh: "ID High", IDMedium: "ID Medium", IDLow: "ID Low",
		OfCache: "Cache",
	}
	return cmp.Or(titles[s], string(s))
}

// Rank returns the place of a split in the paper's tables; other splits come after those.
func (s Split) Rank() int {
	if i := slices.Index(splits(), s); i >= 0 {
		return i
	}
	return len(splits())
}

// Sizes are upper bounds of the splits' sizes.
type Sizes struct {
	OODAPIs     int `json:"ood_apis"`      // held out from training
	OODFailAPIs int `json:"ood_fail_apis"` // held-out APIs whose failures are in the test set
	OODSuccess  int `json:"ood_success"`   // pairs
	OODFail     int `json:"ood_fail"`      // pairs
	ID          int `json:"id"`            // pairs of each of the three splits
	Cache       int `json:"cache"`         // pairs
}

// PaperSizes returns the sizes of MirrorAPI-Bench (Table 1), and of the sample of cached calls
// (section 4.4).
func PaperSizes() Sizes {
	return Sizes{OODAPIs: 49, OODFailAPIs: 22, OODSuccess: 200, OODFail: 100, ID: 100, Cache: 200}
}

// testShare bounds the test set: at most one in testShare APIs or pairs is in it.
const testShare = 10

// Data holds pairs to train on, and pairs to test with.
type Data struct {
	Train map[Kind][]Pair
	Test  map[Split][]Pair
}

// divideCalls draws the test set from pairs that selectPairs returned. The rest is trained on,
// except the pairs of held-out APIs, which the report counts.
func divideCalls(pairs []Pair, sizes Sizes, seed uint64, r *Report) *Data {
	data := &Data{Train: map[Kind][]Pair{}, Test: map[Split][]Pair{}}
	apart := holdOut(pairs, sizes, envs.Random(seed, "ood"))

	byKind := map[Kind][]Pair{}

	var outside []Pair // recorded pairs of APIs that are held out

	for _, p := range pairs {
		switch {
		case !apart[p.Key]:
			byKind[p.Kind] = append(byKind[p.Kind], p)
		case p.Kind == Recorded:
			outside = append(outside, p)
		default:
			r.drop(heldOut)
		}
	}

	data.divideOutside(outside, sizes, seed, r)
	data.Train[Recorded] = data.divideInside(byKind[Recorded], sizes.ID, seed)
	data.Train[Augmented] = byKind[Augmented]

	data.divideCached(byKind[Cached], byKind[Recorded], sizes.Cache, seed)
	data.dropTested(r)
	return data
}

// dropTested drops the pairs to train on whose request is tested: APIs that change their minds have
// several answers to one.
func (d *Data) dropTested(r *Report) {
	requests := map[string]bool{}
	for _, pairs := range d.Test {
		for i := range pairs {
			requests[pairs[i].request] = true
		}
	}

	for kind, pairs := range d.Train {
		d.Train[kind] = slices.DeleteFunc(pairs, func(p Pair) bool { return requests[p.request] })
		r.dropAll(tested, len(pairs)-len(d.Train[kind]))
	}
}

// holdOut draws the APIs that are not trained on: first some with failures, as few APIs have
// recorded ones.
func holdOut(pairs []Pair, sizes Sizes, random *rand.Rand) map[toolbench.Key]bool {
	// Only recorded pairs are in the splits of held-out APIs, so APIs without any are of no use.
	fails := map[toolbench.Key]bool{}
	for _, p := range pairs {
		if p.Kind == Recorded {
			fails[p.Key] = fails[p.Key] || p.fails()
		}
	}

	// Of few APIs, a tenth is held out, and half of those for their failures, rounded up: so even
	// small data has both splits.
	wanted := min(sizes.OODAPIs, (len(fails)+testShare-1)/testShare)
	failing := min(sizes.OODFailAPIs, (wanted+1)/2)

	keys := slices.SortedFunc(maps.Keys(fails), toolbench.Key.Compare)
	random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })

	apart := map[toolbench.Key]bool{}

	for _, k := range keys {
		if fails[k] && len(apart) < failing {
			apart[k] = true
		}
	}

	for _, k := range keys {
		if len(apart) < wanted {
			apart[k] = true
		}
	}

	return apart
}

// byOutcome divides pairs into those whose call succeeded and those whose call failed, and keeps
// their order.
func byOutcome(pairs []Pair) (succeed, fail []Pair) {
	for _, p := range pairs {
		if p.fails() {
			fail = append(fail, p)
		} else {
			succeed = append(succeed, p)
		}
	}

	return succeed, fail
}

// divideOutside draws the splits of held-out APIs. Their other pairs are dropped.
func (d *Data) divideOutside(outside []Pair, sizes Sizes, seed uint64, r *Report) {
	succeed, fail := byOutcome(outside)

	for split, from := range map[Split][]Pair{OODSuccess: succeed, OODFail: fail} {
		n := map[Split]int{OODSuccess: sizes.OODSuccess, OODFail: sizes.OODFail}[split]

		drawn, rest := draw(from, n, envs.Random(seed, string(split)))
		d.Test[split] = drawn
		r.dropAll(heldOut, len(rest))
	}
}

// divideInside draws the splits of APIs that are trained on, and returns the pairs left to train
// on.
func (d *Data) divideInside(pairs []Pair, size int, seed uint64) (train []Pair) {
	byAPI := map[toolbench.Key][]Pair{}
	for _, p := range pairs {
		byAPI[p.Key] = append(byAPI[p.Key], p)
	}

	// The APIs with most pairs first.
	keys := slices.SortedFunc(maps.Keys(byAPI), func(a, b toolbench.Key) int {
		return cmp.Or(cmp.Compare(len(byAPI[b]), len(byAPI[a])), a.Compare(b))
	})

	for i, split := range []Split{IDHigh, IDMedium, IDLow} {
		var eligible, rest []Pair

		// One request of each API is not drawn, so that all APIs of the split are trained on.
		// Failures are tested in ood_fail alone.
		for _, k := range keys[i*len(keys)/3 : (i+1)*len(keys)/3] {
			pairs := byAPI[k]

			kept := 1
			for kept < len(pairs) && pairs[kept].request == pairs[0].request {
				kept++
			}

			rest = append(rest, pairs[:kept]...)

			succeed, fail := byOutcome(pairs[kept:])
			eligible, rest = append(eligible, succeed...), append(rest, fail...)
		}

		n := min(size, (len(eligible)+len(rest))/testShare)
		drawn, left := draw(eligible, n, envs.Random(seed, string(split)))
		d.Test[split] = drawn
		train = append(append(train, rest...), left...)
	}

	slices.SortFunc(train, func(p, q Pair) int { return p.compare(&q) })
	return train
}

// divideCached draws the split of cached calls. One whose request was recorded, too, is not drawn:
// testing it would drop recorded pairs, maybe all of an API whose other requests are tested.
func (d *Data) divideCached(cached, recorded []Pair, size int, seed uint64) {
	requests := map[string]bool{}
	for i := range recorded {
		requests[recorded[i].request] = true
	}

	var eligible, rest []Pair

	for _, p := range cached {
		if requests[p.request] {
			rest = append(rest, p)
		} else {
			eligible = append(eligible, p)
		}
	}

	n := min(size, len(cached)/testShare)
	drawn, left := draw(eligible, n, envs.Random(seed, string(OfCache)))
	d.Test[OfCache], d.Train[Cached] = drawn, append(rest, left...)
	slices.SortFunc(d.Train[Cached], func(p, q Pair) int { return p.compare(&q) })
}

// draw draws n pairs of as many APIs as possible, one of each in turn. Both lists keep the order of
// the pairs.
func draw(pairs []Pair, n int, random *rand.Rand) (drawn, rest []Pair) {
	order := random.Perm(len(pairs))
	before := map[toolbench.Key]int{} // pairs of an API that came earlier
	turn := make([]int, len(pairs))

	for _, i := range order {
		turn[i] = before[pairs[i].Key]
		before[pairs[i].Key]++
	}

	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(turn[i], turn[j]) })

	chosen := map[int]bool{}
	for _, i := range order[:min(n, len(order))] {
		chosen[i] = true
	}

	for i, p := range pairs {
		if chosen[i] {
			drawn = append(drawn, p)
		} else {
			rest = append(rest, p)
		}
	}

	return drawn, rest
}
