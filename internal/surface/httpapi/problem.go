package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// statuses is the one place where the codes of operations become statuses. The
// request was understood by then: what does not fit the schema is a 400, and
// never comes to an operation.
var statuses = map[kb.Code]int{
	kb.Usage:     http.StatusUnprocessableEntity, // a date that is none, a query that cannot be read
	kb.NotFound:  http.StatusNotFound,
	kb.Ambiguous: http.StatusUnprocessableEntity, // must not look like "no such page" to a program that then writes one
	kb.Conflict:  http.StatusConflict,
	kb.Invalid:   http.StatusUnprocessableEntity,
	kb.Refused:   http.StatusForbidden,
	kb.Secret:    http.StatusUnprocessableEntity,
	kb.Damaged:   http.StatusServiceUnavailable,
	kb.Internal:  http.StatusInternalServerError,
}

// problem is a failure as RFC 9457 has it. Type is absent, which means that
// title and status are those of HTTP; code distinguishes failures.
type problem struct {
	Title   string         `json:"title"`
	Status  int            `json:"status"`
	Detail  string         `json:"detail"`
	Code    kb.Code        `json:"code"`
	Hint    string         `json:"hint,omitempty"`
	Details map[string]any `json:"details,omitempty"`
}

// fail answers with what an operation failed with.
func fail(w http.ResponseWriter, err error) { refuse(w, statuses[kb.CodeOf(err)], err) }

// refuse answers with a problem of this status.
func refuse(w http.ResponseWriter, status int, err error) {
	e := operation.Failure(err, nil).Error
	if e.Code == kb.Ambiguous && e.Details["spaces"] != nil {
		e.Hint = "Name one in the header " + operation.SpaceHeader + ". " + e.Hint
	}
	if e.Details["asked"] != nil {
		e.Hint += " At /api/context that is the header " + MessageHeader + "."
	}
	p := problem{http.StatusText(status), status, e.Message, e.Code, e.Hint, e.Details}
	text, jsonErr := json.Marshal(p)
	if jsonErr != nil { // details that do not marshal
		p.Details = nil
		text, _ = json.Marshal(p) // texts and a number always marshal
	}
	answer(w, status, "application/problem+json", text)
}

// answer writes a whole answer. That nobody reads it is not our failure.
func answer(w http.ResponseWriter, status int, kind string, text []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}

// respond answers with a value as JSON.
func respond(w http.ResponseWriter, value any) {
	// The encoder writes all of it at once, or nothing.
	if err := json.NewEncoder(client{w}).Encode(value); err != nil {
		fail(w, kb.Errorf(kb.Internal, "cannot write the answer as JSON: %w", err))
	}
}

// respondUnlessHad answers a read with a value as JSON, and with the ETag of its bytes; with
// 304 where the client has them already, by If-None-Match.
func respondUnlessHad(w http.ResponseWriter, r *http.Request, value any) {
	respondVersion(w, r, 0, value)
}

// timed is an answer with the time of the request in it, which its ETag leaves out.
type timed interface{ Timeless() any }

// respondVersion is respondUnlessHad for a version of a page, which the ETag begins with, so
// that If-Match can have it.
func respondVersion(w http.ResponseWriter, r *http.Request, version int, value any) {
	var text bytes.Buffer
	err := json.NewEncoder(&text).Encode(value)
	tagged := text.Bytes()
	if v, ok := value.(timed); ok && err == nil {
		tagged, err = json.Marshal(v.Timeless())
	}
	if err != nil {
		fail(w, kb.Errorf(kb.Internal, "cannot write the answer as JSON: %w", err))
		return
	}
	sum := sha256.Sum256(tagged)
	tag := hex.EncodeToString(sum[:12])
	if version > 0 {
		tag = strconv.Itoa(version) + "-" + tag
	}
	if has(w, r, `"`+tag+`"`) {
		return
	}
	_, _ = client{w}.Write(text.Bytes()) // which never fails
}

// has names the tag of an answer in its ETag. If the client has that one already, by
// If-None-Match, it answers 304 and reports true.
func has(w http.ResponseWriter, r *http.Request, tag string) bool {
	w.Header().Set("ETag", tag)
	for given := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		if given = strings.TrimPrefix(strings.TrimSpace(given), "W/"); given == tag || given == "*" {
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}

// unconditional refuses conditions on a write of a route, which nobody would check: there
// the expected version is an argument.
func unconditional(h http.Header) error {
	for _, name := range []string{"If-Match", "If-None-Match"} {
		if h.Get(name) != "" {
			return kb.Errorf(kb.Usage, "%s is not for writes at this path", name).
				WithHint("expected_version is the version that you read; 0 is that of no page.")
		}
	}
	return nil
}

// client receives an answer as JSON. That nobody reads it is not our failure.
type client struct{ http.ResponseWriter }

func (c client) Write(text []byte) (int, error) {
	c.Header().Set("Content-Type", "application/json")
	_, _ = c.ResponseWriter.Write(text)
	return len(text), nil
}
