package relational

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
	"github.com/cairn-kb/cairn/internal/store"
)

// where builds the condition of a filter over p (pages) and d (documents).
type where struct {
	d    *Dialect
	args []any
}

// filterSQL returns the condition of a filter for pages p joined with documents d, and its
// arguments. A malformed glob is kb.Usage.
func filterSQL(d *Dialect, f store.Filter) (string, []any, error) {
	w := where{d: d}
	conds, err := w.fields(f)
	if err != nil {
		return "", nil, err
	}
	if len(conds) == 0 {
		return "TRUE", nil, nil
	}
	return strings.Join(conds, " AND "), w.args, nil
}

// fields returns a condition for each field that is set. After and Before count as one
// field, the interval.
func (w *where) fields(f store.Filter) ([]string, error) {
	var conds []string
	add := func(cond string) { conds = append(conds, cond) }
	if len(f.Spaces) > 0 {
		add("p.space IN (" + inList(w.d, &w.args, f.Spaces) + ")")
	}
	if len(f.Types) > 0 {
		types := folded(f.Types)
		of := "p.type_fold IN (" + inList(w.d, &w.args, types) + ")"
		if !slices.Contains(types, "") {
			of = "(p.type_fold <> '' AND " + of + ")" // to match the index of types
		}
		add(of)
	}
	if len(f.Tags) > 0 {
		add(w.tagged(f.Tags))
	}
	if len(f.AllTags) > 0 {
		var all []string
		for _, tag := range f.AllTags {
			all = append(all, w.tagged([]string{tag}))
		}
		add(either(all, " AND "))
	}
	if len(f.Statuses) > 0 {
		add(w.status(f.Statuses))
	}
	if len(f.Paths) > 0 {
		var any []string
		for _, pattern := range f.Paths {
			cond, err := w.path(pattern)
			if err != nil {
				return nil, err
			}
			any = append(any, cond)
		}
		add(either(any, " OR "))
	}
	if len(f.Titles) > 0 {
		var any []string
		for _, part := range f.Titles {
			any = append(any, w.d.Contains("p.title_fold"))
			w.args = append(w.args, foldText(part))
		}
		add(either(any, " OR "))
	}
	if len(f.Permalinks) > 0 {
		var any []string
		for _, name := range f.Permalinks {
			cond := "p.permalink = ?"
			if strings.ContainsAny(name, "*?") {
				cond, name = w.d.Globbed("p.permalink", strings.ReplaceAll(name, "[", "[[]"))
			}
			any = append(any, cond)
			w.args = append(w.args, name)
		}
		add(either(any, " OR "))
	}
	if len(f.Categories) > 0 {
		add("p.row IN (SELECT row >> 24 FROM observations WHERE lower(category) IN (" + inList(w.d, &w.args, lowered(f.Categories)) + "))")
	}
	if len(f.Wings) > 0 {
		var any []string
		for _, wing := range f.Wings {
			any = append(any, w.d.Contains("p.wing_key"))
			w.args = append(w.args, "-"+kb.NameKey(wing)+"-")
		}
		add(either(any, " OR "))
	}
	for _, c := range f.Where {
		add(w.property(c))
	}
	if !f.After.IsZero() || !f.Before.IsZero() {
		add(w.interval(f.After, f.Before))
	}
	if !f.UpdatedSince.IsZero() {
		add("p.updated >= ?")
		w.args = append(w.args, ceilMicros(f.UpdatedSince))
	}
	if f.BeyondASCII {
		add("(octet_length(p.slug) <> length(p.slug) OR octet_length(p.title) <> length(p.title)" + " OR " + w.d.BeyondASCII("p.aliases") + " OR " + w.d.BeyondASCII("p.tags") + ")")
	}
	if f.Orphans {
		add("NOT EXISTS (SELECT 1 FROM links x WHERE x.target = p.row AND x.row >> 24 <> p.row)")
	}
	if f.Not != nil {
		not, err := w.fields(*f.Not)
		if err != nil {
			return nil, err
		}
		if len(not) > 0 {
			// A page without a date is in no interval: NULL counts as false.
			add("(" + strings.Join(not, " OR ") + ") IS NOT TRUE")
		}
	}
	return conds, nil
}

// tagged returns the condition that a page has one of the tags, or a tag nested in one:
// "project" also matches "project/web".
func (w *where) tagged(tags []string) string {
	names := make([]string, len(tags))
	for i, tag := range tags {
		names[i] = foldText(strings.TrimLeft(tag, "#"))
	}
	wanted := "VALUES " + strings.TrimSuffix(strings.Repeat("(?),", len(tags)), ",")
	if len(names) > maxIn {
		wanted = inList(w.d, &w.args, names)
	} else {
		for _, name := range names {
			w.args = append(w.args, name)
		}
	}
	return "p.row IN (WITH wanted(tag) AS (" + wanted + `)
SELECT t.page FROM wanted w JOIN tags t ON t.tag_fold = w.tag OR t.tag_fold > w.tag || '/' AND t.tag_fold < w.tag || '0')`
}

// saysUpdated is the condition for a page with an update time from its document rather than
// its file.
const saysUpdated = "p.updated IS DISTINCT FROM d.mod_time_ns / 1000"

func (w *where) interval(after, before time.Time) string {
	byDay := w.within("p.day", after, before, func(t time.Time, up bool) any { return dayText(t, up) })
	inMicros := func(t time.Time, _ bool) any { return ceilMicros(t) }
	says := w.within("p.updated", after, before, inMicros)
	recorded := w.within("d.recorded", after, before, inMicros)
	return "(" + byDay + " OR " + saysUpdated + " AND " + says + " OR p.day IS NULL AND NOT " + saysUpdated + " AND " + recorded + ")"
}

// within returns the condition for a column in [after, before).
func (w *where) within(column string, after, before time.Time, bound func(t time.Time, up bool) any) string {
	var both []string
	if !after.IsZero() {
		both = append(both, column+" >= ?")
		w.args = append(w.args, bound(after, false))
	}
	if !before.IsZero() {
		both = append(both, column+" < ?")
		w.args = append(w.args, bound(before, true))
	}
	return either(both, " AND ")
}

// dayText returns the day of t in its own calendar; with up, the next day if t is within a
// day, since a part of a day counts as the day.
func dayText(t time.Time, up bool) string {
	if h, m, s := t.Clock(); up && (h != 0 || m != 0 || s != 0 || t.Nanosecond() != 0) {
		t = t.AddDate(0, 0, 1)
	}
	return t.Format(time.DateOnly)
}

// ceilMicros rounds t up, so that a comparison of stored microseconds with the result is
// exact for t.
func ceilMicros(t time.Time) int64 {
	n := t.UnixMicro()
	if time.UnixMicro(n).Before(t) {
		n++
	}
	return n
}

// path returns the condition for a glob, or for a prefix that ends in "/". The part before
// the first special character uses the index.
//
// The index has paths in their original spelling, but accents have two encodings: from the
// first accent on, paths are compared in normal form.
func (w *where) path(pattern string) (string, error) {
	if strings.HasSuffix(pattern, "/") && !strings.ContainsAny(pattern, glob.Special) {
		if isASCII(pattern) {
			return w.prefix(pattern), nil
		}
		pattern += "**"
	}
	// A directory with everything below it, which is the most common filter, can use the
	// index alone.
	if dir, ok := strings.CutSuffix(pattern, "/**"); ok && dir != "" && isASCII(dir) && !strings.ContainsAny(dir, glob.Special) {
		below := w.prefix(dir + "/")
		w.args = append(w.args, dir)
		return "(" + below + " OR d.path = ?)", nil
	}
	if start, ok := strings.CutSuffix(pattern, "*/**"); ok && start != "" && isASCII(start) && !strings.ContainsAny(start, glob.Special) {
		return w.prefix(start), nil
	}
	pattern = norm.NFC.String(pattern)
	if _, err := glob.Compile(pattern); err != nil {
		return "", kb.Errorf(kb.Usage, "%s", kb.AsError(err).Message).
			WithHint("use * within a directory, ** across directories, ? and [a-z]")
	}
	literal := pattern
	if i := strings.IndexFunc(pattern, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune(glob.Special, r) }); i >= 0 {
		literal = pattern[:i]
	}
	// "a/**" also matches "a", so only complete directories above it are certain.
	literal = literal[:strings.LastIndexByte(strings.TrimSuffix(literal, "/"), '/')+1]
	cond, arg, err := w.d.PathMatches("d.path", pattern)
	if err != nil {
		return "", err
	}
	if literal == "" {
		w.args = append(w.args, arg)
		return cond, nil
	}
	narrowed := w.prefix(literal)
	w.args = append(w.args, arg)
	return "(" + narrowed + " AND " + cond + ")", nil
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// prefix returns the condition for paths that start with start. As start is UTF-8, its last
// byte is not the greatest one.
func (w *where) prefix(start string) string {
	end := []byte(start)
	end[len(end)-1]++
	w.args = append(w.args, start, string(end))
	return "(d.path >= ? AND d.path < ?)"
}

func either(conds []string, op string) string {
	if len(conds) == 1 {
		return conds[0]
	}
	return "(" + strings.Join(conds, op) + ")"
}

func folded(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = foldText(s)
	}
	return out
}

// orderSQL returns ORDER BY terms; ties are ordered by slug, then row.
func orderSQL(by store.Order) (string, error) {
	switch by {
	case store.BySlug, "":
		return "p.slug, p.row", nil
	case store.ByTitle:
		return "p.title_fold, p.slug, p.row", nil
	case store.ByUpdated:
		return "p.updated DESC NULLS LAST, p.slug, p.row", nil
	case store.ByCreated:
		return "p.created DESC NULLS LAST, p.slug, p.row", nil
	}
	return "", kb.Errorf(kb.Usage, "unknown order %q", string(by))
}

// limitSQL returns a LIMIT clause; a limit of 0 or less means no limit.
func limitSQL(limit, offset int) string {
	if limit <= 0 {
		if offset <= 0 {
			return ""
		}
		limit = math.MaxInt64
	}
	return fmt.Sprintf(" LIMIT %d OFFSET %d", limit, max(offset, 0))
}
