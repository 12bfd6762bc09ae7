package transcript

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/doc/sentence"
	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// Kind is the kind of a lesson in a sentence of a session.
type Kind string

// The kinds.
const (
	Decision   Kind = "decision"
	Correction Kind = "correction"
	Preference Kind = "preference"
	Lesson     Kind = "lesson"
)

// Kinds returns all kinds.
func Kinds() []Kind { return []Kind{Decision, Correction, Preference, Lesson} }

// Finding is a sentence that a rule matched.
type Finding struct {
	Kind  Kind
	Rule  string // its name
	Quote string // the sentence, on one line
}

// rule matches sentences of a language. Rules are made for precision: a missed sentence is
// still in the transcript.
type rule struct {
	kind  Kind
	name  string
	by    []Role
	is    func() *regexp.Regexp
	isNot func() *regexp.Regexp // nil for none
}

// rules are the rules for English, in order. The first matching rule takes a sentence.
var rules = []rule{
	{Correction, "contradicts", []Role{User}, lazyregexp.New(
		`(?i)^(no+|nope|wait|stop|actually|hm+)\b[\s,.!:;—–-]+(.*\b)?(use[sd]?|uses|don'?t|do not|not|never|must|should|is|are|was|were|it'?s|put|revert|undo|instead|you (deleted|removed|dropped|broke|changed|renamed|forgot|missed|skipped)|I (said|meant|asked|wanted))\b`),
		lazyregexp.New(`(?i)^(no (problem|worries|thanks|rush|idea|need)|not? sure)\b|^(actually|wait)?,? ?(can|could|would|let'?s|is|are|does|do you)\b` +
			`|'?(s|is|are|was|were|looks) ((really|very|just|all|exactly|so|quite|perfectly|absolutely|actually|already|now|still|pretty|much) )*` +
			`(fine|great|good|perfect|right|correct|ok(ay)?|working|nice|better|cool|awesome|lovely|excellent|done|fixed|clear|enough|strange|odd|weird|interesting|funny|true|possible|(exactly )?what I (wanted|meant|asked for|needed))` +
			`([\s,.!:;)—–-]|\b(now|then|again|already|thanks|thank you|for (me|now)|as (it|they) (is|are)|like (this|that)|this way|that way|so far|after all)\b)*$` +
			`|\b(never ?mind|not (yet|now|necessary|needed|really))\b|\byet\W*$|\bI (don'?t|do not) (know|think so|mind|care|remember|need)\b`)},
	{Correction, "denies a result", []Role{User}, lazyregexp.New(
		`(?i)\b(that|this|it)('s| is) (wrong|incorrect|not (right|correct|true|what I))\b|\bI (said|tol[d] you|asked you (not )?to|asked for|meant|wanted)\b.*\bnot?\b|\bnot what I (asked|meant|wanted|said)\b`), nil},
	{Correction, "names a mistake", []Role{User}, lazyregexp.New(
		`(?i)\byou(('ve| have)? (forgot|forgotten|missed|broke|broken|deleted|removed|dropped|skipped|ignored|misread|misunderstood)|'re (wrong|mistaken)| (should not|shouldn'?t) have)\b|^(please )?(revert|undo) (that|this|it|your)\b|^(please )?stop \w+ing\b`), nil},

	{Preference, "standing rule", []Role{User}, lazyregexp.New(
		`(?i)\b(from now on|in (the )?future|going forward|as a rule|whenever you|(each|every) time you|when(ever)? you (write|add|create|commit|change|edit|run|name|answer|use|review|make|touch|finish))\b` +
			`|(^(please |then |and |also )*(add|ask|build|call|check|commit|create|do|format|include|keep|log|make|open|print|push|put|read|rebase|review|run|show|start|tel[l]|test|update|use|verify|write)\b|\b(should|must|want you to|need you to)\b).*\bevery time\b`),
		lazyregexp.New(`(?i)(^|\b(every time|each time|when(ever)?|from now on|future)\b[^,]*,? )(oh |and |but |so |then )*(it|this|that|there|they|I|we|you|(the|my|our|a|an) [\w-]+( [\w-]+){0,2}) (still |just |also |only |always |will )?` +
			`(fails?|failed|happens?|happened|crash(es|ed)?|breaks?|broke|hangs?|hung|flickers?|works?|worked|shows?|showed|prints?|returns?|goes|went|gets?|got|takes?|took|is|was|were|are|has|had|stops?|stopped|jumps?|leaks?|throws?|panics?|dies|died|loses?|lost|reloads?|see|sees)\b`)},
	{Preference, "always or never", []Role{User}, lazyregexp.New(
		`(?i)(^|[,;:(—–]\s*|\b(please|and|but|or|should|must|so|then|we|you) )(always|never) [a-z]+`),
		lazyregexp.New(`(?i)\bnever ?mind\b|\b(always|never) (fail|return|get|got|has|had|have been|was|were|is|been|work|worked|saw|seen|load|wonder|happen|arriv|finish|reach|fire|come|came|ran|shows)`)},
	{Preference, "likes or dislikes", []Role{User}, lazyregexp.New(
		`(?i)\bI('d| would)? (really |strongly |generally |usually |much |always )?(prefer|hate|dislike|can'?t stan[d])\b|\bI (do not|don'?t) (like|want) (a|an|any|you to|to see|it when|the|these|those|such|so many)\b|\bI like (it when|my|our|short|small|when)\b`),
		lazyregexp.New(`(?i)\bhate to\b`)},
	{Preference, "asks to avoid", []Role{User}, lazyregexp.New(
		`(?i)^(and |but |please |pls )*(don'?t|do not|avoid) (ever |use |using |add|writ|commit|push|mock|creat|put|repeat|explain|apologi|summari|generat|install|format|touch|rename)`),
		once},
	{Preference, "how things are done here", []Role{User}, lazyregexp.New(
		`(?i)^(please )?(use|keep|write|name|put|call|run)\b.*(, not |\b(instead of|rather than|everywhere|throughout)\b|\b(in|for) (all|every|this (repo|project|codebase))\b)|^(keep|make) (the |your |all )?(answers?|replies|summaries|messages|commits|functions|PRs)\b|\bwe (always|never|don'?t) (commit|use|write|push|merge|mock|squash|rebase)\b`),
		lazyregexp.New(`(?i)\b(instead of|rather than) ((the )?(blue|red|green)|["'\x60]?[0-9])|, not ["'\x60]?[0-9]|^(please )?(use|name|put|call|run) (it|this|that|them)\b|\b(this|that|other|first|second|third|last) one\b`)},

	{Decision, "says that it is decided", []Role{User, Assistant, Summary}, lazyregexp.New(
		`(?i)^((the |my |our |final )*decision( is)?|decided|agreed)\b\s*[:,—–-]|\b(we|I)('ve| have|'ll| will| both| all)? (decided (to|on|against|that|not)|agreed (to|on|that|not)|settled on|opted (for|to)|chose|went with|picked|(will )?go with|stick(ing)? with)\b|\b(we|I)('re| are|'m| am) (going with|dropping|keeping|sticking with|switching to|moving to|standardi[sz]ing on)\b`),
		lazyregexp.New(`(?i)^(if|unless|before|once|when|until|after|whether)\b|\b(have not|haven'?t|not yet|should|could|would|might|may|if) (we |I )?(decided|agree)` +
			`|\b(decided|chose|opted|agreed|picked) (to |for )(first |just |now |also |quickly |take a )*(look|see|inspect|search|explore|investigate|examine|grep|skim|dig|peek|continue|go (on|through|over)|(begin|start) (by|with)|(check|find out) (if|whether|how|what|where|why|who)|(read|open|check|review|list) (\S+\.\w+|(the|your|all) (\w+ )?(code|files?|tests?|docs|source|log|logs|history|diff|repo|changes))\b)` +
			`|\bpicked (\w+ )?up\b|\b(moving|switching) (on )?to (the |a |my |our )?(next|other|following|second|third|last|step|task|point|part)\b|\b(keeping (an eye|track|in mind|going)|dropping (off|by|in|out))\b`)},
	{Decision, "chooses", []Role{User}, lazyregexp.New(
		`(?i)^((ok(ay)?|yes|yeah|right|fine|alright|agreed|good|great|sounds good|then)[,.!]? )*(let'?s|let us|we('ll| will)?) (go with|use|keep|stick with|stay with|drop|switch to|move to|adopt|settle on)\b|^((ok(ay)?|yes|yeah|fine|alright|agreed)[,.!]? )*go (with|for) (the|option|a|your|plan)\b|\b(option|plan|variant|approach) [a-z0-9]{1,2} it is\b|^(ok(ay)?[,.]? )?we (keep|use|drop|stay with|go with)\b`),
		lazyregexp.New(`(?i)\b(move|switch) (on )?to (the |a |my |our )?(next|other|following|second|third|last|step|task|point|part)\b|\bwe keep \w+ing\b|\bkeep (going|working|looking|trying|moving|digging|at it|an eye|in mind|track|(it|this|that) (open|in mind|for later))\b` +
			`|\b(use|keep|drop|adopt|switch to|move to) (it|this|that|them|these|those)\W*$|\buse .*\bto (see|find|check|look|figure|debug|try)\b`)},

	{Lesson, "names a cause", []Role{User, Assistant, Summary}, lazyregexp.New(
		`(?i)\b(the )?root cause (was|is|turned out)\b|\bthe (actual |real )?(problem|issue|bug|culprit|reason|cause|failure|trick|catch|fix) (was|turned out to be) (that|because|to|a|an|the)\b|\bw(as|ere) (actually |in fact )?caused by\b`), nil},
	{Lesson, "turned out", []Role{User, Assistant, Summary}, lazyregexp.New(`(?i)^(it |so |and )*turn(s|ed) out\b|\bit turn(s|ed) out (that|the)\b`), lazyregexp.New(`(?i)\bturn(s|ed) out (to be )?(really |very |quite |pretty )?(fine|well|ok(ay)?|good|great|nice|nicely)\b`)},
	{Lesson, "lesson learned", []Role{User, Assistant, Summary}, lazyregexp.New(
		`(?i)^lessons?( learn(ed|t))?\s*[:—–-]|\blearn(ed|t) (it |that )?the hard way\b|\b(I|we) (just |have )?learn(ed|t) that\b|^(gotcha|beware|note to self|for future reference)\b`), nil},
	{Lesson, "asks to keep in mind", []Role{User}, lazyregexp.New(
		`(?i)^(fyi|for the record|heads[ -]up|keep in mind|bear in mind|be aware|note that|remember that)\b`), nil},
}

// once matches requests that apply only at the moment.
var once = lazyregexp.New(`(?i)\b(yet|for now|right now|this time|today|tonight|(for|at) the moment)\b|\b(now|it|this|that|them)\W*$`)

// uncertain matches sentences that no rule takes. \b is an ASCII boundary: it does not match
// after "á".
var uncertain = lazyregexp.New(`(?i)\?\s*$|\b(not sure|I wonder|maybe we|perhaps we|do you (want|think|prefer)|which one` +
	`|vielleicht|bin (mir )?nicht sicher|ich frage mich|peut-être|je ne suis pas sûr|je me demande|quizás|no estoy segur[oa]|me pregunto)\b|\bquizá(\PL|$)`)

const (
	// maxQuote is the maximum length of a sentence, minQuote the minimum.
	maxQuote, minQuote = 400, 12
)

// Distil returns the sentences of a turn that look like decisions, corrections, preferences
// and lessons, at most one of each kind.
func (t Turn) Distil() (out []Finding) {
	spoken := t.spoken()
	rules := rulesFor(strings.Join(spoken, " "))
	for _, s := range spoken {
		plain := strings.ReplaceAll(s, "’", "'")
		if len(s) < minQuote || len(s) > maxQuote || uncertain().MatchString(plain) {
			continue
		}
		i := slices.IndexFunc(rules, func(r rule) bool {
			return slices.Contains(r.by, t.Role) && r.is().MatchString(plain) && (r.isNot == nil || !r.isNot().MatchString(plain))
		})
		if i < 0 || slices.ContainsFunc(out, func(f Finding) bool { return f.Kind == rules[i].kind }) {
			continue
		}
		out = append(out, Finding{Kind: rules[i].kind, Rule: rules[i].name, Quote: s})
	}
	return out
}

// spoken returns the sentences that the speaker wrote: without code, quotes, tool calls and
// their output.
func (t Turn) spoken() (out []string) {
	var paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			out = append(out, sentence.Split(strings.Join(paragraph, " "))...)
			paragraph = nil
		}
	}
	fence := ""
	for line := range strings.Lines(t.Text) {
		bare := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(bare, fence) {
				fence = ""
			}
		case strings.HasPrefix(bare, "```"), strings.HasPrefix(bare, "~~~"):
			fence = bare[:3]
			end()
		case bare == "", strings.HasPrefix(line, "    "), strings.HasPrefix(line, "\t"), strings.HasPrefix(bare, ">"), strings.HasPrefix(bare, "|"), strings.HasPrefix(bare, "#"):
			end()
		case strings.HasPrefix(bare, "- "), strings.HasPrefix(bare, "* "):
			end()
			paragraph = append(paragraph, bare[2:])
		default:
			paragraph = append(paragraph, bare)
		}
	}
	end()
	for i, s := range out {
		out[i] = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	}
	return out
}

// Gist returns the last sentences that the speaker said, in one line.
func (t Turn) Gist() string {
	all := t.spoken()
	if len(all) == 0 {
		return ""
	}
	return OneLine(strings.Join(all[max(0, len(all)-2):], " "), 200)
}
