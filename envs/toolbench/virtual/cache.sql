CREATE TABLE entries (
	key TEXT PRIMARY KEY,
	version TEXT NOT NULL, category TEXT NOT NULL, tool TEXT NOT NULL, api TEXT NOT NULL,
	args TEXT NOT NULL, response TEXT NOT NULL,
	provenance TEXT NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL, document TEXT NOT NULL,
	made INTEGER NOT NULL, -- in milliseconds since 1970
	hash INTEGER NOT NULL  -- of key and response
);
CREATE INDEX by_api ON entries (category, tool, api);
