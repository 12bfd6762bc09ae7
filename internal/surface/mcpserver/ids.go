package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/cairn-kb/cairn/internal/kb"
)

// The SDK reads the id of a request as a float64, makes an int64 of it and
// answers with that: 1795347200724856173 comes back as another number, and 1.5
// as 1. Such an id is replaced by a string on its way in, which the SDK hands
// back unchanged, and put back as it was written on its way out.

// carried is the prefix of a string that replaces an id; the id as written
// follows it.
const carried = "cairn-id:"

// exact is the largest integer up to which every one is a float64.
const exact = 1 << 53

// idHeads are the bytes before an id in outgoing messages: in a response, and in a
// notification for a subscription. A quote within a text is escaped, so neither
// occurs in a text.
var idHeads = [][]byte{
	[]byte(`{"jsonrpc":"2.0","id":`),
	[]byte(`"io.modelcontextprotocol/subscriptionId":`),
}

// carryIDs returns a message, or a batch of them, with a string in place of
// each id that the SDK would change, and whether there was one. The text is
// valid JSON.
func carryIDs(text []byte) ([]byte, bool) {
	c := cursor{text: text}
	c.blank()
	var ids []span
	if text[c.at] == '[' {
		c.each(func(_ string, v span) { ids = append(ids, idsOf(text, v)...) })
	} else {
		ids = idsOf(text, c.value())
	}
	ids = slices.DeleteFunc(ids, func(id span) bool { return plain(text[id.from:id.to]) })
	if len(ids) == 0 {
		return text, false
	}
	slices.SortFunc(ids, func(a, b span) int { return a.from - b.from })
	var out bytes.Buffer
	from := 0
	for _, id := range ids {
		out.Write(text[from:id.from])
		out.Write(quote(carried + string(text[id.from:id.to])))
		from = id.to
	}
	out.Write(text[from:])
	return out.Bytes(), true
}

// idsOf finds the ids in a message that name a request of the client: its own,
// and that of a request that it cancels.
func idsOf(text []byte, message span) (ids []span) {
	var method string
	var params span
	at := cursor{text: text, at: message.from}
	at.each(func(name string, v span) {
		switch name {
		case "id":
			ids = append(ids, v)
		case "method":
			method = unquote(text[v.from:v.to])
		case "params":
			params = v
		}
	})
	switch {
	case method == "": // an answer to one of our own
		return nil
	case method == "notifications/cancelled" && params != span{}:
		at.at = params.from
		at.each(func(name string, v span) {
			if name == "requestId" {
				ids = append(ids, v)
			}
		})
	}
	return ids
}

// plain reports whether the SDK answers with an id as it was written. What
// cannot be an id is left for it to refuse.
func plain(id []byte) bool {
	switch {
	case id[0] == '"':
		text := unquote(id)
		return !strings.HasPrefix(text, carried) && bytes.Equal(quote(text), id)
	case id[0] == '-' || id[0] >= '0' && id[0] <= '9':
		n, err := strconv.ParseInt(string(id), 10, 64)
		return err == nil && -exact <= n && n <= exact && strconv.FormatInt(n, 10) == string(id)
	}
	return true
}

// restoreIDs puts ids back into what the SDK wrote, as they were.
func restoreIDs(text []byte) []byte {
	for _, head := range idHeads {
		start := append(slices.Clone(head), `"`+carried...)
		for done := 0; ; {
			i := bytes.Index(text[done:], start)
			if i < 0 {
				break
			}
			c := cursor{text: text, at: done + i + len(head)}
			id := c.value()
			raw := strings.TrimPrefix(unquote(text[id.from:id.to]), carried)
			text = slices.Concat(text[:id.from], []byte(raw), text[id.to:])
			done = id.from + len(raw)
		}
	}
	return text
}

// restoring is an answer over HTTP in which ids are put back. The SDK writes a
// message, or an event with one, at once.
type restoring struct{ http.ResponseWriter }

func (r restoring) Write(text []byte) (int, error) {
	if _, err := r.ResponseWriter.Write(restoreIDs(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Unwrap lets http.ResponseController through.
func (r restoring) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// asWritten has requests answered under their ids as they were written, and
// refuses what the SDK would read in part: it takes the first message of
// several, and texts that are not UTF-8 with other characters in them.
func asWritten(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLine))
		switch {
		case errors.As(err, new(*http.MaxBytesError)):
			http.Error(w, fmt.Sprintf("the body is larger than the %d MiB that a message may have", maxLine>>20), http.StatusRequestEntityTooLarge)
			return
		case err != nil:
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
			return
		case !json.Valid(text):
			http.Error(w, "the body is not one JSON-RPC message", http.StatusBadRequest)
			return
		}
		if err := kb.CheckJSON(text); err != nil {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write(badText(text, err)) // that nobody reads it is not our failure
			return
		}
		text, changed := carryIDs(text)
		r.Body = io.NopCloser(bytes.NewReader(text))
		if changed {
			w = restoring{w}
		}
		next.ServeHTTP(w, r)
	})
}

// badText answers a message that is not valid UTF-8, under its id if that can
// be read.
func badText(text []byte, err error) []byte {
	var e *jsonrpc.Error
	errors.As(wireError(err, nil), &e)
	body, _ := json.Marshal(e) // texts and a number always marshal
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, idIn(text), body)
}

// idIn returns the id of what may be no message, null where it has none that
// can be echoed.
func idIn(text []byte) []byte {
	id := []byte("null")
	c := cursor{text: text}
	c.blank()
	c.each(func(name string, v span) {
		raw := text[v.from:v.to]
		if name == "id" && strings.IndexByte("{[tf", raw[0]) < 0 && kb.CheckJSON(raw) == nil {
			id = raw
		}
	})
	return id
}

// quote is a text as the SDK writes it.
func quote(text string) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always marshals
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// unquote is the text of a JSON string, "" of anything else.
func unquote(raw []byte) (text string) {
	_ = json.Unmarshal(raw, &text)
	return text
}

// span is a part of a text.
type span struct{ from, to int }

// cursor walks over JSON that is known to be valid, without copying it: a
// message may be a page of 64 MiB.
type cursor struct {
	text []byte
	at   int
}

func (c *cursor) blank() {
	for c.at < len(c.text) && strings.IndexByte(" \t\r\n", c.text[c.at]) >= 0 {
		c.at++
	}
}

// value passes the value that begins here.
func (c *cursor) value() span {
	from := c.at
	for depth := 0; c.at < len(c.text); {
		switch c.text[c.at] {
		case '"':
			c.string()
		case '{', '[':
			depth++
			c.at++
		case '}', ']':
			depth--
			c.at++
		default:
			c.at++
			if depth == 0 {
				for c.at < len(c.text) && strings.IndexByte(" \t\r\n,:]}", c.text[c.at]) < 0 {
					c.at++
				}
			}
		}
		if depth == 0 {
			break
		}
	}
	return span{from, c.at}
}

func (c *cursor) string() {
	for c.at++; c.text[c.at] != '"'; c.at++ {
		if c.text[c.at] == '\\' {
			c.at++
		}
	}
	c.at++
}

// each hands over the members of the object that begins here, or the elements
// of the array, which have no name. Of another value there are none.
func (c *cursor) each(do func(name string, value span)) {
	open := c.text[c.at]
	if open != '{' && open != '[' {
		return
	}
	for c.at++; ; {
		for c.blank(); c.text[c.at] == ','; c.blank() {
			c.at++
		}
		if c.text[c.at] == '}' || c.text[c.at] == ']' {
			c.at++
			return
		}
		var name string
		if open == '{' {
			key := c.value()
			name = unquote(c.text[key.from:key.to])
			for c.blank(); c.text[c.at] == ':'; c.blank() {
				c.at++
			}
		}
		do(name, c.value())
	}
}
