package virtual

import (
	"context"
	"database/sql"
	"iter"

	"toolevo/envs/pytext"
	"toolevo/envs/toolbench"
)

// All streams the entries of the cache, without their documents and times, in the order in which
// they were kept.
func (c *Cache) All(ctx context.Context) iter.Seq2[Entry, error] { return c.entries(ctx, "") }

// Examples returns what an API answered to its first calls, under any version.
func (c *Cache) Examples(ctx context.Context, api toolbench.Key) ([]Example, error) {
	k := Normalised(api)

	var all []Example

	for e, err := range c.entries(ctx, "WHERE category = ? AND tool = ? AND api = ?", k.Category, k.Tool, k.API) {
		if err != nil {
			return nil, err
		}

		if all = append(all, Example{e.Args, toolbench.Answer{Response: e.Answer.Response}}); len(all) == mostExamples {
			break
		}
	}
	return all, nil
}

// entries streams the entries that an SQL condition selects.
func (c *Cache) entries(ctx context.Context, where string, values ...any) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		rows, err := c.db.QueryContext(ctx, `SELECT key, version, category, tool, api, args, response, provenance, model,
			hash FROM entries `+where+` ORDER BY rowid`, values...)
		if err != nil {
			yield(Entry{}, c.failed("read", err))
			return
		}
		defer rows.Close()

		for rows.Next() {
			e, err := c.scan(rows)
			if !yield(e, err) || err != nil {
				return
			}
		}

		if err := rows.Err(); err != nil {
			yield(Entry{}, c.failed("read", err))
		}
	}
}

// scan reads an entry.
func (c *Cache) scan(rows *sql.Rows) (e Entry, err error) {
	var (
		key, args, response string
		sum                 int64
	)

	err = rows.Scan(&key, &e.Version, &e.API.Category, &e.API.Tool, &e.API.API, &args, &response, &e.Provenance,
		&e.Answer.Maker, &sum)
	if err != nil {
		return e, c.failed("read", err)
	}

	var wrong error

	e.Args, _, wrong = pytext.DecodeObject(args)
	if e.Answer.Response, err = pytext.DecodeStrict(response); err != nil || wrong != nil ||
		sum != entryHash(key, response) {
		return e, c.broken(e.API, key)
	}

	return e, nil
}
