package questions

import (
	"testing"

	"toolevo/toolqa/corpus/synth"

	"toolevo/configs/apis"
	"toolevo/envs/drift"
	"toolevo/envs/toolapi"
	"toolevo/toolqa"
)

// The reader, which learns from notices what tools are called, solves under 20 made versions what
// it solves under p_c: questions of the datasets that need all tools, one of each template under
// five of the versions.
func TestReaderSolvesUnderMadeVersions(t *testing.T) {
	t.Parallel()

	shipped, err := shippedVersions()
	if err != nil {
		t.Fatal(err)
	}

	maker, err := drift.NewMaker(shipped, "p_c", []string{"p_s_ood", "p_s_ood_proprietary"}, 4)
	if err != nil {
		t.Fatal(err)
	}

	var (
		files []toolapi.File
		names = []string{"p_c"}
	)

	for i := range 20 {
		spec, _ := maker.Version(i)

		text, err := spec.Encode()
		if err != nil {
			t.Fatal(err)
		}

		files = append(files, toolapi.File{Path: spec.Version, Text: string(text)})
		names = append(names, spec.Version)
	}

	versions, err := toolapi.Load(apis.FS(), files...)
	if err != nil {
		t.Fatal(err)
	}

	for ds, options := range map[toolqa.Dataset]synth.Options{
		toolqa.Agenda: {Seed: 3, Rows: 500}, toolqa.DBLP: dblpOptions(3_000), toolqa.Coffee: {Seed: 1, Rows: 1000},
	} {
		t.Run(string(ds), func(t *testing.T) {
			t.Parallel()

			c := synthetic(t, ds, options)

			var qs []toolqa.Question

			taken := map[string]bool{}
			for _, q := range allQuestions(t, ds, options) {
				if !taken[q.Template] {
					taken[q.Template] = true
					qs = append(qs, q)
				}
			}

			w := newWorld(t, c)
			w.versions = versions

			answers := map[string]string{}

			for i, name := range names {
				some := qs
				if name != "p_c" {
					some = nil
					for k := i % 4; k < len(qs); k += 4 {
						some = append(some, qs[k])
					}
				}

				for _, e := range w.play(name, some) {
					if name == "p_c" {
						answers[e.ID] = e.grade.Answer
					} else if e.grade.Answer != answers[e.ID] {
						e.report(t.Errorf, name)
					}
				}
			}
		})
	}
}
