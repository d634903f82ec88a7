	-- seed, luck, and anchor: the id of a bot
	CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
	-- text is the whole file
	CREATE TABLE rulesets (hash TEXT PRIMARY KEY, name TEXT NOT NULL, text TEXT NOT NULL) STRICT;
	CREATE TABLE seasons (id INTEGER PRIMARY KEY, title TEXT NOT NULL, ruleset TEXT NOT NULL REFERENCES rulesets, began TEXT NOT NULL) STRICT;
	-- a version of a bot; agent may be a command or an address: do not publish the database
	CREATE TABLE bots (
		id INTEGER PRIMARY KEY, name TEXT NOT NULL, version INTEGER NOT NULL, author TEXT NOT NULL, agent TEXT NOT NULL,
		fingerprint TEXT NOT NULL, added TEXT NOT NULL, retired TEXT NOT NULL DEFAULT '', UNIQUE (name, version)) STRICT;
	-- state: playing, counted, inherited (counted in the league of which this one is a fork) or abandoned
	-- (a bot could not play); digest is that of the manifest
	CREATE TABLE rounds (
		id INTEGER PRIMARY KEY, season INTEGER NOT NULL REFERENCES seasons, engine INTEGER NOT NULL, state TEXT NOT NULL,
		plan TEXT NOT NULL, source TEXT NOT NULL, digest TEXT UNIQUE, matches INTEGER NOT NULL DEFAULT 0, ended TEXT NOT NULL DEFAULT '') STRICT;
	-- a duplicate set: identity of walls and lineup; results has nine bytes for each player of each match, in
	-- the order of the seats: id of the bot (4 bytes), place (1), luck as a float (4); little-endian
	CREATE TABLE sets (
		round INTEGER NOT NULL REFERENCES rounds, number INTEGER NOT NULL, identity INTEGER NOT NULL UNIQUE, results BLOB NOT NULL,
		PRIMARY KEY (round, number)) STRICT;
	-- sums of a bot in a round; timed decisions took so many nanoseconds
	CREATE TABLE figures (
		round INTEGER NOT NULL REFERENCES rounds, bot INTEGER NOT NULL REFERENCES bots, matches INTEGER NOT NULL,
		first INTEGER NOT NULL, second INTEGER NOT NULL, third INTEGER NOT NULL, fourth INTEGER NOT NULL,
		points INTEGER NOT NULL, placement INTEGER NOT NULL, hands INTEGER NOT NULL, wins INTEGER NOT NULL,
		self_draws INTEGER NOT NULL, deal_ins INTEGER NOT NULL, readies INTEGER NOT NULL, calls INTEGER NOT NULL,
		decisions INTEGER NOT NULL, forfeits INTEGER NOT NULL, timed INTEGER NOT NULL, nanoseconds INTEGER NOT NULL,
		PRIMARY KEY (round, bot)) STRICT, WITHOUT ROWID;
	-- a sequential test
	CREATE TABLE tests (
		id INTEGER PRIMARY KEY, season INTEGER NOT NULL REFERENCES seasons, engine INTEGER NOT NULL, new INTEGER NOT NULL REFERENCES bots,
		old INTEGER NOT NULL REFERENCES bots, plan TEXT NOT NULL, verdict TEXT NOT NULL, matches INTEGER NOT NULL,
		course TEXT NOT NULL, ended TEXT NOT NULL DEFAULT '') STRICT;
	-- a version of a bot that connects by itself, and the digest of its token
	CREATE TABLE tokens (
		bot INTEGER PRIMARY KEY REFERENCES bots, digest BLOB NOT NULL UNIQUE, validated INTEGER NOT NULL DEFAULT 0) STRICT