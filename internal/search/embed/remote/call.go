package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/cairn-kb/cairn/internal/search/embed"
)

const (
	// numberBytes is an upper bound for one number of a vector in JSON.
	numberBytes = 40
	// slackBytes is the allowance for an answer in addition to its vectors.
	slackBytes = 64 << 10
	// maxDimensions bounds an answer while the dimensions are unknown.
	maxDimensions = 1 << 16
)

// failure is an attempt without a valid answer.
type failure struct {
	Refusal
	err   error         // of the connection, if no answer was received
	again bool          // the same request may succeed later
	asked time.Duration // pause that the server asked for
	size  bool          // a smaller request may succeed
}

// post makes one attempt and returns the body of a successful answer.
func (e *Embedder) post(ctx context.Context, body []byte, limit int64) ([]byte, *failure) {
	ctx, cancel := context.WithTimeout(ctx, e.spec.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.spec.URL, bytes.NewReader(body))
	if err != nil {
		return nil, &failure{err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if e.spec.Key != "" {
		request.Header.Set("Authorization", e.spec.Key.header())
	}
	response, err := e.client.Do(request)
	if err != nil {
		// If the server is still computing, repeating the request does not help; if it
		// cannot be reached, it may be reachable later.
		return nil, &failure{err: away{err}, again: !errors.Is(err, context.DeadlineExceeded)}
	}
	answer, err := readUpTo(response.Body, limit)
	// Everything needed has been read, so an error of the close is ignored.
	_ = response.Body.Close()
	status := response.StatusCode
	switch {
	case status < 200 || status > 299:
		f := &failure{Refusal: refusalOf(status, answer), again: passing(status)}
		f.asked = retryAfter(response.Header.Get("Retry-After"), e.world.Now())
		f.size = status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge ||
			status == http.StatusUnprocessableEntity
		return nil, f
	case errors.Is(err, errTooLarge):
		return nil, &failure{err: err}
	case err != nil:
		return nil, &failure{err: away{err}, again: !errors.Is(err, context.DeadlineExceeded)}
	}
	return answer, nil
}

// away is the reason why the server did not answer.
type away struct{ error }

// Unwrap makes it embed.ErrAway.
func (a away) Unwrap() []error { return []error{embed.ErrAway, a.error} }

var errTooLarge = errors.New("the answer is larger than its embeddings can be")

// readUpTo reads at most limit bytes; for a longer body it returns the first of them and
// errTooLarge.
func readUpTo(body io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(body, limit+1))
	if int64(len(b)) > limit {
		return b[:limit], errTooLarge
	}
	return b, err
}

// refusalOf parses the known error formats of servers: {"error": "…"} and
// {"error": {"message": "…", "code": "…", "type": "…"}}.
func refusalOf(status int, answer []byte) Refusal {
	r := Refusal{Status: status}
	var outer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(answer, &outer) != nil {
		return r // a page for people, or nothing; the status must suffice
	}
	if json.Unmarshal(outer.Error, &r.Message) == nil {
		return r
	}
	var inner struct {
		Message string `json:"message"`
		Code    any    `json:"code"` // some servers repeat the status as a number
		Type    string `json:"type"`
	}
	if json.Unmarshal(outer.Error, &inner) != nil {
		return r
	}
	r.Message = inner.Message
	if code, isText := inner.Code.(string); isText && code != "" {
		r.Code = code
	} else {
		r.Code = inner.Type
	}
	return r
}

// answerLimit returns the maximum size of an answer to n texts, in bytes.
func (e *Embedder) answerLimit(n int) int64 {
	dimensions := e.spec.Dimensions
	if dimensions == 0 {
		dimensions = maxDimensions
	}
	return int64(n)*int64(dimensions)*numberBytes + slackBytes
}
