package query

import (
	"math"
	"slices"
	"strings"
	"time"
)

// When is a time that a question mentions.
type When struct {
	Text     string // as in the question, in lower case
	Range           // the time; a zero From or To is an open end
	Yearly   bool   // without a year, so that it matches every year
	Relative bool   // relative to now
	Bounded  bool   // the question names its bounds (before, since, between): dates outside do not count
	Page     bool   // relative to the day of a page
}

// Reference is the context for the times of a question.
type Reference struct {
	Now time.Time
	// DayOf returns the day of a page with a name at the start of words, and the number of
	// words of the name; 0 for none. It may be nil.
	DayOf func(words []string) (day time.Time, n int)
}

const (
	// How long after or before a time its events are recorded, in days: mostly soon after.
	// Such dates count half as much as dates within the time.
	lagAfter  = 7
	lagBefore = 2
	lagWeight = 0.5
	// leastNear is the value of Near below which it is zero.
	leastNear = 0.05
)

// Times returns the times in a question: dates, months and years, parts of them, times
// relative to now such as yesterday or two weeks ago, and the intervals that words such as
// before, since and between make of them. Ambiguous words, such as may, sun or 2000, count
// after a word such as in or until.
//
// share is the share of the times in the question's words without stopwords, from 0 to 1.
func Times(root Node, ref Reference) (out []When, share float64) {
	r := newTimeReader(plainWords(root), ref)
	all, of, last := said(r.words), 0, -1
	for at := 0; at < len(r.words); {
		r.follows = at > 0 && last == at-1
		m, ok := r.interval(at)
		if !ok || !inCalendar(m.From) || !inCalendar(m.To) {
			at++
			continue
		}
		run := r.words[at : at+m.n]
		of += said(run)
		out = append(out, When{
			Text: strings.Join(run, " "), Range: m.Range, Yearly: m.yearly,
			Relative: m.relative, Bounded: m.bounded, Page: m.page,
		})
		at += m.n
		last = at
	}
	return bothSides(out), float64(of) / float64(max(all, 1))
}

// bothSides joins a time without an end and one without a start: after May and before July.
func bothSides(all []When) []When {
	for i := 0; i+1 < len(all); i++ {
		x, y := all[i], all[i+1]
		if x.From.IsZero() {
			x, y = y, x
		}
		if !x.Bounded || !y.Bounded || !x.To.IsZero() || !y.From.IsZero() || !x.From.Before(y.To) {
			continue
		}
		all[i] = When{
			Text: all[i].Text + " and " + all[i+1].Text, Range: Range{x.From, y.To},
			Relative: x.Relative || y.Relative, Bounded: true, Page: x.Page || y.Page,
		}
		all = slices.Delete(all, i+1, i+2)
	}
	return all
}

// inCalendar reports whether a time has a text form, which 9999 years ago has not.
func inCalendar(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 }

// said counts the words that are not stopwords.
func said(words []string) (n int) {
	for _, w := range words {
		if !stopwords[w] {
			n++
		}
	}
	return n
}

// moment is a parsed time.
type moment struct {
	Range
	n        int  // number of its words
	yearly   bool // as in When
	relative bool
	bounded  bool
	page     bool
	sure     bool // it is a time even without a word that introduces one
}

func (m moment) twoSided() bool { return !m.From.IsZero() && !m.To.IsZero() }

// lead is how strongly a word indicates that a time follows.
type lead int

const (
	unled lead = iota
	weak       // only before a word with few other meanings: of december, but not of june
	strong
)

var (
	strongLeads = set(`in on since until till before after around during between within early late mid by through year`)
	weakLeads   = set(`of about for over to from`)
)

// bounds are the words that turn the time after them into an interval, with that interval.
var bounds = []struct {
	words string
	of    func(Range) Range
}{
	{"prior to", before}, {"earlier than", before}, {"before", before},
	{"up to", until}, {"up until", until}, {"no later than", until}, {"not after", until}, {"not later than", until},
	{"as of", until}, {"until", until}, {"till", until}, {"by", until}, {"through", until},
	{"later than", after}, {"after", after},
	{"no earlier than", since}, {"not before", since}, {"not earlier than", since}, {"ever since", since}, {"since", since},
	{"starting in", since}, {"starting on", since}, {"starting from", since}, {"starting", since},
}

func before(r Range) Range { return Range{To: r.From} }
func until(r Range) Range  { return Range{To: r.To} }
func after(r Range) Range  { return Range{From: r.To} }
func since(r Range) Range  { return Range{From: r.From} }

// timeReader parses the times of one question.
type timeReader struct {
	words   []string // in lower case
	typed   []string
	ref     Reference
	follows bool // a time ended at the previous word
}

// newTimeReader removes fillers from dates: the 3rd of March, a couple of weeks.
func newTimeReader(typed []string, ref Reference) *timeReader {
	r := &timeReader{ref: ref}
	for _, w := range typed {
		first, rest, ok := strings.Cut(w, "-")
		if ok && strings.EqualFold(first, "mid") && isPeriod(strings.ToLower(rest)) {
			r.typed = append(r.typed, first, rest)
			continue
		}
		r.typed = append(r.typed, w)
	}
	kept := r.typed[:0:0]
	for i := 0; i < len(r.typed); i++ {
		w := strings.ToLower(r.typed[i])
		at := func(n int) string {
			if i+n < 0 || i+n >= len(r.typed) {
				return ""
			}
			return strings.ToLower(r.typed[i+n])
		}
		switch {
		case w == "the" && startsWithDigit(at(1)),
			w == "of" && startsWithDigit(at(-1)) && isMonth(at(1)),
			w == "of" && isYear(at(1)) && (isMonth(at(-1)) || isSeason(at(-1))):
			continue
		case w == "a" && at(1) == "couple" && at(2) == "of" && isUnit(at(3)):
			kept = append(kept, "two")
			i += 2
			continue
		case w == "couple" && (at(1) == "of" && isUnit(at(2)) || isUnit(at(1))):
			kept = append(kept, "two")
			if at(1) == "of" {
				i++
			}
			continue
		case w == "a" && at(1) == "few" && isUnit(at(2)):
			continue
		case (w == "few" || w == "several") && isUnit(at(1)):
			kept = append(kept, "three")
			continue
		}
		kept = append(kept, r.typed[i])
	}
	r.typed = kept
	for _, w := range r.typed {
		r.words = append(r.words, strings.ToLower(w))
	}
	return r
}

// at returns a word, or "" if there is none.
func (r *timeReader) at(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i]
}

// has reports whether the words of a phrase are at i, and returns their number.
func (r *timeReader) has(i int, phrase string) (n int, ok bool) {
	for w := range strings.FieldsSeq(phrase) {
		if r.at(i+n) != w {
			return 0, false
		}
		n++
	}
	return n, true
}

// interval parses a time with the words that turn it into an interval.
func (r *timeReader) interval(i int) (moment, bool) {
	if m, ok := r.between(i); ok {
		return m, true
	}
	for _, b := range bounds {
		n, ok := r.has(i, b.words)
		if !ok {
			continue
		}
		if !r.boundsTime(i, i+n) {
			continue
		}
		m, ok := r.point(i+n, strong)
		if !ok && b.words != "by" && b.words != "through" && b.words != "as of" {
			m, ok = r.named(i + n)
		}
		if !ok {
			continue
		}
		if b.words == "by" && m.yearly && !m.To.After(r.ref.Now) {
			m.Range = m.inYear(m.From.Year() + 1) // due dates are in the future
		}
		m.Range, m.bounded, m.n = b.of(m.Range), true, m.n+n
		m.relative, m.yearly = m.relative || m.yearly, false
		return m, true
	}
	if r.at(i) == "within" {
		if m, ok := r.around(i + 1); ok {
			m.n++
			return m, true
		}
	}
	// A word such as in belongs to the time after it.
	n, led := 0, r.leadAt(i-1)
	if r.at(i-1) == "by" && !r.boundsTime(i-1, i) || r.at(i-2) == "up" && r.at(i-1) == "to" && !r.boundsTime(i-2, i) {
		led = unled
	}
	if w := r.at(i); w == "in" || w == "on" || w == "during" || w == "within" || w == "around" {
		n, led = 1, strong
	}
	m, ok := r.point(i+n, led)
	if !ok {
		return m, false
	}
	m.n += n
	switch r.at(i + m.n) {
	case "to", "through", "until", "till", "–", "-":
		if to, ok := r.point(i+m.n+1, weak); ok && (to.sure || m.yearly && to.yearly) {
			if both, ok := joined(m, to); ok {
				both.n = m.n + 1 + to.n
				return both, true
			}
		}
	case "onward", "onwards":
		m.Range, m.bounded, m.n = since(m.Range), true, m.n+1
		m.relative, m.yearly = m.relative || m.yearly, false
	}
	return m, true
}

var (
	byAuthor = set(`written painted drawn composed made said sung created designed directed produced recommended suggested given sent hosted owned run led taken built taught asked
		book song painting poem photo picture letter story film movie album novel article message mail email note report talk review cooked baked won played`)
	byAmount = set(`grew grown increased rose risen raised fell fallen dropped reduced decreased lowered exceeded`)
)

// boundsTime reports whether the words of a bound at i can apply to a time at "at", unlike
// in a poem by April, by April Jones, or up to 2000 requests.
func (r *timeReader) boundsTime(i, at int) bool {
	next := r.at(at + 1)
	content := next != "" && !IsStopword(next)
	switch {
	case r.at(i) == "by" && nameLike[r.at(at)]:
		named := content && startsUpper(r.typed[at+1]) && !isMonth(next) && !isUnit(next)
		return !named && !byAuthor[r.at(i-1)]
	case isYear(r.at(at)) && r.at(i) == "up":
		return !content && !counted[next]
	case isYear(r.at(at)) && r.at(i) == "by":
		return !byAmount[r.at(i-1)]
	}
	return true
}

// between parses between A and B, from A to B, and from A on.
func (r *timeReader) between(i int) (moment, bool) {
	var joints []string
	switch r.at(i) {
	case "between":
		joints = []string{"and", "to"}
	case "from":
		joints = []string{"to", "until", "till", "through", "up to"}
	default:
		return moment{}, false
	}
	from, ok := r.point(i+1, strong)
	day := 0
	if !ok {
		if day, ok = dayNumber(r.at(i + 1)); !ok {
			return moment{}, false
		}
		from.n = 1
	}
	for _, joint := range joints {
		n, ok := r.has(i+1+from.n, joint)
		if !ok {
			continue
		}
		at := i + 1 + from.n + n
		to, ok := r.point(at, strong)
		switch toDay, isNumber := dayNumber(r.at(at)); {
		case !ok && day == 0 && isNumber && from.isDay():
			to = moment{Range: dayIn(from.Range, toDay), n: 1, yearly: from.yearly}
			if year := r.at(at + 1); isYear(year) && from.yearly { // from May 3 to 5, 2023
				y, _ := number(year, 4)
				to.Range, to.n, to.yearly = to.inYear(y), 2, false
			}
		case !ok:
			return moment{}, false
		case day > 0 && !to.isDay():
			return moment{}, false
		case day > 0:
			from = moment{Range: dayIn(to.Range, day), n: 1, yearly: to.yearly}
		}
		m, ok := joined(from, to)
		m.n = at + to.n - i
		return m, ok
	}
	if w := r.at(i + 1 + from.n); day == 0 && (w == "on" || w == "onward" || w == "onwards" || w == "forward") {
		from.Range, from.bounded, from.n = since(from.Range), true, from.n+2
		from.relative, from.yearly = from.relative || from.yearly, false
		return from, true
	}
	return moment{}, false
}

// joined returns the interval from the start of one time to the end of another. If only one
// of them has a year, it applies to both.
func joined(from, to moment) (moment, bool) {
	switch {
	case from.yearly && !to.yearly:
		from.Range = from.inYear(to.From.Year())
		if from.From.After(to.From) {
			from.Range = from.inYear(to.From.Year() - 1)
		}
	case to.yearly && !from.yearly:
		to.Range = to.inYear(from.From.Year())
		if to.From.Before(from.From) {
			to.Range = to.inYear(from.From.Year() + 1)
		}
	case from.From.After(to.From) && from.yearly:
		from.Range = from.inYear(to.From.Year())
		if from.From.After(to.From) {
			from.Range = from.inYear(to.From.Year() - 1)
		}
	case from.From.After(to.From) && from.relative && to.relative: // Monday to Friday, asked on a Wednesday
		from.Range = Range{weeks.after(from.From, -1), weeks.after(from.To, -1)}
	}
	return moment{
		Range: Range{from.From, to.To}, yearly: from.yearly && to.yearly, relative: from.relative || to.relative,
		bounded: true, sure: true,
	}, from.From.Before(to.To)
}

// inYear returns the same time in another year.
func (r Range) inYear(year int) Range {
	shift := year - r.From.Year()
	return Range{r.From.AddDate(shift, 0, 0), r.To.AddDate(shift, 0, 0)}
}

func (r Range) isDay() bool { return days.after(r.From, 1).Equal(r.To) }

// dayIn returns a day of the month of another day.
func dayIn(r Range, number int) Range {
	from := days.after(months.start(r.From), number-1)
	return Range{from, days.after(from, 1)}
}

func dayNumber(word string) (int, bool) {
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		word = strings.TrimSuffix(word, suffix)
	}
	n, ok := number(word, 2)
	return n, ok && n >= 1 && n <= 31
}

// named parses the name of a page with a day.
func (r *timeReader) named(i int) (moment, bool) {
	skip := 0
	for w := r.at(i); w == "the" || w == "our" || w == "my" || w == "a"; w = r.at(i + skip) {
		skip++
	}
	if r.ref.DayOf == nil || i+skip >= len(r.words) {
		return moment{}, false
	}
	on, n := r.ref.DayOf(r.typed[i+skip:])
	if n == 0 {
		return moment{}, false
	}
	from := dayStart(on, r.ref.Now.Location())
	return moment{Range: Range{from, days.after(from, 1)}, n: skip + n, page: true, sure: true}, true
}

// leadAt returns how strongly the word at i indicates a time.
func (r *timeReader) leadAt(i int) lead {
	switch w := r.at(i); {
	case w == "the" && i > 0:
		return r.leadAt(i - 1)
	case (w == "and" || w == "or") && r.follows:
		return strong
	case strongLeads[w]:
		return strong
	case weakLeads[w]:
		return weak
	}
	return unled
}

// point parses a time without bounds.
func (r *timeReader) point(i int, led lead) (moment, bool) {
	if r.at(i) == "the" {
		m, ok := r.point(i+1, led)
		m.n++
		return m, ok
	}
	if r.at(i) == "about" || r.at(i) == "around" || r.at(i) == "in" {
		if m, ok := r.point(i+1, led); ok && led == strong {
			m.n++
			return m, true
		}
	}
	if isWeekday(r.at(i)) { // on Monday, 5 May
		if m, ok := r.plain(i+1, unled); ok && m.isDay() && !m.relative {
			m.n++
			return m, true
		}
	}
	for _, read := range []func(int) (moment, bool){r.shifted, r.part, r.ordinal, r.weekOf} {
		if m, ok := read(i); ok {
			m.sure = true
			return m, true
		}
	}
	return r.plain(i, led)
}

// other parses the time to which another is relative: a time, or the name of a page.
func (r *timeReader) other(i int) (moment, bool) {
	if r.at(i) == "now" {
		return moment{Range: day(r.ref.Now, 0), n: 1, relative: true}, true
	}
	if m, ok := r.point(i, strong); ok {
		return m, true
	}
	return r.named(i)
}

// shifted parses two weeks before X, the day after X, the week before last.
func (r *timeReader) shifted(i int) (moment, bool) {
	n, u, taken := 1, unit(0), 0
	at, isUnit := lookUp(r.at(i), units)
	count, amountUnit, isAmount := amount(r.words[min(i, len(r.words)):min(i+2, len(r.words))])
	switch {
	case isAmount:
		n, u, taken = count, amountUnit, 2
	case isUnit:
		u, taken = unit(at), 1
	default:
		return moment{}, false
	}
	sign := 0
	for _, side := range []struct {
		words string
		sign  int
	}{{"before", -1}, {"prior to", -1}, {"after", 1}, {"from now", 1}, {"from today", 1}} {
		if words, ok := r.has(i+taken, side.words); ok {
			if sign, taken = side.sign, taken+words; words == 2 && sign > 0 {
				taken-- // the other time is now
			}
			break
		}
	}
	if sign == 0 || u < days {
		return moment{}, false
	}
	if sign < 0 && !isAmount && r.at(i+taken) == "last" && !isPeriod(r.at(i+taken+1)) { // the week before last
		from := u.after(u.start(r.ref.Now), -2)
		return moment{Range: Range{from, u.after(from, 1)}, n: taken + 1, relative: true}, true
	}
	x, ok := r.other(i + taken)
	if !ok || !x.twoSided() || x.To.Equal(x.From) {
		return moment{}, false
	}
	m := moment{n: taken + x.n, yearly: x.yearly, relative: x.relative, page: x.page}
	if !isAmount {
		if m.Range = (Range{x.To, u.after(x.To, 1)}); sign < 0 {
			m.Range = Range{u.after(x.From, -1), x.From}
		}
		return m, true
	}
	m.Range = Range{u.after(x.From, sign*n), u.after(x.To, sign*n)}
	// A number of weeks rarely means an exact day.
	if slack := map[unit]int{weeks: 1, months: 7, quarters: 22, years: 91}[u]; x.isDay() {
		m.Range = Range{days.after(m.From, -slack), days.after(m.To, slack)}
	}
	return m, true
}

// around parses the time after within: two weeks of X, before X or after X.
func (r *timeReader) around(i int) (moment, bool) {
	n, u, ok := amount(r.words[min(i, len(r.words)):min(i+2, len(r.words))])
	side := r.at(i + 2)
	if !ok || u < days || side != "of" && side != "before" && side != "after" {
		return moment{}, false
	}
	x, ok := r.other(i + 3)
	if !ok || !x.twoSided() {
		return moment{}, false
	}
	m := moment{Range: x.Range, n: 3 + x.n, yearly: x.yearly, relative: x.relative, page: x.page, bounded: true, sure: true}
	if side != "after" {
		m.From = u.after(x.From, -n)
	}
	if side != "before" {
		m.To = u.after(x.To, n)
	}
	return m, true
}

// parts are the words for a part of a time, in thirds or halves of it. The bare ones do not
// need of.
var parts = []struct {
	words        string
	from, to, of int
	bare         bool
}{
	{"early", 0, 1, 3, true}, {"earlier", 0, 1, 1, true}, {"later", 0, 1, 1, true}, {"mid", 1, 2, 3, true}, {"late", 2, 3, 3, true},
	{"beginning", 0, 1, 3, false}, {"start", 0, 1, 3, false}, {"middle", 1, 2, 3, false}, {"end", 2, 3, 3, false},
	{"first half", 0, 1, 2, false}, {"second half", 1, 2, 2, false}, {"last half", 1, 2, 2, false}, {"latter half", 1, 2, 2, false},
}

// part parses early June, the end of 2023, the first half of last year.
func (r *timeReader) part(i int) (moment, bool) {
	for _, p := range parts {
		n, ok := r.has(i, p.words)
		if !ok {
			continue
		}
		if r.at(i+n) == "of" || r.at(i+n) == "in" {
			n++
		} else if !p.bare {
			return moment{}, false
		}
		m, ok := r.whole(i + n)
		if !ok || m.isDay() {
			return moment{}, false
		}
		m.Range, m.n = cutTime(m.Range, p.from, p.to, p.of), m.n+n
		return m, true
	}
	return moment{}, false
}

// whole parses a time that can have parts: a month, or "the month" for the current one.
func (r *timeReader) whole(i int) (moment, bool) {
	if u, ok := lookUp(r.at(i+1), units); ok && r.at(i) == "the" && unit(u) > days {
		from := unit(u).start(r.ref.Now)
		return moment{Range: Range{from, unit(u).after(from, 1)}, n: 2, relative: true}, true
	}
	m, ok := r.point(i, strong)
	return m, ok && m.twoSided() && !m.bounded
}

// cutTime returns a part of a time, in days. Thirds of a month end on the 10th, on the 20th
// and at its end.
func cutTime(r Range, from, to, of int) Range {
	count := int(math.Round(r.To.Sub(r.From).Hours() / 24))
	at := func(n int) time.Time {
		if n == of {
			return r.To
		}
		if m := monthsIn(r); m > 0 && m%of == 0 {
			return months.after(r.From, n*m/of)
		}
		return days.after(r.From, count*n/of)
	}
	return Range{at(from), at(to)}
}

// monthsIn returns the number of months of a time, 0 if they are not whole.
func monthsIn(r Range) int {
	n := (r.To.Year()-r.From.Year())*12 + int(r.To.Month()-r.From.Month())
	if r.From.Day() != 1 || r.To.Day() != 1 {
		return 0
	}
	return n
}

// ordinals count from 1; -1 is the last.
var ordinals = map[string]int{
	"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5,
	"last": -1, "final": -1,
}

// ordinal parses the first week of May, the last weekend in June, the second Monday of July,
// the last three days of 2023, the third quarter of 2023.
func (r *timeReader) ordinal(i int) (moment, bool) {
	nth, ok := ordinals[r.at(i)]
	if !ok {
		return moment{}, false
	}
	count, n := 1, 1
	if c, u, ok := amount(r.words[min(i+1, len(r.words)):min(i+3, len(r.words))]); ok && u >= days && (nth == 1 || nth == -1) {
		count, n = c, 2
	}
	what := r.at(i + n)
	n++
	isOf := r.at(i+n) == "of" || r.at(i+n) == "in"
	if what == "quarter" && !isOf && nth > 0 && nth <= 4 {
		year := r.ref.Now.Year()
		q := quarterOf(year, nth, r.ref.Now.Location())
		if q.From.After(r.ref.Now) {
			q = quarterOf(year-1, nth, r.ref.Now.Location())
		}
		return moment{Range: q, n: n, relative: true}, r.leadAt(i-1) == strong
	}
	if !isOf {
		return moment{}, false
	}
	of, ok := r.whole(i + n + 1)
	if !ok || of.isDay() {
		return moment{}, false
	}
	m := moment{n: n + 1 + of.n, yearly: of.yearly, relative: of.relative}
	if m.Range, ok = nthOf(of.Range, nth, count, what); !ok || m.From.Before(of.From) || !m.From.Before(of.To) {
		return moment{}, false
	}
	return m, true
}

// nthOf returns the nth (-1 for the last) day of the week, weekend or unit within a time;
// count is the number of units.
func nthOf(of Range, nth, count int, what string) (Range, bool) {
	weekdayOf, long := 0, 1
	if d, ok := lookUp(what, weekdays); ok {
		weekdayOf = d
	} else if what == "weekend" || what == "weekends" {
		weekdayOf, long = 6, 2
	} else {
		u, ok := lookUp(what, units)
		switch {
		case !ok || unit(u) < days || unit(u) == quarters && monthsIn(of) != 12:
			return Range{}, false
		case nth < 0:
			return Range{unit(u).after(of.To, -count), of.To}, true
		}
		from := unit(u).after(of.From, nth-1)
		return Range{from, unit(u).after(from, count)}, true
	}
	from := days.after(of.From, (weekdayOf-int(of.From.Weekday())+7)%7+7*(nth-1))
	if nth < 0 {
		from = days.after(of.To, -1)
		from = days.after(from, -((int(from.Weekday()) - weekdayOf + 7) % 7))
	}
	return Range{from, days.after(from, long)}, true
}

// weekOf parses the week of 5 May, the weekend of 5 May, the month of May.
func (r *timeReader) weekOf(i int) (moment, bool) {
	what := r.at(i)
	if what != "week" && what != "weekend" && what != "month" && what != "year" || r.at(i+1) != "of" {
		return moment{}, false
	}
	m, ok := r.plain(i+2, strong)
	if !ok {
		return m, false
	}
	switch {
	case what == "month" && monthsIn(m.Range) == 1, what == "year" && monthsIn(m.Range) == 12:
	case m.isDay() && what == "week":
		m.From = weeks.start(m.From)
		m.To = weeks.after(m.From, 1)
	case m.isDay() && what == "weekend":
		m.To = weeks.after(weeks.start(m.From), 1)
		m.From = days.after(m.To, -2)
	default:
		return moment{}, false
	}
	m.n += 2
	return m, true
}

// plainWordsOfTime is the maximum number of words of a plain time: 12 march 2025.
const plainWordsOfTime = 3

// plain parses a date, month, year or the like.
func (r *timeReader) plain(i int, led lead) (moment, bool) {
	for n := min(plainWordsOfTime, len(r.words)-i); n > 0; n-- {
		run := r.words[i : i+n]
		m, ok := r.read(run)
		if !ok {
			continue
		}
		m.n = n
		m.sure = r.isTime(i, n, unled)
		if !m.sure && !r.isTime(i, n, led) {
			continue
		}
		return m, true
	}
	return moment{}, false
}

// read parses words that are a whole time.
func (r *timeReader) read(run []string) (moment, bool) {
	text := strings.Join(run, " ")
	if m, ok := r.season(run); ok {
		return m, true
	}
	if m, ok := r.familiar(run); ok {
		return m, true
	}
	if run[0] == "in" || run[0] == "on" || run[0] == "since" || run[0] == "now" {
		return moment{}, false
	}
	got, ok := ParseRange(text, r.ref.Now)
	if !ok {
		return moment{}, false
	}
	yearless := !slices.ContainsFunc(run, isYear)
	month := slices.ContainsFunc(run, isMonth) || slices.ContainsFunc(run, isQuarter)
	return moment{Range: got, yearly: month && yearless, relative: !month && yearless && !strings.Contains(text, "-")}, true
}

// seasons are those of the northern hemisphere; winter starts in December.
var seasons = []string{"", "spring", "summer", "autumn fall", "winter"}

func isSeason(word string) bool { _, ok := lookUp(word, seasons); return ok }

// season parses summer, summer 2023, last summer.
func (r *timeReader) season(run []string) (moment, bool) {
	at := slices.IndexFunc(run, isSeason)
	if at < 0 || len(run) > 2 {
		return moment{}, false
	}
	k, _ := lookUp(run[at], seasons)
	in := func(year int) Range {
		from := quarterOf(year, k, r.ref.Now.Location()).From
		from = months.after(from, 2)
		return Range{from, months.after(from, 3)}
	}
	last := in(r.ref.Now.Year())
	if last.From.After(r.ref.Now) {
		last = in(r.ref.Now.Year() - 1)
	}
	if len(run) == 1 {
		return moment{Range: last, yearly: true}, true
	}
	switch w := run[1-at]; {
	case isYear(w):
		year, _ := number(w, 4)
		return moment{Range: in(year)}, true
	case at == 0:
		return moment{}, false
	case w == "last" && last.To.After(r.ref.Now):
		return moment{Range: in(last.From.Year() - 1), relative: true}, true
	case w == "last", w == "past":
		return moment{Range: last, relative: true}, true
	case w == "this":
		if last.To.After(r.ref.Now) {
			return moment{Range: last, relative: true}, true
		}
		return moment{Range: in(r.ref.Now.Year()), relative: true}, true
	case w == "next":
		return moment{Range: in(last.From.Year() + 1), relative: true}, true
	}
	return moment{}, false
}

// familiar parses times that ParseRange does not know: last night, last weekend, last March,
// the 1990s, 2020-2022.
func (r *timeReader) familiar(run []string) (moment, bool) {
	now, first := r.ref.Now, run[0]
	relative := func(r Range) (moment, bool) { return moment{Range: r, relative: true}, true }
	if len(run) == 1 {
		if decade, ok := strings.CutSuffix(first, "0s"); ok && len(decade) == 3 && isYear(decade+"0") {
			year, _ := number(decade+"0", 4)
			from := quarterOf(year, 1, now.Location()).From
			return moment{Range: Range{from, years.after(from, 10)}}, true
		}
		if a, b, ok := strings.Cut(strings.ReplaceAll(first, "–", "-"), "-"); ok && isYear(a) && isYear(b) && a < b {
			x, _ := ParseRange(a, now)
			y, _ := ParseRange(b, now)
			return moment{Range: Range{x.From, y.To}, bounded: true}, true
		}
		switch first {
		case "tonight":
			return relative(day(now, 0))
		case "weekend":
			if last := weekend(now, 0); !last.From.After(now) {
				return relative(last)
			}
			return relative(weekend(now, -1))
		}
		return moment{}, false
	}
	if len(run) != 2 {
		return moment{}, false
	}
	shift, ok := map[string]int{"this": 0, "last": -1, "previous": -1, "past": -1, "next": 1}[first]
	if !ok {
		return moment{}, false
	}
	switch second := run[1]; {
	case second == "night" && first == "last":
		return relative(day(now, -1))
	case first == "this" && (second == "morning" || second == "afternoon" || second == "evening"):
		return relative(day(now, 0))
	case second == "weekend":
		return relative(weekend(now, shift))
	case isMonth(second):
		m, _ := lookUp(second, monthNames)
		year := now.Year()
		switch this := int(now.Month()); {
		case shift < 0 && m >= this:
			year--
		case shift > 0 && m <= this:
			year++
		}
		from := quarterOf(year, 1, now.Location()).From
		from = months.after(from, m-1)
		return relative(Range{from, months.after(from, 1)})
	}
	return moment{}, false
}

// weekend returns the weekend of this week, shifted by a number of weeks.
func weekend(now time.Time, shift int) Range {
	from := weeks.after(days.after(weeks.start(now), 5), shift)
	return Range{from, days.after(from, 2)}
}

// isTime reports whether words that may be a time probably are one.
func (r *timeReader) isTime(i, n int, led lead) bool {
	run := r.words[i : i+n]
	first, last, next := run[0], run[n-1], r.at(i+n)
	digits := slices.ContainsFunc(run, func(w string) bool { return strings.ContainsAny(w, "0123456789") })
	capital := startsUpper(r.typed[i+n-1])
	switch {
	case first == "today" || first == "yesterday" || first == "tomorrow" || first == "tonight" || last == "ago":
		return true
	case first == "last" || first == "past" || first == "this" || first == "next" || first == "previous":
		// As in: this may help; the last day of school.
		verb := isVerb(last) && !capital && first != "last" && first != "past"
		return n > 1 && !verb && !(next == "of" && n == 2)
	case slices.ContainsFunc(run, isSeason):
		if n == 2 {
			return true // of a year: season reads no other
		}
		// As in: after the fall; in Spring Boot.
		the := r.at(i-1) == "the" && r.at(i-2) != "in" && r.at(i-2) != "during"
		return led == strong && !the && next != "of" && !(capital && i+n < len(r.typed) && startsUpper(r.typed[i+n]))
	case slices.ContainsFunc(run, isMonth):
		return r.isMonthTime(i, n, led)
	case slices.ContainsFunc(run, isQuarter):
		return digits && n > 1 || led != unled
	case n == 1 && first == "weekend":
		return led == strong || r.at(i-1) == "the" && r.at(i-2) == "over"
	case n == 1 && isYear(first):
		return led != unled && !counted[next]
	case isWeekday(first):
		return led == strong && (len(first) > 4 || capital || first != "sun" && first != "sat" && first != "wed")
	case n == 1 && digits && strings.Contains(first, "-"):
		return true
	case n == 1 && strings.HasSuffix(first, "0s"):
		return led != unled
	}
	return false
}

// isMonthTime reports whether words with the name of a month are a time.
func (r *timeReader) isMonthTime(i, n int, led lead) bool {
	run, next := r.words[i:i+n], r.at(i+n)
	at := slices.IndexFunc(run, isMonth)
	name := run[at]
	if n == 1 {
		switch {
		case isVerb(name) && !startsUpper(r.typed[i]) && verbal[next]:
			return false // as in: where she lives in may be sold
		case led == weak:
			return !isVerb(name) && !nameLike[name]
		}
		return led == strong && (r.at(i-1) != "on" || r.follows)
	}
	// As in: they march 5 miles.
	return !(isVerb(name) && at == 0 && n == 2 && !isYear(run[1]) && !startsUpper(r.typed[i]) && counted[next])
}

// verbal are words that follow may as a verb.
var verbal = set(`be have not also well need i we you he she they it i'd never still or`)

// nameLike are the months that are also first names.
var nameLike = set("april june jan august may")

// counted are words after a number that show that it is not a year.
var counted = set(`miles km kilometers kilometres meters metres steps people times hours days minutes seconds weeks months years
percent men women words pages houses dollars euros pounds kg calories feet places points`)

func isVerb(word string) bool { return word == "may" || word == "march" }

func startsUpper(word string) bool { return word != "" && word[0] >= 'A' && word[0] <= 'Z' }

func startsWithDigit(word string) bool { return word != "" && word[0] >= '0' && word[0] <= '9' }

func isMonth(word string) bool { _, ok := lookUp(word, monthNames); return ok }

func isQuarter(word string) bool {
	return len(word) == 2 && word[0] == 'q' && word[1] >= '1' && word[1] <= '4'
}

func isWeekday(word string) bool { _, ok := lookUp(word, weekdays); return ok }

func isUnit(word string) bool { _, ok := lookUp(word, units); return ok }

// isPeriod reports whether a single word is a time that can have parts.
func isPeriod(word string) bool {
	return isMonth(word) || isYear(word) || isSeason(word) || isUnit(word) || strings.HasSuffix(word, "0s") && len(word) == 5
}

func isYear(word string) bool {
	n, ok := number(word, 4)
	return ok && n >= 1800 && n < 2200
}

// Near returns how near the day of t is to w, from 1 (within it) to 0.
func (w When) Near(t time.Time) float64 {
	year, month, day := t.Date()
	in := w.From.Location()
	if w.From.IsZero() {
		in = w.To.Location()
	}
	noon := time.Date(year, month, day, 12, 0, 0, 0, in)
	if !w.Yearly {
		return w.near(w.Range, noon)
	}
	best := 0.0
	for _, y := range []int{year - 1, year, year + 1} {
		best = max(best, w.near(w.inYear(y), noon))
	}
	return best
}

func (w When) near(r Range, at time.Time) float64 {
	days := func(d time.Duration) float64 { return math.Ceil(d.Hours() / 24) }
	early, late := !r.From.IsZero() && at.Before(r.From), !r.To.IsZero() && !at.Before(r.To)
	switch {
	case !early && !late:
		return 1
	case w.Bounded:
		return 0
	}
	out := lagWeight * math.Exp(-days(at.Sub(r.To))/lagAfter)
	if early {
		out = lagWeight * math.Exp(-days(r.From.Sub(at))/lagBefore)
	}
	if out < leastNear {
		return 0
	}
	return out
}

// String explains how a time was interpreted.
func (w When) String() string {
	from, to := w.From.Format(time.DateOnly), w.To.Add(-1).Format(time.DateOnly)
	switch {
	case w.From.IsZero():
		return "until " + to
	case w.To.IsZero():
		return "from " + from + " on"
	case from == to:
		return from
	}
	return from + " to " + to
}
