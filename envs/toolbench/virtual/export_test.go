package virtual

import "context"

// Count returns how many answers there are.
func (c *Cache) Count(ctx context.Context) (n int, err error) {
	if err := c.db.QueryRowContext(ctx, `SELECT count(*) FROM entries`).Scan(&n); err != nil {
		return 0, c.failed("read", err)
	}
	return n, nil
}
