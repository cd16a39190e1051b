package tensor

import (
	"math/rand/v2"
	"testing"

	"toolevo/envs/stategen"
)

func seeded(shape ...int) *Tensor { return &Tensor{Shape: shape, Data: elements(1, size(shape...))} }

// BenchmarkKernels measures the kernels on a tensor of the average size of published ones.
func BenchmarkKernels(b *testing.B) {
	input := seeded(16, 16, 20, 20)

	run := func(name string, do func() *Tensor) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(4 * len(input.Data)))

			for b.Loop() {
				do()
			}
		})
	}

	run("seed", func() *Tensor { return seeded(input.Shape...) })
	run("permute", func() *Tensor { return permute(input, []int{3, 1, 0, 2}) })
	run("split", func() *Tensor { return split(input, []int{10, 10}, 2)[0] })
	run("cat", func() *Tensor { return cat([]*Tensor{input, input}, 1, []int{16, 32, 20, 20}) })

	weight := seeded(16, 20)
	run("linear", func() *Tensor { return linear(input, weight, []int{16, 16, 20, 16}) })

	kernel, w := seeded(4, 16, 3, 3), square(1, 1)
	w.same(kernel.Shape[2:])
	run("conv2d", func() *Tensor { return conv2d(input, kernel, w, []int{16, 4, 20, 20}) })
}

// BenchmarkReference measures the reference programs of tasks.
func BenchmarkReference(b *testing.B) {
	tasks := generated(b, 1, 50)

	for i := 0; b.Loop(); i++ {
		task := &tasks[i%len(tasks)]
		if _, err := stategen.Replay(Domain{}, &task.Program, task.Cases[0], nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCandidates measures one step of a schema.
func BenchmarkCandidates(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := Domain{}.Init(rng)

	for range 3 {
		s.Apply(s.Candidates(rng, stategen.Want{})[0])
	}

	for b.Loop() {
		s.Candidates(rng, stategen.Want{})
	}
}

// BenchmarkGenerate measures tasks with their oracles.
func BenchmarkGenerate(b *testing.B) {
	generated(b, 1, b.N)
}
