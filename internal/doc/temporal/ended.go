package temporal

import (
	"bytes"
	"cmp"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Parts of the patterns. R is a role, D a date, O the object.
const (
	anyMention = mark + `(?:S|\d+)` + mark
	object     = mark + `(?P<o>S|\d+)` + mark
	who        = `(?:` + mark + `(?P<s>S|\d+)` + mark + `,? )?`
	ofWhom     = `(?:` + mark + `(?P<s>S|\d+)` + mark + `'s |[Tt]he )?`
	anyDate    = dated + `\d+` + dated
	until      = dated + `(?P<d>\d+)` + dated
	adverbs    = `(?:(?:[Hh]as|[Hh]ad|[Hh]ave|[Tt]hen|finally|also|voluntarily|recently|since|already|just|officially|formally|suddenly|abruptly|quietly|later|and|amicably|(?:handed in|gave) (?:(?:her|his|their) )?(?:notice|resignation) and|(?:took|accepted) (?:a|the|voluntary) (?:voluntary |severance |redundancy )*(?:package|buyout|redundancy) and) )*`
	properName = `((?:the )?\p{Lu}[\p{L}\p{N}&’'.-]*(?: (?:(?:of|and|&|for|the) )?[\p{Lu}\d][\p{L}\p{N}&’'.-]*| [a-z]\d+\b)*)`
	roleNoun   = `(?:[Ee]mployee|[Mm]ember|[Rr]esident|[Hh]ead|[Dd]irector|[Mm]anager|[Ee]ngineer|[Dd]esigner|[Ll]ead|[Ll]eader|[Pp]artner|[Pp]resident|[Cc]hair(?:man|woman|person)?|[Cc]onsultant|[Ii]ntern|[Rr]esearcher|[Aa]nalyst|[Ss]cientist|[Dd]eveloper|[Pp]rogrammer|[Oo]fficer|[Ee]xecutive|[Aa]dvis[eo]r|[Cc]ounsel|[Ll]awyer|[Aa]ccountant|[Aa]ssistant|[Pp]rofessor|[Ll]ecturer|[Tt]eacher|[Ss]tudent|[Ff]ellow|[Oo]wner|[Aa]rchitect|[Ee]ditor|[Ww]riter|[Jj]ournalist|[Ss]ecretary|[Tt]reasurer|[Bb]oss|[Cc]hief|[Ss]taff|[Cc]lerk|[Ss]pecialist|[Tt]echnician|[Cc]oordinator|[Rr]epresentative|[Tt]rainee|[Cc]olleague|[Ww]orker|[Pp]rincipal|[Dd]octor|[Nn]urse|[Cc]ontractor|[Ff]reelancer|[Cc]ontroller|[Cc]ommissioner|[Mm]inister|[Gg]overnor|[Mm]ayor|C[A-Z]{1,2}O|[SE]?VP|MD|PM|HR)`
	role       = `(?:(?:[Tt]he |[Aa]n? |[Hh]er |[Hh]is |[Tt]heir |[Ii]ts )?(?:[\pL&/.-]+ ){0,3}?` + roleNoun + `(?: (?:of|for) (?:` + anyMention + `|(?:[\pL&-]+ ){0,2}[\pL&-]+))?)`
	work       = `(?:[Ww]orked|[Ww]as|[Bb]een|[Ss]tayed|[Ll]ived|[Ss]erved|[Ee]mployed|[Cc]onsulted|[Ss]tudied|[Tt]aught|[Rr]eported|[Ll]ed|[Rr]an|[Hh]eaded)`
)

// asOfWords introduce a statement as of a day.
const asOfWords = `(?:[Aa]s of|Stand:?(?: (?:vom|per|am|zum))?|État au|A fecha del?|Aggiornato al|Situatie op|Atualizado em|По состоянию на|截至|截止)`

// form is one way to express that something has ended.
type form struct {
	re *regexp.Regexp
	// weak needs a date or "has": "left Brex" may be for lunch.
	weak bool
	// past matches words for a former state: "former", which a later role at the same place
	// revokes.
	past bool
	// now is in the present tense: for news in entries.
	now bool
	// from may be followed by "to" and another object.
	from bool
	// doubt matches words for plans and negations in its language, nil for English.
	doubt *regexp.Regexp
	// pronoun matches the pronouns of its language: "Ella" is a name in English.
	pronoun *regexp.Regexp
	// onward matches text that may follow the object of a weak form in its language, nil for
	// English.
	onward *regexp.Regexp
	// perfect is a weak form that does not need a date.
	perfect bool
	// here has a subject but no object, which is the page: a firm, not a person.
	here bool
	// words are texts of which each match has at least one; nil if none are known. Looking for
	// them takes a tenth of the time of the expression, which few sentences match.
	words []string
}

// withWords sets the words of forms.
func withWords(forms []form) []form {
	for i := range forms {
		parsed, err := syntax.Parse(forms[i].re.String(), syntax.Perl)
		if err == nil { // it was compiled
			forms[i].words = wordsOf(parsed)
		}
	}
	return forms
}

// wordsOf returns texts of which each match of an expression has at least one, the longest
// that it needs; nil if none are known.
func wordsOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if text := string(re.Rune); re.Flags&syntax.FoldCase == 0 && strings.Trim(text, " "+mark) != "" {
			return []string{text}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return wordsOf(re.Sub[0])
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			words := wordsOf(sub)
			if words == nil {
				return nil
			}
			all = append(all, words...)
		}
		return all
	case syntax.OpConcat:
		var best []string
		shortest := func(words []string) int {
			n := math.MaxInt
			for _, w := range words {
				n = min(n, len(w))
			}
			return n
		}
		for _, sub := range re.Sub {
			words := wordsOf(sub)
			if words != nil && (best == nil || cmp.Or(cmp.Compare(shortest(words), shortest(best)), len(best)-len(words)) > 0) {
				best = words
			}
		}
		return best
	}
	return nil
}

// mayMatch reports whether a sentence has one of the words of the form.
func (f *form) mayMatch(words string) bool {
	return f.words == nil || slices.ContainsFunc(f.words, func(w string) bool { return strings.Contains(words, w) })
}

// patterns are compiled when a text first has one of the cues.
type patterns struct {
	forms                                       []form
	context                                     *regexp.Regexp
	doubt, theirs, anew, elsewhere, stays       *regexp.Regexp
	holds, joins, back, returned, title         *regexp.Regexp
	others, pronoun, possessive, longer, proper *regexp.Regexp
	mention, footnote, code, emphasis           *regexp.Regexp
	relative, bareMonth, beforeMonth            *regexp.Regexp
	asOf, asOfText, asOfWithin, leadDate, since *regexp.Regexp
	label, category, toObject, dateNext         *regexp.Regexp
	closed, clause, has, anotherName, dateLast  *regexp.Regexp
	quotedName, dateFirst, bounds               *regexp.Regexp
	otherName, notName, quits, stepsDown        *regexp.Regexp
	tags, gap, trip, toPlace, newWork           *regexp.Regexp
	lastDay, notice                             *regexp.Regexp
}

var compiled = sync.OnceValue(func() *patterns {
	re := regexp.MustCompile
	leftVerb := `(?:[Ll]eft|[Qq]uit|[Ee]xited|[Mm]oved on from|[Ff]inished (?:up )?at)`
	gone := `(?:[Dd]eparted(?: from)?|(?:[Ll]eft|[Qq]uit|[Gg]ave up|[Ll]ost|(?:[Rr]esigned|[Rr]etired|[Ss]tepped down) from) (?:her|his|their|the) (?:job|position|post|role)(?: as ` + role + `)? (?:at|with|in|of)|(?:[Ww]as |[Ww]ere |[Gg]ot |been )(?:made redundant|sacked|terminated) (?:by|at|from)|[Rr]esigned(?: (?:as|her post as|his post as) ` + role + `)? (?:from|at)|[Rr]esigned as ` + role + ` of|[Ss]tepped down(?: from| as ` + role + ` (?:of|at|from))|[Rr]etired(?: as ` + role + `)? (?:from|at|of)|(?:(?:[Ww]as |[Ww]ere |[Gg]ot |been )(?:fired|dismissed|laid off|[l]et go|ousted|removed)|[Ff]ired|[Ll]aid off|[Oo]usted)(?: as ` + role + `)? (?:from|by)|(?:[Ww]as |[Ww]ere |[Gg]ot |been )(?:fired|dismissed|ousted|removed) as ` + role + ` (?:of|at)|[Pp]arted ways with|[Ss]eparated from|[Dd]ivorced(?: from)?|[Ss]topped (?:working|consulting|teaching|living|reporting) (?:at|for|with|in|to)|[Cc]eased to (?:be ` + role + ` of|work (?:at|for)|live in)|(?:[Ee]nded|[Ff]inished|[Cc]ompleted) (?:(?:her|his|their|the|its) )?(?:\pL+ )?(?:employment|contract|engagement|internship|stint|tenure|membership|term|mandate) (?:at|with|for|in|of))`
	leaves := `(?:[Ll]eaves|[Qq]uits|[Dd]eparts(?: from)?|[Rr]esigns(?: as ` + role + `)? (?:from|at|of)|[Ss]teps down(?: from| as ` + role + ` (?:of|at|from))|[Rr]etires from)`
	anyone := `(?:` + anyMention + `|\p{Lu}\S*(?: \p{Lu}\S*)*\b)`
	them := mark + `(?P<s>\d+)` + mark
	ours := `(?: (?:(?:the|our|this) (?:company|firm|team|board|organi[sz]ation|group|project|startup|business|club|practice)|us))?`
	// A stand-in has the role temporarily: only a date may follow.
	succeededIn := `(?:,? (?:(?:in|on|from|since|as of|effective|at the end of|early in|late in) ){1,2}` + until + `)?[.!]?$`
	seat := `(?: (?:(?:its|their|the|her|his) )?(?:headquarters|HQ|head office|offices?|seat|base|home))?`
	return &patterns{
		forms: withWords([]form{
			{re: re(`^` + who + adverbs + leftVerb + ` ` + object), weak: true},
			{re: re(`^` + who + adverbs + gone + ` ` + object)},
			{re: re(`^(?:` + who + `and )` + object + `,? ` + adverbs + `[Pp]arted (?:ways|company)`)},
			{re: re(`^` + who + adverbs + `[Hh]anded over as ` + role + ` (?:of|at) ` + object + `(?: to ` + anyone + `)?` + succeededIn), from: true},
			{re: re(`^` + who + adverbs + `(?:[Ww]as |been )(?:succeeded|replaced) as ` + role + ` (?:of|at) ` + object + `(?: by ` + anyone + `)?` + succeededIn)},
			{re: re(`^` + anyone + `,? ` + adverbs + `(?:[Ss]ucceeded|[Rr]eplaced|[Tt]ook over from) ` + mark + `(?P<s>S|\d+)` + mark + ` as ` + role + ` (?:of|at) ` + object + succeededIn)},
			{re: re(`^` + who + adverbs + `(?:[Rr]etired|[Ll]eft|[Rr]esigned|[Dd]eparted)(?: (?:in|on|at the end of) ` + until + `)? after (?:[\pL\d-]+ ){1,4}years (?:at|with) ` + object)},
			{re: re(`^` + who + leaves + ` ` + object), weak: true, now: true},
			{re: re(`^` + who + adverbs + `(?:(?:` + work + ` )+(?:as ` + role + ` |` + role + ` )?(?:at|for|with|in|by|of|to)|(?:as )?` + role + ` (?:at|of|with|for|in)|[Aa]t|[Ww]ith|[Ll]ed|[Rr]an|[Hh]eaded|` + role + `,) ` + object + `,? \(?(?:(?:from |since )?` + anyDate + ` )?(?:until|till|through|up to) ` + until + `\)?`), past: true},
			{re: re(`^` + who + adverbs + `(?:(?:` + work + ` )+(?:as ` + role + ` |` + role + ` )?(?:at|for|with|in|by|of|to)|(?:as )?` + role + ` (?:at|of|with|for|in)|[Aa]t|[Ww]ith|[Ll]ed|[Rr]an|[Hh]eaded|` + role + `,) ` + object + `,? \(?(?:between ` + anyDate + ` and |(?:(?:from|in|during) )?` + anyDate + ` ?(?:to|–|—|-) ?)` + until + `\)?`), past: true},
			{re: re(`^` + who + `(?:is |are |was )?[Nn]o longer (?:(?:works|working|work|employed|lives|living|live|reports|reporting|married|part|a part|` + role + `) )?(?:at|for|with|in|by|of|to) ` + object)},
			{re: re(`^(?:` + who + `(?:(?:is|was),? (?:now )?)?|[Nn]ow )?(?:[Aa]n? |[Tt]he )?(?:[Ff]ormer|[Ff]ormerly|[Ee]x-|[Ee]x |[Pp]revious|[Pp]reviously|[Oo]ne-time|[Rr]etired) ?(?:the |an? )?` + role + ` (?:at|of|with|for|from|in) ` + object), past: true},
			{re: re(`^(?:` + who + `(?:is|was) )?(?:[Ff]ormerly|[Pp]reviously|[Uu]ntil recently) (?:(?:worked|employed|was|lived|based) )?(?:at|with|of|for|in|by) ` + object), past: true},
			{re: re(`^(?:` + who + `(?:is|was) )?(?:[Aa]n? |[Tt]he )?(?:[Ff]ormer |[Ee]x[- ])` + object + `(?: ` + role + `)?`), past: true},
			{re: re(`^` + who + `[Uu]sed to (?:work|live|consult|teach|study|be(?: ` + role + `)?|report) (?:at|for|in|of|with|to) ` + object), past: true},
			{re: re(`^` + ofWhom + `?[Ll]ast (?:working )?day (?:at|with|in|of work at|of work with) ` + object + `(?: was|:| is)?(?: on)? ` + until)},
			{re: re(`^` + who + adverbs + `(?:[Mm]oved|[Ss]witched|[Rr]elocated|[Tt]ransferred|[Mm]oves|[Ss]witches|[Rr]elocates)` + seat + `(?: away)? (?:from|out of) ` + object), from: true},
			{re: re(`^` + who + adverbs + `(?:[Mm]oved|[Ss]witched|[Rr]elocated|[Tt]ransferred)` + seat + `(?: to)? ` + anyMention + ` from ` + object), from: true},
			{re: re(`^` + ofWhom + `(?:\pL+ )?(?:[Jj]ob|[Cc]ontract|[Ee]mployment|[Ee]ngagement|[Ii]nternship|[Ss]tint|[Tt]enure|[Mm]embership|[Tt]ime|[Tt]erm|[Rr]ole|[Pp]osition|[Pp]artnership|[Mm]arriage|[Ll]ease)(?: as ` + role + `)? (?:at|with|in|to|of) ` + object + ` (?:has |had |was )?(?:ended|expired|ran out|terminated|lapsed|come to an end|came to an end|is over)`)},
			{re: re(`^` + them + `,? ` + adverbs + `(?:` + leftVerb + `|[Dd]eparted)` + ours), weak: true, here: true},
			{re: re(`^` + them + `,? ` + adverbs + `(?:(?:[Rr]esigned|[Rr]etired|[Ss]tepped down)(?: (?:from|as)` + ours + `)?|(?:was |got |been )(?:fired|dismissed|laid off|let go|ousted|sacked|made redundant|removed))(?:(?: from (?:her|his|their|the) (?:job|position|post|role))?(?: ?\bas)? ` + role + `)?`), here: true},
			{re: re(`^` + them + `,? ` + adverbs + `(?:[Hh]anded over as|was (?:succeeded|replaced)(?: by ` + anyone + `)? as) ` + role + `(?: (?:to|by) ` + anyone + `)?` + succeededIn), here: true},
			{re: re(`^` + anyone + `,? ` + adverbs + `(?:[Ss]ucceeded|[Rr]eplaced|[Tt]ook over from) ` + them + ` as ` + role + succeededIn), here: true},
			{re: re(`^` + them + `,? ` + adverbs + `(?:is |are |was )?no longer (?:(?:works?|working|employed) )?(?:(?:with|at|for|part of)` + ours + `|here|` + role + `)`), here: true},
			{re: re(`^` + them + `,? ` + adverbs + `(?:` + work + ` )+(?:here|as ` + role + `|` + role + `),? \(?(?:(?:from |since )?` + anyDate + ` )?(?:until|till|through|up to|to|–|—|-) ?` + until + `\)?`), past: true, here: true},
			{re: re(`^` + them + `'s last (?:working )?day(?: (?:here|at work|with us))?(?: was|:| is)?(?: on)? ` + until), here: true},
			{re: re(`^(?:After|Since|Upon|On) (?:leaving|quitting|departing|resigning from|(?:her|his|their) (?:departure|resignation|exit) from) ` + object)},
		}),
		quits:     re(`^(?:` + self + `,? )?` + adverbs + `(?:(?:[Ll]eft|[Qq]uit|[Dd]eparted from) (?:(?:the|our|this) (?:company|firm|organi[sz]ation|business|startup)|(?:her|his|their) job)|[Rr]esigned|[Rr]etired|[Qq]uit|(?:[Ww]as |got |been )(?:fired|dismissed|laid off|let go|ousted|sacked|made redundant)|[Ll]aid off)`),
		stepsDown: re(`^(?:` + self + `,? )?` + adverbs + `(?:[Ss]tepped down|[Rr]esigned|[Rr]etired)(?: as (?:the )?(` + roleNoun + `))?`),
		lastDay:   re(`^` + self + `'s last (?:working )?day(?: at work)?(?: was|:| is) ?(?:on )?` + until),
		notice:    re(`(?i)\b(?:notice|resign|terminat|quit|contract|job|role|position|employ|redundan|laid off|let go|fired|dismiss)`),
		context: re(`^(?:(?:has |had )?(?:[Ll]eft|[Qq]uit|[Rr]esigned|[Ee]nded|[Oo]ver|[Ff]inished|[Ss]tepped down|[Rr]etired|[Dd]eparted|[Mm]oved away)(?: (?:in|on|at|by|since))?(?: ` + until + `)?|[Uu]ntil ` + until + `|[Ff]ormer(?:ly)?|[Nn]o longer(?: there)?|[Ll]ast day:?(?: (?:was|on))? ` + until +
			`|(?:ausgeschieden|verlassen|gekündigt|partie?|quittée?|dejó|salió|lasciato|dimess[oa]|vertrokken|saiu|deixou|ушла?|уш[её]л|уволился|уволилась)(?: (?:im|am|in|en|le|el|nel|a|op|em|в|с)(?: \pL+)?)?(?: ` + until + `)?` +
			`|(?:[Bb]is|jusqu['’](?:en|au|à)|hasta|fino al?|tot|até|до|по)(?: \pL+)? ` + until +
			`|` + until + `(?:まで|为止|之前|以前)|(?:` + until + `(?:に|末)?)?(?:退職|退社|離職|退任|离职|离开|辞职)(?:した|しました|了)?)[.!。]?$`),
		doubt: re(`(?i:\b(?:not|never|nobody|no[ -]one|neither|nor|if|unless|would|might|could|should|plans?|planned|planning|wants?|wanted|hopes?|hoped|intends?|rumou?r(?:s|ed)?|reportedly|allegedly|supposedly|said|says|claims?|claimed|denie[sd]|almost|nearly|considered|considers|considering|temporarily|briefly|sabbatical|threatened|about to|going to|pretend(?:s|ed)?)\b)|n't|n’t|\bmay\b|["“”„«»?]|~~|` + code + `|(?:^|\s)\+\S[^+]*\S\+(?:\W|$)|^Who\b` +
			`|(?i:\b(?:succeeded|replaced|took over|handed over)\b.* as (?:the |an? |her |his |their )?(?:acting|interim|temporary|caretaker|stand-in|provisional|ad interim)\b)`),
		theirs: re(`\b(?:its?|their|there|again|back|promoted|returned|rejoined|since then)\b`),
		anew:   re(`\b(?:now|today|currently|became|becomes|promoted|succeeded|still)\b|, (?:is|has been) (?:the |an? |its )?(?:new )?` + role + `(?:[.,;]|$)|[,;] (?:(?:and|then|later|since|from|afterwards) )*` + role + `(?:,? (?:since|from|as of|in|to)\b|,? ?\(?` + anyDate + `|[.,;]|$)|теперь е[её] |теперь его |现任(?:C[A-Z]O|首席|总|董事|其|该)|現在は(?:C[A-Z]O|社長|会長|代表|取締役)`),
		stays:  re(`(?:,|,? (?:and|but)) (?:(?:she|he|they) )?(?:is|are|then|now|has been|became|becomes|stays?|stayed|remains?|remained|continues?|continued)\b|\bto (?:become|be|stay|remain)\b`),
		elsewhere: re(anyMention + `|\b(?:at|joined|joins|with) \p{Lu}|\b(?:freelance|freelances|freelancing|freelancer|self-employed|independent|retired|on (?:her|his|their) own)\b` +
			`|\bnow (?:an? |the )?(?:[\pL-]+ ){0,4}?(?:of|at|for|in|with) (?:two|three|four|several|many|some|various|another|other) ` +
			`|\b(?:and )?now (?:an? )?(?:[\pL-]+ )?(?:author|writer|novelist|artist|painter|musician|teacher|farmer|politician|investor|student|lecturer|professor|pensioner|entrepreneur|parent)\b` +
			`|\b(?:and )?now (?:advises|advising|invests|investing|teaches|teaching|writes|writing|studies|studying|consults|consulting|travels|travelling|farms|farming)\b`),
		holds:       re(`(?i)\b(?:arbeitet|leitet|führt|wohnt|lebt|ist|travaille|dirige|habite|est|trabaja|vive|lavora|werkt|woont|trabalha|is|works|leads|runs|heads|chairs|serves|stays|remains|continues|lives|now|currently|still|today)\b|работает|руководит|возглавляет|жив[её]т|仍在|目前在|现任|现在在|勤務している|勤務しています|働いている|働いています|在籍している`),
		joins:       re(`\b(?:[Jj]oin(?:s|ed)|[Ss]tart(?:s|ed) (?:at|with)|[Hh]ired by|[Bb]egan at|[Bb]egins at)\b`),
		back:        re(`(?i)\b(?:(?:kehrte|ist|arbeitet) .*(?:zurück|zurückgekehrt|wieder)|est revenue?|a réintégré|volvió|regresó|è tornat[oa]|keerde terug|is terug|voltou|returned|returns|rejoined|rejoins|re-joined|rehired|re-hired|came back|comes back|went back|is back|moved back)\b|вернул(?:ся|ась|ись)|重返|重新加入|回到(?:了)?|復帰し|に戻(?:った|り)`),
		returned:    re(`(?i)\breturn(?:ed|s) (?:the|an?|his|her|their|its|our|my|calls?|emails?|money|from)\b`),
		title:       re(`^(?:` + self + `(?: is|,) )?` + role + ` (?:at|of|with|for|in) ` + object),
		others:      re(`\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}+|\b(?:brother|sister|wife|husband|friend|partner|colleague|mother|father|son|daughter)\b`),
		pronoun:     re(`^(?:[Hh]e|[Ss]he|[Tt]hey|[Ii]t)\b`),
		possessive:  re(`^(?:[Hh]er|[Hh]is|[Tt]heir|[Ii]ts|[Ii]hre?|[Ss]eine?)\b`),
		longer:      re(`^(?:[\p{L}\p{N}_'’&/-]| \p{Lu})`),
		proper:      re(` \p{Lu}\S* $`),
		mention:     re(anyMention),
		footnote:    re(`\[\^[^\]]*\]`),
		code:        re("`[^`]*`"),
		emphasis:    re(`(^|[\s(])[*_/]([^\s*_/][^*_/]*)[*_/]([\s).,:;!]|$)`),
		relative:    re(`^(?:(?:last|this|earlier this) (?:week|month|year|quarter|spring|summer|autumn|fall|winter|morning|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)|yesterday|today|recently|(?:a|one|two|three|four|five|six|\d+) (?:days?|weeks?|months?|years?) ago|(?:letzte|vergangene|vorige|diese)[nrs]? (?:Woche|Monat|Jahr|Quartal|Sommer|Winter|Herbst|Frühling)|gestern|kürzlich|vor (?:kurzem|(?:einem|einer|zwei|drei|vier|fünf|sechs|\d+) (?:Tag(?:en)?|Wochen?|Monat(?:en)?|Jahr(?:en)?))|la semaine dernière|le mois dernier|l['’]an dernier|hier|la semana pasada|el (?:mes|año) pasado|ayer|la settimana scorsa|il mese scorso|l['’]anno scorso|ieri|vorige (?:week|maand)|vorig jaar|gisteren|na semana passada|no (?:mês|ano) passado|ontem)\b`),
		bareMonth:   re(`^(?:` + cyrillicMonths + `|(?:` + monthName + `)(?: \d{1,2}(?:st|nd|rd|th)?)?(?:\b|$))`),
		beforeMonth: re(`\b(?:in|on|since|until|till|of|by|in late|in early|in mid|im|seit|bis|Ende|Anfang|Mitte|zum) $|(?:^| )(?:[Вв]|[Дд]о|[Кк]|[Сс]|начале|конце|начала|конца) $`),
		asOf:        re(`^` + asOfWords + ` ?` + dated + `(\d+)` + dated + `(?:[：，、] ?|[:,]?(?: |$))`),
		asOfText:    re(`^[\s*]*` + asOfWords + ` ?[^:,：，]*[:,：，][\s*]*`),
		asOfWithin:  re(asOfWords + ` ?` + dated + `(\d+)` + dated),
		leadDate:    re(`^(?:In|On|By|Since|Effective|Around|Late in|Early in|(?:At|By) the end of|Im|Am|Seit|Seit (?:Ende|Anfang|Mitte)|Ende|Anfang|Mitte|Im Jahr|En|Le|Depuis|Depuis le|El|Desde|Nel|Dal|Op|Sinds|Em|Desde|В|С|К|В начале|В конце|В середине) ` + dated + `(\d+)` + dated + `,? `),
		since:       re(`^` + dated + `(\d+)` + dated + `(?:: | ?[–—] | - |, |：|(?:現在|時点)(?:で|では)?[、：:，]? ?)`),
		label:       re(`^(?:Stelle|Beruf|Stand|Rolle|Poste|Cargo|Ruolo|Functie|Status|State|Role|Roles|Update|News|Note|Now|Employment|Career|Work|Job|Position|Title|Background|Bio|Summary|Current role|Currently|Residence|Home|Location|Headquarters|HQ)(?: \(` + dated + `(\d+)` + dated + `\))?: `),
		category:    re(`^\[([\w -]+)\] `),
		toObject:    re(`^ (?:to|for|into|nach|zu|zur|zum|à|chez|pour|a|para|naar|per) (?:` + anyMention + `|(?:the )?\p{Lu}[\p{L}\p{N}&'’.-]*(?: \p{Lu}[\p{L}\p{N}&'’.-]*)*)`),
		dateNext:    re(`^,? ?\(?(?:(?:` + beforeDate + ` )*|@)` + dated + `(\d+)` + dated + `\)?`),
		closed:      re(`^(?:[.!;。！；]{0,2} *$|[,;(—–。！；，、（]| [(—–|-]| (?:to|for|after|because|and|when|following|with|where|but|due|over|as|once|having|amid|while|und|um|weil|nach|wegen|nachdem|aber|et|pour|après|mais|y|para|porque|pero|e|per|dopo|perché|ma|en|om|na|omdat|maar|depois|mas)\b| (?:и|но|а|после|чтобы|потому|из-за) |后，|并)`),
		clause:      re(`^(?:[.!;]? *$|, | ?[(—–]| - | (?:und |um |weil |nach |et |pour |y |para |e |per |en |om |to (?:become|pursue|work (?:as|at|for|on)|study|write|focus|concentrate|retire|join (?:the )?\p{Lu}[\p{L}\d&-]*(?: \p{Lu}[\p{L}\d&-]*)*(?:[.!;,]|$))|for ` + anyMention + `|for (?:good|personal|family|health)|for (?:the )?\p{Lu}|after (?:\d+|a|an|one|two|three|four|five|six|seven|eight|nine|ten|many|several) |because |and |but ))`),
		has:         re(`^` + who + `(?:[Hh]as|[Hh]ave|[Hh]ad)\b`),
		dateLast:    re(` (?:in|on|im|am|en|le|el|nel|op|em) ` + dated + `(\d+)` + dated + `[.!]?$`),
		otherName:   re(`\b((?:[Ll]eft|[Qq]uit|[Ee]xited|[Ll]eaves|[Qq]uits|[Ff]rom|[Aa]t|[Oo]f|[Bb]y|[Ww]ith|[Ff]or|[Ii]n|[Ll]eaving|[Ff]ormer|[Ee]x|[Dd]ivorced)[ -])` + properName),
		notName:     re(`^(?:the )?(?:` + monthName + `|Er|Ihrer?|Seiner?|Ende|Anfang|Mitte|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun|Q[1-4]|He|She|They|It|I|We)(?:day)?\b|^(?:\pL+ ){0,2}` + roleNoun + `\b`),
		toPlace:     re(`^ (?:to (?:\p{Lu}|the )|for (?:\p{Lu}|the |an? |\pL+ing\b|lunch\b|dinner\b|vacation\b|holidays?\b|leave\b|work\b))`),
		trip:        re(`(?i)\b(?:visit|trip|travel|tour|walk)`),
		newWork:     re(`^ to (?:become (?:an? |the )?` + role + `|(?:join|found|co-found|lead|run|head|start|launch|set up|build) (?:` + anyMention + `|(?:an?|her|his|their)(?: own| new)? (?:[\pL-]+ )?(?:company|firm|startup|start-up|business|studio|practice|consultancy|agency|fund)))(?:[.!;,]| (?:in|on) ` + anyDate + `|$)`),
		quotedName:  re(`[«「『](` + anyMention + `)[»」』]`),
		dateFirst:   re(`^(?:自|从|于)?` + dated + `(\d+)` + dated + `(?:末に|初めに|付けで|付で|をもって|に|末|底|初|起)?[、，]? ?`),
		bounds:      re(`^(?:まで|から|之前|以前|前|为止|至|到|起|期间|—|–|-|~)`), // of an interval
		tags:        re(`(?: #[\pL\d/_-]+)+$`),
		gap:         re(` ([.,;:!])`),
		anotherName: re(`^,? \p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)* (?:is|was|has|had|[a-z]+ed|[a-z]+s)\b`),
	}
})

// ofRole is what ends a role, or the membership of a part of a firm.
var ofRole = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:[Rr]esigned|[Rr]etired|[Ss]tepped down|[Ff]ired|[Dd]ismissed|[Ll]aid off|[Ll]et go|[Oo]usted|[Ss]acked|[Mm]ade redundant|[Rr]emoved|[Hh]anded over)(?: from (?:her|his|their|the) (?:job|position|post|role))? as ` +
		`|\b(?:[Ss]ucceeded|[Rr]eplaced|[Tt]ook over from) .{1,200}? as |\b(?:[Ss]ucceeded|[Rr]eplaced) as ` +
		`|(?:\b` + work + `|[Nn]o longer) (?:as )?` + role + `\b|^[^\pL]*` + role + `, ` +
		`|\b[Ss]tepped down(?: (?:in|on|at|after|because|due|this|last|to|and)\b|[^\pL]*$|[.,;:(–—])` +
		`|\b(?:[Ff]rom|[Ll]eft|[Qq]uit|[Ee]xited|[Dd]eparted|of|with) (?:the|our|this|its) (?:team|board|group|project)\b`)
})

// OfRole reports whether a statement of an end is of a role: who "stepped down", with or
// without naming the role, or "left the board" may work there still.
func OfRole(statement string) bool { return ofRole().MatchString(statement) }

// mayHold reports whether a text has words that revoke an ending.
func mayHold(text []byte) bool {
	return slices.ContainsFunc([]string{"работает", "руковод", "возглавля", "верну", "仍", "目前", "现在", "现任", "重返", "回到", "復帰", "戻", "現在", "勤務して", "働いて", "oin", "eturn", "ehired", "back", "ired by", "tart", "works", " is ", "rbeitet", "eitet", " ist ", "ehrte", "wieder", "ravaille", "est ", "évint", "rabaja", "olvió", "egresó", "avora", "tornat", "erkt ", "terug", "rabalha", "oltou"}, func(w string) bool { return bytes.Contains(text, []byte(w)) })
}

// unreal lists the categories of observations that state no fact.
var unreal = []string{"idea", "plan", "question", "rumor", "rumour", "hypothesis", "wish", "goal", "todo", "x", " ", "-", ""}

// block reads the statements of a block: of what is over, or of what holds.
func (r *reader) block(b block, held bool) {
	relation := r.isRelation(b)
	if b.scope == r.scope && !held && !relation && !r.mayMatter(b.spans) {
		return
	}
	t := join(r.d, b)
	original := t.line
	if t.relation = relation; relation {
		t.line = strings.ReplaceAll(t.line, "_", " ")
	}
	if b.scope != r.scope {
		r.scope, r.asOf = b.scope, ""
	}
	asOf := hasAsOf(t.line)
	if !asOf && (!held && !MayEnd(t.line) || !r.mentions(t)) || held && t.relation {
		return
	}
	var last *Ended // of the sentence before
	for _, s := range clauses(t.line) {
		if !held && !MayEnd(s.raw) && !hasAsOf(s.raw) && (last == nil || !strings.Contains(s.raw, "Source:")) {
			last = nil
			continue
		}
		if !held && !r.concerns(t, &s) {
			last = nil
			continue
		}
		r.re = compiled()
		r.mark(t, &s)
		words := s.words
		if strings.TrimSpace(words) == "" {
			if last != nil && s.cited != "" {
				last.Source, last.On = cmp.Or(last.Source, s.cited), cmp.Or(last.On, lastDate(s.cited))
			}
			continue
		}
		last = nil
		if m := r.re.category.FindStringSubmatch(words); m != nil {
			if slices.Contains(unreal, strings.ToLower(m[1])) {
				return
			}
			words = words[len(m[0]):]
		}
		words, on := r.lead(&s, words, b.entry)
		on = cmp.Or(on, b.on)
		if !b.entry {
			on = cmp.Or(on, r.asOf)
		}
		if on == "" && s.cited != "" {
			on = lastDate(s.cited)
		}
		found, ended := r.end(&s, words, on, t)
		if held && !ended {
			r.keep(&s, words, on, b.entry)
		}
		if held || !ended {
			continue
		}
		found.Source = cmp.Or(s.cited, b.source)
		found.Entry, found.On = b.entry, on
		found.Quote, found.At = sentence.Shorten(strings.Join(strings.Fields(original[s.start:s.start+len(s.raw)]), " "), maxQuote), t.offset(s.start)
		r.ended = append(r.ended, found)
		last = &r.ended[len(r.ended)-1]
	}
}

// mayMatter reports whether a block may end something, or say of when it is. Where its lines
// are joined by more than the end of a line, a cue may be in the block and not in the text.
func (r *reader) mayMatter(lines []doc.Span) bool {
	whole := lines[0]
	for _, l := range lines[1:] {
		if whole.Len() == 0 || l.Start != whole.End+1 || r.d.Text[whole.End] != '\n' || blanks[r.d.Text[whole.End-1]] == ' ' {
			return true
		}
		whole.End = l.End
	}
	return begin(r.Cues.asOf, whole) || (len(r.Names) > 0 || len(r.within(whole.Start, whole.End)) > 0) && r.mayEnd(whole)
}

// isRelation reports whether a block is the line of a relation.
func (r *reader) isRelation(b block) bool {
	return slices.ContainsFunc(r.n.Relations, func(rel doc.Relation) bool { return rel.Span.Contains(b.spans[0]) })
}

// hasName reports whether a text has a capital letter, a digit or a letter without case: a
// name in small letters is looked for in full.
func (r *reader) hasName(text string) bool {
	for _, c := range text {
		if unicode.IsUpper(c) || c > unicode.MaxLatin1 {
			return true
		}
	}
	return slices.ContainsFunc(r.Names, func(n Name) bool { return strings.Contains(text, n.Text) })
}

// concerns reports whether a clause may be about a page: it has a link, a name, a date of
// what follows, or a source of what came before.
func (r *reader) concerns(t *text, s *clause) bool {
	return t.relation || hasAsOf(s.raw) || strings.Contains(s.raw, "ource:") || len(r.within(t.offset(s.start), t.offset(s.start+len(s.raw))+1)) > 0 ||
		r.mayName() && r.hasName(s.raw)
}

// mentions reports whether a block has a link, or may have the name of a page.
func (r *reader) mentions(t *text) bool {
	return r.mayName() || len(t.spans) > 0 && slices.ContainsFunc(r.within(t.spans[0].Start, t.spans[len(t.spans)-1].End+1), func(m Mention) bool {
		_, in := t.position(m.Span.Start)
		return in
	})
}

// lead cuts "As of DATE:", another date and a label off the start of a sentence, and
// returns the date of the statement.
func (r *reader) lead(s *clause, words string, entry bool) (rest, on string) {
	for {
		if m := r.re.asOf.FindStringSubmatch(words); m != nil {
			if date, ok := s.date(m[1], ""); ok && !entry {
				on, r.asOf = date, date
			}
			words = words[len(m[0]):]
			continue
		}
		if m := r.re.since.FindStringSubmatch(words); m != nil {
			if date, ok := s.date(m[1], ""); ok {
				on = date
			}
			words = words[len(m[0]):]
			continue
		}
		if m := r.re.label.FindStringSubmatch(words); m != nil {
			if date, ok := s.date(m[1], ""); ok && m[1] != "" {
				on = date
			}
			words = words[len(m[0]):]
			continue
		}
		return words, on
	}
}

// end returns the end that a sentence reports.
func (r *reader) end(s *clause, words, on string, t *text) (out Ended, ok bool) {
	if !strings.Contains(strings.ReplaceAll(words, self, ""), mark) {
		if out, ok = r.unnamed(s, words, on, t); ok || !strings.Contains(words, mark) {
			return out, ok
		}
		out = Ended{}
	}
	if slices.Contains(s.dates, "-") {
		return out, false
	}
	words = noMore().ReplaceAllString(words, "no longer $1")
	whole := words
	before, explicit := "", t.relation
	inUnspaced := slices.ContainsFunc(s.abroad, func(l *language) bool { return l.unspaced })
	m := r.re.leadDate.FindStringSubmatch(words)
	if m == nil && inUnspaced {
		if m = r.re.dateFirst.FindStringSubmatch(words); m != nil && r.re.bounds.MatchString(words[len(m[0]):]) {
			m = nil
		}
	}
	if m != nil {
		if before, ok = s.date(m[1], on); !ok {
			return out, false
		}
		explicit = true
		words = words[len(m[0]):]
	}
	words = r.replaced(untilLast(words))
	ordered, pronoun := words, (*regexp.Regexp)(nil)
	for _, f := range r.formsOf(s.abroad) {
		if own := cmp.Or(f.pronoun, r.re.pronoun); own != pronoun {
			pronoun = own
			words = r.subject(r.inOrder(ordered, own), s.before, own)
		}
		if f.here && (r.isPerson() || !strings.Contains(words, mark)) {
			continue
		}
		if !f.mayMatch(words) {
			continue
		}
		m := f.re.FindStringSubmatchIndex(words)
		if m == nil || f.now && !t.entry || f.weak && r.re.trip.MatchString(t.source) {
			continue
		}
		if r.re.doubt.MatchString(whole) { // few sentences come so far, and this takes longest
			return out, false
		}
		if f.doubt != nil && f.doubt.MatchString(noLonger().ReplaceAllString(words, "")) {
			return out, false
		}
		group := func(name string) string {
			if i := f.re.SubexpIndex(name); i >= 0 && m[2*i] >= 0 {
				return words[m[2*i]:m[2*i+1]]
			}
			return ""
		}
		out.Subject, out.Object = r.link(group("s")), r.link(group("o"))
		if out.Subject == out.Object || out.Subject != Self && !r.isMentioned(out.Subject) {
			return out, false
		}
		if out.Object >= firstName {
			out.Name, out.Object = s.names[out.Object-firstName], Self
		}
		date := before
		if d := cmp.Or(group("d"), group("e"), group("l")); d != "" {
			var ok bool
			if date, ok = s.date(d, on); !ok || f.past && date == "" {
				return out, false // "until yesterday"
			}
			explicit = true
		}
		rest := words[m[1]:]
		to := ""
		if f.from || f.weak {
			to = r.re.toObject.FindString(rest)
		}
		if f.onward != nil {
			object := m[2*f.re.SubexpIndex("o"):]
			if f.past && group("d") != "" && !inUnspaced && isStay(words[:object[0]-len(mark)], date) {
				return out, false
			}
			if object[1]+len(mark) != m[1] || !strings.HasSuffix(to, mark) || r.isOther(to) {
				to = "" // who leaves for a town may be on a trip
			}
		}
		if f.here && (r.re.toPlace.MatchString(rest) || r.isOther(r.re.toObject.FindString(rest))) {
			return out, false // a trip
		}
		if f.here && strings.HasPrefix(rest, " as ") {
			return out, false // "dismissed as a suspect"
		}
		if OfRole(s.raw) && r.re.stays.MatchString(rest) && !r.re.elsewhere.MatchString(strings.ReplaceAll(rest, self, "")) {
			return out, false // "stepped down as CTO to become CEO"
		}
		rest = rest[len(to):]
		if d := r.re.dateNext.FindStringSubmatch(rest); d != nil && date == "" {
			next, ok := s.date(d[1], on)
			if !ok {
				return out, false
			}
			date, explicit, rest = next, true, rest[len(d[0]):]
		}
		if f.from {
			if f.onward == nil {
				rest = rest[len(r.re.toObject.FindString(rest)):]
			}
			if strings.HasPrefix(rest, " to ") {
				return out, false // the airport
			}
		}
		if d := r.re.dateLast.FindStringSubmatch(rest); d != nil && date == "" && (f.onward == nil && r.goesOn(rest) || f.onward != nil && f.onward.MatchString(rest)) {
			if last, ok := s.date(d[1], on); ok {
				date, explicit = last, true
			}
		}
		if f.onward != nil && !f.weak && changesRole().MatchString(rest) && !newPlace().MatchString(rest) {
			return out, false // "not an intern any more, but head"
		}
		if f.onward != nil && date == "" {
			explicit = false // "yesterday" may be of an errand
		}
		if !r.complete(f, words, rest, explicit, on != "") {
			return out, false
		}
		if date == "" && t.entry {
			date = on
		}
		out.Until = date
		return out, true
	}
	return out, false
}

// untilFirst is a date at the start of a sentence until which it holds.
var untilFirst = lazyregexp.New(`^(Until|Till|Up to|Up until|(?:Bis|Tot)(?: (?:Ende|Anfang|Mitte|zum|eind|begin))?|Jusqu['’](?:en|au|à)|Hasta|Fino (?:al?|ad)|Até)( (?:the end of|fin|début|finales de|o fim de))? (` + dated + `\d+` + dated + `),? (.*)$`)

// objectOf is where the object of a sentence ends. Its subject may be a mention, too.
var objectOf = lazyregexp.New(`^(?:[\pL ]{0,12}` + anyMention + `)?.*?[\pL] ?` + anyMention)

// untilLast puts a date until which a sentence holds after its object, where the forms
// have it: "Until May 2025 Ada worked at Brex".
func untilLast(words string) string {
	m := untilFirst().FindStringSubmatch(words)
	if m == nil || (m[1][0] == 'B' || m[1][0] == 'T' && m[1][1] == 'o') && !startsLower(m[4]) {
		return words // German and Dutch have the verb next, or no verb
	}
	at := objectOf().FindStringIndex(m[4])
	if at == nil {
		return words
	}
	return m[4][:at[1]] + " " + strings.ToLower(m[1]) + m[2] + " " + m[3] + m[4][at[1]:]
}

func startsLower(text string) bool {
	verb, _, _ := strings.Cut(text, " ")
	c, _ := utf8.DecodeRuneInString(verb)
	return unicode.IsLower(c) && !slices.Contains(noVerbs, verb)
}

// succeeds is what comes before the one who had a role.
var succeeds = lazyregexp.New(`\b(?:[Ss]ucceeded|[Rr]eplaced|[Tt]ook over from) `)

// replaced writes a name of the page, whom another one succeeded, as a mention.
func (r *reader) replaced(words string) string {
	if at := succeeds().FindStringIndex(words); at != nil {
		if after, ok := r.called(words[at[1]:]); ok && strings.HasPrefix(after, " as ") {
			return words[:at[1]] + self + after
		}
	}
	return words
}

// unnamed returns the end of the only employment that the page of a person has, for a
// sentence that names no other page: "She resigned in May 2026."
func (r *reader) unnamed(s *clause, words, on string, t *text) (out Ended, ok bool) {
	if !r.isPerson() || t.relation || r.re.doubt.MatchString(words) || slices.Contains(s.dates, "-") {
		return out, false
	}
	date := ""
	if m := r.re.leadDate.FindStringSubmatch(words); m != nil {
		if date, ok = s.date(m[1], on); !ok {
			return out, false
		}
		words = words[len(m[0]):]
	}
	words = r.subject(words, s.before, r.re.pronoun)
	if !t.entry && !strings.HasPrefix(words, self) {
		return out, false
	}
	rest := strings.TrimPrefix(words, r.re.quits.FindString(words))
	ok = false
	if len(rest) < len(words) && !strings.HasPrefix(rest, " as ") {
		out.Object, ok = r.only(func(kind string) bool { return employs[kind] })
	}
	if m := r.re.stepsDown.FindStringSubmatch(words); m != nil && !ok {
		rest = words[len(m[0]):]
		out.Object, ok = r.only(func(kind string) bool {
			of, is := strings.CutSuffix(strings.TrimPrefix(kind, "is-"), "-of")
			return is && (of == kb.NameKey(m[1]) || m[1] == "" && leads[of])
		})
	}
	if m := r.re.lastDay.FindStringSubmatch(words); m != nil && !ok && (s.before == "" || r.re.notice.MatchString(s.before)) {
		// Of a person who gave notice, not of a trip.
		rest = words[len(m[0]):]
		if date, ok = s.date(m[1], on); ok {
			out.Object, ok = r.only(func(kind string) bool { return employs[kind] })
		}
	}
	if !ok {
		return out, false
	}
	if d := r.re.dateNext.FindStringSubmatch(rest); d != nil {
		if date, ok = s.date(d[1], on); !ok {
			return out, false
		}
		rest = rest[len(d[0]):]
	}
	if !r.re.clause.MatchString(rest) || r.re.theirs.MatchString(rest) || r.other(rest) {
		return out, false
	}
	out.Subject, out.Until = Self, date
	if date == "" && t.entry {
		out.Until = on
	}
	return out, true
}

// employs are the types of relations to an employer, and leads the roles that somebody
// steps down from without naming them.
var (
	employs = map[string]bool{"works-at": true, "works-for": true, "employed-by": true, "employed-at": true}
	leads   = map[string]bool{"ceo": true, "cto": true, "cfo": true, "coo": true, "chair": true, "chairman": true, "chairwoman": true,
		"chairperson": true, "president": true, "director": true, "head": true, "leader": true, "captain": true, "mayor": true}
)

// only returns the link of the only open relation of some types that the page has.
func (r *reader) only(of func(kind string) bool) (link int, ok bool) {
	for _, rel := range r.n.Relations {
		if rel.Until != "" || !of(kb.NameKey(rel.Type)) {
			continue
		}
		for _, m := range r.within(rel.Span.Start, rel.Span.End) {
			if ok && m.Link != link {
				return 0, false
			}
			link, ok = m.Link, true
		}
	}
	return link, ok
}

// noVerbs begin sentences without a verb.
var noVerbs = []string{"at", "with", "in", "bei", "bij", "bis", "tot"}

// inOrder puts the subject of a sentence that begins with a verb before it: in German and
// Dutch it follows there, "[In 2025] verließ Ada Brex".
func (r *reader) inOrder(words string, pronoun *regexp.Regexp) string {
	verb, rest, ok := strings.Cut(words, " ")
	if !ok || !startsLower(verb) {
		return words
	}
	if after, ok := r.called(rest); ok && strings.HasPrefix(after, " ") {
		return self + " " + verb + after
	}
	if w := pronounAt(pronoun, rest); w != "" {
		return w + " " + verb + rest[len(w):]
	}
	return words
}

// noMore is written as "no longer".
var noMore = lazyregexp.New(`(?:does not|doesn't|doesn’t|do not|don't|is not|isn't|isn’t) (.*?),? any ?(?:more|longer)\b`)

// complete reports whether what follows the object lets a sentence be of an end.
func (r *reader) complete(f form, words, rest string, explicit, said bool) bool {
	switch {
	case !r.re.closed.MatchString(rest), r.re.theirs.MatchString(rest), r.other(rest):
		return false
	case f.past && r.re.anew.MatchString(rest) && !r.re.elsewhere.MatchString(rest):
		return false
	case f.onward != nil:
		return r.follows(f, words, rest, explicit || said)
	case f.weak && r.re.newWork.MatchString(rest):
		return true
	case f.weak && (strings.HasPrefix(rest, " to ") || !explicit) && !r.goesOn(rest):
		return false // for an errand
	case f.weak && !explicit:
		return said || r.re.has.MatchString(words)
	}
	return true
}

// goesOn reports whether what follows a verb and its object may follow an end.
func (r *reader) goesOn(rest string) bool {
	return r.re.clause.MatchString(rest) || r.re.newWork.MatchString(rest)
}

// other reports whether another name follows, of which the sentence speaks.
func (r *reader) other(rest string) bool {
	_, own := r.called(strings.TrimPrefix(rest, ", "))
	return !own && r.re.anotherName.MatchString(rest)
}

// link is a link by its number in a sentence; nothing and "S" are the page.
func (r *reader) link(number string) int {
	n, err := strconv.Atoi(number)
	if err != nil {
		return Self
	}
	return n
}

// isOther reports whether a text ends with a name of no link.
func (r *reader) isOther(text string) bool {
	parts := strings.Split(text, mark)
	return len(parts) == 3 && parts[2] == "" && r.link(parts[1]) >= firstName
}

func (r *reader) isMentioned(link int) bool {
	return slices.ContainsFunc(r.Mentions, func(m Mention) bool { return m.Link == link })
}

// keep notes which relations of the page a sentence describes as current.
func (r *reader) keep(s *clause, words, on string, entry bool) {
	if m := r.re.asOfWithin.FindStringSubmatch(words); m != nil {
		if date, ok := s.date(m[1], on); ok && date != "" {
			on = date
		}
	}
	if r.re.doubt.MatchString(words) && !r.re.back.MatchString(words) {
		return
	}
	again := r.re.back.MatchString(words) && !r.re.returned.MatchString(words)
	words = r.subject(words, s.before, r.re.pronoun)
	if !again && !r.re.holds.MatchString(words) && !r.re.title.MatchString(words) && !(entry && r.re.joins.MatchString(words)) {
		return
	}
	named := false
	for _, m := range r.re.mention.FindAllStringIndex(words, -1) {
		link := r.link(strings.Trim(words[m[0]:m[1]], mark))
		if link != Self && link < firstName && m[0] > 0 {
			named = true
			r.holds = append(r.holds, holds{link, on, again})
		}
	}
	if again && !named {
		r.holds = append(r.holds, holds{Self, on, true})
	}
}

// context reads the context of a relation.
func (r *reader) context(rel *doc.Relation, link int) {
	r.re = compiled()
	s := clause{raw: rel.Context}
	s.words = s.withDates(r.re, strings.Join(strings.Fields(rel.Context), " "))
	m := r.re.context.FindStringSubmatch(s.words)
	if m == nil || slices.Contains(s.dates, "-") {
		return
	}
	e := Ended{At: rel.Span.Start}
	e.Subject, e.Object = Self, link
	e.Quote = sentence.Shorten(strings.Join(strings.Fields(string(r.d.Text[rel.Span.Start:rel.Span.End])), " "), maxQuote)
	for _, number := range m[1:] {
		if number != "" {
			e.Until, _ = s.date(number, "")
		}
	}
	r.ended = append(r.ended, e)
}

// maxQuote bounds the quoted part of a sentence, in characters.
const maxQuote = 300
