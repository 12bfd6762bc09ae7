package remote

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
)

func TestDownload(t *testing.T) {
	t.Parallel()
	const file = "the bytes of a file"
	mux := http.NewServeMux()
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(file)) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/file", http.StatusFound) })
	mux.HandleFunc("/breaks", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte(file))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	with := strings.Replace(s.URL, "http://", "http://ann:secret@", 1)

	for name, c := range map[string]struct {
		address string
		limit   int64
		want    kb.Code // "" for the file
	}{
		"file":        {s.URL + "/file", 100, ""},
		"redirect":    {s.URL + "/moved", 100, ""},
		"just fits":   {s.URL + "/file", int64(len(file)), ""},
		"too large":   {with + "/file", int64(len(file)) - 1, kb.Invalid},
		"not there":   {with + "/none", 100, kb.NotFound},
		"breaks off":  {with + "/breaks", 1000, kb.Internal},
		"no server":   {"http://ann:secret@127.0.0.1:1/file", 100, kb.Internal},
		"no address":  {"example.org/file", 100, kb.Usage},
		"other kind":  {"ftp://ann:secret@example.org/file", 100, kb.Usage},
		"local":       {"file:///etc/passwd", 100, kb.Usage},
		"not an url":  {"http://%zz", 100, kb.Usage},
		"without one": {"", 100, kb.Usage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := int64(0)
			got, err := Download(t.Context(), NewClient(), c.address, c.limit, func(n, _ int64) { done = n })
			switch {
			case c.want == "" && (err != nil || string(got) != file || done != int64(len(file))):
				t.Errorf("%q, %v, reported %d bytes", got, err, done)
			case c.want != "" && kb.CodeOf(err) != c.want:
				t.Errorf("%v, want %s", err, c.want)
			case err != nil && strings.Contains(err.Error(), "secret"):
				t.Errorf("the error has the password: %v", err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Download(ctx, NewClient(), s.URL+"/file", 100, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
