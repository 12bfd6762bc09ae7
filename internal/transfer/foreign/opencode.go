package foreign

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"
)

// OpenCode is the database of OpenCode (format of version 1.18.33), in a single state.
// Several goroutines may read it.
type OpenCode struct {
	mu sync.Mutex
	db *reading
}

// OpenOpenCode opens a database of OpenCode. If reading needs a copy, it makes one copy for
// all calls.
func OpenOpenCode(ctx context.Context, file string) (*OpenCode, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, err
	}
	r, err := begin(ctx, file)
	if err != nil {
		return nil, explained(err, file, "OpenCode")
	}
	return &OpenCode{db: r}, nil
}

// Close ends the reading.
func (o *OpenCode) Close() error { return o.db.close() }

func (o *OpenCode) read(do func(*reading) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return explained(o.db.whole(do), o.db.file, "OpenCode")
}

// Sessions returns the time of the last change of each session, by id. Sessions of
// sub-agents are left out: the session that started one contains its task and report.
func (o *OpenCode) Sessions(ctx context.Context) (map[string]time.Time, error) {
	out := map[string]time.Time{}
	// The times of the last message and of its parts change while an answer is written.
	const list = `SELECT s.id, max(coalesce(CAST(s.time_updated AS INTEGER), 0), coalesce(CAST(m.time_updated AS INTEGER), 0),
			coalesce((SELECT max(CAST(p.time_updated AS INTEGER)) FROM part p WHERE p.message_id = m.id), 0))
		FROM session s LEFT JOIN message m ON m.id = (SELECT id FROM message WHERE session_id = s.id ORDER BY time_created DESC, id DESC LIMIT 1)
		WHERE s.parent_id IS NULL AND s.id IS NOT NULL`
	err := o.read(func(db *reading) error {
		return db.each(ctx, list, func(rows *sql.Rows) error {
			var id string
			var at int64
			if err := rows.Scan(&id, &at); err != nil {
				return err
			}
			out[id] = time.UnixMilli(at)
			return nil
		})
	})
	return out, err
}

// Lines calls line with the session and then with each part of its messages, as lines of
// JSON in the order of writing, until it returns false.
func (o *OpenCode) Lines(ctx context.Context, id string, line func([]byte) bool) error {
	const parts = `SELECT coalesce(m.data, ''), coalesce(p.data, ''), coalesce(CAST(p.time_created AS INTEGER), 0) FROM message m JOIN part p ON p.message_id = m.id
		WHERE m.session_id = ? ORDER BY m.time_created, m.id, p.id`
	give := func(v any) error {
		text, err := json.Marshal(v)
		if err == nil && !line(text) {
			err = errEnough
		}
		return err
	}
	err := o.read(func(db *reading) error {
		err := db.each(ctx, "SELECT id, coalesce(directory, ''), coalesce(title, ''), coalesce(version, '') FROM session WHERE id = ?", func(rows *sql.Rows) error {
			var s struct {
				ID        string `json:"id"`
				Directory string `json:"directory"`
				Title     string `json:"title"`
				Version   string `json:"version"`
			}
			if err := rows.Scan(&s.ID, &s.Directory, &s.Title, &s.Version); err != nil {
				return err
			}
			return give(map[string]any{"session": s})
		}, id)
		if err != nil {
			return err
		}
		return db.each(ctx, parts, func(rows *sql.Rows) error {
			var message, part string
			var at int64
			if err := rows.Scan(&message, &part, &at); err != nil {
				return err
			}
			if !json.Valid([]byte(message)) || !json.Valid([]byte(part)) {
				return give(map[string]any{"malformed": true})
			}
			return give(map[string]any{"message": json.RawMessage(message), "part": json.RawMessage(part), "time": at})
		}, id)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
