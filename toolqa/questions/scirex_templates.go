package questions

import "toolevo/toolqa/corpus"

// faultyScores is what is wrong with the published rule for the highest score.
const faultyScores = `scores with a unit are compared as texts, so that "9.7m" is above "15m", and a comma between thousands is taken for a decimal point`

// scirexEasy is the one kind of question about a single relation.
func scirexEasy() []Template {
	return []Template{{
		Name: "score",
		Text: "What is the corresponding {metric:text} score of the {method:text} method on {material:text} " +
			"dataset for {task:text} task?",
		gold: onRelations(1, onlyScore),
		choose: lookUp(readScore,
			passagesOn("{metric} score of the {method} method on {material} dataset for {task} task",
				"A paper must report the {metric} score of {method} on {material}. I search the papers for it."),
			passagesOn("{method} results on {material}",
				"None of these passages states the {metric} of {method} on {material}. I search for the results "+
					"of {method} on {material} in other words."),
			finish("{answer}", "The passage gives {answer} as the {metric} of {method} on {material}, which is "+
				"what was asked.")),
	}}
}

// scirexHard are the questions about several relations.
func scirexHard() []Template {
	return []Template{
		{
			Name: "highest-dataset",
			Text: "On which dataset does the {method:text} method achieve the highest {metric:text} score for " +
				"{task:text} task?",
			Fault:    faultyScores,
			Avoided:  true,
			gold:     onRelations(2, highest(materialOf)),
			official: onRelations(2, publishedHighest(materialOf)),
			choose: lookUp(readHighestDataset,
				passagesOn("{metric} scores of the {method} method on all datasets for {task} task",
					"I need the {metric} scores of {method} on every dataset it was tried on. I search for a passage "+
						"that compares them."),
				passagesOn("{method} comparison across datasets",
					"These passages do not compare the datasets. I look for a comparison across datasets by the paper "+
						"about {method}."),
				finish("{answer}", "Of the {metric} scores of {method}, {list}, the highest is {score}, on {answer}.")),
		},
		{
			Name: "highest-method",
			Text: "Which method achieves the highest {metric:text} score on {material:text} dataset for " +
				"{task:text} task?",
			Fault:    faultyScores,
			Avoided:  true,
			gold:     onRelations(2, highest(methodOf)),
			official: onRelations(2, publishedHighest(methodOf)),
			choose: lookUp(readHighestMethod,
				passagesOn("methods with the highest {metric} score on {material} dataset for {task} task",
					"Many papers report their {metric} on {material}. I search for passages that compare the methods."),
				passagesOn("leaderboard for {task} on {material}, {metric} of all methods",
					"These are the results of single papers. A survey may list all methods, so I search for a "+
						"leaderboard."),
				finish("{answer}", "Among the methods on {material}, {list}, the highest {metric} is {score}, by "+
					"{answer}.")),
		},
		{
			Name: "metrics",
			Text: "On what metrics is the {method:text} method evaluated on {material:text} dataset for {task:text} " +
				"task?",
			gold: onRelations(1, relationNames(metricOf)),
			choose: lookUp(readMetrics,
				passagesOn("metrics that the {method} method is evaluated by on {material} dataset for {task} task",
					"The paper about {method} should say by which metrics it is evaluated on {material}. I search "+
						"for that."),
				passagesOn("{method} results on {material}",
					"The metrics are not named there. I search for the results of {method} on {material}."),
				finish("{answer}", "The passage names {answer} as what is measured for {method} on {material}.")),
		},
		{
			Name:     "datasets",
			Text:     "Which datasets is {method:text} method evaluated on for {task:text} task?",
			Fault:    "one dataset is given, that of a random result, of all that the method is evaluated on",
			gold:     onRelations(1, relationNames(materialOf)),
			official: onRelations(1, func(found []corpus.Relation) (string, error) { return found[0].Material, nil }),
			choose: lookUp(readDatasets,
				passagesOn("datasets that {method} is evaluated on for {task} task",
					"The paper about {method} should list its datasets. I search for them."),
				passagesOn("datasets used with the method {method}, evaluated for {task}",
					"The list is not in these passages. I ask in the words of an experimental setup."),
				finish("{answer}", "{method} is evaluated on {answer}.")),
		},
	}
}
