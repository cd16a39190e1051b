package corpus

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// each runs a query and calls row for every row, whose columns are in dest.
func each(ctx context.Context, db *sql.DB, query string, row func() error, dest ...any) (err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()

	for n := 0; rows.Next(); n++ {
		if err := rows.Scan(dest...); err != nil {
			return err
		}

		if err := row(); err != nil {
			return fmt.Errorf("row %d of %q: %w", n, query, err)
		}
	}
	return rows.Err()
}
