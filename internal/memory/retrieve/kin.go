package retrieve

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// kinPages is how many of the best pages without a word of the question are read for another
// form of one.
const kinPages = 20

// isKin reports whether a page may have a word of a question in a script that the model does not
// know in another form: a character of Han or Katakana, or the first letters of an inflected word.
// The index has pairs of characters, and words as they are written.
func (s *Search) isKin(ctx context.Context, c candidate) (bool, error) {
	parts := kinParts(wordsOf(s.query.Root))
	if len(parts) == 0 {
		return false, nil
	}
	o, err := s.pageText(ctx, c.page)
	if err != nil {
		return false, err
	}
	text := " " + strings.Join(kinWords(c.page.Title+" "+string(o.readingLines())), " ")
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) }), nil
}

// kinParts are what a page has of a question's words, at least: single characters, and the begins
// of words after a blank.
func kinParts(question string) (out []string) {
	for _, w := range kinWords(question) {
		letters := []rune(w)
		first := letters[0]
		switch {
		case unicode.In(first, unicode.Han, unicode.Katakana, unicode.Hiragana):
			for _, c := range letters {
				if unicode.Is(unicode.Han, c) && !strings.ContainsRune(commonHan, c) {
					out = append(out, string(c))
				}
			}
		case unicode.Is(unicode.Hangul, first):
			if len(letters) > 1 {
				out = append(out, " "+string(letters[:2]))
			}
		case unicode.In(first, unicode.Hebrew, unicode.Arabic):
			if len(letters) > 3 {
				out = append(out, string(letters[1:4]), " "+string(letters[:3]))
			}
		case unicode.In(first, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			for i := range len(letters) - 3 {
				out = append(out, string(letters[i:i+4]))
			}
		case len(letters) > 3 && !strings.Contains(commonBegins, " "+string(letters[:4])+" "):
			out = append(out, " "+string(letters[:4]))
		}
	}
	return out
}

// commonHan are characters of questions about anything.
const commonHan = "的了是在我你您他她它们有和与就不都而及着或一个几多少什么怎样哪谁吗呢吧啊这那要会能可以上下来去为到说也很给让被把从对做想需请问时候何人年月日天次些种样请"

// commonBegins are those of words of questions about anything.
const commonBegins = " когд како каки кака скол поче кото чтоб этог тако были было была есть можн нужн межд чере посл если толь ποτε ποιο ποια ποσο γιατ ειναι εινα στην στον "

// finals are the forms of Hebrew letters at the end of a word.
var finals = strings.NewReplacer("ך", "כ", "ם", "מ", "ן", "נ", "ף", "פ", "ץ", "צ")

// kinWords are the words of a text in small letters, without accents and points.
func kinWords(text string) []string {
	folded := strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) && !unicode.In(c, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
			return -1
		}
		return c
	}, norm.NFKD.String(strings.ToLower(text)))
	return strings.FieldsFunc(norm.NFC.String(finals.Replace(folded)), func(c rune) bool { return !unicode.In(c, unicode.L, unicode.M, unicode.N) })
}
