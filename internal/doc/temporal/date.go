package temporal

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
)

// maxDate is the maximum length of a date.
const maxDate = 64

const (
	monthName = `(?:` + otherMonths + `|Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?`
	yearText  = `[12]\d{3}`
	dayText   = `\d{1,2}(?:st|nd|rd|th|\.|er|º|°)?`

	// ofYear may follow a year in Russian.
	ofYear = `(?: (?:г\.|года|году))?`

	// Months of German, French, Spanish, Italian, Dutch, Portuguese and Russian that differ
	// from English.
	otherMonths = `Januar|Jänner|Februar|März|Mai|Juni|Juli|Okt(?:ober)?|Dez(?:ember)?|` +
		`janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|` +
		`enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre|` +
		`gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|` +
		`januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december|` +
		`janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro|` + cyrillicMonths

	cyrillicMonths = `[Яя]нвар[ьяе]|[Фф]еврал[ьяе]|[Мм]арт[ае]?|[Аа]прел[ьяе]|[Мм]а[йяе]|[Ии]юн[ьяе]|[Ии]юл[ьяе]|[Аа]вгуст[ае]?|[Сс]ентябр[ьяе]|[Оо]ктябр[ьяе]|[Нн]оябр[ьяе]|[Дд]екабр[ьяе]`
)

// foreignMonth are the months that start differently than in English.
var foreignMonth = map[string]int{
	"mär": 3, "mai": 5, "okt": 10, "dez": 12, "fév": 2, "avr": 4, "aoû": 8, "déc": 12, "ene": 1, "abr": 4, "ago": 8, "dic": 12,
	"gen": 1, "mag": 5, "giu": 6, "lug": 7, "set": 9, "ott": 10, "maa": 3, "mei": 5, "fev": 2, "out": 10, "jui": 6, "juillet": 7, "jän": 1,
	"янв": 1, "фев": 2, "мар": 3, "апр": 4, "май": 5, "мая": 5, "мае": 5, "июн": 6, "июл": 7, "авг": 8, "сен": 9, "окт": 10, "ноя": 11, "дек": 12,
}

// written are the forms of dates, longer ones first: patterns with groups named y, m, d and
// q.
var written = []string{
	`(?P<y>` + yearText + `) ?年 ?(?P<m>\d{1,2}) ?月 ?(?P<d>\d{1,2}) ?[日号]`,
	`(?P<y>` + yearText + `) ?年 ?(?P<m>\d{1,2}) ?月`,
	`(?P<y>` + yearText + `) ?年`,
	`\[\[(?P<y>` + yearText + `)-(?P<m>\d\d)-(?P<d>\d\d)\]\]`,
	`[<\[](?P<y>` + yearText + `)-(?P<m>\d\d)-(?P<d>\d\d)(?: [^\]>\n]*)?[>\]]`,
	`(?P<y>` + yearText + `)-(?P<m>\d\d)-(?P<d>\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b`,
	`(?P<y>` + yearText + `)[/.](?P<m>\d\d)[/.](?P<d>\d\d)\b`,
	`(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>` + yearText + `)\b`,
	`(?P<y>` + yearText + `)-(?P<m>\d\d)\b`,
	`(?:the )?(?P<d>` + dayText + `) (?:of |de )?(?P<m>` + monthName + `),? (?:del? )?(?P<y>` + yearText + `)\b` + ofYear,
	`(?P<m>` + monthName + `) (?P<d>` + dayText + `),? (?P<y>` + yearText + `)\b`,
	`(?:(?:the )?(?:end|beginning|start|middle) of |early |late |mid-? ?)?(?P<m>` + monthName + `),?(?: of| del?)? (?P<y>` + yearText + `)\b` + ofYear,
	`Q(?P<q>[1-4])(?:[ /-]|/ )(?P<y>` + yearText + `)\b`,
	`(?P<y>` + yearText + `)[ -]?Q(?P<q>[1-4])\b`,
	`(?:(?:the )?(?:end|beginning|start|middle|spring|summer|autumn|fall|winter) of |early |late |mid-? ?|(?:[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter) )?(?P<y>` + yearText + `)\b` + ofYear,
}

var dateForms = sync.OnceValue(func() (out []*regexp.Regexp) {
	for _, form := range written {
		out = append(out, regexp.MustCompile(`^`+form))
	}
	return out
})

var months = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}

// cutDate reads a date at the start of a text. It returns its ISO form, "" for a date that
// does not exist, and its length, 0 if there is none.
func cutDate(text string) (iso string, length int) {
	text = text[:min(len(text), maxDate)]
	if text == "" || !dateStart[text[0]] || !hasYear(text) {
		return "", 0
	}
	for _, form := range dateForms() {
		found := form.FindStringSubmatchIndex(text)
		if found == nil {
			continue
		}
		group := func(name string) string {
			i := form.SubexpIndex(name)
			if i < 0 || found[2*i] < 0 {
				return ""
			}
			return text[found[2*i]:found[2*i+1]]
		}
		return isoDate(group("y"), group("m"), group("d"), group("q")), found[1]
	}
	return "", 0
}

// hasYear reports whether a text has the four digits of a year, which every date has.
func hasYear[T string | []byte](text T) bool {
	digits := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			digits = 0
		} else if digits++; digits >= 4 {
			return true
		}
	}
	return false
}

// mayDate reports whether a text may have a date: a year, a month, or one relative to today.
func mayDate[T string | []byte](text T) bool {
	if hasYear(text) {
		return true
	}
	for i := 2; i < len(text); i++ {
		switch string([]byte{text[i-2] | 0x20, text[i-1], text[i]}) {
		case "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", // months
			"ago", "las", "thi", "yes", "tod", "rec": // ago, last, this, yesterday, today, recently
			return true
		}
	}
	return false
}

// dateStart are the bytes that a date may start with.
var dateStart = func() (out [256]bool) {
	for _, c := range []byte("0123456789[<QJFMASONDtelmsawfjodng") {
		out[c] = true
	}
	out[0xd0], out[0xd1] = true, true // Cyrillic
	return out
}()

// isoDate returns the ISO form of the parts of a date, "" if the date does not exist.
func isoDate(year, month, day, quarter string) string {
	if quarter != "" {
		q, _ := strconv.Atoi(quarter)
		return fmt.Sprintf("%s-%02d", year, 3*q) // the date is the end of the quarter
	}
	date := year
	if month != "" {
		n, err := strconv.Atoi(month)
		if err != nil {
			n = monthNumber(strings.ToLower(month))
		}
		date += fmt.Sprintf("-%02d", n)
	}
	if day != "" {
		date += fmt.Sprintf("-%02s", strings.TrimRight(day, "stndrhe.º°"))
	}
	if !doc.IsDate(date) {
		return ""
	}
	return date
}

// monthNumber returns the number of a month by its name in lower case, 0 for other names.
func monthNumber(name string) int {
	start := string([]rune(name)[:3])
	for _, key := range []string{name, start} {
		if n := foreignMonth[key]; n != 0 {
			return n
		}
	}
	return slices.Index(months, start) + 1
}

// firstDate returns the date at the start of a text as an ISO date; "" if there is none.
func firstDate(text string) string {
	part := strings.TrimLeft(text[:min(len(text), maxDate)], "*_ ")
	iso, n := cutDate(part)
	next, _ := utf8.DecodeRuneInString(part[n:])
	if n == 0 || unicode.IsLetter(next) && !unspaced(next) || next == '-' && n+1 < len(part) && part[n+1] != '-' && part[n+1] != ' ' {
		return ""
	}
	return iso
}

// firstUnspaced is less than all letters of these scripts: smaller ones, which are most, are
// not looked up.
const firstUnspaced = 0x2e80

// unspaced reports whether a letter belongs to a script without blanks between
// words.
func unspaced(r rune) bool {
	return r >= firstUnspaced && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー')
}

// lastDate returns the last date in a text as an ISO date; "" if there is none.
func lastDate(text string) (last string) {
	for i := 0; i < len(text); {
		iso, n := "", 0
		if i == 0 || !isLetter(text[i-1]) && (text[i-1] < '0' || text[i-1] > '9') {
			iso, n = cutDate(text[i:])
		}
		if n == 0 {
			i++
			continue
		}
		if iso != "" {
			last = iso
		}
		i += n
	}
	return last
}
