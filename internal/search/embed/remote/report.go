package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/cairn-kb/cairn/internal/kb"
)

// server names the server, for errors.
func (e *Embedder) server() string {
	u, err := url.Parse(e.spec.URL)
	if err != nil {
		return "the embedding server"
	}
	return "the embedding server at " + u.Scheme + "://" + u.Host
}

// report turns the last failure of a request into the error for the user.
func (e *Embedder) report(f *failure, b batch) error {
	switch {
	case f.Status != 0:
	case errors.Is(f.err, context.DeadlineExceeded):
		return kb.Errorf(kb.Internal, "%s did not answer within %v", e.server(), e.spec.Timeout).
			Because(f.err).
			WithHint("it may be loading the model: try again, or choose a smaller model")
	case errors.Is(f.err, errTooLarge):
		return kb.Errorf(kb.Internal, "%s sent more than %d embeddings can take", e.server(), len(b.texts)).
			WithHint("check that the address is that of an embedding server")
	}
	if err := e.service.Explain(f.Refusal); err != nil {
		err.Err = f.err
		return err
	}
	switch {
	case f.Status == 0:
		return kb.Errorf(kb.Internal, "%s cannot be reached: %w", e.server(), f.err).
			WithHint("check that it runs and that the address is right")
	case f.Status >= 300 && f.Status <= 399:
		return kb.Errorf(kb.Usage, "%s answered with a redirect, which is not followed (status %d)", e.server(), f.Status).
			WithReason(kb.ModelRedirected).WithFact("model", e.spec.Name)
	}
	err := kb.Errorf(kb.Internal, "%s answered with status %d%s", e.server(), f.Status, e.said(f.Refusal, b)).
		With("status", f.Status)
	switch {
	case f.Status == http.StatusTooManyRequests && f.asked > 0:
		err.WithHint("it asks to wait %v", f.asked)
	case f.again, f.size:
		err.WithHint("try again later; see also the server's log")
	default:
		err.WithHint("check the address and the name of the model")
	}
	return err
}

// unreadable returns the error for a successful answer without valid vectors.
func (e *Embedder) unreadable(cause error) error {
	var syntax *json.SyntaxError
	if errors.As(cause, &syntax) {
		return kb.Errorf(kb.Internal, "%s answered with something that is not JSON", e.server()).
			WithHint("check that the address is that of the server's API, not of a web page")
	}
	if errors.Is(cause, errNoVector) {
		return kb.Errorf(kb.Internal, "%s answered with %w", e.server(), errNoVector).
			WithHint("see the server's log for the reason")
	}
	return kb.Errorf(kb.Internal, "%s: response contains no embeddings", e.server()).
		WithHint("check that the address is that of an embedding server and the model one for embeddings")
}

const (
	// maxSaid is the maximum length of a server's text in an error, in bytes.
	maxSaid = 200
	// examined is the number of bytes of it that are examined.
	examined = 4 * maxSaid
	// quoted is the number of consecutive bytes that count as a quotation. Fewer occur by
	// chance.
	quoted = 12
)

// said returns the server's code and text to append to a message, or nothing. Text that
// contains the key or quotes the request is withheld.
func (e *Embedder) said(r Refusal, b batch) string {
	said := ""
	if code := printable(r.Code); code != "" {
		said = fmt.Sprintf(" (%s)", code)
	}
	text := printable(r.Message)
	if text != "" {
		said += ": " + text
	}
	// In the original form, before shortening and cleaning.
	whole := r.Code + "\n" + r.Message
	if e.spec.Key != "" && strings.Contains(whole, string(e.spec.Key)) || quotes(whole, b.all) {
		return ""
	}
	return said
}

// printable returns at most maxSaid bytes of a text on one line.
func printable(text string) string {
	text = text[:min(len(text), examined)]
	text = strings.Join(strings.Fields(text), " ")
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	if len(text) > maxSaid {
		text = strings.ToValidUTF8(text[:maxSaid], "") + "…"
	}
	return text
}

// quotes reports whether message contains a part of one of texts.
func quotes(message string, texts []string) bool {
	message = message[:min(len(message), 2*examined)]
	for _, text := range texts {
		if len(text) < quoted && len(text) > 3 && strings.Contains(message, text) {
			return true
		}
		for at := 0; at+quoted <= len(message); at++ {
			if strings.Contains(text, message[at:at+quoted]) {
				return true
			}
		}
	}
	return false
}
