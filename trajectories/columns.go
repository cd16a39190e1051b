package trajectories

import (
	_ "embed"
	"slices"
	"sync"

	"toolevo/trajectories/internal/pq"
)

// columnsYAML describes the columns of trajectories and of episodes. SCHEMA.md is generated from
// it.
//
//go:embed columns.yaml
var columnsYAML []byte

var tables = sync.OnceValue(func() map[string][]pq.Column { return pq.Tables(columnsYAML) })

// rowColumns are the columns of a trajectories file, in file order.
var rowColumns = sync.OnceValue(func() []pq.Column {
	return pq.Bind[Row](tables(), tables()["trajectory"])
})

// episodeColumns are the columns of a trajectory without those about its tree, and then those of an
// episode's end.
var episodeColumns = sync.OnceValue(func() []pq.Column {
	columns := withoutTree(tables()["trajectory"])

	turns := slices.IndexFunc(columns, func(c pq.Column) bool { return c.Name == "turns" })
	columns[turns].Fields = withoutTree(tables()["turn"])
	return pq.Bind[Episode](tables(), append(columns, tables()["episode"]...))
})

// ofTree are the columns about a tree.
var ofTree = []string{"preset", "tree", "tree_seed", "node", "node_path", "prior", "visits", "value", "limit"}

func withoutTree(columns []pq.Column) []pq.Column {
	return slices.DeleteFunc(slices.Clone(columns), func(c pq.Column) bool { return slices.Contains(ofTree, c.Name) })
}
