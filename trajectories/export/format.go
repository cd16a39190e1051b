package export

import (
	"maps"
	"slices"

	"toolevo/envs/names"
)

// Format says what a sample of an export is.
type Format string

// The formats.
const (
	SFTTrajectory Format = "sft-trajectory" // a trajectory; every action of the model is trained
	SFTStep       Format = "sft-step"       // a state and the action in it: what an evaluation sends, and the answer
	DPO           Format = "dpo"            // a state and two actions in it, a good one and a bad one
	KTO           Format = "kto"            // a state and an action in it, and whether that is good or bad
	Reward        Format = "reward"         // a question and two transcripts, of a chosen and a failed trajectory
	OpenAI        Format = "openai"         // a trajectory as messages of OpenAI's chat API
)

// The formats of documents, which other programs show and keep: [WriteDocuments] and [WriteLogs] write them.
const (
	ATIF      Format = "atif"       // a document of the Agent Trajectory Interchange Format a line
	ATIFFiles Format = "atif-files" // such a document a file, in folders as Harbor has them
	Inspect   Format = "inspect"    // logs of inspect_ai, one for each row of an evaluation's report
)

// DocumentFormats lists the formats of documents.
func DocumentFormats() []Format { return []Format{ATIF, ATIFFiles, Inspect} }

// IsDocuments reports whether the format is one of documents: no trainer reads it.
func (f Format) IsDocuments() bool { return slices.Contains(DocumentFormats(), f) }

// Formats lists every format that is trained on.
func Formats() []Format { return []Format{SFTTrajectory, SFTStep, DPO, KTO, Reward, OpenAI} }

// ParseFormat returns the format of a name, of those that are trained on; the error of an unknown one names the valid
// ones.
func ParseFormat(name string) (Format, error) { return names.Parse("format", name, Formats()) }

// ParseExportFormat is ParseFormat for what runs can be exported as: the formats that are trained on, and those of
// documents.
func ParseExportFormat(name string) (Format, error) {
	return names.Parse("format", name, append(Formats(), DocumentFormats()...))
}

// ParseTrainedFormat is ParseFormat for what can be trained: the formats of trajectories, and [Simulator].
func ParseTrainedFormat(name string) (Format, error) {
	return names.Parse("format", name, append(Formats(), Simulator))
}

// NeedsFailures reports whether samples are made of failed trajectories, too: rows that are not correct.
func (f Format) NeedsFailures() bool { return f == DPO || f == KTO || f == Reward }

// Dataset is the name of the data in dataset_info.json, and of the files that hold them.
func (f Format) Dataset() string { return forms[f].dataset }

// form is what there is to know of a format.
type form struct {
	dataset string
	about   string // a sample, for the card

	whole  bool // a sample is a whole trajectory
	single bool // of a sample's replies only those of one turn are trained
	pairs  bool // a sample has a chosen and a rejected reply
	last   bool // of several replies only the last is trained

	samples func(*writer, *question) ([]candidate, error)
}

var forms = map[Format]form{
	SFTTrajectory: {
		dataset: "toolevo_sft", whole: true, samples: (*writer).trajectories,
		about: "One sample is one trajectory.",
	},
	SFTStep: {
		dataset: "toolevo_sft_step", single: true, last: true, samples: (*writer).steps,
		about: "One sample is one action and what led to it, as an evaluation sends it.",
	},
	DPO: {
		dataset: "toolevo_dpo", single: true, pairs: true, samples: (*writer).pairs,
		about: "One sample is one state of a search tree and two actions in it: the chosen one lies on a trajectory " +
			"that ended with the right answer, every trajectory that does the rejected one in that state failed.",
	},
	KTO: {
		dataset: "toolevo_kto", single: true, last: true, samples: (*writer).judged,
		about: "One sample is one action and what led to it. The label says whether it lies on a trajectory that " +
			"ended with the right answer, or left one for good.",
	},
	Reward: {
		dataset: "toolevo_reward", pairs: true, samples: (*writer).transcripts,
		about: "One sample is one question and two transcripts: the chosen one ended with the right answer, the " +
			"rejected one did not.",
	},
	OpenAI: {
		dataset: "toolevo_openai", whole: true, samples: (*writer).trajectories,
		about: "One sample is one trajectory as messages of OpenAI's chat API. From messages of the " +
			"`weight` 0 no action can be read.",
	},
}

// Trainer says whose names columns and roles have.
type Trainer string

// The trainers.
const (
	LlamaFactory Trainer = "llamafactory" // sharegpt: conversations of human, gpt, function_call and observation
	TRL          Trainer = "trl"          // messages, prompts and completions of user, assistant and tool
)

// Trainers lists every trainer.
func Trainers() []Trainer { return slices.Sorted(maps.Keys(layouts)) }

// Arguments says what the arguments of a call are, as a member of a message for [TRL].
type Arguments string

// The kinds of arguments.
const (
	ArgumentObject Arguments = "object" // what nearly all chat templates want
	ArgumentText   Arguments = "string" // a text of JSON, as OpenAI's API has them
)

// ParseArguments returns the kind of a name; the error of an unknown one names the valid ones.
func ParseArguments(name string) (Arguments, error) {
	return names.Parse("kind of arguments", name, []Arguments{ArgumentObject, ArgumentText})
}

// ParseTrainer returns the trainer of a name; the error of an unknown one names the valid ones.
func ParseTrainer(name string) (Trainer, error) { return names.Parse("trainer", name, Trainers()) }
