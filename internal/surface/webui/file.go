package webui

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// maxSought is how many files are looked for while a page is shown.
const maxSought = 50

// filesOf returns the addresses of attachments, as a page names them: with a dot at the
// beginning from its directory, with a slash from the top of the space. Notes embed files
// by a path from either.
func (v *view) filesOf(space, page string) func(name string) string {
	sought := 0
	return func(name string) string {
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		near := path.Join(path.Dir(page), name)
		isNear := strings.HasPrefix(name, ".")
		if !isNear && !strings.HasPrefix(name, "/") && path.Dir(page) != "." && sought < maxSought {
			sought++
			_, err := v.run(find("file"), args{"path": near, "space": space})
			isNear = err == nil
		}
		if isNear {
			name = near
		}
		return v.base + "/file/" + url.PathEscape(space) + "/" + escaped(strings.TrimPrefix(path.Clean("/"+name), "/"))
	}
}

// inline are the kinds of files that a browser shows; all others are downloaded. SVG runs
// scripts.
var inline = []string{"image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "application/pdf"}

// file serves an attachment: what the operation gives, and nothing hidden or ignored.
func (s *Server) file(w http.ResponseWriter, r *http.Request, by kb.Actor) {
	v := &view{Server: s, ctx: r.Context(), r: r, by: by}
	name := r.PathValue("path")
	f, err := v.run(find("file"), args{"path": name, "space": r.PathValue("space")})
	if err != nil {
		p := failed(err)
		v.send(w, p.status, htmlKind, document(v.whole(p)))
		return
	}
	content := []byte(f.str("text"))
	if d := f.str("data"); d != "" {
		if content, err = base64.StdEncoding.DecodeString(d); err != nil {
			s.refuse(w, http.StatusInternalServerError, "The file cannot be read.")
			return
		}
	}
	if utf8.Valid(content) { // as on a page
		content = secrets.Hide(content)
	}
	kind, _, _ := strings.Cut(f.str("media_type"), ";")
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox; frame-ancestors 'none'")
	if !slices.Contains(inline, kind) {
		kind = "application/octet-stream"
		h.Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(path.Base(name)))
	}
	h.Set("Content-Type", kind)
	_, _ = w.Write(content)
}
