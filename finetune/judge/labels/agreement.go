package labels

import (
	"cmp"
	"maps"
	"slices"
)

// Agreement is how two labellers agree about the cases that both labelled.
type Agreement struct {
	First  string   `json:"first"`  // a labeller
	Second string   `json:"second"` // another one
	Both   int      `json:"both"`   // cases that both labelled
	Agree  float64  `json:"agree"`  // share of those on which they agree, 0 to 1
	Kappa  *float64 `json:"kappa"`  // Cohen's, -1 to 1; null if both always give the same label
}

// agree compares two labellers. Let p be the share of cases on which they agree, and e the share on
// which they would if each gave its labels as often, but at random: kappa is (p-e)/(1-e).
func agree(cases []*labelled, first, second string) Agreement {
	a := Agreement{First: first, Second: second}
	same, solvedFirst, solvedSecond := 0.0, 0.0, 0.0

	for _, c := range cases {
		x, y := c.by[first], c.by[second]

		// A case that only one labelled says nothing, nor may it count in the shares that chance
		// rests on.
		if x == nil || y == nil {
			continue
		}

		a.Both++

		same += number(x.Solved == y.Solved)
		solvedFirst += number(x.Solved)
		solvedSecond += number(y.Solved)
	}

	if a.Both == 0 {
		return a
	}

	n := float64(a.Both)
	a.Agree = same / n

	chance := solvedFirst/n*solvedSecond/n + (1-solvedFirst/n)*(1-solvedSecond/n)

	// If both always say the same thing, chance alone agrees, and kappa would be 0/0.
	if chance < 1 {
		kappa := (a.Agree - chance) / (1 - chance)
		a.Kappa = &kappa
	}

	return a
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// Labeller is who labelled.
type Labeller struct {
	Name   string  `json:"name"`   // of a model or a person
	Person bool    `json:"person"` // whose labels are not trained on
	Labels int     `json:"labels"` // of cases
	Solved float64 `json:"solved"` // share of those that it calls solved, 0 to 1
	Weight float64 `json:"weight"` // of a reinforced sample; 0 of a person
}

// labellers returns who labelled the cases, models first, in the order of their names.
func labellers(cases []*labelled, people []string) []Labeller {
	byName := map[string]*Labeller{}

	for _, c := range cases {
		for name, label := range c.by {
			l := byName[name]
			if l == nil {
				l = &Labeller{Name: name, Person: slices.Contains(people, name)}
				byName[name] = l
			}

			l.Labels++
			l.Solved += number(label.Solved)
		}
	}

	var all []Labeller

	for _, name := range slices.Sorted(maps.Keys(byName)) {
		l := byName[name]
		l.Solved /= float64(l.Labels)
		all = append(all, *l)
	}

	slices.SortStableFunc(all, func(a, b Labeller) int {
		return cmp.Compare(number(a.Person), number(b.Person))
	})
	return all
}

// expert returns the model that agrees most with people, or with the other models if no case was
// labelled by both a model and a person: by the mean of its agreements. Of equals it takes the
// first.
func expert(all []Labeller, agreements []Agreement) (name string) {
	best := -1.0

	// People are the measure. Models measure each other only where no person labelled what one did.
	for _, person := range []bool{true, false} {
		for _, l := range all {
			// A person's labels are not trained on, so a person is no expert either.
			if l.Person {
				continue
			}

			sum, n := 0.0, 0.0

			for _, a := range agreements {
				other := a.Second
				if a.Second == l.Name {
					other = a.First
				} else if a.First != l.Name {
					continue
				}

				i := slices.IndexFunc(all, func(o Labeller) bool { return o.Name == other })
				if a.Both > 0 && all[i].Person == person {
					sum, n = sum+a.Agree, n+1
				}
			}

			// A model that shares no case with the others has no mean; it is not the worst, but
			// unknown.
			if n > 0 && sum/n > best {
				name, best = l.Name, sum/n
			}
		}

		if name != "" {
			return name
		}
	}

	for _, l := range all {
		if !l.Person {
			return l.Name // the only model, or none shares a case with another
		}
	}

	return ""
}
