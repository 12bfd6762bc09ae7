package temporal

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// language is a language other than English, with its words for an end. Its sentences are
// read by the forms below, and may have the dates and names of all languages.
type language struct {
	cues, datedCues []string // like those of English
	pronoun         string   // its alternatives
	forms           []foreignForm
	former          []string // words that follow a former role: "ex-CEO von"
	doubt           string   // words for plans, rumours, negations, pauses and retractions
	stems           string   // stems of such words, with any ending
	onward          string   // words that may follow the object of leaving: a purpose only if it is permanent
	unspaced        bool     // it is written without blanks between words

	once  sync.Once
	ready []form
}

// foreignForm is a form before it is compiled.
type foreignForm struct {
	pattern               string
	weak, past, now, from bool
	perfect               bool // a weak form without the need of a date, such as "has left"
}

// foreign replaces the parts of the patterns of other languages: R is a role, A adverbs, O
// the object, N a name; when, after and last are dates.
var foreign = strings.NewReplacer(
	"<who>", who, "<O>", object, "<any>", anyDate, "<until>", until,
	"<when>", `(?:(?:`+beforeDate+` )*`+until+` )?`,
	"<after>", `(?: (?:`+beforeDate+` )*`+dated+`(?P<e>\d+)`+dated+`)?`,
	"<last>", `(?: (?:`+beforeDate+` )*`+dated+`(?P<l>\d+)`+dated+`)?`,
	"<A>", `(?:(?:dann|schließlich|inzwischen|mittlerweile|bereits|schon|kürzlich|offiziell|auch|leider|selbst|gerade|jetzt|finalement|depuis|récemment|déjà|également|finalmente|ya|recientemente|recentemente|già|infine|inmiddels|ondertussen|onlangs|al|officieel|também|já|недавно|уже|затем|потом|наконец|официально|окончательно|тоже|сама?) )*`,
	"<R>", `(?:(?:[\pL&/.-]+ ){0,3}?(?i:\pL*(?:leiter|chef|führer|mitarbeiter|vorstand|direktor|manager|berater|ingenieur|designer|entwickler|partner|präsident|vorsitzender?|gründer|sprecher|anwalt|lehrer|professor|student|mitglied|angestellter?|praktikant|redakteur|architekt|verkäufer|einkäufer|buchhalter|assistent|referent|minister|bürgermeister|directeur|directrice|pdg|employé|responsable|ingénieur|président|presidente?|associé|consultante?|salarié|membre|fondateur|fondatrice|professeur|avocat|stagiaire|développeuse|maire|directora?|jef[ea]|emplead[oa]|ingenier[oa]|soci[oa]|consultora?|gerente|miembro|fundadora?|profesora?|abogad[oa]|alcalde|direttore|direttrice|capo|dipendente|ingegnere|consulente|responsabile|membro|fondatore|fondatrice|avvocato|sindaco|amministratore|hoofd|medewerker|medewerkster|voorzitter|adviseur|lid|oprichter|docent|advocaat|stagiair|burgemeester|директор|руководитель(?:ница)?|глава|сотрудни(?:к|ца)|работни(?:к|ца)|менеджер|инженер|разработчи(?:к|ца)|дизайнер|партн[её]р|президент|председатель|консультант|стаж[её]р|аналитик|учитель(?:ница)?|преподаватель(?:ница)?|профессор|студент(?:ка)?|член|основатель(?:ница)?|адвокат|юрист|бухгалтер|министр|мэр|начальни(?:к|ца)|diretora?|chefe|funcionári[oa]|engenheir[oa]|sóci[oa]|professora?|advogad[oa])(?:in|e|er|n|s|es)?(?: (?:général|financi|techni|commercia|adjoint|artisti|administrati|exécuti|ejecutiv|general|técnic|comercial|artístic|finanziari|tecnic|financeir|executiv)\pL*)?)|C[A-Z]{1,2}O|CEO|VP)`,
	// The rest of the sentence may be about new work, or about a return home.
	"<new>", `(?:[^.;]*[^\pL.;])?(?:(?i:gründet|leitet|führt|arbeite|wechsel|studier|lehrt|unterricht|beriet|berät|übern(?:ahm|immt)|selbst(?:st)?ändig|freiberuf|ruhestand|fonda|fondé|créa |créé|dirige|travaill|rejoi(?:nt|gn)|retraite|indépendant|étudi|enseign|fundó|fundou|fundad|trabaj|trabalh|incorpor|jubil|autónom|estudi[óa]|lavora|pensione|insegna|richtte|werkt|leidd?|studeer|pensioen|zelfstandig|ingress|aposent|assumiu|основал|возглав|работа|руковод|устроил|переш[её]л|перешла|создала?|преподаёт|пенси)|(?:jetzt|nun|maintenant|désormais|nu|теперь|сейчас) (?:bei|für|chez|pour|bij|voor|в) `+page+`)`,
	"<years>", `(?:[^ .;]+ ){1,3}?(?:Jahr|Monat|ans\b|an\b|année|mois\b|año|mes(?:es)?\b|ann[oi]\b|mes[ei]\b|jaar|jaren|maand|anos?\b|лет|год|месяц)`,
	"<N>", `(?:`+anyMention+`|\p{Lu}[\p{L}\p{N}&'’.-]*(?: \p{Lu}[\p{L}\p{N}&'’.-]*)*)`,

	// For Japanese and Chinese: a person with a title and a particle, adverbs, dates before
	// and after the object, a firm, another name, a role.
	"<Who>", `(?:`+mark+`(?P<s>S|\d+)`+mark+` ?(?:さん|氏|様|くん|先生|女士|小姐)?(?:は|が|も)?[、，,]? ?)?`,
	"<Adv>", `(?:(?:\d{1,2}月(?:\d{1,2}[日号])?(?:に|末に|初めに)?|先月|先週|昨年|去年|今年|本月|上个?月|上周|昨天|昨日|最近|すでに|既に|ついに|正式に|已经|已|刚刚?|正式|后来|近日|现在|目前)[、，,]? ?)*`,
	"<When>", `(?:(?:于|在|自)?`+until+`(?:末に|初めに|付けで|付で|をもって|に|から|以降|末|底|初|起)?[、，,]? ?)?`,
	"<After>", `(?:(?:于|在)?`+dated+`(?P<e>\d+)`+dated+`(?:末に|初めに|付けで|付で|をもって|に|末|底|初)?[、，,]? ?)?`,
	"<Firm>", ` ?(?:株式会社|社|公司|集团)?`,
	"<Other>", `(?:`+anyMention+`|[\p{L}\p{N}]{1,20}?)(?:株式会社|社|公司)?`,
	"<Role>", ` ?(?:[\p{Han}\p{Katakana}ー]{0,8}?(?:社長|会長|取締役|部長|課長|社員|従業員|職員|役員|代表|責任者|顧問|監督|教授|教員|研究員|弁護士|エンジニア|デザイナー|マネージャー|ディレクター|コンサルタント|インターン|メンバー|创始人|首席执行官|首席技术官|首席财务官|执行官|总裁|总经理|经理|总监|董事长|董事|主席|主任|主管|员工|职员|雇员|顾问|工程师|设计师|开发者|合伙人|研究员|老师|律师|会计|秘书|负责人|市长|部长|院长|校长)|C[A-Z]{1,2}O|CEO|VP)`,
)

// page is a mention of a page, not a plain name: somebody who left for a shop went shopping.
// It has fewer digits than firstName.
const page = mark + `\d{1,7}` + mark

// beforeDate are the words between a verb and a date.
const beforeDate = `(?:in|on|at|as of|effective|by|around|from|since|at the end of|by the end of|back in|late in|early in|during|[Ii]m|[Aa]m|[Zz]um|[Aa]b|[Ss]eit|[Ee]nde|[Aa]nfang|[Mm]itte|[Pp]er|[Vv]or|[Ii]m [Jj]ahr|der|dem|den|[Ee]n|[Ll]e|[Dd]epuis|fin|début|[Ee]l|[Dd]esde|a finales de|a principios de|a|[Nn]el|[Dd]al|[Aa]l|[Ii]l|fine|inizio|[Oo]p|[Ss]inds|eind|begin|[Ee]m|no fim de|no início de|o|[Вв]|[Сс]|[Кк]|конце|начале|середине|концу|конца|начала)`

// languages are the supported languages other than English.
var languages = []language{
	{ // German
		cues: []string{
			"verlassen", "erließ ", "erliess ", "erlässt ", "usgeschieden", "chied ", "cheidet ", "ekündigt", "ündigte ", "ntlassen", "icht mehr ", "icht länger ",
			"hemalige", "hemals ", "rühere", "rüher ", "ezogen", " zog ", "Zog ", "echselte ", "ewechselt", "urückgetreten", " trat ", "Trat ", "usgelaufen", "bgelaufen", "ndete ", "beendet", " lief ", " zu Ende", "ufgehört", " weg ", " ging ", "Ging ",
		},
		datedCues: []string{" bis ", "Bis ", "etzter ", "etzten "},
		former:    []string{" von ", " bei ", " der "},
		doubt:     `(?i:\b(?:nicht|nie|niemals|kaum|wenn|falls|ob|angeblich|vermutlich|vielleicht|wohl|womöglich|soll|sollte|würde|wird|werde|könnte|möchte|will|wollte|plant|plante|laut|sagt|sagte|heißt|fast|beinahe|vorübergehend|kurz|für heute|Ferien|Pause|Elternzeit|Feierabend|Mittagessen|zog .*zurück|zieht .*zurück|nahm .*zurück|zurückgenommen|zurückgezogen|demnächst|bald|falsch|morgen|übermorgen|unterwegs|auf dem Weg|nach Hause|heim|im (?:Zug|Bus|Auto|Taxi)|Uhr|Bahnhof|Flughafen|Messe|zum Essen|hol(?:t|te|en) .*ab|abzuholen|fuhr|fährt|gefahren|flog|geflogen|hinüber|herüber)\b)`,
		stems:     `zu (?:fuß|hause|tisch|bett|besuch)|gerücht|urlaub|kurzurlaub|wochenend|weekend|verlänger|erneuer|erneut|zurückgekehrt|kehrt|rückkehr|wiedereingestellt|wieder eingestellt|widerr[iu]|dementier|bestritt|unbestätigt|dienstreise|geschäftsreise|unterbr`,
		onward:    `(?:,? (?:und|weil|denn|nachdem) |, (?:(?:sie|er|inzwischen|seither|seitdem) )?)<new>| nach <years>|(?:,? um (?:[^.;]* )?(?:zu (?:gründen|leiten|führen|studieren|werden|arbeiten|übernehmen)|beizutreten|anzufangen|aufzubauen)\b)`,
		pronoun:   `[Ee]r|[Ss]ie`,
		forms: []foreignForm{
			{pattern: `^<who>(?i:hat|hatte|haben) <A><when><A>(?:die |das |den |die Firma )?<O><after>(?: wieder| endgültig)? verlassen`, weak: true, perfect: true},
			{pattern: `^<who><A>(?i:verließ|verliess) <A><when>(?:die |das |den |die Firma )?<O>`, weak: true},
			{pattern: `^<who><A>[Vv]erlässt <A><when>(?:die |das |den |die Firma )?<O>`, weak: true, now: true},
			{pattern: `^<who>(?i:ist|war|hat|hatte|wurde|sind) <A><when><A>(?:als <R> )?(?:bei|aus|von|bei de[rnm]|aus de[rnm]|von de[rnm]|beim|vom|bei der Firma|aus der Firma|der|dem) <O><after> (?:ausgeschieden|gekündigt|entlassen|aufgehört|zurückgetreten|freigestellt|weggegangen|gegangen)(?: worden)?`},
			{pattern: `^<who><A>(?i:schied|trat) <A><when><A>(?:als <R> )?(?:bei|aus|von|der|bei der|aus der|von der) <O><after> (?:aus|zurück)\b`},
			{pattern: `^<who><A>(?i:scheidet|tritt) <A><when><A>(?:als <R> )?(?:bei|aus|von|der|bei der|aus der|von der) <O><after> (?:aus|zurück)\b`, now: true},
			{pattern: `^<who><A>[Kk]ündigte <A><when>(?:(?:ihre|seine|die) Stelle )?bei <O>`},
			{pattern: `^(?:<who>(?i:ist|sind|arbeitet|wohnt|lebt|berichtet|leitet) )?<A><when><A>[Nn]icht (?:mehr|länger) (?:(?:als )?<R> )?(?:bei|für|in|von|an|der|bei der|für die) <O>(?: (?:tätig|angestellt|beschäftigt))?`},
			{pattern: `^(?:<who>(?:ist|war) )?(?:[Ee]ine? |[Dd]ie |[Dd]er )?(?:[Ee]hemalige[rsn]?|[Ff]rühere[rsn]?|[Ee]hemals|[Ff]rüher|[Ee]x-?) ?<R> (?:bei|von|der|des|für|in|bei der|von der) <O>`, past: true},
			{pattern: `^(?:<who>(?:ist|war) )?(?:(?:[Ff]rüher|[Bb]is vor kurzem) (?:bei|in|für) |[Ee]hemals (?:(?:bei|in|für) )?)<O>`, past: true},
			{pattern: `^<who>(?i:ist|war) <A><when>weg (?:von|bei) <O>`, weak: true},
			{pattern: `^<who><A>(?i:ging) <A><when>von <O> (?:zu|zur) ` + page, weak: true},
			{pattern: `^<who><A>(?:(?i:war|arbeitete|lebte|wohnte|leitete|führte) )?(?:von <any> )?[Bb]is (?:(?:Ende|Anfang|Mitte|zum) )?<until> (?:als )?(?:<R> )?(?:(?:bei|von|in|für|der|des) )?<O>(?: (?:tätig|angestellt|beschäftigt))?`, past: true},
			{pattern: `^<who><A>(?:(?i:war|arbeitete|lebte|wohnte|leitete|führte) )?(?:als )?(?:<R> )?(?:(?:[Bb]ei|von|[Ii]n|[Ff]ür|der|des) )?<O>,? \(?(?:von <any> )?bis (?:(?:Ende|Anfang|Mitte|zum) )?<until>\)?(?: (?:tätig|angestellt|beschäftigt))?`, past: true},
			{pattern: `^(?:` + mark + `S` + mark + `'s |[Ii]hr |[Ss]ein |[Dd]er )?[Ll]etzte[rn]? (?:Arbeits)?[Tt]ag (?:bei|in|bei der) <O>(?: (?:war|ist)|:)?(?: (?:am|der))? <until>`},
			{pattern: `^(?:` + mark + `S` + mark + `'s |[Ii]hr |[Ii]hre |[Ss]ein |[Ss]eine |[Dd]er |[Dd]ie |[Dd]as )?(?:[\pL]+ )?(?:Vertrag|Arbeitsvertrag|Anstellung|Arbeitsverhältnis|Engagement|Mandat|Mitgliedschaft|Amtszeit|Praktikum|Ehe|Zeit|Stelle) (?:bei|mit|in|von|zu|bei der|mit der) <O> (?:(?:endete|lief)<after>(?: aus)?|(?:ist|wurde|war)<last> (?:ausgelaufen|abgelaufen|beendet|zu Ende))`},
			{pattern: `^<who><A>(?i:zog|wechselte) <A><when>(?:von|aus) <O>(?: (?:nach|zu|zur|zum) <N>(?: um)?)?`, from: true},
			{pattern: `^<who>[Ii]st <A><when><A>(?:von|aus) <O><after>(?: (?:nach|zu|zur|zum) <N>)?<last> (?:gezogen|umgezogen|gewechselt|weggezogen)`, from: true},
		},
	},
	{ // French
		cues:      []string{"quitté ", "uitta ", "émissionn", "icencié", "ravaille plus", "est plus ", "abite plus", " vit plus", "ancien ", "ancienne ", "Ancien ", "Ancienne ", "nciennement ", "éménag", "st parti", "ait plus partie", "essé de ", "rrêté de "},
		datedCues: []string{"usqu'", "usqu’", "ernier jour"},
		former:    []string{" de ", " d'", " d’", " chez "},
		doubt:     `(?i:\b(?:pas|jamais|peut-être|si|aurait|serait|devrait|pourrait|veut|voudrait|envisage|presque|vacances|week-end|weekend|en congé|pause|demain|bientôt|voyage|maladie|faux|fausse|train|avion|métro|gare|maison|route|retour|courses|aéroport|chez (?:elle|lui))\b)`,
		stems:     `renouvel|prolong|rumeur|revien|revenu|rentr|retourn|retir|déjeun|dément|annul|réintégr|réembauch|provisoire|temporaire|pour (?:la journée|quelques|l['’]été|l['’]hiver|Noël|Pâques|aujourd)|aujourd['’]hui|brièvement`,
		onward:    `(?:,? (?:et|car|parce que|puisque) |, (?:(?:elle|il) )?)<new>| après <years>|(?:,? pour (?:rejoindre|fonder|créer|diriger|devenir|travailler|lancer|étudier|prendre la|des raisons) )`,
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
			{pattern: `^<who>(?i:est|était) <A>parti(?:e|s|es)? (?:de chez |de |d'|d’)<O>`, weak: true},
			{pattern: `^<who>(?i:ne|n['’]) ?(?:fait|font) plus partie (?:des équipes )?(?:de |d'|d’)<O>`},
			{pattern: `^<who>(?i:a|avait) <A>(?:cessé|arrêté) de travailler (?:chez |pour |à |dans )<O>`},
			{pattern: `^(?:<who>était )?[Aa]nciennement (?:chez |à )<O>`, past: true},
			{pattern: `^<who>a déménagé (?:de |d'|d’)<O>(?: (?:à|chez|pour) <N>)?`, from: true},
		},
	},
	{ // Spanish
		cues:      []string{"ejó ", " dejado ", "enunció ", " renunciado ", "espedid", "no trabaja ", "no es ", "no vive ", "antiguo ", "antigua ", "Antiguo ", "Antigua ", "mudó ", "e fue de ", "e ha ido de ", "marchó de ", "alió de ", "nteriormente en "},
		datedCues: []string{"asta ", "ltimo día"},
		former:    []string{" de "},
		doubt:     `(?i:\b(?:nunca|jamás|quizás?|si|tal vez|podría|debería|quiere|planea|casi|por hoy|mañana|fin de semana|vacaciones|pausa|puente|viaje|falso|falsa|tren|metro|avión|coche|casa|aeropuerto|compras?|supermercado|camino)\b)`,
		stems:     `quizá|renov|prorrog|prolong|rumor|regres|retorn|volvi|volver|vuelv|almorz|almuerz|almuerc|desmint|desment|revoc|readmit|reincorpor|recontrat|temporal|brevemente|anul|retiró (?:la|su) `,
		onward:    `(?:,? (?:y|porque) |, (?:(?:ella|él) )?)<new>| (?:tras|después de) <years>|(?:,? para (?:fundar|unirse|trabajar|dirigir|estudiar|crear|ser|liderar|incorporarse) )`,
		pronoun:   `[Ee]lla|[Éé]l`,
		forms: []foreignForm{
			{pattern: `^<who><A>[Dd]ejó <O>`, weak: true},
			{pattern: `^<who>[Hh]a <A>dejado <O>`, weak: true, perfect: true},
			{pattern: `^<who>(?i:renunció|ha renunciado) (?:como <R> )?(?:a|de) <O>`},
			{pattern: `^<who>[Ff]ue despedid[oa] (?:de|por) <O>`},
			{pattern: `^<who>[Yy]a no (?:trabaja|es|vive) (?:<R> )?(?:en|de|para|con) <O>`},
			{pattern: `^(?:<who>es )?(?:[Uu]na? |[Ll]a |[Ee]l )?(?:[Aa]ntigu[oa] |[Ee]x-? ?)<R> (?:de|en) <O>`, past: true},
			{pattern: `^<who>(?:(?i:trabajó|trabajaba|fue|era|estuvo|vivió) )?(?:<R> )?(?:[Ee]n|de|para) <O>,? \(?(?:de(?:sde)? <any> )?hasta (?:(?:finales de|principios de|el) )?<until>\)?`, past: true},
			{pattern: `^(?:[Ss]u |[Ee]l )?[ÚúU]ltimo día en <O>(?: fue|:)?(?: el)? <until>`},
			{pattern: `^<who>(?i:dejó|ha dejado|dejaron) de (?:trabajar|colaborar) (?:en|para|con) <O>`},
			{pattern: `^<who><A>(?i:se fue|se ha ido|se marchó|salió) de <O>`, weak: true},
			{pattern: `^(?:<who>estuvo )?[Aa]nteriormente en <O>`, past: true},
			{pattern: `^<who>[Ss]e mudó de <O>(?: a <N>)?`, from: true},
		},
	},
	{ // Italian
		cues:      []string{"lasciato ", "asciò ", "dimess", "licenziat", "on lavora più", "on è più", "on vive più", "Ex ", "trasferit", "messo di lavorare ", " andat", "recedentemente ", "n precedenza "},
		datedCues: []string{"ino a", "ltimo giorno"},
		former:    []string{" di ", " della "},
		doubt:     `(?i:\b(?:mai|forse|sarebbe|avrebbe|dovrebbe|potrebbe|vuole|vorrebbe|quasi|oggi|domani|voci|ferie|weekend|week-end|fine settimana|pausa|viaggio|falso|falsa|presto|treno|metro|aereo|macchina|casa|strada|aeroporto|spesa|supermercato)\b)`,
		stems:     `se [^n]|rinnov|prorog|prolung|torna|torner|ritorn|rientr|ritir|pettegolezz|dicerie|vacanz|pranz|temporane|provvisor|brevemente|smenti|revoc|riassunt|annull`,
		onward:    `(?:,? (?:e|perché) |, (?:(?:lei|lui) )?)<new>| dopo <years>|(?:,? per (?:fondare|lavorare|dirigere|studiare|diventare|creare|entrare|unirsi|motivi|sempre|ragioni)\b)`,
		pronoun:   `[Ll]ui|[Ll]ei`,
		forms: []foreignForm{
			{pattern: `^<who>(?i:ha|aveva) <A>lasciato <O>`, weak: true, perfect: true},
			{pattern: `^<who><A>[Ll]asciò <O>`, weak: true},
			{pattern: `^<who>[Ss]i (?:è|era) <A>dimess[oa] (?:da <R> di |come <R> di |da |dalla )<O>`},
			{pattern: `^<who>[Èè] stat[oa] <A>licenziat[oa] (?:da|dalla) <O>`},
			{pattern: `^<who>[Ss]i (?:è|era) <A>licenziat[oa] (?:da|dalla|dall['’]) ?<O>`},
			{pattern: `^<who>(?i:ha|aveva) <A>smesso di lavorare (?:in|per|con|da|presso|alla) <O>`},
			{pattern: `^<who>[Ss]e n['’](?:è|era) andat[oa] (?:da|dalla) <O>`, weak: true},
			{pattern: `^(?:<who>era )?(?:[Pp]recedentemente|[Ii]n precedenza) (?:in|a|da|presso) <O>`, past: true},
			{pattern: `^<who>[Nn]on (?:lavora|è|vive) più (?:<R> )?(?:in|per|di|da|a|con|alla|della) <O>`},
			{pattern: `^(?:<who>è )?(?:[Uu]n |[Uu]na |[Ll]'|[Ll]’)?[Ee]x <R> (?:di|della|in|presso) <O>`, past: true},
			{pattern: `^<who>(?:(?i:ha lavorato|lavorava|era|[Èè] stat[oa]|ha vissuto) )?(?:<R> )?(?:[Ii]n|per|di|da|[Aa]|presso) <O>,? \(?(?:dal <any> )?fino (?:al?|ad|a fine|all'inizio del) <until>\)?`, past: true},
			{pattern: `^(?:[Ii]l suo |[Ll]')?[Uu]ltimo giorno (?:in|da|presso|alla) <O>(?: [Èè] stato| era|:)?(?: il)? <until>`},
			{pattern: `^<who>[Ss]i (?:è|era) trasferit[oa] da <O>(?: a <N>)?`, from: true},
		},
	},
	{ // Dutch
		cues:      []string{"erliet ", "verlaten", "ontslag ", "ontslagen", "niet meer ", "niet langer ", "oormalig", "oorheen ", "erhuisde ", "tapte over ", " weg bij ", "estopt bij "},
		datedCues: []string{" tot ", "Tot ", "aatste "},
		former:    []string{" van ", " bij "},
		doubt:     `(?i:\b(?:niet|nooit|misschien|als|zou|wil|wilde|bijna|volgens|vandaag|morgen|vakantie|weekend|lunch|lunchen|pauze|even|verlof|trok|introk|terug|reis|trein|huis|thuis|onderweg|uur|boodschappen|tanken|koffie|luchthaven|reed|rijdt)\b)`,
		stems:     `verleng|vernieuw|gerucht|teruggek|terugge|keert|keerde|tijdelijk|ingetrokken|herroep|opnieuw|ontken|onbevestigd|zakenreis`,
		onward:    `(?:,? (?:en|omdat|want|nadat) |, (?:(?:zij|ze|hij) )?)<new>| na <years>|(?:,? om (?:[^.;]* )?te (?:beginnen|richten|stichten|werken|leiden|studeren|worden)\b)`,
		pronoun:   `[Hh]ij|[Zz]ij|[Zz]e`,
		forms: []foreignForm{
			{pattern: `^<who><A>[Vv]erliet <A><when><O>`, weak: true},
			{pattern: `^<who>(?i:heeft|had) <A><when><O><after> verlaten`, weak: true, perfect: true},
			{pattern: `^<who><A>[Nn]am <A><when>ontslag bij <O>`},
			{pattern: `^<who>(?i:is|werd) <A><when>(?:bij|door) <O><after> ontslagen`},
			{pattern: `^<who>(?i:werkt|is|woont) <A><when>[Nn]iet (?:meer|langer) (?:<R> )?(?:bij|voor|in|van) <O>`},
			{pattern: `^<who>(?i:is|was) <A><when>(?:weg|gestopt) bij <O>`, weak: true},
			{pattern: `^(?:<who>was )?[Vv]oorheen (?:werkzaam )?bij <O>`, past: true},
			{pattern: `^(?:<who>is )?(?:[Ee]en |[Dd]e )?(?:[Vv]oormalige?|[Ee]x-?) ?<R> (?:van|bij) <O>`, past: true},
			{pattern: `^<who>(?:(?i:werkte|was|woonde) )?(?:<R> )?(?:[Bb]ij|voor|[Ii]n|van) <O>,? \(?(?:van <any> )?tot (?:(?:eind|begin) )?<until>\)?`, past: true},
			{pattern: `^(?:[Hh]aar |[Zz]ijn |[Dd]e )?[Ll]aatste (?:werk)?dag bij <O>(?: (?:was|is)|:)?(?: op)? <until>`},
			{pattern: `^<who><A>(?i:verhuisde|stapte over) <when>van <O>(?: naar <N>)?`, from: true},
		},
	},
	{ // Portuguese
		cues:      []string{"eixou ", "aiu d", "enunciou ", "emitid", "ão trabalha ", "ão é ", "ão vive ", "ão está ", "udou-se ", "ntigo ", "ntiga ", "emissão ", "esligou-se ", "nteriormente n", "nteriormente em "},
		datedCues: []string{"até ", "Até ", "ltimo dia"},
		former:    []string{" da ", " do "},
		doubt:     `(?i:\b(?:nunca|jamais|talvez|poderia|deveria|quer|planeja|quase|hoje|fim de semana|férias|feriado|pausa|viagem|falso|falsa|em breve|comboio|trem|metr[ôo]|avião|carro|casa|caminho|aeroporto|compras|mercado|supermercado)\b)`,
		stems:     `amanhã|renov|prorrog|prolong|boato|rumor|volt|regress|retorn|almo[cç]|temporari|temporári|brevemente|desment|revog|readmit|recontrat|anul|licença|desist`,
		onward:    `(?:,? (?:e|porque) |, (?:(?:ela|ele) )?)<new>| (?:após|depois de) <years>|(?:,? para (?:fundar|ingressar|trabalhar|dirigir|estudar|criar|ser|liderar|abrir|assumir|entrar) )`,
		pronoun:   `[Ee]l[ea]`,
		forms: []foreignForm{
			{pattern: `^<who><A>[Dd]eixou (?:a |o )?<O>`, weak: true},
			{pattern: `^<who><A>[Ss]aiu d[aeo] <O>`, weak: true},
			{pattern: `^<who>[Rr]enunciou (?:como <R> )?(?:à|a|da|do|de) <O>`},
			{pattern: `^<who>(?:[Pp]ediu demissão|[Dd]esligou-se) d[aeo] <O>`},
			{pattern: `^<who>(?i:deixou) de trabalhar (?:n[ao]|para|em|com) <O>`},
			{pattern: `^(?:<who>esteve )?[Aa]nteriormente (?:n[ao]|em) <O>`, past: true},
			{pattern: `^<who>[Ff]oi demitid[oa] (?:da|do|de|pela|pelo|por) <O>`},
			{pattern: `^<who>[Jj]á não (?:trabalha|é|vive) (?:<R> )?(?:n[ao]|em|d[aeo]|para|com) <O>`},
			{pattern: `^<who>[Nn]ão (?:trabalha|é|vive) mais (?:<R> )?(?:n[ao]|em|d[aeo]|para|com) <O>`},
			{pattern: `^(?:<who>é )?(?:[Uu]ma? |[Aa] |[Oo] )?(?:[Aa]ntig[oa] |[Ee]x-?)<R> (?:d[aeo]|n[ao]) <O>`, past: true},
			{pattern: `^<who>(?:(?i:trabalhou|foi|era|esteve|viveu) )?(?:<R> )?(?:[Nn][ao]|[Ee]m|d[aeo]|para) <O>,? \(?(?:de <any> )?até (?:(?:o fim de|o início de) )?<until>\)?`, past: true},
			{pattern: `^(?:[Oo] )?(?:[Ss]eu )?[ÚúU]ltimo dia n[ao] <O>(?: foi|:)?(?: em)? <until>`},
			{pattern: `^<who>[Mm]udou-se d[aeo] <O>(?: para <N>)?`, from: true},
		},
	},
	{ // Russian
		cues: []string{
			"шёл ", "шел ", "шла ", "шли из", "воли", "волен", "окинул", "ставил", "ольше не ", "же не ", "ывш", "кс-", "ереехал", "еребрал", "еревел", "еревёл", "стёк", "стек", "асторгнут", "акончил",
		},
		datedCues: []string{"до ", "До ", "по ", "оследний "},
		doubt:     `[?]`,
		stems:     `никогда|возможно|может|если|будет|хоч|хотел|собира|планир|говорят|якобы|вероятно|наверное|почти|временн|ненадолго|отпуск|командировк|каникул|выходн|обед|слух|отрица|опроверг|отозва|верн|восстанов|прод(?:лил|л[её]н)|завтра|сегодня|скоро|вечером|утром|домой|дома\b|поезд|поехал|пош[её]л|пошла|ед(?:ет|ут)\b|идёт|прид[её]т|метро|вокзал|аэропорт|магазин|гост(?:и|ях)\b|ужин|пути|бы |не (?:ушла|уш[её]л|уволи|покинул|был)`,
		onward:    `(?:,? (?:и|потому что|так как) |, (?:(?:она|он) )?)<new>|,? чтобы (?:основать|возглавить|стать|работать|создать|учиться) | (?:после|спустя) <years>`,
		pronoun:   `[Оо]на|[Оо]ни|[Оо]н`,
		forms: []foreignForm{
			{pattern: `^<who><A>(?i:ушёл|ушел|ушла|ушли|уволился|уволилась|уволились) <A><when>(?:(?:с|со|из|от) (?:поста|должности) <R>(?: по \p{Ll}+)? (?:в |из )?|(?:из|с|со|от) (?:компании |фирмы )?)<O>(?: в ` + page + `)?`, weak: true, perfect: true},
			{pattern: `^<who><A>(?i:покинула?|покинули|оставила?|оставили) <A><when>(?:(?:компанию|фирму|город) |пост <R>(?: по \p{Ll}+)? (?:в )?)?<O>`, weak: true, perfect: true},
			{pattern: `^<who><A>(?i:был|была|были)? ?(?i:уволена?|уволены) <A><when>из (?:компании )?<O>`},
			{pattern: `^<who>(?:[Сс] <until> )?<A>(?i:больше не|уже не) (?:работает|является|жив[её]т|состоит|числится|руководит|возглавляет|сотрудничает) (?:<R>(?: по \p{Ll}+)? )?(?:(?:в|на|для|с|у) )?(?:компании )?<O>`},
			{pattern: `^<who>(?i:больше не|уже не) (?:<R>(?: по \p{Ll}+)? )?(?:в|на|у) (?:компании )?<O>`},
			{pattern: `^(?:<who>(?:(?:—|–|-|это|был|была) )?)?(?i:бывш(?:ий|ая|ие)|экс-) ?<R>(?: по \p{Ll}+)? (?:в |из |на )?(?:компании |фирмы )?<O>`, past: true},
			{pattern: `^<who>(?:(?i:работала?|работали|был|была|жила?|руководила?|возглавляла?|служила?|училась|учился) )?(?:<R>(?: по \p{Ll}+)? )?(?:(?:[Вв]|[Нн]а|[Уу]|для) )?(?:компании )?<O>,? \(?(?:с <any> )?(?:до|по) (?:(?:конца|начала|середины) )?<until>\)?`, past: true},
			{pattern: `^<who>(?:[Сс] <any> )?(?:[Дд]о|по) (?:(?:конца|начала|середины) )?<until> (?:(?:работала?|был|была|жила?|руководила?|возглавляла?|служила?) )?(?:<R>(?: по \p{Ll}+)? )?(?:(?:в|на|у) )?(?:компании )?<O>`, past: true},
			{pattern: `^(?:[Ее][её] |[Ее]го )?[Пп]оследний (?:рабочий )?день (?:в|на) <O>(?: (?:был|—|–|-)|:)? ?<until>`},
			{pattern: `^(?:[Ее][её] |[Ее]го )?(?:[Тт]рудовой )?(?:[Кк]онтракт|[Дд]оговор) с <O> (?:ист[её]к|закончился|расторгнут)`},
			{pattern: `^<who><A>(?i:переехала?|переехали) <when>из <O>(?: (?:в|к|на) <N>)?`, from: true},
			{pattern: `^<who><A>(?i:перешёл|перешел|перешла|перешли|перебрался|перебралась|перевёлся|перевелся|перевелась) <when>из <O> (?:в|на) ` + page, from: true},
		},
	},
	{ // Japanese
		unspaced: true,
		cues: []string{
			"退職", "退社", "離職", "辞職", "辞任", "退任", "卒業", "解雇", "リストラ", "辞め", "やめ", "離れ", "去った", "去りま", "元", "前", "旧", "転職", "移籍", "異動", "引っ越", "引越", "移住", "転居",
			"いない", "いません", "ではない", "ありません", "ていた",
		},
		datedCues: []string{"まで", "最終", "最後"},
		doubt:     `予定|つもり|かもしれ|らしい|そうだ|そうです|だろう|でしょう|たい(?:と|。|$)|ない|ません|なかった|もし|ならば?|たら|れば|噂|うわさ|一時|休暇|休職|出張|旅行|復帰|復職|戻|再雇用|再入社|否定|撤回|と言|と述べ|という|検討|考え|延期|取り消|昼休み|電車|駅|空港|帰(?:っ|り|る|宅)|向か|明日|来週|また来|滞在|[?？]`,
		onward:    `[。！；（]|[、，](?:[^。；]*)(?:転職|入社|設立|起業|独立|創業|勤務|働|就任|移籍)`,
		pronoun:   `彼女|彼`,
		forms: []foreignForm{
			{pattern: `^<Who><Adv><When><Adv><O><Firm>を<After><Adv>(?:(?:退職|退社|離職|辞職|辞任|退任|卒業)(?:し(?:ました|た|ている|ています|ており|て)?|済み)?|解雇され(?:ました|た|て)|(?:辞め|やめ)(?:ました|ている|ています|た|て))`},
			{pattern: `^<Who><Adv><When><Adv><O><Firm>を<After><Adv>(?:離れ(?:ました|ている|ています|た|て)?|去(?:りました|った|り))`, weak: true},
			{pattern: `^<Who><Adv><When><Adv><O><Firm>の<Role>を<After>(?:退任|辞任|辞職)(?:し(?:ました|た|て)?)?`},
			{pattern: `^<Who><Adv><When><Adv><O><Firm>(?:から|より)<After>(?:退職|退社|離職|独立|引退)(?:し(?:ました|た|て)?)?`},
			{pattern: `^<Who><Adv><When><Adv><O><Firm>(?:に|から|で|を)<After>(?:解雇|リストラ)され(?:ました|た|て)`},
			{pattern: `^<Who><Adv><When><Adv><O><Firm>から<After><Other>(?:に|へ)<After>(?:引っ越(?:しました|した|して|し)|(?:転職|移籍|異動|移住|移転|転居|引越し)(?:し(?:ました|た|て)?)?)`, from: true},
			{pattern: `^<Who>(?:元|前|旧)<O><Firm>の?<Role>(?:だ|です|である|であり|で)?`, past: true},
			{pattern: `^<Who><O><Firm>の?(?:元|前)<Role>(?:だ|です|である|であり|で)?`, past: true},
			{pattern: `^<Who>(?:以前|かつて)は?、?<O><Firm>(?:に|で|の)(?:<Role>として)?(?:勤務して|在籍して|働いて|勤めて|所属して|住んで)(?:いた|いました)`, past: true},
			{pattern: `^<Who>(?:<any>から)?<until>まで(?:は)?、?<O><Firm>(?:で|に|の)(?:<Role>(?:として|を)?(?:勤務|在籍|所属|働い|勤め|務め|居住|住んで|だった|でした)?|(?:勤務|在籍|所属|働い|勤め|務め|居住|住んで|だった|でした))(?:して)?(?:ていました|ていた|いました|いた|しました|した|ました|た)?`, past: true},
			{pattern: `^<Who><O><Firm>(?:で|には?|の)(?:<Role>(?:として|を)?)?、?(?:<any>から)?<until>まで(?:<Role>)?(?:勤務|在籍|所属|働い|勤め|務め|居住|住んで|だった|でした)(?:して)?(?:ていました|ていた|いました|いた|しました|した|ました|た)?`, past: true},
			{pattern: `^<Who>(?:(?:もう|現在は?|今は|すでに|既に)、?)+<O><Firm>(?:で|には?|の)(?:もう)?(?:(?:働いて|勤めて|勤務して|在籍して|所属して|住んで)い(?:ない|ません)|<Role>では(?:ない|ありません))`},
			{pattern: `^<Who>もう、?<O><Firm>には?い(?:ない|ません)`, weak: true, perfect: true},
			{pattern: `^<Who><When><O><Firm>(?:で|には?)もう(?:働いて|勤めて|勤務して|在籍して|所属して|住んで)?い(?:ない|ません)`},
			{pattern: `^(?:` + mark + `S` + mark + `(?:さん|氏)?の|彼女の|彼の)?<O><Firm>で?の?(?:最終|最後の)(?:出社|勤務|出勤)?日(?:は|：|:)? ?<until>(?:だった|でした|です)?`},
		},
	},
	{ // Chinese
		unspaced: true,
		cues: []string{
			"离职", "离开", "辞职", "辞去", "卸任", "退休", "退出", "解雇", "辞退", "开除", "裁员", "裁掉", "解职", "免职", "前", "原", "曾", "不再", "已不", "已经不", "跳槽", "搬", "移居", "迁", "调到", "到期", "终止", "解除", "离婚",
		},
		datedCues: []string{"之前", "以前", "为止", "至", "到", "期间", "最后"},
		doubt:     `没|未|并非|不(?:会|想|是|愿|打算)|可能|也许|或许|大概|如果|要是|假如|计划|打算|考虑|准备|想(?:从|离|辞|要)|据说|据传|传闻|听说|谣言|否认|即将|将(?:从|于|在|离|辞)|会(?:从|于|在|离)|暂时|临时|出差|休假|度假|旅行|请假|回到|返回|重返|复职|复工|撤回|取消|续签|续约|吗|明天|今天|下周|下午|晚上|晚点|前往|机场|车站|地铁|回家|回来|再来|路上|吃饭|超市|酒店|办公室|群聊|房间|[?？]`,
		onward:    `(?:[。！；（]|去(?:创办|创立|领导)|(?:后?，|后|并)(?:[^。；]*)(?:创办|创立|创建|成立|加入|入职|任职|就职|担任|出任|工作|领导))`,
		pronoun:   `她|他`,
		forms: []foreignForm{
			{pattern: `^<Who><Adv><When><Adv>从<O><Firm>(?:的?<Role>(?:职位|岗位|一职)?(?:上)?)?<After>(?:正式)?(?:离职|辞职|退休|卸任|离任|退出|被解雇|被辞退|被开除|被裁员?)(?:了)?`},
			{pattern: `^<Who><Adv><When><Adv>(?:辞去|卸任|不再担任)(?:了)?<O><Firm>(?:的?<Role>(?:的?职务|职位|一职)?)?(?:了)?`},
			{pattern: `^<Who><Adv>(?:已经?|正式)<When>(?:从)?(?:离开|离职)(?:了)?<O><Firm>`, weak: true, perfect: true},
			{pattern: `^<Who><Adv><When><Adv>(?:从)?离开(?:了)?<O><Firm>`, weak: true},
			{pattern: `^<Who><Adv><When><Adv>被<O><Firm>(?:解雇|辞退|开除|裁员|裁掉|解职|免职)(?:了)?`},
			{pattern: `^<Who>(?:是|为|曾是|曾为)?(?:前|原|曾任)<O><Firm>的?<Role>`, past: true},
			{pattern: `^<Who>(?:是|为)?<O><Firm>的?(?:前任?|原)<Role>`, past: true},
			{pattern: `^<Who>(?:曾经?|以前|之前)在<O><Firm>(?:工作|任职|上班|担任<Role>)(?:过)?`, past: true},
			{pattern: `^<Who>(?:曾经?|以前|之前)(?:就职于|任职于|供职于)<O><Firm>`, past: true},
			{pattern: `^<Who><Adv>(?:(?:从|自)?<any>起?)?(?:在|于|任)<O><Firm>(?:工作|任职|就职|上班|居住|住|担任<Role>|<Role>)(?:一直)?(?:直到|直至|到|至)<until>(?:为止|末|底|初)?`, past: true},
			{pattern: `^<Who>(?:直到|直至|到|至)?<until>(?:之前|以前|为止|前)，?(?:都|一直|曾)?(?:在|任)<O><Firm>(?:工作|任职|就职|上班|居住|住|担任<Role>|<Role>)`, past: true},
			{pattern: `^<Who>(?:从|自)?<any>(?:到|至|—|–|-|~)<until>(?:期间)?，?(?:曾)?(?:在|任)<O><Firm>(?:工作|任职|就职|上班|居住|住|担任<Role>|<Role>)`, past: true},
			{pattern: `^<Who>(?:(?:自|从)<until>起)?<Adv>(?:不再|已不|已经不)(?:在|是|为)<O><Firm>(?:的?<Role>|工作|任职|上班|居住|住)(?:了)?`},
			{pattern: `^<Who>(?:(?:自|从)<until>起)?<Adv>(?:不再|已不|已经不)(?:任职于|就职于|属于|受雇于)<O><Firm>`},
			{pattern: `^(?:` + mark + `S` + mark + `的?|她的?|他的?)?在?<O><Firm>(?:工作)?的?最后(?:一个?)?(?:工作)?(?:日|天)(?:是|为|：|:)? ?<until>`},
			{pattern: `^<Who>(?:与|和|跟)<O><Firm>的?(?:劳动|聘用|租赁|雇佣)?(?:合同|合约|协议)(?:已经?)?<After>(?:到期|终止|结束|解除)(?:了)?`},
			{pattern: `^<Who><Adv><When>(?:与|和|跟)<O><After>离婚(?:了)?`},
			{pattern: `^<Who><Adv><When><Adv>从<O><Firm>(?:跳槽|搬家?|迁|移居|迁居|调|转)(?:到|至|去|往)(?:了)?<Other>`, from: true},
		},
	},
}

// compiled returns the forms of a language, compiled when a text first has one of its cues.
func (l *language) compiled() []form {
	l.once.Do(func() {
		// A word may start or end with a letter at which \b does not match.
		pronoun := regexp.MustCompile(`^(?:` + l.pronoun + `)`)
		doubtful := l.doubt
		if l.stems != "" {
			doubtful += `|(?i:(?:^|[^\pL])(?:` + l.stems + `))`
		}
		doubt := regexp.MustCompile(doubtful)
		onward := regexp.MustCompile(`^(?:[.!;。！；]? *$| ?[(—–]| - |` + foreign.Replace(l.onward) + `)`)
		for _, f := range l.forms {
			l.ready = append(l.ready, form{re: regexp.MustCompile(foreign.Replace(f.pattern)), weak: f.weak, past: f.past, now: f.now, from: f.from, perfect: f.perfect, doubt: doubt, onward: onward, pronoun: pronoun})
		}
		l.ready = withWords(l.ready)
	})
	return l.ready
}

// noLonger matches the negations that express an end.
var noLonger = lazyregexp.New(`[Nn]icht (?:mehr|länger)|[Nn]iet (?:meer|langer)|不再|(?:もう|現在|今は|すでに|既に).*?(?:い|では)(?:ない|ありません|ません)`)

// foreignOther matches the name of somebody else, introduced in the sentence by a
// former role.
var foreignOther = lazyregexp.New(`^, (?:` + mark + `\d+` + mark + `|\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+)*) \p{Ll}`)

// stay matches the text before the object if a sentence has no verb of work and no role: "in
// Rome until Monday" is a trip, and "для Brex до марта" a deadline.
var stay = lazyregexp.New(`^(?:` + anyMention + `,? )?(?:((?i:war|was|était|a été|era|estuvo|fue|esteve|foi|[Èè] stat[oa]|был|была|были) )|(?:(?i:von|bis|ende|anfang|mitte|zum|[сдп]о?|по|конца|начала|середины) )|` + anyDate + ` )*(?:(?i:(bei|chez|bij|presso)|(in|à|en|a|em|na|no|в|на)|für|von|der|des|pour|de|para|per|di|voor|van|da|do|для|у) |d['’])?$`)

// isStay reports whether a sentence in another language about until when somebody was
// somewhere may be about a trip or a deadline.
func isStay(before, until string) bool {
	m := stay().FindStringSubmatch(before)
	return m != nil && m[2] == "" && (m[1] == "" || m[3] == "" || len(until) == len(time.DateOnly))
}

// absent matches statements that somebody is no longer somewhere, without a word of work,
// whether permanently or for the day.
var absent = lazyregexp.New(`^(?:` + anyMention + ` )?(?i:(?:ist |sind )?(?:[^` + mark + `]* )?nicht (?:mehr|länger)|n['’]est plus|non è più|is (?:[^` + mark + `]* )?niet (?:meer|langer)|больше не|уже не) \pL+ ` + mark)

// changesRole are words after the end of a role that introduce another one, at the same
// place unless newPlace names one.
var (
	changesRole = lazyregexp.New(`(?i:(?:^|[^\pL])(?:sondern|jetzt|nun|heute|seitdem|seither|dann|danach|wurde|wird|puis|ensuite|désormais|maintenant|aujourd['’]hui|depuis|devient|devenue?|luego|después|ahora|sino|pasó|poi|ora|adesso|bensì|diventat[oa]|divenne|maar|nu|daarna|sindsdien|werd|depois|agora|hoje|tornou|passou|теперь|сейчас|затем|потом|с тех|стала?|стал|но|а)(?:[^\pL]|$))` +
		`|改任|转任|升任|现任|调任|出任|担任|接任|就任|转为|升为|成为|而是|后任|后为|現在|現職|昇進|となっ|になっ|へ異動|に異動`)
	newPlace = lazyregexp.New(anyMention + `|(?i:(?:^|[^\pL])(?:bei|zu|für|chez|pour|en|para|presso|per|bij|voor|na|no|em|в|на))\s\p{Lu}|(?i:selbst(?:st)?ändig|freiberuf|ruhestand|rente|pension|indépendant|retraite|autónom|jubil|zelfstandig|pensioen|aposent|на пенсии|退休|创业|独立|起業)`)
)

// follows reports whether the text after the object of a form of another language
// is compatible with an end of the page's relation.
func (r *reader) follows(f form, words, rest string, dated bool) bool {
	if f.weak {
		return f.onward.MatchString(rest) && (dated || f.perfect)
	}
	if absent().MatchString(words) && !f.onward.MatchString(rest) {
		return false
	}
	_, own := r.called(strings.TrimPrefix(rest, ", "))
	return own || !f.past || strings.HasPrefix(words, mark) || !foreignOther().MatchString(rest)
}

// foreignName is otherName after words of the other languages.
var foreignName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`((?:^|[^\pL])(?:[Bb]ei|[Vv]on|[Aa]us|[Ff]ür|[Vv]erließ|[Vv]erlässt|hat|quitté|[Cc]hez|[Dd]e|[Pp]our|[Dd]ejó|lasciato|[Vv]erliet|heeft|[Bb]ij|van|en|di|da|[Ee]x|из|[Вв]|[Уу]|покинула?|компании|директор|сотрудник)[ -])` + properName)
})

// unspacedNames are foreignName for the languages without blanks: a name is the text between
// words that may precede and follow an object. Adverbs are not part of it. People also leave
// towns, meetings and groups, so a name must end with the word of a firm, or be followed by
// words about a firm.
var unspacedNames = sync.OnceValue(func() []*regexp.Regexp {
	const (
		adverbs = `(?:已经|已|不再|不|曾经|曾|现在|目前|正式|后来|刚刚?|最近|近日|もう、?|すでに|既に|現在は?|今は|以前は?、?|かつて)*`
		before  = `(?:[元前旧原从被与和在是任]|离开了?|辞去了?|卸任|担任)`
		any     = `([\p{Han}\p{Katakana}ー・·A-Za-z\d]{2,20}?)`
		firm    = `([\p{Han}\p{Katakana}ー・·A-Za-z\d]{1,16}?(?:` + firmWords + `)|[A-Z][A-Za-z\d]{1,19})`
		begin   = `((?:(?:^|[はがも、，：]|` + dated + `(?:に|付で|付けで|まで)?)` + adverbs + before + `?|` + adverbs + before + `) ?)`
		suffix  = `(?:株式会社|社|公司|集团)`
		verbs   = `を(?:退職|退社|離職|退任|辞|解雇|離れ|去|` + dated + `)|から|で(?:の最|勤|働|もう)|に(?:勤務|在籍|所属|もう|は?い)|离职|辞职|退休|卸任|离任|解雇|辞退|开除|裁|工作|任职|就职|上班|跳槽|的?合同`
		roles   = `の(?:社長|会長|取締|代表|従業|C[A-Z]{1,2}O)|[的の]?(?:首席|总裁|总经理|董事|C[A-Z]{1,2}O)`
	)
	return []*regexp.Regexp{
		regexp.MustCompile(begin + firm + `(` + suffix + `?(?:` + verbs + `|の(?:元|前|社|会|取|部|課|従|役|代表)|[的の]?(?:前|首席|总|董事|主席|员工|C[A-Z]{1,2}O)))`),
		regexp.MustCompile(begin + any + `(` + suffix + `(?:` + verbs + `)|` + suffix + `?(?:` + roles + `))`),
		regexp.MustCompile(`(从 ?)` + any + `(` + suffix + `?(?:离职|辞职|被解雇|被辞退|被开除))`),
		regexp.MustCompile(`((?:^|[はがも、]|` + dated + `(?:に|付で|付けで)?) ?)` + any + `(` + suffix + `?を` + dated + `?(?:に|付で|付けで)?(?:退職|退社))`),
		regexp.MustCompile(`((?:任职于|就职于|供职于|受雇于) ?)` + firm + `(` + suffix + `?(?:[。，；！]|$))`),
		regexp.MustCompile(`((?:离开了?|退出了?) ?)([\p{Han}·A-Za-z\d]{1,16}?(?:` + firmWords + `))(` + suffix + `?(?:[。，；！]|$))`),
		regexp.MustCompile(`((?:离开了?|退出了?) ?)` + any + `((?:公司|集团)(?:[。，；！]|$))`),
	}
})

// firmWords end the names of firms and other employers.
const firmWords = `科技|银行|大学|学院|医院|研究院|研究所|实验室|工作室|基金会|资本|律所|事务所|传媒|网络|软件|信息|电子|汽车|能源|证券|保险|航空|物流|重工|制药|生物|医药|地产|建设|通信|通讯|半导体|股份|控股|出版社|报社|电视台` +
	`|テック|システムズ?|ソフト(?:ウェア)?|銀行|病院|製作所|工業|電機|電気|電子|自動車|商事|商店|建設|不動産|証券|生命|製薬|研究室|ホールディングス|グループ|エンジニアリング|ラボ|コーポレーション|ネットワークス?|メディア|出版|新聞|放送`

// noName begins or is a word that is no name: adverbs, and words of a time, a place or people.
var noName = lazyregexp.New(`^(?:已|不再|现[在任为]|目前|改[任为]|转[任为]|[升调出担接就后]任|[这那该某]|[一两几三四五多各首本原前][家所个间座大公单]|[我你您他她它]|一些|其他|其它|任何|国[外内]|海外|外地|当地|本地|周[末日一二三四五六]|夜|早上|晚上|白天|假期|家[里中]|家$)` +
	`|^(?:公司|集团|会社|仕事|学校|大学|学院|医院|银行|病院|銀行|职位|岗位|职务|工作|全职|兼职|现场|会场|网络|信息|汽车|软件|.*(?:岗位|职位|职务|位置|经理|总监|主任|[总副]裁|[校院部处科局厂行所]长|董事|教授|老师|工程师|顾问))$`)

// languagesOf returns the languages other than English that a sentence has a cue of.
func languagesOf(words string) (out []*language) {
	add := func(l *language) {
		if l != nil && !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	was := false
	for _, c := range cuesIn(words) {
		add(c.of)
		was = was || c.text == "ex-" || c.text == "Ex-" || c.text == " ex " || c.text == "Ex "
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

// formsOf returns the forms of English and of other languages.
func (r *reader) formsOf(abroad []*language) []form {
	forms := r.re.forms
	for _, l := range abroad {
		forms = slices.Concat(forms, l.compiled())
	}
	return forms
}
