package bench

import (
	"testing"

	"toolevo/envs"
)

// BenchmarkStep takes the steps of reference programs, without the model: the check of a call, the
// tool, the observation; and, in Finish, the reward.
func BenchmarkStep(b *testing.B) {
	s := open(b, choice(b, 50))

	type step struct {
		from   envs.State
		action envs.Action
	}

	for _, version := range []string{base, "p_s_in"} {
		env := environmentOf(b, s, version)
		steps := map[string][]step{} // by domain

		for _, task := range s.Tasks() {
			state, err := env.Reset(b.Context(), task)
			if err != nil {
				b.Fatal(err)
			}

			_, calls := play(b, s, environmentOf(b, s, base), task, as)

			for _, call := range calls {
				lifted, err := envs.Lift(env, state.History(), call)
				if err != nil {
					b.Fatal(err)
				}

				next, err := env.Step(b.Context(), state, text(lifted))
				if err != nil {
					b.Fatal(err)
				}

				domain := task.Labels[envs.LabelDataset]
				steps[domain] = append(steps[domain], step{state, text(lifted)})
				state = next.State
			}
		}

		for _, domain := range s.Datasets() {
			b.Run(domain+"/"+version, func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					one := steps[domain][i%len(steps[domain])]
					if _, err := env.Step(b.Context(), one.from, one.action); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
