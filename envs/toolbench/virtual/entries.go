package virtual

import (
	"context"
	"iter"

	"toolevo/envs/pytext"
)

// All streams the entries of the cache, without their documents and times, in the order in which they were kept.
func (c *Cache) All(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		rows, err := c.db.QueryContext(ctx, `SELECT key, version, category, tool, api, args, response, provenance, model,
			hash FROM entries ORDER BY rowid`)
		if err != nil {
			yield(Entry{}, c.failed("read", err))
			return
		}
		defer rows.Close()

		for rows.Next() {
			var (
				e                   Entry
				key, args, response string
				sum                 int64
			)

			err := rows.Scan(&key, &e.Version, &e.API.Category, &e.API.Tool, &e.API.API, &args, &response,
				&e.Provenance, &e.Answer.Maker, &sum)
			if err != nil {
				yield(e, c.failed("read", err))
				return
			}

			var wrong error

			e.Args, _, wrong = pytext.DecodeObject(args)
			if e.Answer.Response, err = pytext.DecodeStrict(response); err != nil || wrong != nil ||
				sum != entryHash(key, response) {
				yield(e, c.broken(e.API, key))
				return
			}

			if !yield(e, nil) {
				return
			}
		}

		if err := rows.Err(); err != nil {
			yield(Entry{}, c.failed("read", err))
		}
	}
}
