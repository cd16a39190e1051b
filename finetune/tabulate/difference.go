package tabulate

import "math"

// Both is the tries of a question under two conditions.
type Both struct{ First, Second Cluster }

// Difference is the share of successes under the first of two conditions less that under the
// second, -1 to 1, and its 95 % interval. Without questions it is 0 and the interval -1 to 1.
type Difference struct {
	Share, Low, High float64
	Questions        int // that were tried under both

	first, second excess
}

// excess is what questions have under one condition beyond the other.
type excess struct {
	share  float64 // mean over all questions
	trials float64 // independent ones that a question is worth, see RateOf
}

// DifferenceOf compares the same questions under two conditions. All weigh the same; one without a
// try under both is left out.
//
// What each condition has beyond the other is a share of the questions with an interval like that
// of every rate. The two are put together by the method of variance estimates recovery: the
// distance of each end from the difference is that of a sum of two errors, each of which is read
// off the interval of its share (Zou and Donner, Statistics in Medicine 27, 2008; for pairs Tang,
// Li and Chan, Statistical Methods in Medical Research 19, 2010; the method 10 of Newcombe, 1998,
// is its forerunner). A question that is better under one condition is not better under the other,
// so that the errors are correlated as those of counts that exclude each other, which is taken at
// the same ends of the two intervals that the errors are read off: the estimates themselves would
// give 0 wherever one of the counts is 0, and too narrow an interval if nearly every question
// differs.
func DifferenceOf(all []Both) Difference {
	tries := math.Inf(1)

	var d Difference

	// The number of tries comes first, because it scales the counts of every question below.
	for _, b := range all {
		if least := min(b.First.Trials, b.Second.Trials); least > 0 {
			tries = min(tries, least)
			d.Questions++
		}
	}

	if d.Questions == 0 {
		return Difference{Low: -1, High: 1}
	}

	// A question is worth no more than the tries of the one that was tried least.
	var first, second []Cluster

	for _, b := range all {
		if min(b.First.Trials, b.Second.Trials) > 0 {
			// Each question goes to both sides, with 0 on one of them: an excess is a share of all
			// questions.
			change := (b.First.share() - b.Second.share()) * tries
			first = append(first, Cluster{max(change, 0), tries})
			second = append(second, Cluster{max(-change, 0), tries})
		}
	}

	d.first, d.second = excessOf(first), excessOf(second)
	return d.Of(d.Questions)
}

func excessOf(questions []Cluster) excess {
	s := sampleOf([][]Cluster{questions})
	return excess{s.share(), s.effectiveTrials(s.share()) / float64(len(questions))}
}

// Of returns the difference that another number of questions like these would give.
func (d Difference) Of(questions int) Difference {
	d.Questions = questions
	d.Share = d.first.share - d.second.share
	d.Low = d.Share - d.first.distance(d.second, questions)
	d.High = d.Share + d.second.distance(d.first, questions)
	return d
}

// distance returns how far the difference may be from its estimate: the excess lower, and what is
// subtracted from it higher.
func (e excess) distance(subtracted excess, questions int) float64 {
	low, _ := clopperPearson(e.share, e.trials*float64(questions))
	_, high := clopperPearson(subtracted.share, subtracted.trials*float64(questions))
	less, more := e.share-low, high-subtracted.share

	// Counts of one try a question have this correlation. With several tries the shares vary
	// less, but exclude each other as much.
	correlation := 0.0
	if odds := low / (1 - low) * high / (1 - high); odds > 0 {
		correlation = min(1, math.Sqrt(odds*e.trials*subtracted.trials))
	}

	return math.Sqrt(less*less + more*more + 2*correlation*less*more)
}
