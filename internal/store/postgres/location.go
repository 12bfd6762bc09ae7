package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// schemaPrefix begins the names of our schemas, so that they are in nobody's way.
const schemaPrefix = "cairn_"

// memoryName is what a memory may be called: a part of the name of a schema, which has at
// most 63 bytes, and of commands that people paste.
var memoryName = lazyregexp.New(`^[a-z0-9][a-z0-9_]{0,49}$`)

// location is a parsed URL of a memory.
type location struct {
	shown  string // for people: without secrets
	memory string
	config *pgx.ConnConfig
	health *health
}

// schema is the name of the memory's schema. It needs no quotes: see memoryName.
func (l location) schema() string { return schemaPrefix + l.memory }

// toolParameters are the parameters of a URL that PostgreSQL's own tools take too. They
// refuse a URL with another one.
var toolParameters = []string{
	"host", "port", "dbname", "user", "passfile", "service", "connect_timeout", "application_name", "options",
	"target_session_attrs", "channel_binding", "require_auth", "krbsrvname",
	"sslmode", "sslcert", "sslkey", "sslrootcert", "sslcertmode", "sslnegotiation", "sslsni",
}

// Tool implements store.Tooled.
func (Driver) Tool(where string, t store.Task) (string, error) {
	l, err := parse(where)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(l.shown)
	if err != nil {
		return "", invalidURL(err)
	}
	q, err := query(u)
	if err != nil {
		return "", err
	}
	if q.Has("database") {
		q["dbname"] = q["database"]
	}
	maps.DeleteFunc(q, func(name string, _ []string) bool { return !slices.Contains(toolParameters, name) })
	u.RawQuery = encode(q)
	at := "'" + strings.ReplaceAll(u.String(), "'", "%27") + "'"
	switch t {
	case store.RestoreTask:
		return "pg_restore --clean --if-exists --single-transaction --exit-on-error -d " + at + " FILE", nil
	case store.CompactTask:
		return "psql " + at + " -c 'VACUUM (ANALYZE)'", nil
	default:
		return fmt.Sprintf("pg_dump -Fc -n %s -f FILE %s", l.schema(), at), nil
	}
}

// Tool implements store.Tooled.
func (d *DB) Tool(where string, t store.Task) (string, error) { return Driver{}.Tool(where, t) }

// connectTimeout bounds one attempt to connect, unless the URL says otherwise.
const connectTimeout = 5 * time.Second

// query reads the parameters of a URL as PostgreSQL does: a + is no space.
func query(u *url.URL) (url.Values, error) {
	q, err := url.ParseQuery(strings.ReplaceAll(u.RawQuery, "+", "%2B"))
	if err != nil {
		return nil, invalidURL(err)
	}
	return q, nil
}

// encode writes parameters so that query reads the same.
func encode(q url.Values) string { return strings.ReplaceAll(q.Encode(), "+", "%20") }

// parse reads the URL of a memory. kb.Usage for one that is invalid, or has a password: it
// would be seen in lists of processes and in files of settings.
func parse(where string) (location, error) {
	if err := store.CheckURL(where); err != nil {
		return location{}, err
	}
	u, err := url.Parse(where)
	if err != nil {
		return location{}, invalidURL(err)
	}
	q, err := query(u)
	if err != nil {
		return location{}, err
	}
	memory := q.Get("memory")
	if memory == "" {
		memory = store.DefaultMemory
	}
	if !memoryName().MatchString(memory) {
		return location{}, kb.Errorf(kb.Usage, "invalid name of a memory %q: use lower-case letters, digits and _, at most 50", memory)
	}
	l := location{shown: u.Redacted(), memory: memory}
	q.Del("memory")
	if l.config, err = configure(u, q); err != nil {
		return l, invalidURL(err)
	}
	c := l.config
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "cairn"
	}
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	l.health = watch(c, dialer(c.ConnectTimeout).DialContext, l.hosts())
	return l, nil
}

// hosts is how many servers the location names.
func (l location) hosts() int {
	all := map[string]bool{fmt.Sprint(l.config.Host, l.config.Port): true}
	for _, f := range l.config.Fallbacks {
		all[fmt.Sprint(f.Host, f.Port)] = true
	}
	return len(all)
}

// connect opens a connection. Each host is tried for the time of one attempt, though it may
// be tried with TLS and without.
func (l location) connect(ctx context.Context) (*pgx.Conn, error) {
	bounded, cancel := context.WithTimeout(ctx, time.Duration(l.health.hosts)*l.config.ConnectTimeout)
	defer cancel()
	c, err := pgx.ConnectConfig(bounded, l.config.Copy())
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil { // that of one attempt, or of all
		l.health.fails()
		err = fmt.Errorf("%w: %v", errStalled, err)
	}
	return c, err
}

// configure returns the configuration for a URL with these parameters. Unless the URL has a
// sslmode, a host that is not this machine must have a certificate for its name, whatever the
// environment and the service file say. They may also name the host, so it is read first.
func configure(u *url.URL, q url.Values) (*pgx.ConnConfig, error) {
	with := *u
	with.RawQuery = encode(q)
	c, err := pgx.ParseConfig(with.String())
	if err != nil || q.Get("sslmode") != "" {
		return c, err
	}
	remote := !local(c.Host, c.Port)
	for _, f := range c.Fallbacks {
		remote = remote || !local(f.Host, f.Port)
	}
	if !remote {
		return c, nil
	}
	q = maps.Clone(q)
	q.Del("ssl") // means sslmode=require
	q.Set("sslmode", "verify-full")
	with.RawQuery = encode(q)
	return pgx.ParseConfig(with.String())
}

// invalidURL describes the fault of a URL without quoting any part of it, which may
// be secret.
func invalidURL(cause error) error {
	return kb.Errorf(kb.Usage, "invalid URL of a PostgreSQL memory: %s", fault(cause)).WithReason(kb.InvalidDatabaseURL)
}

// faults are words in the messages of parsers, which quote values.
var faults = []string{
	"sslmode", "sslnegotiation", "sslrootcert", "sslcertmode", "sslcert", "CA file", "connect_timeout", "target_session_attrs", "channel_binding", "require_auth",
	"min_protocol_version", "max_protocol_version", "statement_cache_capacity", "description_cache_capacity",
	"default_query_exec_mode", "service", "TLS", "port", "host", "escape", "semicolon", "control character", "userinfo",
}

func fault(cause error) string {
	message := cause.Error()
	var e *url.Error
	if errors.As(cause, &e) {
		message = e.Err.Error()
	}
	message = message[strings.LastIndex(message, "`")+1:] // pgx quotes the URL before
	for _, word := range faults {
		if strings.Contains(message, word) {
			return "see its " + word
		}
	}
	return "it cannot be read"
}

// local reports whether a host is a socket or an address of this machine.
func local(host string, port uint16) bool {
	if network, _ := pgconn.NetworkAddress(host, port); network == "unix" || host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
