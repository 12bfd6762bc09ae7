package httpapi

import (
	"encoding/json"
	"net/http"

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

// client receives an answer as JSON. That nobody reads it is not our failure.
type client struct{ http.ResponseWriter }

func (c client) Write(text []byte) (int, error) {
	c.Header().Set("Content-Type", "application/json")
	_, _ = c.ResponseWriter.Write(text)
	return len(text), nil
}
