package postgres

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// DefaultMemory is the memory of a URL that names none.
const DefaultMemory = "main"

// schemaPrefix begins the names of our schemas, so that they are in nobody's way.
const schemaPrefix = "cairn_"

// memoryName is what a memory may be called: a part of the name of a schema, which has at
// most 63 bytes, and of commands that people paste.
var memoryName = regexp.MustCompile(`^[a-z0-9][a-z0-9_]{0,49}$`)

// location is a parsed URL of a memory.
type location struct {
	shown  string // for people: without what is secret
	memory string
	config *pgx.ConnConfig
}

// schema is the name of the memory's schema. It needs no quotes: see memoryName.
func (l location) schema() string { return schemaPrefix + l.memory }

// Tool implements store.Tooled.
func (Driver) Tool(where string, t store.Task) (string, error) {
	l, err := parse(where)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(l.shown)
	if err != nil {
		return "", invalidURL()
	}
	q := u.Query()
	q.Del("memory")
	u.RawQuery = q.Encode()
	switch t {
	case store.RestoreTask:
		return fmt.Sprintf("pg_restore -d '%s' FILE", u), nil
	case store.CompactTask:
		return fmt.Sprintf("psql '%s' -c 'VACUUM (ANALYZE)'", u), nil
	default:
		return fmt.Sprintf("pg_dump -Fc -n %s -f FILE '%s'", l.schema(), u), nil
	}
}

// Tool implements store.Tooled.
func (d *DB) Tool(where string, t store.Task) (string, error) { return Driver{}.Tool(where, t) }

// connectTimeout bounds one attempt to connect, unless the URL says otherwise.
const connectTimeout = 5 * time.Second

// parse reads the URL of a memory. kb.Usage for one that is invalid, or has a password: it
// would be seen in lists of processes and in files of settings.
func parse(where string) (location, error) {
	u, err := url.Parse(where)
	if err != nil {
		return location{}, invalidURL()
	}
	if err := store.CheckURL(where); err != nil {
		return location{}, err
	}
	q := u.Query()
	memory := q.Get("memory")
	if memory == "" {
		memory = DefaultMemory
	}
	if !memoryName.MatchString(memory) {
		return location{}, kb.Errorf(kb.Usage, "invalid name of a memory %q: use lower-case letters, digits and _, at most 50", memory)
	}
	l := location{shown: u.Redacted(), memory: memory}
	q.Del("memory")
	u.RawQuery = q.Encode()
	if l.config, err = pgx.ParseConfig(u.String()); err != nil {
		return l, invalidURL()
	}
	c := l.config
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "cairn"
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	if !q.Has("sslmode") {
		l.verify()
	}
	c.DialFunc = dialer(c.ConnectTimeout).DialContext
	return l, nil
}

func invalidURL() error {
	return kb.Errorf(kb.Usage, "invalid URL of a PostgreSQL memory").WithReason(kb.InvalidDatabaseURL)
}

// verify requires TLS with a certificate for the name of the host, except on this machine,
// where the configuration only prefers TLS, which protects from nobody. That is the default
// where the URL, the environment and the service file say nothing.
func (l *location) verify() {
	c := l.config
	plain := map[string]bool{}
	for _, f := range c.Fallbacks {
		plain[f.Host] = plain[f.Host] || f.TLSConfig == nil
	}
	secure := func(host string) *tls.Config { return &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12} }
	if c.TLSConfig != nil && plain[c.Host] && !local(c.Host) {
		c.TLSConfig = secure(c.Host)
	}
	kept := c.Fallbacks[:0]
	for _, f := range c.Fallbacks {
		if plain[f.Host] && !local(f.Host) {
			if f.TLSConfig == nil {
				continue
			}
			f.TLSConfig = secure(f.Host)
		}
		kept = append(kept, f)
	}
	c.Fallbacks = kept
}

// local reports whether a host is a socket or an address of this machine.
func local(host string) bool {
	if strings.HasPrefix(host, "/") || host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
