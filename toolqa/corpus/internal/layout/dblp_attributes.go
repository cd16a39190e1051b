package layout

import (
	"strconv"

	"toolevo/envs"
	"toolevo/envs/pytext"
)

// DBLPMaker is one author as a paper names them.
type DBLPMaker struct{ ID, Name, Org string }

// AppendAttributes appends the attributes of a paper's node, with the keys of the published graph
// in its order.
func AppendAttributes(dst []byte, p Paper, makers []DBLPMaker) []byte {
	authors := make([]any, len(makers))
	for i, m := range makers {
		authors[i] = envs.Args{member("id", m.ID), member("name", m.Name), member("org", m.Org)}
	}
	return pytext.AppendJSON(dst, envs.Args{
		member("title", p.Title),
		member("authors", authors),
		member("year", envs.Number(strconv.Itoa(p.Year))),
		member("venue", envs.Args{member("raw", p.Venue)}),
		member("n_citation", envs.Number(strconv.Itoa(p.NCitation))),
		member("keywords", envs.Listed(p.Keywords)),
		member("doc_type", p.DocType),
		member("page_start", p.PageStart),
		member("page_end", p.PageEnd),
	})
}

// AppendOrg appends the attributes of an author's node.
func AppendOrg(dst []byte, org string) []byte {
	return pytext.AppendJSON(dst, envs.Args{member("org", org)})
}

func member(name string, value any) envs.Arg { return envs.Arg{Name: name, Value: value} }
