package lifecycle

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// isName reports whether a text may name a person: "Vacant", "The founder" and "See board page"
// do not.
func isName(text string) bool {
	c, _ := utf8.DecodeRuneInString(text)
	if !unicode.IsLetter(c) || unicode.IsLower(c) {
		return false
	}
	words := nameWords(text)
	for _, w := range words {
		if strings.Contains(noPerson, " "+w+" ") {
			return false
		}
	}
	for _, w := range strings.FieldsFunc(text, notLetter) {
		if c, _ := utf8.DecodeRuneInString(w); unicode.IsLower(c) && !strings.Contains(particles, " "+w+" ") {
			return false
		}
	}
	return len(words) > 0 && slices.ContainsFunc(words, func(w string) bool { return utf8.RuneCountInString(w) > 1 })
}

// noPerson are folded words used instead of a person's name: for nobody yet, and
// for roles.
const noPerson = " the a an see to na none nobody vacant vacancy empty open position post seat role unknown unclear unnamed undisclosed pending tba tbc tbd tbh tbn nil null various multiple several interim acting former ex founder founders cofounder cofounders owner owners partner partners board chair chairman chairwoman president director directors manager managers management head leader ceo cto cfo coo team staff committee company not no yes recruiting hiring search searching wanted announced determined decided confirmed hired filled internal external page website wiki" +
	" vakant unbesetzt offen gesucht unbekannt keiner keine niemand grunder grunderin geschaftsfuhrer geschaftsfuhrerin vorstand inhaber inhaberin poste pourvoir inconnu inconnue aucun aucune personne fondateur fondatrice vacante desconocido desconocida ninguno ninguna nadie fundador fundadora sconosciuto nessuno fondatore fondatrice onbekend niemand oprichter desconhecido ninguem вакантно вакансия вакантна нет никто неизвестно основатель основательница" +
	" 空缺 待定 暂缺 暂无 无 未知 未定 创始人 创办人 空席 なし 不明 募集中 創業者 代行 "

// particles are lower-case words within names.
const particles = " von van vom zu zum zur der den de del della di da do dos das du des la le el al bin ibn ben bint ten ter te af av y e i und and "

func notLetter(c rune) bool { return !unicode.IsLetter(c) && !unicode.Is(unicode.M, c) }

// letters are folded where Unicode has no letter and an accent.
var letters = strings.NewReplacer("ø", "o", "œ", "o", "æ", "a", "ß", "ss", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i")

// transcribed are pairs of letters that may represent an accented letter: "Joern"
// is "Jørn" and "Jörn".
var transcribed = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u", "aa", "a", "th", "t", "y", "i", "w", "v")

// nameWords returns the words of a name without accents and titles.
func nameWords(name string) (out []string) {
	folded := strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) {
			return -1
		}
		return c
	}, norm.NFKD.String(letters.Replace(strings.ToLower(name))))
	for _, w := range strings.FieldsFunc(folded, notLetter) {
		if !strings.Contains(" dr prof mr mrs ms sir dame phd jr sr herr frau mme ", " "+w+" ") {
			out = append(out, w)
		}
	}
	return out
}

// sameName reports whether two names may be variants of one name: without accents,
// in another order, with initials or without a middle name, or in another script.
func sameName(a, b string) bool {
	short, long := nameWords(a), nameWords(b)
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) == 0 {
		return false
	}
	if script(short[0]) != script(long[0]) {
		return true
	}
	for _, w := range short {
		i := slices.IndexFunc(long, func(o string) bool { return w == o || transcribed.Replace(w) == transcribed.Replace(o) })
		if i < 0 {
			i = slices.IndexFunc(long, func(o string) bool { return initials(w, o) || initials(o, w) })
		}
		if i < 0 {
			return false
		}
		long = slices.Delete(slices.Clone(long), i, i+1)
	}
	return true
}

// isFullName reports whether a name is more than a first name, a nickname or a surname.
func isFullName(name string) bool {
	words := nameWords(name)
	return len(words) > 1 || len(words) == 1 && script(words[0]) == unicode.Han && utf8.RuneCountInString(words[0]) > 1
}

// mayBeOne reports whether two different names may belong to the same person: they
// share a word, such as the surname, or its beginning, or one has an initial of the
// other.
func mayBeOne(a, b string) bool {
	all, others := nameWords(a), nameWords(b)
	for _, w := range all {
		if slices.ContainsFunc(others, func(o string) bool {
			a, b := []rune(transcribed.Replace(w)), []rune(transcribed.Replace(o))
			n := min(len(a), len(b), 3)
			return slices.Equal(a[:n], b[:n])
		}) {
			return true
		}
	}
	return false
}

// initials reports whether a word is the first letter of another one.
func initials(letter, word string) bool {
	return utf8.RuneCountInString(letter) == 1 && strings.HasPrefix(word, letter)
}

// script returns the script of a word.
func script(word string) *unicode.RangeTable {
	c, _ := utf8.DecodeRuneInString(word)
	for _, t := range []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Han, unicode.Hangul, unicode.Katakana, unicode.Hiragana} {
		if unicode.Is(t, c) {
			return t
		}
	}
	return nil
}
