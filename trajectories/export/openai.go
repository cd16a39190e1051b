package export

// OpenAI is a trajectory as messages of OpenAI's chat API.
const OpenAI Format = "openai"

func init() {
	register(form{
		format:  OpenAI,
		summary: "a trajectory as messages of OpenAI's chat API",
		trained: trained{
			shape: chatMessages, dataset: "toolevo_openai", samples: (*writer).trajectories,
			skipped: "give them the weight 0",
			about: "One sample is one trajectory as messages of OpenAI's chat API. From messages of the `weight` 0 " +
				"no action can be read.",
			told: map[Trainer]told{
				LlamaFactory: {
					Command: factoryCommand, Lines: line("stage", "sft"),
					Loss: "The loss falls on every message of the assistant: OpenAI's fine-tuning leaves out those " +
						"of the `weight` 0, LLaMA-Factory does not read it.",
				},
				TRL: assistantOnly,
			},
		},
	})
}
