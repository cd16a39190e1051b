package bench

import (
	"slices"

	"toolevo/envs"
	"toolevo/toolqa"
)

// tableTools read the datasets that are tables; graphTools those that are graphs.
var (
	tableTools = []string{"LoadDB", "FilterDB", "GetValue", "SQLInterpreter"}
	graphTools = []string{"LoadGraph", "NeighbourCheck", "NodeCheck", "EdgeCheck"}
)

// commonTools serve every dataset. The guidelines of a prompt mention programs whatever
// the question is about.
var commonTools = []string{programTool, envs.FinishTool, envs.UpdateTool}

// datasetTools lists the tools that serve each dataset besides the common ones.
var datasetTools = map[toolqa.Dataset][]string{
	toolqa.Agenda:  append([]string{"RetrieveAgenda"}, tableTools...),
	toolqa.Airbnb:  tableTools,
	toolqa.Coffee:  tableTools,
	toolqa.DBLP:    graphTools,
	toolqa.Flights: tableTools,
	toolqa.SciREX:  {"RetrieveScirex"},
	toolqa.Yelp:    tableTools,
}

// DatasetTools implements [suite.Narrower].
func (ToolQA) DatasetTools() (tools map[string][]string, unasked bool) {
	all := make(map[string][]string, len(datasetTools))
	for ds, own := range datasetTools {
		all[string(ds)] = slices.Concat(own, commonTools)
	}
	return all, false
}
