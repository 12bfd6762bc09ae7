package cli_test

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// An address is asked only where the person configured one that is safe to ask.
func TestUpgradeCheck(t *testing.T) {
	t.Parallel()
	const address = "https://example.com/latest"
	for _, tc := range []struct {
		name, url, answer string
		fails             error
		version           string
		args              []string
		code              int
		says              string // standard output, or error
		asks              bool
	}{
		{"newer", address, "v0.2.0\n", nil, "v0.1.0", nil, 0, `"newer":true`, true},
		{"the same", address, `{"tag_name":"v0.1.0"}`, nil, "v0.1.0", nil, 0, `"newer":false`, true},
		{"older", address, "v0.0.9", nil, "v0.1.0", nil, 0, `"newer":false`, true},
		{"of a build without version", address, "v0.2.0", nil, "(devel)", []string{"--format", "human"}, 0, "a build without one", true},
		{"for people", address, "v0.2.0", nil, "v0.1.0", []string{"--format", "human"}, 0, "v0.2.0 is newer; this is v0.1.0", true},
		{"this machine", "http://127.0.0.1:8080/v", "v0.2.0", nil, "v0.1.0", nil, 0, `"newer":true`, true},
		{"nothing configured", "", "", nil, "v0.1.0", nil, 2, "upgrade_url", false},
		{"plain HTTP", "http://example.com/latest", "", nil, "v0.1.0", nil, 2, "begins with https://", false},
		{"a name like this machine's", "http://127.0.0.1.example.com/", "", nil, "v0.1.0", nil, 2, "begins with https://", false},
		{"a file", "file:///etc/passwd", "", nil, "v0.1.0", nil, 2, "https://example.com", false},
		{"a password", "https://me:secret@example.com/", "", nil, "v0.1.0", nil, 2, "without a name or password", false},
		{"no answer", address, "", errors.New("connection refused"), "v0.1.0", nil, 1, "connection refused", true},
		{"a page", address, "<!doctype html>", nil, "v0.1.0", nil, 5, "answers no version", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			u.env.StdoutTTY = false
			u.env.Build.Version = tc.version
			u.env.Getenv = with(u.env.Getenv, "CAIRN_UPGRADE_URL", tc.url)
			asked := false
			u.env.Fetch = func(_ context.Context, url string) ([]byte, error) {
				asked = true
				return []byte(tc.answer), tc.fails
			}
			out, errout, code := u.run(t.Context(), append([]string{"upgrade", "--check"}, tc.args...)...)
			if code != tc.code || !strings.Contains(out+errout, tc.says) || strings.Contains(out+errout, "secret") || asked != tc.asks {
				t.Errorf("exit code %d, asked %t:\n%s%s", code, asked, out, errout)
			}
		})
	}
	u := newUser(t)
	if _, errout, code := u.run(t.Context(), "upgrade"); code != 2 || !strings.Contains(errout, "does not replace itself") {
		t.Errorf("without --check it ends with %d: %s", code, errout)
	}
}
