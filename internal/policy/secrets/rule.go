package secrets

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Rule is one kind of credential, as data: rules.toml has the built-in rules,
// and a space adds its own in the same form. Expressions are in the syntax of
// compile.
type Rule struct {
	ID   string `toml:"id"`   // stable: goes into commands, configuration and JSON
	Kind string `toml:"kind"` // words for people, a noun phrase without an article

	Token  []string `toml:"token,omitempty"`  // formats of their own; of a group, its bytes are the value
	Mixed  []string `toml:"mixed,omitempty"`  // the same, and the value has letters and digits
	Random []string `toml:"random,omitempty"` // the same, and the value reads as no word
	After  []string `toml:"after,omitempty"`  // text before the value, which is quoted or extends to a blank
	Named  []string `toml:"named,omitempty"`  // the same, and the group is the name that describes the value
	Naming []string `toml:"naming,omitempty"` // the group is a value; that name follows

	Value  string   `toml:"value,omitempty"`  // the kind of value that follows: a key of judges
	Near   []string `toml:"near,omitempty"`   // one of these is within reach, in any case
	Within int      `toml:"within,omitempty"` // that reach in bytes, if not the line

	rank int8
	own  bool // of a space, which knows its formats: short and plain ones count
}

// Ranks: a format defined by a vendor is more specific than the place of a
// value, and a place more than the name before it.
const (
	byName int8 = iota + 1
	byPlace
	byFormat
)

//go:embed rules.toml
var rulesText string

// anchorsText has a line for each expression of rules.toml, in their order: the anchors of its
// patterns, quoted, each after = where it must be written so. With them no expression is
// compiled until one of its anchors is found, which is most of the time that loading takes.
// A test writes it with -update.
//
//go:embed anchors.txt
var anchorsText string

// table is what rules.toml holds.
type table struct {
	Rules    []*Rule             `toml:"rule"`
	Examples []string            `toml:"examples"`
	Fill     map[string][]string `toml:"placeholder"`
	Names    map[string][]string `toml:"names"`

	byID  map[string]*Rule
	words map[string]map[string]bool // of placeholder and names
	index *index
}

var loaded struct {
	once  sync.Once
	table *table
}

// builtin returns the table, read on first use so that programs which write
// nothing do not pay for it.
func builtin() *table {
	loaded.once.Do(func() { loaded.table = load() })
	return loaded.table
}

// Ready loads the rules, for callers that do other work first: a scan would
// wait for that.
func Ready() { builtin() }

func load() *table {
	t := &table{byID: map[string]*Rule{}, words: map[string]map[string]bool{}}
	if err := toml.NewDecoder(strings.NewReader(rulesText)).DisallowUnknownFields().Decode(t); err != nil {
		panic("secrets: rules.toml: " + err.Error())
	}
	for _, lists := range []map[string][]string{t.Fill, t.Names} {
		for name, list := range lists {
			set := map[string]bool{}
			for _, w := range list {
				for _, one := range strings.Fields(w) {
					set[one] = true
				}
			}
			t.words[name] = set
		}
	}
	t.index = newIndex()
	anchors := anchorsText
	for _, r := range t.Rules {
		if r.rank = cmp.Or(ranks[r.ID], byPlace); len(r.Token)+len(r.Mixed)+len(r.Random) > 0 && r.Value == "" {
			r.rank = byFormat
		}
		if t.byID[r.ID] == nil {
			t.byID[r.ID] = r
		}
		if err := t.index.add(r, func(expression string, each func(pattern) finder) error {
			var line string
			line, anchors, _ = strings.Cut(anchors, "\n")
			return t.index.anchored(line, &later{expression: expression, each: each})
		}); err != nil {
			panic("secrets: rules.toml: " + err.Error())
		}
	}
	t.addFinders()
	return t
}

// ranks are those of rules that code finds, if not byPlace.
var ranks = map[string]int8{
	"password": byName, "pin": byName, "secret-assignment": byName,
	"private-key": byFormat, "gcp-service-account": byFormat, "jwt": byFormat,
}

// listed reports whether the table lists w under name.
func listed(name, w string) bool { return builtin().words[name][w] }

// tooMany cannot be allowed: it covers text that was not scanned.
var tooMany = &Rule{ID: "too-many", Kind: "text with more credentials than can be listed", rank: byFormat}

// Rules returns every rule that always holds, ordered by id.
func Rules() []Rule {
	var out []Rule
	for _, r := range builtin().byID {
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// Unknown returns the first of ids that neither a rule nor one of own has, so
// that a misspelt one is refused instead of ignored, and "" when all are rules.
func Unknown(ids []string, own []Rule) string {
	for _, id := range ids {
		if builtin().byID[id] == nil && !slices.ContainsFunc(own, func(r Rule) bool { return r.ID == id }) {
			return id
		}
	}
	return ""
}

// Bounds on the rules of a space: a scan does the work of each.
const (
	maxOwn         = 100
	maxExpressions = 20
)

var ruleID = lazyregexp.New(`^[a-z0-9][a-z0-9-]{0,63}$`)

// Check returns the problem of a space's rules, in words that follow the name
// of the list.
func Check(own []Rule) error {
	if len(own) > maxOwn {
		return fmt.Errorf("has more than %d rules", maxOwn)
	}
	seen := map[string]bool{}
	for i := range own {
		r := &own[i]
		switch n := len(slices.Concat(r.Token, r.Mixed, r.Random, r.After, r.Named, r.Naming)); {
		case !ruleID().MatchString(r.ID):
			return fmt.Errorf("has the id %q; small letters, digits and hyphens make one", r.ID)
		case seen[r.ID] || builtin().byID[r.ID] != nil:
			return fmt.Errorf("has the id %q, which is taken", r.ID)
		case r.Kind == "":
			return fmt.Errorf("%s: kind is missing", r.ID)
		case n == 0 || n > maxExpressions:
			return fmt.Errorf("%s: token, mixed, random, after, named and naming have %d expressions; 1 to %d make a rule", r.ID, n, maxExpressions)
		}
		seen[r.ID] = true
		x := newIndex()
		if err := x.add(r, x.expression); err != nil {
			return err
		}
	}
	return nil
}

// add adds the finders of a rule's expressions, each with to.
func (x *index) add(r *Rule, to func(expression string, each func(pattern) finder) error) error {
	judge, ok := judgeOf(r.Value)
	if !ok || judge == nil && len(r.After) > 0 {
		return fmt.Errorf("%s: unknown value %q", r.ID, r.Value)
	}
	token := func(check func([]byte) bool) func(pattern) finder {
		return func(p pattern) finder { return r.findToken(p, check, judge) }
	}
	for _, list := range []struct {
		expressions []string
		finder      func(pattern) finder
	}{
		{r.Token, token(nil)}, {r.Mixed, token(isMixed)}, {r.Random, token(isRandom)},
		{r.After, func(p pattern) finder { return r.findAfter(p, judge) }},
		{r.Named, r.findNamed}, {r.Naming, r.findNaming},
	} {
		for _, expression := range list.expressions {
			if err := to(expression, list.finder); err != nil {
				return fmt.Errorf("%s: %s: %w", r.ID, expression, err)
			}
		}
	}
	return nil
}

// expression adds a finder for each pattern of an expression.
func (x *index) expression(expression string, each func(pattern) finder) error {
	patterns, err := compile(expression)
	for _, p := range patterns {
		x.pattern(p, each(p))
	}
	return err
}

// later are the finders of an expression that is compiled when one is used.
type later struct {
	expression string
	each       func(pattern) finder
	once       sync.Once
	finders    []finder
}

func (l *later) finder(i int) finder {
	return func(s *scanner, at, end int) {
		l.once.Do(func() {
			patterns, err := compile(l.expression)
			if err != nil {
				panic("secrets: rules.toml: " + err.Error()) // a test compiles all
			}
			for _, p := range patterns {
				l.finders = append(l.finders, l.each(p))
			}
		})
		l.finders[i](s, at, end)
	}
}

// anchored adds the finders of an expression with these anchors.
func (x *index) anchored(line string, l *later) error {
	n := 0
	for ; strings.TrimSpace(line) != ""; n++ {
		rest, exact := strings.CutPrefix(line, "=")
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return fmt.Errorf("anchors.txt: %q: %w", line, err)
		}
		anchor, err := strconv.Unquote(quoted)
		if err != nil {
			return fmt.Errorf("anchors.txt: %q: %w", line, err)
		}
		f := find{look: l.finder(n)}
		if exact {
			f.exact = anchor
		}
		x.anchor(lowered(anchor), f)
		line = strings.TrimPrefix(rest[len(quoted):], " ")
	}
	if n == 0 {
		return fmt.Errorf("anchors.txt has no line for it")
	}
	return nil
}

// minGroup is the length from which a part of a value can be judged alone.
const minGroup = 8

// findToken finds values that have a format.
func (r *Rule) findToken(p pattern, check, judge func([]byte) bool) finder {
	set, last := p.atoms[p.body].set, p.atoms[p.closes-1]
	exact := last.set != nil && p.grows < 0 && last.min == last.max
	distinct := p.distinct()
	return func(s *scanner, at, _ int) {
		m, ok := p.find(s, at)
		if !ok || wordByte[s.text[m.start]] && !startsWord(s.text, m.start) && !(distinct && s.glued(m)) || !s.near(r, m.start, m.end) {
			return
		}
		after := m.after
		clipped := p.grows >= 0 && after-m.body >= last.limit()
		// Punctuation at the end belongs to the sentence.
		for !clipped && !exact && after > m.body && s.text[after-1] == '.' {
			after--
		}
		body := s.text[m.body:min(m.rest, after)]
		if p.atoms[p.body].min < minGroup {
			body = s.text[m.value:after] // of groups that are not specific by themselves
		}
		switch {
		case after <= m.value, len(body) < p.atoms[p.body].min,
			exact && m.after == m.end && !last.set.ends(s.text, after):
			return
		case judge != nil:
			if !judge(s.text[m.value:after]) {
				return
			}
		case isFiller(body), !r.own && entropy(body) < minTokenEntropy(len(body)),
			!r.own && set != nil && set['-'] && check == nil && isWordy(body), // your-token-goes-here
			check != nil && !check(body), published(s.text[m.start:after]),
			r.ID == "url-password" && s.isIngestKey(m.value, after):
			return
		}
		if clipped {
			// Only now, so that no text makes every prefix read on to its end.
			after = s.run(last.set, after, len(s.text))
		}
		start := m.value
		if r.Value == "pair" {
			start += bytes.IndexByte(s.text[start:after], ':') + 1
		}
		s.add(r, start, after, r.Value == "")
	}
}

// distinct reports whether the pattern begins with letters that no word ends with, and a
// separator, such as ghp_. Many words end with the two letters of sk-proj-, which words with
// hyphens may follow.
func (p pattern) distinct() bool {
	lead, set := p.atoms[0].literal, p.atoms[p.body].set
	n := strings.IndexAny(lead, "_-.")
	return n > 0 && (n > 2 || set == nil || !set['-']) && (len(lead) > 4 || n == 3 && !strings.ContainsAny(lead[:2], "aeiouyAEIOUY"))
}

// glued reports whether a long token follows other text without a separator, and is not a
// part of coded data.
func (s *scanner) glued(m match) bool {
	const minGlued, minData = 20, 256
	return m.after-m.value >= minGlued && m.start-s.back(base64Any, m.start, minData) < minData
}

// findAfter finds the values that follow a place.
func (r *Rule) findAfter(p pattern, judge func([]byte) bool) finder {
	return func(s *scanner, at, _ int) {
		m, ok := p.find(s, at)
		if !ok {
			return
		}
		v := s.read(m.end, maxValue, unquotedBytes)
		if len(v.text) < 4 || !judge(v.text) && !(v.quoted && (r.Value == "password" || r.Value == "any") && isPhrase(v.text)) ||
			!s.near(r, m.start, v.end) {
			return
		}
		start := v.start
		if r.Value == "pair" {
			start += bytes.IndexByte(v.text, ':') + 1
		}
		if start == v.end {
			start = v.start // a token for a name, without a password
		}
		s.add(r, start, v.end, false)
	}
}

// findNamed finds the values that follow a name, which the group is, in a pair such
// as key="…" value="…".
func (r *Rule) findNamed(p pattern) finder {
	return func(s *scanner, at, _ int) {
		if m, ok := p.find(s, at); ok && s.near(r, m.start, m.end) {
			s.pair(r, s.text[m.value:m.after], s.read(m.end, maxValue, unquotedBytes))
		}
	}
}

// findNaming finds values, captured by the group, that precede their name.
func (r *Rule) findNaming(p pattern) finder {
	return func(s *scanner, at, _ int) {
		if m, ok := p.find(s, at); ok && s.near(r, m.start, m.end) {
			name := s.text[m.end:s.run(nameBytes, m.end, maxName)]
			s.pair(r, name, value{m.value, m.after, s.text[m.value:m.after], true})
		}
	}
}

// pair adds a value that is a secret according to the name next to it.
func (s *scanner) pair(r *Rule, name []byte, v value) {
	a := assignment{value: v, name: name, literal: true}
	if len(v.text) < 4 || isPlaceholder(v.text) || isCode(v.text) && !bytes.ContainsAny(v.text, " \t") {
		return
	}
	if a.class = classify(name); a.class == noClass {
		return
	}
	if _, ok := a.judge(); ok {
		s.add(r, v.start, v.end, false)
	}
}

// judgeOf returns the function that decides whether a value in a place is a
// credential; a format needs none.
func judgeOf(kind string) (judge func(v []byte) bool, ok bool) {
	switch kind {
	case "":
		return nil, true
	case "password":
		return func(v []byte) bool { return isMadeUp(v) && !isPlaceholder(v) && !isCode(v) || gradeOf(v) == made }, true
	case "made":
		return func(v []byte) bool { return gradeOf(v) == made }, true
	case "said":
		return func(v []byte) bool { return gradeOf(v) == made && !opensWithCapital(v) && bytes.IndexByte(v, '@') < 0 }, true
	case "any":
		return func(v []byte) bool { return isMadeUp(v) && !isPlaceholder(v) && !isCode(v) || gradeOf(v) >= word }, true
	case "strong":
		return isStrong, true
	case "pin":
		return isDoorCode, true
	case "token":
		return func(v []byte) bool { return len(v) >= 16 && isRandom(v) && !isPlaceholder(v) }, true
	case "pair":
		return isPair, true
	case "basic":
		return isBasic, true
	}
	return nil, false
}
