package doc

import (
	"strings"
	"testing"
)

// formulas are those of a text, one after the other.
func formulas(text string) string {
	var all []string
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '$':
			if end := Formula(text, i); end > 0 {
				all = append(all, text[i+1:end-1])
				i = end - 1
			}
		}
	}
	return strings.Join(all, " | ")
}

// Prices, variables of a shell and regular expressions are no formulas. Pandoc and Obsidian
// take some of them for formulas: there a link or a tag in them would be lost.
func TestNoFormula(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"$5 and $6", "$5, $6 or $7", "A seat costs 5$, see [[target]], or 6$ a month.", "We pay 100k$; [[target]] pays 120k$.",
		"It costs $5, see [[target]], or US$ 6.", "| 5$/mo | [[target]] | 6$ |", "It was 5$.\nThen [[target]] paid 6$.",
		"It costs 5$, #urgent and 6$.", "It costs $5, #urgent and 6$.", "[Pay $X](target.md) and [$y](target.md)", "[Pay $X](target.md) and [y$](target.md)",
		"10$-20$", "$5-$10", "5$/month vs 6$/month", "$5/month vs $6/month", "$5/month, or 6$", "US$5/CA$", "R$ 5 / R$ 6", "(5 $) or (6$)", "5 $/h, 6$",
		"$HOME/bin:$PATH", "$HOME/.config/$APP", "Set $FOO=$BAR", "${A}/${B}", "${A}, ${B} or ^foo$", "$A/$(pwd)", "$FOO$BAR", `"$HOME"/"$USER"`, "$a=$b", "y=$y&z=$w",
		"^foo$|^bar$", "^[a-z]+$|^[0-9]+$", "^a+$/^b+$", "a$ or $b",
		"Pay $X for [[target]], or Y$.", "Pay $X or #urgent or Y$.", "$X and `a$` b", "$ a$", "$a $", "$a\nb$", `\$a$`, `$a\$`, "$", "$a", "$$", "$$$", "$$a$", "$a$5", "$a$$", "$ $", "Цена 5$ или 6$",
	} {
		if got := formulas(text); got != "" {
			t.Errorf("%q has the formulas %q", text, got)
		}
	}
}

func TestFormula(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"$x^2$": "x^2", `$\alpha$-decay`: `\alpha`, "($x$)": "x", "**$x$**": "x", `"$x$", $y$.`: "x | y", "$a b$ c": "a b",
		"$5x + 3$": "5x + 3", "$5$": "5", "$2^n$": "2^n", "$0 < x$": "0 < x", "$10^{-3}$": "10^{-3}", `$1, 2, \dots, n$`: `1, 2, \dots, n`, `$5 \text{ if } x$`: `5 \text{ if } x`, "$1,000$": "1,000",
		"the $n$th, $x$s, $i$-te": "n | x | i", "CO$_2$ and H$_2$O": "_2 | _2", `5$\mu$m and 10$^{-3}$`: `\mu | ^{-3}`, "$^{14}$C": "^{14}", `$\Omega$/m, $x$/$y$`: `\Omega | x | y`,
		"当$x>0$时": "x>0", "값은 $x$는": "x", "$[[1,2],[3,4]]$": "[[1,2],[3,4]]", "$]0,1[$": "]0,1[", "$f[x](y)$": "f[x](y)", "$[[a]]$": "[[a]]",
		`$a \$ b$`: `a \$ b`, "$5 and $x$": "x", "$a$ $b$": "a | b", "$|x|$": "|x|", "${}^{14}C$": "{}^{14}C", "${x}_1$": "{x}_1", "$.5$": ".5",
	} {
		if got := formulas(text); got != want {
			t.Errorf("%q has the formulas %q, not %q", text, got, want)
		}
	}
}

func TestFormulaBlock(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"$$\na\n$$\nb": "$$\na\n$$\n", "$$ a\nb $$\nc": "$$ a\nb $$\n", "$$ a\nb $$": "$$ a\nb $$", "$$\na\n\nb\n\n$$\nc": "$$\na\n\nb\n\n$$\n",
		"$$\na\n\nb $$\n": "", "$$a$$\n$$\n": "", "$$\na $$ b\n$$\n": "", "$$\na\n\n# B\n\n$$\n": "", "$$\na\n": "", "text $$\na\n$$\n": "",
		"> $$\n> a\n> $$\n": "$$\n> a\n> $$\n", "> $$\n> a\n\n$$\n": "", "- $$\n  a\n  $$\n": "$$\n  a\n  $$\n", "1. $$\n   a\n   $$\n": "$$\n   a\n   $$\n", "- $$ a\n\ntext\n\n$$\n": "", "- $$ a\n- $$\n": "",
	} {
		got := ""
		if i := strings.Index(text, "$$"); i >= 0 {
			if end := FormulaBlock([]byte(text), i); end > 0 {
				got = text[i:end]
			}
		}
		if got != want {
			t.Errorf("%q has the formula %q, not %q", text, got, want)
		}
	}
}
