package postgres

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
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
		"Postgres://ada:" + secret + "@db/kb":                kb.PasswordInURL,
		"postgres://db/kb?PassWord=" + secret:                kb.PasswordInURL,
		"postgres:/ada:" + secret + "@db/kb":                 kb.InvalidDatabaseURL,
		"PostgreSQL:ada:" + secret + "@db/kb":                kb.InvalidDatabaseURL,
		"host=db password=" + secret:                         kb.InvalidDatabaseURL,
		"x=y Password = " + secret:                           kb.InvalidDatabaseURL,
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
	const url = "postgres://ada@db/kb?memory=team&default_query_exec_mode=exec&search_path=x"
	for task, want := range map[store.Task]string{
		store.BackupTask:  "pg_dump -Fc -n cairn_team -f FILE 'postgres://ada@db/kb'",
		store.RestoreTask: "pg_restore --clean --if-exists --single-transaction --exit-on-error -d 'postgres://ada@db/kb' FILE",
		store.CompactTask: "psql 'postgres://ada@db/kb' -c 'VACUUM (ANALYZE)'",
	} {
		if got, err := (Driver{}).Tool(url, task); got != want || err != nil {
			t.Errorf("%s: %s, %v", task, got, err)
		}
	}
}

// Neither the URL, unless it has a sslmode, nor the environment turns the check of the
// certificate off.
func TestTLSIsNotWeakened(t *testing.T) {
	// Serial: it sets the environment.
	t.Setenv("PGSERVICEFILE", "/nonexistent")
	root := filepath.Join(t.TempDir(), "root.crt")
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	authority, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(root, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority}), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, env := range [][2]string{{"PGSSLMODE", "disable"}, {"PGSSLMODE", "allow"}, {"PGSSLMODE", "require"}, {"PGSSLNEGOTIATION", "direct"}, {"PGHOST", "db.example.org"}} {
		t.Run(env[0]+env[1], func(t *testing.T) {
			t.Setenv(env[0], env[1])
			for _, where := range []string{
				"postgres://db.example.org/kb", "postgres://db.example.org/kb?sslnegotiation=direct", "postgres://db.example.org/kb?sslmode=",
				"postgres://db.example.org/kb?ssl=true", "postgres:///kb?host=db.example.org", "postgres://localhost,db.example.org/kb",
				"postgres://db.example.org/kb?sslsni=0", "postgres://192.0.2.1/kb", "Postgres://db.example.org/kb",
				"postgres://db.example.org/kb?sslrootcert=" + root,
			} {
				l, err := parse(where)
				if err != nil {
					t.Errorf("%s: %v", where, err)
					continue
				}
				all := []*tls.Config{l.config.TLSConfig}
				for _, f := range l.config.Fallbacks {
					all = append(all, f.TLSConfig)
				}
				for _, c := range all {
					if c == nil || c.InsecureSkipVerify || c.ServerName == "" || (c.RootCAs == nil) != !strings.Contains(where, "sslrootcert") {
						t.Errorf("%s: %+v", where, c)
					}
				}
			}
		})
	}
}

func TestParametersKeepTheirBytes(t *testing.T) {
	t.Parallel()
	l, err := parse("postgres://localhost/kb?options=-c%20work_mem%3D8MB&application_name=a+b&memory=x")
	if err != nil {
		t.Fatal(err)
	}
	if o, n := l.config.RuntimeParams["options"], l.config.RuntimeParams["application_name"]; o != "-c work_mem=8MB" || n != "a+b" {
		t.Errorf("options %q, name %q", o, n)
	}
	got, err := Driver{}.Tool("postgres://localhost/it's?options=-c%20a&memory=x", store.BackupTask)
	if want := "pg_dump -Fc -n cairn_x -f FILE 'postgres://localhost/it%27s?options=-c%20a'"; got != want || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}
