package remote

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/search/embed"
)

// patience limits the attempts of a request.
type patience struct {
	attempts int           // number of attempts
	longest  time.Duration // longest single pause
}

// patienceFor returns the patience for a kind of text: a user waits for the answer to a
// question, and search can do without the model, while passages wait in a queue.
func patienceFor(kind embed.Kind) patience {
	if kind == embed.Query {
		return patience{attempts: 2, longest: 2 * time.Second}
	}
	return patience{attempts: 5, longest: time.Minute}
}

// firstWait is the longest pause before the second attempt; each further pause may be twice
// as long.
const firstWait = 500 * time.Millisecond

// wait returns the pause before the next attempt, and whether to try again; the
// first attempt is 1. asked is the pause requested by the server, 0 for none;
// chance is from 0 up to 1. Half of a pause is random, so that clients that
// failed together do not retry together.
func (p patience) wait(attempt int, asked time.Duration, chance float64) (time.Duration, bool) {
	if attempt >= p.attempts || asked > p.longest {
		return 0, false
	}
	backoff := min(firstWait<<(attempt-1), p.longest)
	half := backoff / 2
	return max(asked, half+time.Duration(chance*float64(half))), true
}

// passing reports whether a status means that the same request may succeed later.
func passing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		529: // "overloaded" of some services
		return true
	}
	return false
}

// retryAfter parses a Retry-After header, seconds or a date (RFC 9110, 10.2.3). It returns 0
// for an invalid value or a past date.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return max(date.Sub(now), 0)
}
