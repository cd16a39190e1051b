package finetune

import (
	"cmp"

	"toolevo/envs"
	"toolevo/finetune/statistics"
	"toolevo/trajectories"
)

// Contender is a policy under an API version, or a family of versions: a column of answers to the same questions.
type Contender struct {
	Policy string `json:"policy"` // e.g. "scripted:reader"
	API    string `json:"api"`    // the deployed API version, or a family of versions
}

// String returns "policy under api".
func (c Contender) String() string { return c.Policy + " under " + c.API }

// answers has who answered which question correctly, in a few bytes each: what summaries and paired tests need.
type answers struct {
	questions  []question
	places     map[questionKey]int
	contenders []Contender // in the order of the jobs
	verdicts   map[Contender][]verdict
}

// questionKey tells the questions of an evaluation apart: IDs are distinct within a cell.
type questionKey struct{ dataset, difficulty, id string }

type question struct {
	questionKey
	template string // or its ID, where questions have no templates
	text     string
}

// verdict is what came of the episodes of a question: how many were not lost, and how many of those were right by the
// matchers.
type verdict struct{ measured, official, strict uint16 }

func byOfficial(v verdict) int { return int(v.official) }
func byStrict(v verdict) int   { return int(v.strict) }

// correct reports whether most episodes were right by the official matcher: a paired test wants a yes or no.
func (v verdict) correct() bool { return 2*int(v.official) > int(v.measured) }

// newAnswers returns the answers to the questions of jobs, none of them given yet.
func newAnswers(jobs []Job) *answers {
	a := &answers{places: map[questionKey]int{}, verdicts: map[Contender][]verdict{}}

	for _, j := range jobs {
		for _, t := range j.Tasks {
			key := questionKey{j.Cell.Dataset, j.Cell.Difficulty, t.ID}
			if _, ok := a.places[key]; ok {
				continue
			}

			a.places[key] = len(a.questions)

			a.questions = append(a.questions, question{key, cmp.Or(t.Labels[envs.LabelTemplate], t.ID), t.Question})
		}
	}

	for _, j := range jobs {
		c := Contender{j.Cell.Policy, j.Cell.API}
		if a.verdicts[c] == nil {
			a.contenders = append(a.contenders, c)
			a.verdicts[c] = make([]verdict, len(a.questions))
		}
	}

	return a
}

// add notes an episode of a cell. One about a question of no job is left out.
func (a *answers) add(cell Cell, e *trajectories.Episode) {
	place, ok := a.places[questionKey{cell.Dataset, cell.Difficulty, e.QuestionID}]
	if !ok || e.Lost != "" {
		return
	}

	v := &a.verdicts[Contender{cell.Policy, cell.API}][place]
	v.measured++

	if e.Official {
		v.official++
	}

	if e.Strict {
		v.strict++
	}
}

// strata returns a contender's successes by a matcher, by dataset and difficulty and within those by template: of one
// difficulty, or of every one. The order is that of the questions.
func (a *answers) strata(c Contender, matcher func(verdict) int, difficulty string) [][]statistics.Cluster {
	type (
		stratum struct{ dataset, difficulty string }
		cluster struct {
			stratum
			template string
		}
	)

	var (
		strata   [][]statistics.Cluster
		places   = map[stratum]int{}
		clusters = map[cluster]int{}
	)

	for i, v := range a.verdicts[c] {
		q := a.questions[i]
		if v.measured == 0 || difficulty != all && q.difficulty != difficulty {
			continue
		}

		of := cluster{stratum{q.dataset, q.difficulty}, q.template}

		s, ok := places[of.stratum]
		if !ok {
			s = len(strata)
			places[of.stratum] = s
			strata = append(strata, nil)
		}

		k, ok := clusters[of]
		if !ok {
			k = len(strata[s])
			clusters[of] = k
			strata[s] = append(strata[s], statistics.Cluster{})
		}

		strata[s][k].Trials += int(v.measured)
		strata[s][k].Successes += matcher(v)
	}

	return strata
}
