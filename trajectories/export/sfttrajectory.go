package export

// SFTTrajectory is a trajectory; every action of the model is trained.
const SFTTrajectory Format = "sft-trajectory"

func init() {
	register(form{
		format:  SFTTrajectory,
		summary: "a trajectory; the loss falls on the model's turns only",
		trained: trained{
			shape: wholeTrajectory, dataset: "toolevo_sft", samples: (*writer).trajectories,
			about: "One sample is one trajectory.",
			told: map[Trainer]told{
				LlamaFactory: {
					Command: factoryCommand, Lines: line("stage", "sft"),
					Loss: "The loss falls on every message of the model and on nothing else.",
				},
				TRL: assistantOnly,
			},
		},
	})
}

// factoryCommand is what trains every format with LLaMA-Factory.
const factoryCommand = "llamafactory-cli train"

// assistantOnly is what TRL is told of whole conversations.
var assistantOnly = told{
	Command: "trl sft", Lines: line("assistant_only_loss", true),
	Loss: "`assistant_only_loss` has the loss fall on what the assistant writes. TRL's default is everything, what " +
		"the environment says among it. It needs a chat template that marks the assistant's part; TRL 1.16 has " +
		"none for Gemma 4, Llama 3.1 and Llama 3.2, and refuses: train these on the format sft-step.",
}

// trajectories returns a sample of each trajectory.
func (w *writer) trajectories(q *question) ([]candidate, error) {
	all := make([]candidate, 0, len(q.chosen))

	for _, row := range q.chosen {
		sample, broken, err := w.sample(row)
		if err != nil {
			return nil, err
		}

		all = append(all, candidate{sample: sample, broken: broken, row: row})
	}

	return all, nil
}
