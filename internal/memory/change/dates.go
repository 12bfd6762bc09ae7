package change

import (
	"time"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// Date converts a date phrase to an ISO date; "" stays "".
func Date(text string, now time.Time) (string, error) {
	if text == "" || doc.IsDate(text) {
		return text, nil
	}
	r, ok := query.ParseRange(text, now)
	if !ok {
		return "", kb.Errorf(kb.Usage, "%q is not a date", text).WithHint("Write 2026-03-01, 2026-03, today, or last monday.")
	}
	return r.From.Format("2006-01-02"), nil
}
