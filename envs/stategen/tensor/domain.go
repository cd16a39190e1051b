package tensor

import (
	_ "embed"
	"math/rand/v2"
	"sync"

	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// Domain is the domain of tensor operations.
type Domain struct{}

var _ stategen.Domain = Domain{}

//go:embed apis.yaml
var apisText string

// apis are the tools.
var apis = sync.OnceValue(func() []toolapi.APISpec { return stategen.Tools("tensor/apis.yaml", apisText) })

// Name implements [stategen.Domain].
func (Domain) Name() string { return "tensor" }

// APIs implements [stategen.Domain].
func (Domain) APIs() []toolapi.APISpec { return apis() }

// Counted implements [stategen.Domain]: all tools.
func (Domain) Counted() []string { return stategen.ToolNames(apis()) }

// Splits implements [stategen.Domain]: after every call but the last.
func (Domain) Splits(n int) []int {
	all := make([]int, n-1)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// The published initial shapes are (a, b, c, c): a and b up to mostSide, and c even up to it.
const mostSide = 32

// Init implements [stategen.Domain]: one or two tensors.
func (Domain) Init(rng *rand.Rand) stategen.Schema {
	s := &schema{Growing: stategen.NewGrowing(Domain{}.Name(), nil)}

	for range 1 + rng.IntN(2) {
		s.load(initialShape(rng), rng.Uint32())
	}
	return s
}

func initialShape(rng *rand.Rand) []int {
	for {
		c := 2 * (1 + rng.IntN(mostSide/2))

		shape := []int{1 + rng.IntN(mostSide), 1 + rng.IntN(mostSide), c, c}
		if size(shape...) <= programElements {
			return shape
		}
	}
}
