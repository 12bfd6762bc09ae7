-- How many pages a space has in each status is asked for at the start of every session:
-- counted here as they come and go, not by reading an index of all.
CREATE TABLE page_counts (
  space  INTEGER NOT NULL,
  status TEXT NOT NULL,
  pages  INTEGER NOT NULL,
  PRIMARY KEY (space, status)
) STRICT, WITHOUT ROWID;

INSERT INTO page_counts SELECT space, status, count(*) FROM pages GROUP BY space, status;

CREATE TRIGGER page_added AFTER INSERT ON pages BEGIN
  INSERT INTO page_counts VALUES (new.space, new.status, 1)
    ON CONFLICT DO UPDATE SET pages = pages + 1;
END;

CREATE TRIGGER page_removed AFTER DELETE ON pages BEGIN
  UPDATE page_counts SET pages = pages - 1 WHERE space = old.space AND status = old.status;
END;

CREATE TRIGGER page_moved AFTER UPDATE OF space, status ON pages
WHEN old.space <> new.space OR old.status <> new.status BEGIN
  UPDATE page_counts SET pages = pages - 1 WHERE space = old.space AND status = old.status;
  INSERT INTO page_counts VALUES (new.space, new.status, 1)
    ON CONFLICT DO UPDATE SET pages = pages + 1;
END;

-- Where no document has several pages, those in a folder are counted by documents alone.
CREATE INDEX pages_nodes ON pages (space) WHERE node <> '';
