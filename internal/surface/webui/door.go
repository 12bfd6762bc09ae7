package webui

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/login"
)

// cookieName is the name of the session's cookie.
const cookieName = "cairn_session"

// policy lets a page load only what this server has, and run no script in its text.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types cairn"

// withStyles is that policy for a page in which a script with a nonce may put styles.
func withStyles(nonce string) string {
	return strings.Replace(policy, "style-src 'self'", "style-src 'self' 'nonce-"+nonce+"'", 1)
}

// withPictures is that policy for a page with pictures of other servers.
func withPictures(origins []string) string {
	return strings.Replace(policy, "img-src 'self'", "img-src 'self' "+strings.Join(origins, " "), 1)
}

// secure sets the headers of every answer.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Cache-Control", "no-store")
}

// Serves reports whether a request is for the web UI: its Host header is that of the public
// address, or a name of the form that only people who were let in know. Handler serves the
// memory under one of these names only.
func (s *Server) Serves(r *http.Request) bool {
	return s.site(r) != s || login.IsHost(hostName(r))
}

// hostName is the name of the host that a request is for.
func hostName(r *http.Request) string {
	name, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
	return name
}

// current reports whether a request is for the name of this memory, and anybody is let in.
func (s *Server) current(r *http.Request) bool {
	return s.opts.Secret() != "" && hostName(r) == s.opts.Host
}

// former answers under another name of that form: a tab may be open there, with text that was
// typed. Nothing of the request is read but its path. Drafts of a browser belong to the
// name that they were made under, so that only this page can show them.
func (s *Server) former(w http.ResponseWriter, r *http.Request) {
	if rest, ok := strings.CutPrefix(r.URL.Path, "/assets/"); ok && r.Method == http.MethodGet {
		version, name, _ := strings.Cut(rest, "/")
		r.SetPathValue("version", version)
		r.SetPathValue("name", name)
		s.asset(w, r)
		return
	}
	const title = "The address has changed"
	s.show(w, http.StatusForbidden, s.wholePage(title, attr{}, el("script", attr{"type", "module"}, attr{"src", s.at("kept.js")}), el("main.edit",
		el("h1", title),
		el("p", "This is the address of another memory, or one that this memory had before."),
		opt(r.Method == http.MethodPost, el("p.problem", "Nothing was saved.")),
		signIn(),
		el("p", "Text that you typed and did not save is kept as a draft in this browser, at this old address only. Copy it from here into the new window. Where nothing is shown, the Back button of the browser leads to the form with the text."),
		el("div", attr{"id", "drafts"}))))
}

// Prove answers the challenge of a program of this machine that looks for the server of
// this memory. It names neither the host nor the memory.
func (s *Server) Prove(w http.ResponseWriter, r *http.Request) {
	secure(w.Header())
	at, ok := r.Context().Value(http.LocalAddrContextKey).(fmt.Stringer)
	challenge, secret := r.URL.Query().Get("challenge"), s.opts.Secret()
	if !ok || len(challenge) < 20 || len(challenge) > 100 || secret == "" {
		s.refuse(w, http.StatusBadRequest, "This is for the command cairn web.")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(login.Proof(secret, at.String(), challenge))) // the reader is gone
}

// session returns the session of a request, which says who it is from.
func (s *Server) session(r *http.Request) (login.Ticket, bool) {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return login.Ticket{}, false
	}
	t, ok := login.Check(s.opts.Secret(), login.Session, c.Value, s.opts.Now())
	return t, ok && !s.opts.Ledger.Spent(t)
}

// ended reports whether a request has a session that is over by its age.
func (s *Server) ended(r *http.Request) bool {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return false
	}
	t, ok := login.Expired(s.opts.Secret(), login.Session, c.Value, s.opts.Now())
	return ok && !s.opts.Ledger.Spent(t)
}

// SignedIn reports whether a request has a session as it is now.
func (s *Server) SignedIn(r *http.Request) bool {
	_, ok := s.session(r)
	return ok
}

// enter turns a link into a session. It answers with a page and not with a redirect:
// after one, the browser would still say that the request came from elsewhere, and
// keep back the cookie.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead { // of a program that looks where a link leads
		w.WriteHeader(http.StatusOK)
		return
	}
	now := s.opts.Now()
	t, ok := login.Check(s.opts.Secret(), login.Link, r.URL.Query().Get("ticket"), now)
	if ok {
		var err error
		if ok, err = s.opts.Ledger.Spend(r.Context(), login.Link, t, now); err != nil {
			s.refuse(w, http.StatusInternalServerError, kb.AsError(err).Error())
			return
		}
	}
	if !ok {
		s.show(w, http.StatusForbidden, s.plain("Sign in again",
			el("p", "This link was used before, or is older than a minute."), signIn()))
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: login.New(s.opts.Secret(), login.Session, t.Actor, now), Path: s.base + "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.secure,
	})
	to := s.inside(r.URL.Query().Get("to"))
	s.show(w, http.StatusOK, s.wholePage("Signed in", attr{}, nodes{
		el("meta", attr{"http-equiv", "refresh"}, attr{"content", "0;url=" + to}),
	}, s.notice("Signed in", el("p", el("a.button", href(to), "Continue")))))
}

// inside returns a path of this server, whatever was asked for.
func (s *Server) inside(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\;") {
		return s.base + "/"
	}
	return s.base + u.EscapedPath() + query(u)
}

func query(u *url.URL) string {
	if u.RawQuery == "" {
		return ""
	}
	return "?" + u.RawQuery
}

// leave ends a session: its cookie is valid nowhere any more.
func (s *Server) leave(w http.ResponseWriter, r *http.Request, _ kb.Actor) {
	if t, ok := s.session(r); ok {
		if _, err := s.opts.Ledger.Spend(r.Context(), login.Session, t, s.opts.Now()); err != nil {
			s.refuse(w, http.StatusInternalServerError, kb.AsError(err).Error())
			return
		}
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: s.base + "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.secure})
	s.show(w, http.StatusOK, s.plain("Signed out", signIn()))
}

func signIn() node {
	return el("p", "Run ", el("code", "cairn web"), " in a terminal to sign in.")
}

// door lets only requests of a person through: with a session, and from no other site. They
// go on within, where their body is read. With a session that has expired they do so only
// to get back typed text; of other requests no body is read.
func (s *Server) door(within func(http.Handler) http.Handler, next func(http.ResponseWriter, *http.Request, kb.Actor)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		from := r.Header.Get("Sec-Fetch-Site")
		reads := r.Method == http.MethodGet || r.Method == http.MethodHead
		navigates := r.Header.Get("Sec-Fetch-Mode") == "navigate"
		switch {
		case reads && (from == "cross-site" || from == "same-site"):
			if !navigates || r.Header.Get("Sec-Fetch-Dest") != "document" {
				s.refuse(w, http.StatusForbidden, "Other sites may not use this server.")
				return
			}
			s.show(w, http.StatusOK, s.plain("A link from another site",
				el("p", "Another site led you here. It sees nothing of your memory."),
				el("p", el("a.button", href(s.base+r.URL.EscapedPath()+query(r.URL)), "Continue"))))
			return
		case !reads && !s.own(r, from):
			s.refuse(w, http.StatusForbidden, "Other sites may not use this server.")
			return
		}
		t, ok := s.session(r)
		if !ok {
			if r.Method == http.MethodPost && s.ended(r) { // of others no body is held
				within(http.HandlerFunc(s.expired)).ServeHTTP(w, r)
				return
			}
			s.show(w, http.StatusUnauthorized, s.plain("Sign in", opt(!reads, el("p", "Nothing was saved: the session has ended, or its login has changed. Text that you typed is kept as a draft in this browser, where scripts run. The form offers it again after you have signed in.")), signIn()))
			return
		}
		within(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next(w, r, t.Actor) })).ServeHTTP(w, r)
	}
}

// expired answers a form that was sent with a session that has expired.
func (s *Server) expired(w http.ResponseWriter, r *http.Request) {
	if _, err := readForm(w, r); err != nil {
		s.show(w, http.StatusUnauthorized, s.plain("Sign in", signIn()))
		return
	}
	s.giveBack(w, r, http.StatusUnauthorized, "Sign in", signIn(), el("p", "The session has ended, and nothing was saved."))
}

// own reports whether a write comes from a page of this server. Browsers that do not say
// where it comes from name the origin.
func (s *Server) own(r *http.Request, from string) bool {
	if from != "" {
		return from == "same-origin"
	}
	u, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}
