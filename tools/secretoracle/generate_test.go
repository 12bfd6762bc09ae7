package secretoracle

import (
	"math/rand/v2"
	"regexp/syntax"
	"strings"
	"unicode"
)

// plain rewrites the frame that many of the oracle's rules share, in which
// any noise may stand around a vendor's name and almost any sign before the
// value, to the forms in which people and programs write an assignment.
var plain = strings.NewReplacer(
	`[\w.-]{0,50}?`, ``,
	`(?:[ \t\w.-]{0,20})`, `(?:_api_key|_secret|-token|ApiKey)`,
	`[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`, `(?: = "|: |=|": "|=")`,
	`[\s'"]{0,3})(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`, `)(?: = "|: |=|": "|=")`,
	`(?:[\x60'"\s;]|\\[nr]|$)`, `(?:"| |;)`,
)

// sample returns a random string that the expression matches. Repetitions
// without a bound get a few more than their least number.
func sample(r *rand.Rand, expression string) (string, error) {
	re, err := syntax.Parse(plain.Replace(expression), syntax.Perl)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	write(r, &b, re)
	return b.String(), nil
}

func write(r *rand.Rand, b *strings.Builder, re *syntax.Regexp) {
	repeat := func(least, most int) {
		if most < 0 {
			most = least + 8
		}
		for range least + r.IntN(most-least+1) {
			write(r, b, re.Sub[0])
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, c := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 {
				c = unicode.ToLower(c) // the parser folds to upper case
			}
			b.WriteRune(c)
		}
	case syntax.OpCharClass:
		b.WriteRune(member(r, re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(' ')
	case syntax.OpCapture:
		write(r, b, re.Sub[0])
	case syntax.OpStar:
		repeat(0, -1)
	case syntax.OpPlus:
		repeat(1, -1)
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpRepeat:
		repeat(re.Min, re.Max)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			write(r, b, sub)
		}
	case syntax.OpAlternate:
		write(r, b, re.Sub[r.IntN(len(re.Sub))])
	}
}

// member picks a printable ASCII character of a class, each as likely as any
// other.
func member(r *rand.Rand, ranges []rune) rune {
	var all []rune
	for i := 0; i < len(ranges); i += 2 {
		for c := max(ranges[i], ' '); c <= min(ranges[i+1], '~'); c++ {
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		return '\n' // a class of blanks only
	}
	return all[r.IntN(len(all))]
}
