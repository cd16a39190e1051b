package virtual

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/zeebo/xxh3"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/envs/pytext"
	"toolevo/envs/sqlite"
	"toolevo/envs/toolbench"
)

// Cache keeps answers in a file, a SQLite database. Several processes may use one at the same time.
// A process that is killed loses nothing that [Cache.Put] returned for. It is safe for concurrent
// use.
type Cache struct {
	path string
	db   *sql.DB
	put  *sql.Stmt
}

//go:embed cache.sql
var schema string

// What a database says about itself: "tevc", and the version of the schema.
const (
	applicationID = 0x74657663
	cacheFormat   = 1
)

// mostConnections bounds how many calls read at the same time. A connection that stays open costs
// nothing to open.
const mostConnections = 8

// OpenCache opens the cache at a path, or makes one there. The error is [disk.ErrDamaged] if the
// file is not a cache, or a broken one.
func OpenCache(ctx context.Context, path string) (*Cache, error) {
	c, err := openCache(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open the cache %s: %w", path, err)
	}
	return c, nil
}

func openCache(ctx context.Context, path string) (*Cache, error) {
	// A file of another program is refused unopened, since opening it with SQLite may change it.
	switch header, err := sqlite.ReadHeader(path); {
	case errors.Is(err, sqlite.ErrNotSQLite),
		err == nil && header.Size > 0 && header.Application != applicationID:
		return nil, fmt.Errorf("%w: not a cache of toolevo: name another file", disk.ErrDamaged)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}

	// A file that has entries is left as it is, so several processes may open one at the same time.
	err := sqlite.Create(ctx, path,
		schema,
		fmt.Sprintf(`PRAGMA application_id = %d`, applicationID),
		fmt.Sprintf(`PRAGMA user_version = %d`, cacheFormat))
	if err != nil {
		return nil, damagedFile(err)
	}

	db, err := sqlite.OpenToWrite(ctx, path, "")
	if err != nil {
		return nil, damagedFile(err)
	}

	db.SetMaxOpenConns(mostConnections)
	db.SetMaxIdleConns(mostConnections)

	c := &Cache{path: path, db: db}
	if err := c.prepare(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return c, nil
}

// prepare checks the file, and prepares the statement that adds entries.
func (c *Cache) prepare(ctx context.Context) error {
	var format int
	var state string

	err := errors.Join(
		c.db.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&format),
		c.db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&state))

	switch {
	case err != nil:
		return damagedFile(err)
	case format != cacheFormat:
		return disk.CheckFormat("it", "", format, cacheFormat)
	case state != "ok":
		return fmt.Errorf("%w: %s: remove the file, and the answers will be made again", disk.ErrDamaged, state)
	}

	c.put, err = c.db.PrepareContext(ctx,
		`INSERT OR IGNORE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	return err
}

// damagedFile marks the errors of a file that SQLite cannot read.
func damagedFile(err error) error {
	if sqlite.IsDamage(err) {
		return fmt.Errorf("%w: %w: name another file, or remove it", disk.ErrDamaged, err)
	}
	return err
}

// Close closes the file.
func (c *Cache) Close() error { return errors.Join(c.put.Close(), c.db.Close()) }

// Get returns the answer to a call, with where it came from and what made it, and whether there is
// one: to the call as it is, or else as clients of StableToolBench spell it.
func (c *Cache) Get(ctx context.Context, call Call) (Entry, bool, error) {
	// Published answers were imported without the documents, whose spelling calls have.
	for _, call := range []Call{call, call.published()} {
		for e, err := range c.entries(ctx, "WHERE key = ?", call.Key()) {
			return e, err == nil, err
		}
	}
	return Entry{}, false, nil
}

// Put keeps an entry. The first one of a call stays.
func (c *Cache) Put(ctx context.Context, e Entry) error {
	_, err := c.add(ctx, []Entry{e})
	return err
}

// values returns the columns of an entry.
func values(e Entry) []any {
	key, response := e.Key(), pytext.JSON(e.Answer.Response)
	return []any{
		key, e.Version, e.API.Category, e.API.Tool, e.API.API, string(pytext.AppendCanonical(nil, e.Args)), response,
		string(e.Provenance), e.Answer.Maker, e.Prompt, e.Document, e.Made.UnixMilli(), entryHash(key, response),
	}
}

func entryHash(key, response string) int64 {
	return int64(xxh3.HashStringSeed(response, xxh3.HashString(key)))
}

func (c *Cache) failed(op string, err error) error {
	return envs.Fail(envs.StageTool, op+" the cache "+c.path, damagedFile(err))
}

func (c *Cache) broken(k toolbench.Key, key string) error {
	return fmt.Errorf("the cache %s is %w: the entry %.12s of %s: remove the file, and the answers will be made again",
		c.path, disk.ErrDamaged, key, k)
}

// add puts many entries at once, all or none, and returns how many were new.
func (c *Cache) add(ctx context.Context, all []Entry) (added int, err error) {
	tx, err := c.db.BeginTx(ctx, nil)
	if err != nil {
		return 0, c.failed("write", err)
	}
	defer tx.Rollback()

	put := tx.StmtContext(ctx, c.put)

	for _, e := range all {
		result, err := put.ExecContext(ctx, values(e)...)
		if err != nil {
			return 0, c.failed("write", err)
		}

		n, err := result.RowsAffected()
		if err != nil {
			return 0, c.failed("write", err)
		}

		added += int(n)
	}

	if err := tx.Commit(); err != nil {
		return 0, c.failed("write", err)
	}
	return added, nil
}

// now returns the time to the millisecond, as the file keeps it.
func now() time.Time { return time.Now().Truncate(time.Millisecond) }
