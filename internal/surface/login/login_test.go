package login

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

var (
	now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	ada = kb.Actor{Kind: kb.Human, Name: "ada"}
)

func TestTicket(t *testing.T) {
	t.Parallel()
	const secret = "the token of the owner"
	link, session := New(secret, Link, ada, now), New(secret, Session, ada, now)
	for _, tt := range []struct {
		name, secret string
		use          Use
		ticket       string
		after        time.Duration
		want         bool
	}{
		{"link", secret, Link, link, 0, true},
		{"link just in time", secret, Link, link, LinkTime - time.Second, true},
		{"link too late", secret, Link, link, LinkTime, false},
		{"link from a clock far ahead", secret, Link, link, -2 * LinkTime, false},
		{"session", secret, Session, session, LinkTime, true},
		{"session too late", secret, Session, session, SessionTime, false},
		{"link as a session", secret, Session, link, 0, false},
		{"session as a link", secret, Link, session, 0, false},
		{"another token", secret + "x", Link, link, 0, false},
		{"no token", "", Link, New("", Link, ada, now), 0, false},
		{"another actor", secret, Link, encode([]byte("human:eve")) + link[strings.IndexByte(link, '.'):], 0, false},
		{"cut", secret, Link, link[:len(link)-2], 0, false},
		{"empty", secret, Link, "", 0, false},
	} {
		got, ok := Check(tt.secret, tt.use, tt.ticket, now.Add(tt.after))
		if ok != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, ok, tt.want)
		}
		if ok && (got.Actor != ada || got.Nonce == "" || !got.Issued.Equal(now)) {
			t.Errorf("%s: ticket %+v", tt.name, got)
		}
	}
	if other := New(secret, Link, ada, now); other == link {
		t.Error("two links are equal")
	}
}

func TestHost(t *testing.T) {
	t.Parallel()
	a, b := Host("one"), Host("two")
	if a == b || a != Host("one") || !strings.HasSuffix(a, ".localhost") {
		t.Errorf("hosts %s and %s", a, b)
	}
}
