package export

// OpenAI samples are trajectories as messages of OpenAI's chat API.
const OpenAI Format = "openai"

func init() {
	register(form{
		format: OpenAI,
		trained: trained{
			shape: chatMessages, dataset: "toolevo_openai", samples: (*writer).trajectories,
			skipped: "give them the weight 0",
		},
	})
}
