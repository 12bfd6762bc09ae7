package temporal

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// language is a language other than English, with its words of an end. Its sentences are
// read by the forms below, and have the dates and names of all languages.
type language struct {
	cues, datedCues []string // as those of English
	pronoun         string   // its alternatives
	forms           []foreignForm
	former          []string // words that follow what somebody was: "ex-CEO von"
	doubt           string   // words of plans, rumours, negations, pauses and of what is taken back
	stems           string   // of such words, with any ending
	onward          string   // words that may follow who left what: a purpose only where it is for good

	once  sync.Once
	ready []form
}

// foreignForm is a form before it is compiled.
type foreignForm struct {
	pattern               string
	weak, past, now, from bool
	perfect               bool // a weak one that needs no date, as "has left"
}

// foreign replaces the parts of the patterns of other languages: R is a role, A adverbs, O
// the object, N a name; when, after and last are dates.
var foreign = strings.NewReplacer(
	"<who>", who, "<O>", object, "<any>", anyDate, "<until>", until,
	"<when>", `(?:(?:`+beforeDate+` )*`+until+` )?`,
	"<after>", `(?: (?:`+beforeDate+` )*`+dated+`(?P<e>\d+)`+dated+`)?`,
	"<last>", `(?: (?:`+beforeDate+` )*`+dated+`(?P<l>\d+)`+dated+`)?`,
	"<A>", `(?:(?:dann|schließlich|inzwischen|mittlerweile|bereits|schon|kürzlich|offiziell|auch|leider|selbst|gerade|jetzt|finalement|depuis|récemment|déjà|également|finalmente|ya|recientemente|recentemente|già|infine|inmiddels|ondertussen|onlangs|al|officieel|também|já) )*`,
	"<R>", `(?:(?:[\pL&/.-]+ ){0,3}?(?i:\pL*(?:leiter|chef|führer|mitarbeiter|vorstand|direktor|manager|berater|ingenieur|designer|entwickler|partner|präsident|vorsitzender?|gründer|sprecher|anwalt|lehrer|professor|student|mitglied|angestellter?|praktikant|redakteur|architekt|verkäufer|einkäufer|buchhalter|assistent|referent|minister|bürgermeister|directeur|directrice|pdg|employé|responsable|ingénieur|président|presidente?|associé|consultante?|salarié|membre|fondateur|fondatrice|professeur|avocat|stagiaire|développeuse|maire|directora?|jef[ea]|emplead[oa]|ingenier[oa]|soci[oa]|consultora?|gerente|miembro|fundadora?|profesora?|abogad[oa]|alcalde|direttore|direttrice|capo|dipendente|ingegnere|consulente|responsabile|membro|fondatore|fondatrice|avvocato|sindaco|amministratore|hoofd|medewerker|medewerkster|voorzitter|adviseur|lid|oprichter|docent|advocaat|stagiair|burgemeester|diretora?|chefe|funcionári[oa]|engenheir[oa]|sóci[oa]|professora?|advogad[oa])(?:in|e|er|n|s|es)?)|C[A-Z]{1,2}O|CEO|VP)`,
	"<N>", `(?:`+anyMention+`|\p{Lu}[\p{L}\p{N}&'’.-]*(?: \p{Lu}[\p{L}\p{N}&'’.-]*)*)`,
)

// beforeDate are the words between a verb and a date.
const beforeDate = `(?:in|on|at|as of|effective|by|around|from|since|at the end of|by the end of|back in|late in|early in|during|[Ii]m|[Aa]m|[Zz]um|[Aa]b|[Ss]eit|[Ee]nde|[Aa]nfang|[Mm]itte|[Pp]er|[Vv]or|[Ii]m [Jj]ahr|der|dem|den|[Ee]n|[Ll]e|[Dd]epuis|fin|début|[Ee]l|[Dd]esde|a finales de|a principios de|a|[Nn]el|[Dd]al|[Aa]l|[Ii]l|fine|inizio|[Oo]p|[Ss]inds|eind|begin|[Ee]m|no fim de|no início de|o)`

// languages are those that are read besides English.
var languages = []language{
	{ // German
		cues: []string{
			"verlassen", "erließ ", "erliess ", "erlässt ", "usgeschieden", "chied ", "cheidet ", "ekündigt", "ündigte ", "ntlassen", "icht mehr ", "icht länger ",
			"hemalige", "hemals ", "rühere", "rüher ", "ezogen", " zog ", "Zog ", "echselte ", "ewechselt", "urückgetreten", " trat ", "Trat ", "usgelaufen", "bgelaufen", "ndete ", "beendet", " lief ", " zu Ende", "ufgehört",
		},
		datedCues: []string{" bis ", "Bis ", "etzter ", "etzten "},
		former:    []string{" von ", " bei ", " der "},
		doubt:     `(?i:\b(?:nicht|nie|niemals|kaum|wenn|falls|ob|angeblich|vermutlich|vielleicht|wohl|womöglich|soll|sollte|würde|wird|werde|könnte|möchte|will|wollte|plant|plante|laut|sagt|sagte|heißt|fast|beinahe|vorübergehend|kurz|für heute|Ferien|Pause|Elternzeit|Feierabend|Mittagessen|zog .*zurück|zieht .*zurück|nahm .*zurück|zurückgenommen|zurückgezogen|demnächst|bald|falsch)\b)`,
		stems:     `gerücht|urlaub|kurzurlaub|wochenend|weekend|verlänger|erneuer|erneut|zurückgekehrt|kehrt|rückkehr|wiedereingestellt|wieder eingestellt|widerr[iu]|dementier|bestritt|unbestätigt|dienstreise|geschäftsreise|unterbr`,
		onward:    `(?:,? (?:und|weil|denn|nachdem) |, (?:sie|er|jetzt|nun|inzwischen|seither|seitdem) | nach (?:\d+|einem|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|vielen|mehreren) |,? um (?:[^.;]* )?(?:zu (?:gründen|leiten|führen|studieren|werden|arbeiten|übernehmen)|beizutreten|anzufangen|aufzubauen)\b)`,
		pronoun:   `[Ee]r|[Ss]ie`,
		forms: []foreignForm{
			{pattern: `^<who>(?i:hat|hatte|haben) <A><when><A>(?:die |das |den |die Firma )?<O><after>(?: wieder| endgültig)? verlassen`, weak: true, perfect: true},
			{pattern: `^<who><A>(?i:verließ|verliess) <A><when>(?:die |das |den |die Firma )?<O>`, weak: true},
			{pattern: `^<who><A>[Vv]erlässt <A><when>(?:die |das |den |die Firma )?<O>`, weak: true, now: true},
			{pattern: `^<who>(?i:ist|war|hat|hatte|wurde|sind) <A><when><A>(?:als <R> )?(?:bei|aus|von|bei de[rnm]|aus de[rnm]|von de[rnm]|beim|vom|bei der Firma|aus der Firma|der|dem) <O><after> (?:ausgeschieden|gekündigt|entlassen|aufgehört|zurückgetreten|freigestellt|weggegangen|gegangen)(?: worden)?`},
			{pattern: `^<who><A>(?i:schied|trat) <A><when><A>(?:als <R> )?(?:bei|aus|von|der|bei der|aus der|von der) <O><after> (?:aus|zurück)\b`},
			{pattern: `^<who><A>(?i:scheidet|tritt) <A><when><A>(?:als <R> )?(?:bei|aus|von|der|bei der|aus der|von der) <O><after> (?:aus|zurück)\b`, now: true},
			{pattern: `^<who><A>[Kk]ündigte <A><when>(?:(?:ihre|seine|die) Stelle )?bei <O>`},
			{pattern: `^(?:<who>(?:ist|sind|war|arbeitet|wohnt|lebt|berichtet|leitet) )?<A><when><A>[Nn]icht (?:mehr|länger) (?:(?:als )?<R> )?(?:bei|für|in|von|an|der|bei der|für die) <O>(?: (?:tätig|angestellt|beschäftigt))?`},
			{pattern: `^(?:<who>(?:ist|war) )?(?:[Ee]ine? |[Dd]ie |[Dd]er )?(?:[Ee]hemalige[rsn]?|[Ff]rühere[rsn]?|[Ee]hemals|[Ff]rüher|[Ee]x-?) ?<R> (?:bei|von|der|des|für|in|bei der|von der) <O>`, past: true},
			{pattern: `^(?:<who>(?:ist|war) )?(?:[Ff]rüher|[Ee]hemals|[Bb]is vor kurzem) (?:bei|in|für) <O>`, past: true},
			{pattern: `^<who><A>(?:(?i:war|arbeitete|lebte|wohnte|leitete|führte) )?(?:von <any> )?[Bb]is (?:(?:Ende|Anfang|Mitte|zum) )?<until> (?:als )?(?:<R> )?(?:(?:bei|von|in|für|der|des) )?<O>(?: (?:tätig|angestellt|beschäftigt))?`, past: true},
			{pattern: `^<who><A>(?:(?i:war|arbeitete|lebte|wohnte|leitete|führte) )?(?:als )?(?:<R> )?(?:(?:[Bb]ei|von|[Ii]n|[Ff]ür|der|des) )?<O>,? \(?(?:von <any> )?bis (?:(?:Ende|Anfang|Mitte|zum) )?<until>\)?`, past: true},
			{pattern: `^(?:` + mark + `S` + mark + `'s |[Ii]hr |[Ss]ein |[Dd]er )?[Ll]etzte[rn]? (?:Arbeits)?[Tt]ag (?:bei|in|bei der) <O>(?: (?:war|ist)|:)?(?: (?:am|der))? <until>`},
			{pattern: `^(?:` + mark + `S` + mark + `'s |[Ii]hr |[Ii]hre |[Ss]ein |[Ss]eine |[Dd]er |[Dd]ie |[Dd]as )?(?:[\pL]+ )?(?:Vertrag|Arbeitsvertrag|Anstellung|Arbeitsverhältnis|Engagement|Mandat|Mitgliedschaft|Amtszeit|Praktikum|Ehe|Zeit|Stelle) (?:bei|mit|in|von|zu|bei der|mit der) <O> (?:(?:endete|lief)<after>(?: aus)?|(?:ist|wurde|war)<last> (?:ausgelaufen|abgelaufen|beendet|zu Ende))`},
			{pattern: `^<who><A>(?i:zog|wechselte) <A><when>(?:von|aus) <O>(?: (?:nach|zu|zur|zum) <N>(?: um)?)?`, from: true},
			{pattern: `^<who>[Ii]st <A><when><A>(?:von|aus) <O><after>(?: (?:nach|zu|zur|zum) <N>)?<last> (?:gezogen|umgezogen|gewechselt|weggezogen)`, from: true},
		},
	},
	{ // French
		cues:      []string{"quitté ", "uitta ", "émissionn", "icencié", "ravaille plus", "est plus ", "abite plus", " vit plus", "ancien ", "ancienne ", "Ancien ", "Ancienne ", "éménag"},
		datedCues: []string{"usqu'", "usqu’", "ernier jour"},
		former:    []string{" de ", " d'", " d’", " chez "},
		doubt:     `(?i:\b(?:pas|jamais|peut-être|si|aurait|serait|devrait|pourrait|veut|voudrait|envisage|presque|vacances|week-end|weekend|en congé|pause|demain|bientôt|voyage|maladie|faux|fausse)\b)`,
		stems:     `renouvel|prolong|rumeur|revien|revenu|rentr|retourn|retir|déjeun|dément|annul|réintégr|réembauch|provisoire|temporaire|pour (?:la journée|quelques|l['’]été|l['’]hiver|Noël|Pâques|aujourd)|aujourd['’]hui|brièvement`,
		onward:    `(?:,? (?:et|car|parce que|puisque) |, (?:elle|il) | après (?:\d+|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|plusieurs) |,? pour (?:rejoindre|fonder|créer|diriger|devenir|travailler|lancer|étudier|prendre la|des raisons) )`,
		pronoun:   `[Ee]lles?|[Ii]ls?`,
		forms: []foreignForm{
			{pattern: `^<who>(?i:a|avait|ont) <A>quitté <O>`, weak: true, perfect: true},
			{pattern: `^<who><A>[Qq]uitta <O>`, weak: true},
			{pattern: `^<who>(?:a|avait) <A>démissionné (?:de son poste (?:de <R> )?|du poste de <R> |en tant que <R> )?(?:de |d'|d’|chez )<O>`},
			{pattern: `^<who>(?i:a été|fut) <A>licenciée? (?:de |d'|d’|par |chez )<O>`},
			{pattern: `^<who>(?:ne travaille plus|n'est plus|n’est plus|n'habite plus|n’habite plus|ne vit plus) (?:<R> )?(?:chez |à |pour |de |d'|d’|dans |en )<O>`},
			{pattern: `^(?:<who>est )?(?:[Uu]ne? |[Ll]'|[Ll]’)?(?:[Aa]ncien(?:ne)? |[Ee]x-?)<R> (?:de |d'|d’|du |chez |à )<O>`, past: true},
			{pattern: `^<who>(?:(?i:a travaillé|travaillait|était|a été|a vécu|vivait) )?(?:<R> )?(?:[Cc]hez |[àÀ] |pour |de |d'|d’)<O>,? \(?(?:de <any> )?jusqu['’](?:en |à |au )(?:(?:fin|début|la fin de) )?<until>\)?`, past: true},
			{pattern: `^(?:[Ss]on |[Ll]e )?[Dd]ernier jour (?:chez |à )<O>(?: (?:était|a été)| ?:)?(?: le)? <until>`},
			{pattern: `^<who>a déménagé (?:de |d'|d’)<O>(?: (?:à|chez|pour) <N>)?`, from: true},
		},
	},
	{ // Spanish
		cues:      []string{"ejó ", " dejado ", "enunció ", " renunciado ", "espedid", "no trabaja ", "no es ", "no vive ", "antiguo ", "antigua ", "Antiguo ", "Antigua ", "mudó "},
		datedCues: []string{"hasta ", "ltimo día"},
		former:    []string{" de "},
		doubt:     `(?i:\b(?:nunca|jamás|quizás?|si|tal vez|podría|debería|quiere|planea|casi|por hoy|mañana|fin de semana|vacaciones|pausa|puente|viaje|falso|falsa)\b)`,
		stems:     `quizá|renov|prorrog|prolong|rumor|regres|retorn|volvi|volver|vuelv|almorz|almuerz|almuerc|desmint|desment|revoc|readmit|reincorpor|recontrat|temporal|brevemente|anul|retiró (?:la|su) `,
		onward:    `(?:,? (?:y|porque) |, (?:ella|él) | (?:tras|después de) (?:\d+|una?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|varios) |,? para (?:fundar|unirse|trabajar|dirigir|estudiar|crear|ser|liderar|incorporarse) )`,
		pronoun:   `[Ee]lla|[Éé]l`,
		forms: []foreignForm{
			{pattern: `^<who><A>[Dd]ejó <O>`, weak: true},
			{pattern: `^<who>[Hh]a <A>dejado <O>`, weak: true, perfect: true},
			{pattern: `^<who>(?i:renunció|ha renunciado) (?:como <R> )?(?:a|de) <O>`},
			{pattern: `^<who>[Ff]ue despedid[oa] (?:de|por) <O>`},
			{pattern: `^<who>[Yy]a no (?:trabaja|es|vive|está) (?:<R> )?(?:en|de|para|con) <O>`},
			{pattern: `^(?:<who>es )?(?:[Uu]na? |[Ll]a |[Ee]l )?(?:[Aa]ntigu[oa] |[Ee]x-? ?)<R> (?:de|en) <O>`, past: true},
			{pattern: `^<who>(?:(?i:trabajó|trabajaba|fue|era|estuvo|vivió) )?(?:<R> )?(?:[Ee]n|de|para) <O>,? \(?(?:de(?:sde)? <any> )?hasta (?:(?:finales de|principios de|el) )?<until>\)?`, past: true},
			{pattern: `^(?:[Ss]u |[Ee]l )?[ÚúU]ltimo día en <O>(?: fue|:)?(?: el)? <until>`},
			{pattern: `^<who>[Ss]e mudó de <O>(?: a <N>)?`, from: true},
		},
	},
	{ // Italian
		cues:      []string{"lasciato ", "asciò ", "dimess", "licenziat", "on lavora più", "on è più", "on vive più", "Ex ", "trasferit"},
		datedCues: []string{"fino a", "ltimo giorno"},
		former:    []string{" di ", " della "},
		doubt:     `(?i:\b(?:mai|forse|se|sarebbe|avrebbe|dovrebbe|potrebbe|vuole|vorrebbe|quasi|oggi|domani|voci|ferie|weekend|week-end|fine settimana|pausa|viaggio|falso|falsa|presto)\b)`,
		stems:     `rinnov|prorog|prolung|torna|torner|ritorn|rientr|ritir|pettegolezz|dicerie|vacanz|pranz|temporane|provvisor|brevemente|smenti|revoc|riassunt|annull`,
		onward:    `(?:,? (?:e|perché) |, (?:lei|lui) | dopo (?:\d+|une?|un|una|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|molti) |,? per (?:fondare|lavorare|dirigere|studiare|diventare|creare|entrare|unirsi|motivi|sempre|ragioni)\b)`,
		pronoun:   `[Ll]ui|[Ll]ei`,
		forms: []foreignForm{
			{pattern: `^<who>(?i:ha|aveva) <A>lasciato <O>`, weak: true, perfect: true},
			{pattern: `^<who><A>[Ll]asciò <O>`, weak: true},
			{pattern: `^<who>[Ss]i (?:è|era) <A>dimess[oa] (?:da <R> di |come <R> di |da |dalla )<O>`},
			{pattern: `^<who>[Èè] stat[oa] <A>licenziat[oa] (?:da|dalla) <O>`},
			{pattern: `^<who>[Nn]on (?:lavora|è|vive) più (?:<R> )?(?:in|per|di|da|a|con|alla|della) <O>`},
			{pattern: `^(?:<who>è )?(?:[Uu]n |[Uu]na |[Ll]'|[Ll]’)?[Ee]x <R> (?:di|della|in|presso) <O>`, past: true},
			{pattern: `^<who>(?:(?i:ha lavorato|lavorava|era|[Èè] stat[oa]|ha vissuto) )?(?:<R> )?(?:[Ii]n|per|di|da|[Aa]|presso) <O>,? \(?(?:dal <any> )?fino (?:al?|ad|a fine|all'inizio del) <until>\)?`, past: true},
			{pattern: `^(?:[Ii]l suo |[Ll]')?[Uu]ltimo giorno (?:in|da|presso|alla) <O>(?: [Èè] stato| era|:)?(?: il)? <until>`},
			{pattern: `^<who>[Ss]i (?:è|era) trasferit[oa] da <O>(?: a <N>)?`, from: true},
		},
	},
	{ // Dutch
		cues:      []string{"erliet ", "verlaten", "ontslag ", "ontslagen", "niet meer ", "niet langer ", "oormalig", "erhuisde ", "tapte over "},
		datedCues: []string{" tot ", "aatste "},
		former:    []string{" van ", " bij "},
		doubt:     `(?i:\b(?:niet|nooit|misschien|als|zou|wil|wilde|bijna|volgens|vandaag|morgen|vakantie|weekend|lunch|lunchen|pauze|even|verlof|trok|introk|terug|reis)\b)`,
		stems:     `verleng|vernieuw|gerucht|teruggek|terugge|keert|keerde|tijdelijk|ingetrokken|herroep|opnieuw|ontken|onbevestigd|zakenreis`,
		onward:    `(?:,? (?:en|omdat|want|nadat) |, (?:zij|ze|hij) | na (?:\d+|een|twee|drie|vier|vijf|zes|zeven|acht|negen|tien|vele) |,? om (?:[^.;]* )?te (?:beginnen|richten|stichten|werken|leiden|studeren|worden)\b)`,
		pronoun:   `[Hh]ij|[Zz]ij|[Zz]e`,
		forms: []foreignForm{
			{pattern: `^<who><A>[Vv]erliet <A><when><O>`, weak: true},
			{pattern: `^<who>(?i:heeft|had) <A><when><O><after> verlaten`, weak: true, perfect: true},
			{pattern: `^<who><A>[Nn]am <A><when>ontslag bij <O>`},
			{pattern: `^<who>(?i:is|werd) <A><when>(?:bij|door) <O><after> ontslagen`},
			{pattern: `^<who>(?i:werkt|is|woont) <A><when>[Nn]iet (?:meer|langer) (?:<R> )?(?:bij|voor|in|van) <O>`},
			{pattern: `^(?:<who>is )?(?:[Ee]en |[Dd]e )?(?:[Vv]oormalige?|[Ee]x-?) ?<R> (?:van|bij) <O>`, past: true},
			{pattern: `^<who>(?:(?i:werkte|was|woonde) )?(?:<R> )?(?:[Bb]ij|voor|[Ii]n|van) <O>,? \(?(?:van <any> )?tot (?:(?:eind|begin) )?<until>\)?`, past: true},
			{pattern: `^(?:[Hh]aar |[Zz]ijn |[Dd]e )?[Ll]aatste (?:werk)?dag bij <O>(?: (?:was|is)|:)?(?: op)? <until>`},
			{pattern: `^<who><A>(?i:verhuisde|stapte over) <when>van <O>(?: naar <N>)?`, from: true},
		},
	},
	{ // Portuguese
		cues:      []string{"eixou ", "aiu d", "enunciou ", "emitid", "ão trabalha ", "ão é ", "ão vive ", "ão está ", "udou-se ", "ntigo ", "ntiga "},
		datedCues: []string{"até ", "ltimo dia"},
		former:    []string{" da ", " do "},
		doubt:     `(?i:\b(?:nunca|jamais|talvez|poderia|deveria|quer|planeja|quase|hoje|fim de semana|férias|feriado|pausa|viagem|falso|falsa|em breve)\b)`,
		stems:     `amanhã|renov|prorrog|prolong|boato|rumor|volt|regress|retorn|almo[cç]|temporari|temporári|brevemente|desment|revog|readmit|recontrat|anul|licença|desist`,
		onward:    `(?:,? (?:e|porque) |, (?:ela|ele) | (?:após|depois de) (?:\d+|uma?|dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez|vários) |,? para (?:fundar|ingressar|trabalhar|dirigir|estudar|criar|ser|liderar|abrir|assumir|entrar) )`,
		pronoun:   `[Ee]l[ea]`,
		forms: []foreignForm{
			{pattern: `^<who><A>[Dd]eixou (?:a |o )?<O>`, weak: true},
			{pattern: `^<who><A>[Ss]aiu d[aeo] <O>`, weak: true},
			{pattern: `^<who>[Rr]enunciou (?:como <R> )?(?:à|a|da|do|de) <O>`},
			{pattern: `^<who>[Ff]oi demitid[oa] (?:da|do|de|pela|pelo|por) <O>`},
			{pattern: `^<who>[Jj]á não (?:trabalha|é|vive|está) (?:<R> )?(?:n[ao]|em|d[aeo]|para|com) <O>`},
			{pattern: `^<who>[Nn]ão (?:trabalha|é|vive) mais (?:<R> )?(?:n[ao]|em|d[aeo]|para|com) <O>`},
			{pattern: `^(?:<who>é )?(?:[Uu]ma? |[Aa] |[Oo] )?(?:[Aa]ntig[oa] |[Ee]x-?)<R> (?:d[aeo]|n[ao]) <O>`, past: true},
			{pattern: `^<who>(?:(?i:trabalhou|foi|era|esteve|viveu) )?(?:<R> )?(?:[Nn][ao]|[Ee]m|d[aeo]|para) <O>,? \(?(?:de <any> )?até (?:(?:o fim de|o início de) )?<until>\)?`, past: true},
			{pattern: `^(?:[Oo] )?(?:[Ss]eu )?[ÚúU]ltimo dia n[ao] <O>(?: foi|:)?(?: em)? <until>`},
			{pattern: `^<who>[Mm]udou-se d[aeo] <O>(?: para <N>)?`, from: true},
		},
	},
}

// compiled are the forms of a language, made when a text first has one of its cues.
func (l *language) compiled() []form {
	l.once.Do(func() {
		// A word may begin or end with a letter for which \b is none.
		pronoun := regexp.MustCompile(`^(?:` + l.pronoun + `)\b`)
		doubt := regexp.MustCompile(l.doubt + `|(?i:(?:^|[^\pL])(?:` + l.stems + `))`)
		onward := regexp.MustCompile(`^(?:[.!;]? *$| ?[(—–]| - |` + foreign.Replace(l.onward) + `)`)
		for _, f := range l.forms {
			l.ready = append(l.ready, form{re: regexp.MustCompile(foreign.Replace(f.pattern)), weak: f.weak, past: f.past, now: f.now, from: f.from, perfect: f.perfect, doubt: doubt, onward: onward, pronoun: pronoun})
		}
	})
	return l.ready
}

// noLonger are the negations that say that something is over.
var noLonger = lazyregexp.New(`[Nn]icht (?:mehr|länger)|[Nn]iet (?:meer|langer)`)

// foreignOther is the name of somebody else whom a sentence introduces by what they were.
var foreignOther = lazyregexp.New(`^, (?:` + mark + `\d+` + mark + `|\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)*) \p{Ll}`)

// follows reports whether what follows the object of a form of another language lets the
// sentence be of an end of the page.
func (r *reader) follows(f form, words, rest string, dated bool) bool {
	if f.weak {
		return f.onward.MatchString(rest) && (dated || f.perfect)
	}
	_, own := r.called(strings.TrimPrefix(rest, ", "))
	return own || !f.past || strings.HasPrefix(words, mark) || !foreignOther().MatchString(rest)
}

// foreignName is otherName after words of the other languages.
var foreignName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b((?:[Bb]ei|[Vv]on|[Aa]us|[Ff]ür|[Vv]erließ|[Vv]erlässt|hat|quitté|[Cc]hez|[Dd]e|[Pp]our|[Dd]ejó|lasciato|[Vv]erliet|heeft|[Bb]ij|van|en|di|da|[Ee]x)[ -])` + properName)
})

// languagesOf are the languages that a sentence has a cue of, besides English.
func languagesOf(words string) (out []*language) {
	add := func(l *language) {
		if l != nil && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	was, last := false, byte(' ')
	for i := range len(words) + 1 {
		before := last
		if last = ' '; i < len(words) {
			last = words[i]
		}
		n := cueAt[uint16(before)<<8|uint16(last)]
		if n == 0 {
			continue
		}
		for _, c := range cuesAt[n] {
			if begins(words, i+1, c.text[2:]) {
				add(c.of)
				was = was || c.text == "ex-" || c.text == "Ex-" || c.text == " ex " || c.text == "Ex "
			}
		}
	}
	if was {
		for i := range languages {
			if l := &languages[i]; slices.ContainsFunc(l.former, func(w string) bool { return strings.Contains(words, w) }) {
				add(l)
			}
		}
	}
	return out
}

// formsOf are the forms of English and of other languages.
func (r *reader) formsOf(abroad []*language) []form {
	forms := r.re.forms
	for _, l := range abroad {
		forms = slices.Concat(forms, l.compiled())
	}
	return forms
}
