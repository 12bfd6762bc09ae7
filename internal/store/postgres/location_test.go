package postgres

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

func TestLocations(t *testing.T) {
	// Serial: it sets the environment.
	t.Setenv("PGSSLMODE", "")
	t.Setenv("PGSERVICEFILE", "/nonexistent")
	for url, want := range map[string]struct {
		schema string
		tls    bool // verified
	}{
		"postgres://db.example.org/kb?memory=team":                   {"cairn_team", true},
		"postgresql://ada@db.example.org:6432/kb":                    {"cairn_main", true},
		"postgres://localhost/kb?memory=a_1":                         {"cairn_a_1", false},
		"postgres://127.0.0.1/kb":                                    {"cairn_main", false},
		"postgres:///kb?host=/run/postgresql&memory=x":               {"cairn_x", false},
		"postgres://db.example.org/kb?sslmode=disable":               {"cairn_main", false},
		"postgres://db.example.org,other.example.org/kb?memory=both": {"cairn_both", true},
		"postgres://db.example.org/kb?memory=v&sslmode=verify-full":  {"cairn_v", true},
		"postgres://db.example.org/kb?default_query_exec_mode=exec":  {"cairn_main", true},
	} {
		l, err := parse(url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		verified := l.config.TLSConfig != nil && !l.config.TLSConfig.InsecureSkipVerify && l.config.TLSConfig.ServerName != ""
		for _, f := range l.config.Fallbacks {
			verified = verified && f.TLSConfig != nil && !f.TLSConfig.InsecureSkipVerify
		}
		if l.schema() != want.schema || verified != want.tls {
			t.Errorf("%s: schema %s, verified %v", url, l.schema(), verified)
		}
	}
}

func TestLocationsThatAreRefused(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for url, want := range map[string]kb.Reason{
		"postgres://ada:" + secret + "@db/kb":                kb.PasswordInURL,
		"postgres://db/kb?password=" + secret:                kb.PasswordInURL,
		"postgres://db/kb?sslpassword=" + secret:             kb.PasswordInURL,
		"postgres://db:port" + secret + "/kb":                kb.InvalidDatabaseURL,
		"postgres://db/kb?sslmode=" + secret:                 kb.InvalidDatabaseURL,
		"postgres://db/kb?memory=Team; DROP TABLE x":         kb.InvalidDatabaseURL,
		"postgres://db/kb?memory=Team":                       "",
		"postgres://db/kb?memory=" + strings.Repeat("a", 51): "",
	} {
		_, err := parse(url)
		if kb.CodeOf(err) != kb.Usage || kb.AsError(err).Reason != want || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestToolsAreCommands(t *testing.T) {
	t.Parallel()
	const url = "postgres://ada@db/kb?memory=team"
	for task, want := range map[store.Task]string{
		store.BackupTask:  "pg_dump -Fc -n cairn_team -f FILE 'postgres://ada@db/kb'",
		store.RestoreTask: "pg_restore -d 'postgres://ada@db/kb' FILE",
		store.CompactTask: "psql 'postgres://ada@db/kb' -c 'VACUUM (ANALYZE)'",
	} {
		if got, err := (Driver{}).Tool(url, task); got != want || err != nil {
			t.Errorf("%s: %s, %v", task, got, err)
		}
	}
}
