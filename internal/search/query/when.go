package query

import (
	"math"
	"slices"
	"strings"
	"time"
)

// When is a time that a question speaks of.
type When struct {
	Text   string // as in the question, in lower case
	Range         // the time; of one without a year the last that has begun
	Yearly bool   // it has no year, so that it matches every year
}

const (
	// whenWords is the most words of a time: "on 12 march 2025".
	whenWords = 4
	// How far from a time its events are written down, in days: mostly soon
	// after. Such dates count half as much as dates within the time.
	toldAfter  = 7
	toldBefore = 2
	told       = 0.5
	// leastNear is the nearness that counts as zero.
	leastNear = 0.05
)

// Times returns the times in a question: dates, months and years, and relative
// times such as yesterday or two weeks ago. Ambiguous words, such as may, sun
// or 2000, count if a word such as in or until precedes them.
//
// Share is the part of the question that they make up: of its words without
// stopwords, from 0 to 1.
func Times(root Node, now time.Time) (out []When, share float64) {
	words := plainWords(root)
	for i := range words {
		words[i] = strings.ToLower(words[i])
	}
	words = plainDates(words)
	all, of := said(words), 0
	for at := 0; at < len(words); {
		n := min(whenWords, len(words)-at)
		for ; n > 0; n-- {
			run := words[at : at+n]
			if !speaksOfTime(run, at > 0 && leads[words[at-1]]) {
				continue
			}
			text := strings.Join(run, " ")
			if r, ok := ParseRange(text, now); ok {
				of += said(run)
				out = append(out, When{Text: text, Range: r, Yearly: hasMonth(run) && !slices.ContainsFunc(run, isYear)})
				break
			}
		}
		at += max(n, 1)
	}
	return out, float64(of) / float64(max(all, 1))
}

// plainDates removes filler words between the parts of a date: the 3rd of
// March.
func plainDates(words []string) []string {
	out := words[:0:0]
	for i, w := range words {
		next := words[i+1:]
		switch {
		case len(next) == 0:
		case w == "the" && startsWithDigit(next[0]), w == "of" && i > 0 && startsWithDigit(words[i-1]) && hasMonth(next[:1]):
			continue
		}
		out = append(out, w)
	}
	return out
}

func startsWithDigit(word string) bool { return word[0] >= '0' && word[0] <= '9' }

// said counts the words that are not stopwords.
func said(words []string) (n int) {
	for _, w := range words {
		if !stopwords[w] {
			n++
		}
	}
	return n
}

// leads are the words that make a time of the one after them.
var leads = map[string]bool{
	"in": true, "on": true, "of": true, "since": true, "by": true, "until": true, "till": true, "before": true,
	"after": true, "around": true, "about": true, "during": true, "between": true, "from": true, "early": true,
	"late": true, "mid": true, "and": true, "or": true,
}

// speaksOfTime reports whether words that may be a time are likely to be one;
// led is set when the previous word introduces a time.
func speaksOfTime(run []string, led bool) bool {
	first, last := run[0], run[len(run)-1]
	if len(run) > 1 && leads[first] {
		return first != "and" && first != "or" && speaksOfTime(run[1:], true)
	}
	digits := slices.ContainsFunc(run, func(w string) bool { return strings.ContainsAny(w, "0123456789") })
	switch {
	case first == "today" || first == "yesterday" || last == "ago":
		return true
	case first == "last" || first == "past" || first == "this":
		return len(run) > 1
	case hasMonth(run):
		return led || digits
	case len(run) == 1 && isYear(first), isWeekday(first):
		return led
	}
	return len(run) == 1 && digits && strings.Contains(first, "-")
}

func hasMonth(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { _, ok := lookUp(w, monthNames); return ok })
}

func isWeekday(word string) bool {
	_, ok := lookUp(word, weekdays)
	return ok
}

func isYear(word string) bool {
	n, ok := number(word, 4)
	return ok && n >= 1800 && n < 2200
}

// Near returns how near something that is dated to the day of t is to w, from
// 1, within it, to 0.
func (w When) Near(t time.Time) float64 {
	year, month, day := t.Date()
	noon := time.Date(year, month, day, 12, 0, 0, 0, w.From.Location())
	if !w.Yearly {
		return near(w.From, w.To, noon)
	}
	best := 0.0
	for _, y := range []int{year - 1, year, year + 1} {
		shift := y - w.From.Year()
		best = max(best, near(w.From.AddDate(shift, 0, 0), w.To.AddDate(shift, 0, 0), noon))
	}
	return best
}

func near(from, to, at time.Time) float64 {
	days := func(d time.Duration) float64 { return math.Ceil(d.Hours() / 24) }
	out := 1.0
	switch {
	case at.Before(from):
		out = told * math.Exp(-days(from.Sub(at))/toldBefore)
	case at.After(to):
		out = told * math.Exp(-days(at.Sub(to))/toldAfter)
	}
	if out < leastNear {
		return 0
	}
	return out
}
