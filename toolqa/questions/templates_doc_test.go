package questions

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/toolqa"
)

var update = flag.Bool("update", false, "write TEMPLATES.md anew")

const templatesDoc = "TEMPLATES.md"

// TEMPLATES.md lists the templates as they are. With -update it is written.
func TestTemplatesDoc(t *testing.T) {
	want := templatesTable()
	if *update {
		if err := os.WriteFile(templatesDoc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	got, err := os.ReadFile(templatesDoc)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is stale; run `go test ./toolqa/questions -run TemplatesDoc -update` (-templates +file):\n%s",
			templatesDoc, diff)
	}
}

const templatesHead = `<!-- Written by go test ./toolqa/questions -run TemplatesDoc -update. Do not edit. -->

# The question templates

%d templates, spelled as the benchmark spells them. {…} is a slot; {busy} is "unavailble ", or nothing, since most
published questions have lost the word. The gold answer of a generated question is the right one. ToolQA's rule for the
answer is faulty in %d templates; what is wrong with it stands below each table. The columns:

- **ToolQA**: whether its rule is right.
- **ToolQA-D**: whether its test answers are. "no, avoided" means that the two rules agree on most questions, and only
  such questions are generated.
- **Training**: whether generated questions are in the training split. The %d templates that are left out are in dev and
  test; the flag --faulty of toolevo data questions takes them into training, too.
`

// templatesTable is the text of TEMPLATES.md.
func templatesTable() string {
	faulty, untrained := 0, 0

	for _, t := range shipped() {
		if t.fault != "" {
			faulty++
		}

		if !t.trainable() {
			untrained++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, templatesHead, len(shipped()), faulty, untrained)

	for _, ds := range toolqa.Datasets() {
		for _, d := range toolqa.Difficulties() {
			writeTemplates(&b, ds, d)
		}
	}

	return b.String()
}

func writeTemplates(b *strings.Builder, ds toolqa.Dataset, d toolqa.Difficulty) {
	templates := Templates(ds, d)
	fmt.Fprintf(b, "\n## %s, %s (%d)\n\n| Template | Question | ToolQA | ToolQA-D | Training "+
		"|\n|---|---|---|---|---|\n", ds, d, len(templates))
	var faults []string

	for _, t := range templates {
		name := strings.TrimPrefix(t.Name, fmt.Sprintf("%s-%s/", ds, d))

		toolQA, toolQAD := "right", "right"
		if t.fault != "" {
			toolQA = "faulty"

			faults = append(faults, fmt.Sprintf("- %s: %s.\n", name, t.fault))
			switch {
			case t.avoided:
				toolQAD = "no, avoided"
			case !t.corrected:
				toolQAD = "no"
			}
		}

		training := "yes"
		if !t.trainable() {
			training = "left out"
		}

		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", name, t.sentence(), toolQA, toolQAD, training)
	}

	if faults != nil {
		fmt.Fprintf(b, "\n%s", strings.Join(faults, ""))
	}
}

// sentence is the template's text with the names of the slots alone.
func (t *Template) sentence() string {
	var b strings.Builder
	for i, literal := range t.literals {
		b.WriteString(literal)

		if i < len(t.slots) {
			b.WriteString("{" + t.slots[i].name + "}")
		}
	}
	return strings.ReplaceAll(b.String(), "|", `\|`)
}

// What TEMPLATES.md says of a template is true: a fault comes with the rule that has it, and the
// other way round.
func TestFaultsHaveRules(t *testing.T) {
	for _, tmpl := range shipped() {
		if (tmpl.fault != "") != (tmpl.official != nil) {
			t.Errorf("%s: fault %q, and an official rule: %v", tmpl.Name, tmpl.fault, tmpl.official != nil)
		}

		if (tmpl.corrected || tmpl.avoided) && tmpl.fault == "" {
			t.Errorf("%s: corrected or avoided without a fault", tmpl.Name)
		}

		if strings.HasSuffix(tmpl.fault, ".") || strings.Contains(tmpl.fault, "\n") {
			t.Errorf("%s: fault %q: want a line without a full stop", tmpl.Name, tmpl.fault)
		}
	}
}

// Every published question is recognised as one template, of the dataset and difficulty of its
// file, and its slots put into that template make the question again.
func TestPublishedQuestionsAreRecognised(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(sharedData(t, "toolqa", "questions"), "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no question files: %v", err)
	}

	count, recognised, rivals := 0, 0, map[string]int{}

	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		ds, d, _ := strings.Cut(name, "-")

		qs, err := readPublished(path, toolqa.Dataset(ds), toolqa.Difficulty(d))
		if err != nil {
			t.Fatal(err)
		}

		count += len(qs)
		for _, q := range qs {
			m, fault := takeApart(q)
			if fault != "" {
				t.Errorf("%s, %s: %q: %s", name, q.ID, q.Text, fault)
				continue
			}
			recognised++

			for _, other := range shipped() {
				if _, fits := other.match(strings.TrimSpace(q.Text)); fits && other != m.template {
					rivals[m.template.Name+", not "+other.Name]++
				}
			}
		}
	}

	t.Logf("%d of %d published questions are recognised as one template, with all slots", recognised, count)

	if want := 1300; count != want {
		t.Errorf("%d published questions, want %d", count, want)
	}
	// Those that two templates fit are decided by recognise: the one that spells out more of the
	// question is meant.
	want := map[string]int{"airbnb-hard/highly-rated, not airbnb-hard/count": 10}
	if diff := cmp.Diff(want, rivals); diff != "" {
		t.Errorf("questions that two templates fit (-want +got):\n%s", diff)
	}
}

// takeApart takes a published question apart, and says what is wrong with the result; "" when
// nothing is.
func takeApart(q toolqa.Question) (m match, fault string) {
	m, ok := recognise(q.Text)
	if !ok {
		return m, "no template fits, or more than one"
	}

	if m.template.dataset != q.Dataset || m.template.difficulty != q.Difficulty {
		return m, "read as " + m.template.Name
	}

	if made := m.question(); made != strings.TrimSpace(q.Text) {
		return m, fmt.Sprintf("the slots make %q", made)
	}

	for i, s := range m.slots {
		// Nothing may stand for a word that most questions have lost, and for an address that a
		// business does not have.
		if s.value == "" && !m.template.slots[i].kind("") {
			return m, fmt.Sprintf("slot %s is empty", s.name)
		}
	}

	return m, ""
}
