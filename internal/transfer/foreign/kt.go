package foreign

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// Store is the content of a database of kt.
type Store struct {
	Nodes      []Node
	Links      []Link
	Namespaces []Namespace
	Mappings   []Mapping
	Config     Config // of config.json next to the database
}

// Config is kt's configuration file, next to its database. It may be absent.
type Config struct {
	Days       int                 `json:"staleness_threshold_days"`
	Namespaces map[string]override `json:"namespaces"`
	Ollama     struct {
		Model string `json:"model"`
	} `json:"ollama"`

	Problem string `json:"-"` // reason why it could not be read; "" for none
}

// StaleAfter returns the number of days after which the nodes of a namespace become stale, 0
// if it is not set.
func (c Config) StaleAfter(namespace string) int { return cmp.Or(c.Namespaces[namespace].Days, c.Days) }

// override holds the settings of a namespace that differ from the general ones.
type override struct {
	Days int `json:"staleness_threshold_days"`
}

// Override sets the number of days after which the nodes of a namespace become stale.
func (c *Config) Override(namespace string, days int) {
	if c.Namespaces == nil {
		c.Namespaces = map[string]override{}
	}
	c.Namespaces[namespace] = override{days}
}

// KTProject is the content of a project's .kt/config.
type KTProject struct {
	Dir       string `json:"-"`         // of the project; "" for none
	Namespace string `json:"namespace"` // namespace of its pages
	Days      int    `json:"staleness_threshold_days"`
}

// ReadProject reads .kt/config of the directory, or of the nearest one above it
// below the home directory. The .kt of the home directory itself is the store
// of all projects.
func ReadProject(dir, home string) (KTProject, error) {
	for ; dir != "" && dir != home && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		file := filepath.Join(dir, ".kt", "config")
		p := KTProject{Dir: dir}
		found, err := decode(file, &p)
		if err != nil {
			return KTProject{}, kb.Errorf(kb.Invalid, "%s cannot be read: %w", file, err).
				WithHint("It is JSON such as {\"namespace\": \"clients\"}. Nothing was changed.")
		}
		if found {
			return p, nil
		}
	}
	return KTProject{}, nil
}

// maxConfig is the maximum size of a configuration file, in bytes.
const maxConfig = 1 << 20

// decode reads a JSON file, if it exists.
func decode(file string, into any) (found bool, err error) {
	f, err := fsys.OpenRegular(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	err = json.NewDecoder(io.LimitReader(f, maxConfig)).Decode(into)
	return true, errors.Join(err, f.Close())
}

func (s *Store) config(file string) {
	_, err := decode(filepath.Join(filepath.Dir(file), "config.json"), &s.Config)
	if err != nil {
		s.Config = Config{Problem: "it cannot be read: " + err.Error()}
	}
}

// Node is a piece of knowledge.
type Node struct {
	ID, Namespace, Title, Content, Status, Source, CompactedInto, Session string

	Tags                    []string
	Created, Updated, Stale time.Time // Stale is zero for a node that is not stale
	Embedded                bool      // it has a vector, which does not fit other models
}

// Link is a link from a node to another.
type Link struct{ From, To, Type, Context string }

// Namespace groups nodes.
type Namespace struct{ Slug, Name, Description string }

// Mapping assigns the directories that match a pattern to a namespace.
type Mapping struct{ Pattern, Namespace string }

// Read reads the database in a file. A file that is not a database, or lacks a table or
// column, is kb.Invalid.
func Read(ctx context.Context, file string) (*Store, error) {
	var out Store
	err := read(ctx, file, "kt", func(db *reading) error {
		for _, part := range []func(context.Context, *reading) error{out.nodes, out.links, out.namespaces, out.mappings} {
			if err := part(ctx, db); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, kb.AsError(err).WithHint("Nothing was changed. It is usually ~/.kt/kt.db.")
	}
	out.config(file)
	return &out, nil
}

func (s *Store) nodes(ctx context.Context, db *reading) error {
	return db.each(ctx, `SELECT id, namespace, coalesce(title, ''), content, status, source_type, coalesce(tags, '[]'), embedding IS NOT NULL,
 coalesce(compacted_into, ''), cast(created_at AS TEXT), cast(updated_at AS TEXT), coalesce(cast(stale_at AS TEXT), ''), coalesce(session_id, '')
 FROM nodes ORDER BY created_at, id`, func(rows *sql.Rows) error {
		var (
			n                             Node
			tags, created, updated, stale string
		)
		err := rows.Scan(&n.ID, &n.Namespace, &n.Title, &n.Content, &n.Status, &n.Source, &tags, &n.Embedded, &n.CompactedInto, &created, &updated, &stale, &n.Session)
		if err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(tags), &n.Tags); err != nil {
			return kb.Errorf(kb.Invalid, "the tags of %s are not a list", n.ID)
		}
		for _, t := range []struct {
			text string
			to   *time.Time
		}{{created, &n.Created}, {updated, &n.Updated}, {stale, &n.Stale}} {
			if *t.to, err = Time(t.text); err != nil {
				return kb.Errorf(kb.Invalid, "%s has the time %q", n.ID, t.text)
			}
		}
		s.Nodes = append(s.Nodes, n)
		return nil
	})
}

// Time parses a time as SQLite and JavaScript write it; without a zone it is UTC.
func Time(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	var (
		t   time.Time
		err error
	)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999-07:00", "2006-01-02 15:04:05 -0700 MST", "2006-01-02 15:04:05", "2006-01-02T15:04:05", time.DateOnly} {
		if t, err = time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return t, err
}

func (s *Store) links(ctx context.Context, db *reading) error {
	return db.each(ctx, `SELECT source_id, target_id, link_type, coalesce(context, '') FROM links ORDER BY created_at, id`, func(rows *sql.Rows) error {
		var l Link
		err := rows.Scan(&l.From, &l.To, &l.Type, &l.Context)
		s.Links = append(s.Links, l)
		return err
	})
}

func (s *Store) namespaces(ctx context.Context, db *reading) error {
	return db.each(ctx, `SELECT slug, name, coalesce(description, '') FROM namespaces ORDER BY slug`, func(rows *sql.Rows) error {
		var n Namespace
		err := rows.Scan(&n.Slug, &n.Name, &n.Description)
		s.Namespaces = append(s.Namespaces, n)
		return err
	})
}

func (s *Store) mappings(ctx context.Context, db *reading) error {
	return db.each(ctx, `SELECT directory_pattern, namespace FROM project_mappings ORDER BY directory_pattern`, func(rows *sql.Rows) error {
		var m Mapping
		err := rows.Scan(&m.Pattern, &m.Namespace)
		s.Mappings = append(s.Mappings, m)
		return err
	})
}
