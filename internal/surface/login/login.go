package login

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

const (
	// LinkTime is how long a link can be used.
	LinkTime = time.Minute
	// SessionTime is how long a session lasts at most; it also ends with the browser.
	SessionTime = 7 * 24 * time.Hour
)

// Use is the purpose of a ticket.
type Use string

// The uses.
const (
	Link    Use = "link"
	Session Use = "session"
)

// lasts is how long a ticket is valid.
func (u Use) lasts() time.Duration {
	if u == Session {
		return SessionTime
	}
	return LinkTime
}

// Ticket is a signed statement that somebody may enter.
type Ticket struct {
	Actor  kb.Actor
	Issued time.Time
	Nonce  string
}

// Host returns a name for the web UI's host. Cookies ignore ports, so a name that other
// programs on this machine do not know keeps the session from them.
func Host(secret string) string {
	return hostPrefix + hex.EncodeToString(sign(secret, "host"))[:hostDigits] + hostSuffix
}

const (
	hostPrefix = "cairn-"
	hostDigits = 16
	hostSuffix = ".localhost"
)

// IsHost reports whether a name has the form of those that Host returns, for any secret.
func IsHost(name string) bool {
	digits, from := strings.CutPrefix(name, hostPrefix)
	digits, to := strings.CutSuffix(digits, hostSuffix)
	return from && to && len(digits) == hostDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

// New signs a ticket for an actor.
func New(secret string, use Use, actor kb.Actor, now time.Time) string {
	text := strings.Join([]string{encode([]byte(actor.String())), strconv.FormatInt(now.UnixMilli(), 36), rand.Text()}, ".")
	return text + "." + encode(sign(secret, string(use)+" "+text))
}

// Check returns a ticket that New signed for this use and that is not too old.
func Check(secret string, use Use, ticket string, now time.Time) (Ticket, bool) {
	t, ok := signed(secret, use, ticket)
	if age, lasts := now.Sub(t.Issued), use.lasts(); !ok || age >= lasts || age < -lasts {
		return Ticket{}, false
	}
	return t, true
}

// Expired returns a ticket that New signed for this use and that is too old.
func Expired(secret string, use Use, ticket string, now time.Time) (Ticket, bool) {
	t, ok := signed(secret, use, ticket)
	if !ok || now.Sub(t.Issued) < use.lasts() {
		return Ticket{}, false
	}
	return t, true
}

// signed returns a ticket that New signed for this use, of any age.
func signed(secret string, use Use, ticket string) (Ticket, bool) {
	text, mac, ok := cutLast(ticket)
	given, err := base64.RawURLEncoding.DecodeString(mac)
	if !ok || err != nil || secret == "" || !hmac.Equal(given, sign(secret, string(use)+" "+text)) {
		return Ticket{}, false
	}
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return Ticket{}, false
	}
	name, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil {
		return Ticket{}, false
	}
	actor, err := kb.ParseActor(string(name))
	if err != nil {
		return Ticket{}, false
	}
	millis, err := strconv.ParseInt(parts[1], 36, 64)
	if err != nil {
		return Ticket{}, false
	}
	return Ticket{actor, time.UnixMilli(millis), parts[2]}, true
}

// Proof is the answer of a server to a challenge, which only one with the token can give.
// It is for the address at which the server was asked, so that another program cannot
// pass the challenge on to it.
func Proof(secret, address, challenge string) string {
	return encode(sign(secret, "proof "+address+" "+challenge))
}

// Proves reports whether a server that was asked at an address has the token.
func Proves(secret, address, challenge, proof string) bool {
	return secret != "" && hmac.Equal([]byte(proof), []byte(Proof(secret, address, challenge)))
}

func cutLast(text string) (before, after string, ok bool) {
	i := strings.LastIndexByte(text, '.')
	if i < 0 {
		return "", "", false
	}
	return text[:i], text[i+1:], true
}

func sign(secret, text string) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte("cairn web 1 " + text))
	return h.Sum(nil)
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
