package write

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/secrets"
)

// maxRedactions bounds how often a text is scanned again after credentials were taken
// out of it: one may be found only when another one next to it is gone.
const maxRedactions = 8

// redact replaces credentials in an agent's text by the names of their rules, if the policy
// says so, until none is found, and then where they are repeated. It refuses a repetition
// that cannot be replaced; checkSecrets refuses what a scan still finds.
func (s *changeSet) redact(t *target) error {
	if t.space.Policy.Secrets.Action != policy.Redact || s.req.Actor.Kind != kb.Agent {
		return nil
	}
	text, _ := doc.Decode(t.new)
	if string(text) != string(t.new) {
		return nil // the places are others in its encoding
	}
	old, _ := doc.Decode(t.old)
	codec := doc.ForNote(s.w.Codecs, t.space.Syntax, t.to)
	var before *doc.Document
	values := map[string]secrets.Finding{} // the first of each
	for range maxRedactions {
		found := s.broughtIn(t, old, t.new)
		if len(found) == 0 {
			break
		}
		d := codec.Parse(t.to, t.new)
		if before == nil {
			before = d
		}
		l := layoutOf(d)
		cuts := make([]doc.Splice, len(found))
		for i, f := range found {
			at := doc.Span{Start: f.Start, End: f.End}
			if overlaps(l.ids, at) {
				return nil // refused as it is
			}
			cuts[i] = l.cut(at, ": "+f.Rule)
			if value := string(t.new[f.Start:f.End]); values[value].Rule == "" {
				values[value] = f
			}
		}
		clean, err := doc.ApplySplices(t.new, cuts)
		if err != nil {
			return nil
		}
		t.new = clean
		t.note("credentials in the text were replaced by the names of their rules")
	}
	maps.DeleteFunc(values, func(value string, _ secrets.Finding) bool {
		return !isDistinct(value) || bytes.Contains(old, []byte(value))
	})
	if before == nil {
		return nil
	}
	if err := s.redactRepeated(t, codec, values); err != nil {
		return err
	}
	if after := codec.Parse(t.to, t.new); !sameMetadata(before, after) {
		return s.refusal("the metadata", s.broughtIn(t, old, before.Text))
	}
	return nil
}

// redactRepeated replaces credentials that were found in a text where it repeats them
// without a sign that they are credentials.
func (s *changeSet) redactRepeated(t *target, codec doc.Codec, values map[string]secrets.Finding) error {
	l := layoutOf(codec.Parse(t.to, t.new))
	var cuts []doc.Splice
	var taken []doc.Span
	var fixed []secrets.Finding
	longest := func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }
	for _, value := range slices.SortedFunc(maps.Keys(values), longest) {
		f := values[value]
		if !t.exists() || t.to != t.path {
			if strings.Contains(inWords(t.to), inWords(value)) {
				return s.refusal("the path", []secrets.Finding{{Rule: f.Rule, Kind: f.Kind, Line: 1}})
			}
		}
		if len(repetitions([]byte(s.req.Message), value)) > 0 {
			return s.refusal("the message", []secrets.Finding{{Rule: f.Rule, Kind: f.Kind, Line: 1}})
		}
		for _, at := range repetitions(t.new, value) {
			switch {
			case overlaps(taken, at):
				continue
			case overlaps(l.ids, at), overlaps(l.links, at), inAddress(t.new, at):
				fixed = append(fixed, secrets.Finding{Rule: f.Rule, Kind: f.Kind, Line: doc.LineAt(t.new, at.Start)})
			default:
				cuts = append(cuts, l.cut(at, "")) // a scan may take the name of a rule for a sign of another credential
			}
			taken = append(taken, at)
		}
	}
	if err := s.refusal("an id or a link in the text", fixed); err != nil {
		return err
	}
	clean, err := doc.ApplySplices(t.new, cuts)
	if err == nil {
		t.new = clean
	}
	return err
}

// layout is where a credential cannot be replaced as in running text.
type layout struct {
	text              []byte
	heads, ids, links []doc.Span
}

func layoutOf(d *doc.Document) layout {
	l := layout{text: d.Text}
	if d.Format.Whole() {
		l.heads = append(l.heads, doc.Span{End: len(d.Text)})
	}
	for i := range d.Nodes {
		n := &d.Nodes[i]
		l.heads = append(l.heads, n.Head)
		for _, p := range n.Metadata {
			if strings.EqualFold(p.Key, "id") || strings.EqualFold(p.Key, "permalink") {
				l.ids = append(l.ids, p.Span)
			}
		}
	}
	for _, t := range d.Targets() {
		l.links = append(l.links, t.Span)
	}
	return l
}

// cut replaces a credential by a mark in brackets with a text; in metadata, where these are
// syntax, and behind a bracket, where they may make a link, by a word.
func (l layout) cut(at doc.Span, more string) doc.Splice {
	if overlaps(l.heads, at) || at.Start > 0 && l.text[at.Start-1] == '[' {
		return doc.Splice{Span: at, New: "redacted"}
	}
	return doc.Splice{Span: at, New: "[redacted" + more + "]"}
}

func overlaps(spans []doc.Span, at doc.Span) bool {
	return slices.ContainsFunc(spans, func(s doc.Span) bool { return s.Start < at.End && at.Start < s.End })
}

// sameMetadata reports whether the metadata of a document can be read as before, whatever
// its values are.
func sameMetadata(before, after *doc.Document) bool {
	if len(after.Nodes) != len(before.Nodes) || len(after.Warnings) > len(before.Warnings) || after.Encoding != before.Encoding {
		return false
	}
	for i := range before.Nodes {
		if !slices.EqualFunc(before.Nodes[i].Metadata, after.Nodes[i].Metadata, func(a, b doc.Property) bool {
			return a.List == b.List && a.Opaque == b.Opaque && len(a.Values) == len(b.Values)
		}) {
			return false
		}
	}
	return true
}

// The lengths from which a credential is looked for elsewhere in a text. Shorter ones, and
// words and names up to the second length, occur there without being meant.
const (
	leastRepeated = 8
	leastLetters  = 20
)

// isDistinct reports whether a text with a value means the value by it, and not a word or a name.
func isDistinct(value string) bool {
	if len(value) < leastRepeated {
		return false
	}
	isName := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsMark(r) || strings.ContainsRune(" -'’", r)
	}
	return utf8.RuneCountInString(value) >= leastLetters || strings.ContainsFunc(value, func(r rune) bool { return !isName(r) })
}

// repetitions are the places of a value in a text that are not a part of a longer word.
func repetitions(text []byte, value string) (out []doc.Span) {
	first, _ := utf8.DecodeRuneInString(value)
	last, _ := utf8.DecodeLastRuneInString(value)
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(value))
		if i < 0 {
			return out
		}
		at := doc.Span{Start: from + i, End: from + i + len(value)}
		before, _ := utf8.DecodeLastRune(text[:at.Start])
		after, _ := utf8.DecodeRune(text[at.End:])
		if isInWord(before) && isInWord(first) || isInWord(last) && isInWord(after) {
			from = at.Start + 1
			continue
		}
		out, from = append(out, at), at.End
	}
}

// isInWord reports whether a rune makes one word with another one next to it. Scripts
// without spaces between words do not.
func isInWord(r rune) bool {
	return r == '_' || unicode.IsDigit(r) || unicode.Is(unicode.Latin, r)
}

// inAddress reports whether a place is in an address of the web.
func inAddress(text []byte, at doc.Span) bool {
	start := bytes.LastIndexAny(text[:at.Start], " \t\r\n") + 1
	end := bytes.IndexAny(text[at.End:], " \t\r\n")
	if end < 0 {
		end = len(text) - at.End
	}
	return bytes.Contains(text[start:at.End+end], []byte("://"))
}

// inWords is a text as the words of a file name, in lower case and each between hyphens.
func inWords(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return "-" + strings.Join(words, "-") + "-"
}
