package sentence

import "strings"

// All words are in lower case and without their last full stop.
var (
	// titles precede a name.
	titles = set("mr mrs ms mx dr prof st ste rev fr gen col capt cpt lt sgt maj sen rep gov pres hon mme mlle hr fra dipl ing messrs mt ft")
	// introducing never end a sentence: they introduce the next words.
	introducing = set("e.g i.e eg ie cf viz vs approx ca incl excl resp esp z.b d.h u.a i.d.r v.a bzgl ggf sog vgl evtl gem geb verh insb inkl zzgl asst dept ext tel")
	// numbering precede a number.
	numbering = set("no nos nr fig figs vol vols p pp ch sec sect art abs eq ver v par para ed tab str jan feb mar apr jun jul aug sep sept oct nov dec okt dez")
	// ending end a sentence before a capital letter.
	ending = set("inc ltd corp plc llc bros etc usw s.a")
	// doubtful end a sentence only before a word that starts sentences.
	doubtful = set("co al jr sr bzw ph.d min max est dist ave blvd rd")
	// companies follow "& Co.".
	companies = set("KG OHG KGaA Ltd Inc")

	ordered  = set("januar februar märz april mai juni juli august september oktober november dezember jänner quartal halbjahr platz stock klasse kapitel absatz auflage jahrhundert etage")
	articles = set("am der die das dem den des im vom zum zur beim ab bis seit")

	// starters start sentences and are not names.
	starters = set(`a an the this that these those there then it its he she we they our their his all any both each every some most many few no not
		in on at by for from to with without as if when while where who what why how since until before after because but and or so also however
		now today only once here
		der die das ein eine er sie es wir ich ihr wer was wenn weil aber und dann im am bei nach vor seit bis auf für mit ohne nur
		le la les un une il elle nous el los las`)
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}
