package export

import (
	"maps"
	"slices"

	"toolevo/envs/names"
	"toolevo/envs/yamltext"
)

// Format names what the samples or documents of an export are. Each format has a [form] in a file
// of its own.
type Format string

// DefaultFormat is the format of an export that names none.
const DefaultFormat = SFTTrajectory

// form is everything about a format, of one of two kinds. CONTRIBUTING.md says how to add one.
type form struct {
	format Format

	words     // empty where formats.yaml has them
	trained   // set if trajectories are trained in the format
	documents // set if other programs show or keep its documents
}

// words describe a format for people.
type words struct {
	Summary string // what a sample or a document is, for the help of the command
	About   string // a sample, for the card
	Told    map[Trainer]instructions
}

var written = yamltext.Once[map[Format]words](files, "formats.yaml")

// words returns the format's description for people.
func (f Format) words() words {
	if own := f.form().words; own.Summary != "" {
		return own
	}
	return written()[f]
}

// trained describes a format that is trained on.
type trained struct {
	shape
	dataset string // the name of the data in dataset_info.json, and of the files that hold them

	// samples makes the samples of a question.
	samples func(*writer, *question) ([]candidate, error)

	failures    bool   // samples are also made of failed trajectories
	transcripts bool   // a reply is everything that followed the question: it repeats observations
	reader      string // the Python module that reads them; "" if the trainer does
	skipped     string // how faulty turns are kept from being trained; "" if they cannot be
}

// single reports whether a sample trains the replies of one turn only.
func (t *trained) single() bool { return !t.whole && !t.tree && !t.transcripts }

// documents describes a format that other programs read.
type documents struct {
	entry      string // the file that holds them in the export, or the folder, with a slash at its end
	evaluation bool   // they are logs of one evaluation
	open       string // how to open a folder of them, with %s for its name, or ""

	write func(w *documentWriter, work string) error // into the folder work
}

var forms = map[Format]*form{}

// register makes a format known to every command.
func register(f form) { forms[f.format] = &f }

// form returns everything about the format; it is empty for an unknown name.
func (f Format) form() form {
	if known := forms[f]; known != nil {
		return *known
	}
	return form{}
}

// FormatsThat lists the formats of which is holds by name, the default first.
func FormatsThat(is func(Format) bool) []Format {
	var all []Format

	for i, f := range append([]Format{DefaultFormat}, slices.Sorted(maps.Keys(forms))...) {
		if is(f) && (i == 0 || f != DefaultFormat) {
			all = append(all, f)
		}
	}

	return all
}

// Formats lists every format that trajectories are trained in.
func Formats() []Format { return FormatsThat(Format.IsTrained) }

// ParseFormat returns the format of a name, among those of which is holds; the error for any other
// name lists them.
func ParseFormat(name string, is func(Format) bool) (Format, error) {
	return names.Parse("format", name, FormatsThat(is))
}

// SkippingFormats lists the formats in which faulty turns can be kept from being trained.
func SkippingFormats() []Format { return FormatsThat(func(f Format) bool { return f.Skipped() != "" }) }

// Summary says what a sample is, or a document.
func (f Format) Summary() string { return f.words().Summary }

// IsTrained reports whether trajectories are trained in the format.
func (f Format) IsTrained() bool { return f.form().samples != nil }

// IsDocuments reports whether the format is one of documents: no trainer reads it.
func (f Format) IsDocuments() bool { return f.form().write != nil }

// IsExported reports whether runs can be exported in the format, as samples or as documents.
func (f Format) IsExported() bool { return f.IsTrained() || f.IsDocuments() }

// IsOfEvaluation reports whether the format's documents are the logs of a single evaluation.
func (f Format) IsOfEvaluation() bool { return f.form().evaluation }

// OpenWith says how to open a folder of documents, with %s for its name, or "".
func (f Format) OpenWith() string { return f.form().open }

// NeedsFailures reports whether samples are also made of failed trajectories: rows that are not
// correct.
func (f Format) NeedsFailures() bool { return f.form().failures }

// Skipped says how faulty turns are kept from being trained, or "" if they cannot be, as trainers
// have no loss per turn.
func (f Format) Skipped() string { return f.form().skipped }

// Reader returns the Python module that reads the samples, or "" if the trainer does.
func (f Format) Reader() string { return f.form().reader }

// IsPairs reports whether a sample has a chosen and a rejected reply.
func (f Format) IsPairs() bool { return f.form().pairs }

// IsLabelled reports whether a sample says whether its reply is wanted.
func (f Format) IsLabelled() bool { return f.form().labels }

// Dataset returns the name of the data in dataset_info.json and of their files, or "" for formats
// without one.
func (f Format) Dataset() string { return f.form().dataset }
