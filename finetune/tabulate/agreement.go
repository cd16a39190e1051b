package tabulate

// Agreement returns the share of trials in which two raters say the same, as in MirrorAPI's Table 16, and Cohen's
// kappa: how much of what chance leaves open they agree on, 0 where they say what chance would have them say. Of no
// trials both are 0. Where neither ever says anything else kappa is 0, for agreement is no evidence then.
func Agreement(first, second []bool) (share, kappa float64) {
	n := float64(len(first))
	if n == 0 {
		return 0, 0
	}

	var same, yesFirst, yesSecond float64

	for i := range first {
		if first[i] == second[i] {
			same++
		}

		if first[i] {
			yesFirst++
		}

		if second[i] {
			yesSecond++
		}
	}

	share = same / n

	chance := (yesFirst*yesSecond + (n-yesFirst)*(n-yesSecond)) / (n * n)
	if chance == 1 {
		return share, 0
	}

	return share, (share - chance) / (1 - chance)
}
