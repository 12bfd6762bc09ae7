package transcript

import (
	"strings"
	"unicode"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
)

// language is a language with words that distinguish it from others.
type language struct {
	words string // frequent words
	rules []rule // nil for a language without rules
}

// languages are tried in order. The word boundary \b of regular expressions is ASCII: next
// to a letter such as "é" the rules do not use it. English, the first, is tried unless a
// turn is in a language without rules; its words count only for that decision.
var languages = []language{
	{" the a an to is are was were and or of in it its we us our you i me my your he she they him her his them their not no do don does did done for on with that this these those than then use as at be been by from if when what which who how why where should must could would may might have has had will can am into out up over under about after before again off so but now also just only until too very there here always never please remember ask any some every each all one own new ", rules},
	{" ich du wir sie es nicht das der dem ist sind und oder ein eine einen einem einer für bitte nein nee keine kein keinen zu zum zur daran dann mir mich mit auf aus nach bei von vom beim wenn dass weil noch schon auch nur jetzt mein dein unser wie muss datei dateien fehler statt allen nie niemals immer achtung ", german},
	{" je tu il elle nous vous le la les des un une ne et mais dans sur avec sans ça ce cette qui que au aux du pas trop toujours jamais désormais ", french},
	{" el la los las lo un una es y en para por que con se del al nos su eso esto este esta como pero muy más ya nunca siempre ojo ", spanish},
	{words: " o os a as um uma do da dos das no na nos nas ao de em e é não sim com por para pelo pela mas mais isso isto esse essa este esta que se eu você são foi ser ter tem também já sempre nunca seu sua meu minha quando onde depois antes agora aqui até só muito teste arquivo erro favor "}, // Portuguese
	{words: " il lo la i gli le un una uno di da del della dei delle nel nella nei al alla allo che non è e ed o si no con per su sul sulla ma anche come questo questa quello sono sia ho hai ha abbiamo già più mai sempre solo quando dove poi ora qui cosa perché file prova errore "},             // Italian
	{words: " de het een en of van dat dit die deze ik je jij we wij ze zij is zijn was niet geen wel ook maar met voor op aan in uit bij naar over als dan toen nu nog al heb hebt heeft kan moet wil zo wat waar hoe altijd nooit alle bestand fout "},                                               // Dutch
	{words: " jag du vi de det den en ett är var och eller att inte inga ingen med för på av från till om när som så här där men också bara nu alltid aldrig ska kan måste har hade filen alla min din "},                                                                                              // Swedish
	{words: " jeg du vi de det den en et er var og eller at å ikke ingen med for på av fra til om når som så her der men også bare nå nu altid alltid aldri aldrig skal kan må har hadde havde filen alle min din "},                                                                                   // Danish and Norwegian
	{words: " i w we z ze na do od po za o u to ten ta te jest są był była było nie tak czy że się jak co gdzie kiedy ale albo lub dla przez przy tylko już jeszcze zawsze nigdy tym tej tego mój moje plik pliku błąd proszę teraz "},                                                                 // Polish
	{words: " a i v ve z ze na do od po za o u to ten ta je jsou byl byla bylo není ne ano že se si jak co kde když ale nebo pro při jen už ještě vždy nikdy tento toto můj soubor chyba prosím teď "},                                                                                                 // Czech
	{words: " bu şu o bir ve veya ile için de da mi mı ama fakat değil var yok ne nasıl neden gibi daha çok en her hiç hep asla şey şimdi sonra önce ben sen biz dosya hata olarak lütfen "},                                                                                                           // Turkish
	{words: " şi și este e sunt era nu da un o de la în din pe cu pentru că ca să se care ce cum unde când dar sau mai foarte acum doar niciodată mereu acest această asta aici fișierul eroarea "},                                                                                                    // Romanian
	{words: " ja on ei se että tämä kun jos niin myös mutta vain nyt aina tai ole olen olet oli voi pitää kanssa mitä missä miten tiedosto virhe "},                                                                                                                                                    // Finnish
	{words: " a az egy és vagy nem igen hogy ez van volt kell lehet csak már még mindig soha ha de is mint meg itt ott most kérlek fájl hiba "},                                                                                                                                                        // Hungarian
	{words: " yang dan di ke dari ini itu tidak bukan jangan ada untuk dengan pada juga saya kamu kita akan sudah belum selalu atau tapi kalau karena tolong sekarang berkas "},                                                                                                                        // Indonesian
}

// alsoEnglish are names and words of English that are also frequent words of other
// languages.
const alsoEnglish = " ben dan den men die van ten per come son hem til ser kan hat sin con art via file prima "

// rulesFor returns the rules for a turn, by the words in it. One word is not sufficient,
// since English has names and loan words; a word with an accent is not English. A turn with
// more words of a language without rules than of any other has no rules: they would misread
// words of that language, such as "no", which is "in the" in Portuguese. Three words that
// are not English indicate such a language, and one with an accent counts as two: "Ben" and
// "her" are Turkish words.
func rulesFor(text string) (out []rule) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	var most, without int
	for i, l := range languages {
		known, accents, own := map[string]bool{}, map[string]bool{}, 0
		for _, w := range words {
			switch has := strings.Contains(l.words, " "+w+" "); {
			case has && !known[w]:
				known[w] = true
				if !strings.Contains(languages[0].words+alsoEnglish, " "+w+" ") {
					own++
				}
				if accented(w) {
					own++
				}
			case !has && accented(w):
				accents[w] = true
			}
		}
		if l.rules == nil {
			if own > 2 {
				without = max(without, len(known))
			}
			continue
		}
		most = max(most, len(known))
		if i == 0 || len(known)+len(accents) > 1 {
			out = append(out, l.rules...)
		}
	}
	if without > most {
		return nil
	}
	return out
}

func accented(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r > unicode.MaxASCII && unicode.Is(unicode.Latin, r) })
}

// german, french and spanish have the names and the order of the rules for English.
var german = []rule{
	{Correction, "contradicts", []Role{User}, lazyregexp.New(
		`(?i)^(nein|nee|halt|stopp|moment|warte|eigentlich)\b[\s,.!:;—–-]+(.*[\s,(])?(nicht|kein\w*|nie|niemals|darf\w*|muss\w*|soll\w*|sondern|stattdessen|falsch\w*|rückgängig|gehört|ich (meinte|wollte|sagte)|du (hast|solltest))\b`),
		lazyregexp.New(`(?i)\bdanke\b|\bkein problem\b|\bkeine (ahnung|eile|sorge|frage)\b|\b(weiß|glaube) (ich )?(es )?nicht\b|\b(alles|schon) (gut|ok)|\bpasst\b|\bgut so\b|\bnoch nicht\b|\begal\b|\breicht\b|\bnicht (so )?(nötig|notwendig|wichtig|schlimm|eilig)\b`)},
	{Correction, "denies a result", []Role{User}, lazyregexp.New(
		`(?i)\b(das|dies|es) (ist|war) (so )?(falsch|nicht (richtig|korrekt|das, was))\b|\bdas stimmt (so )?nicht\b|\bich (meinte|wollte|sagte|hatte gesagt)\b.*\b(nicht|statt|kein\w*)\b|\bnicht (das, )?was ich (wollte|meinte|gesagt)`), nil},
	{Correction, "names a mistake", []Role{User}, lazyregexp.New(
		`(?i)\bdu hast\b.*[\s,](vergessen|übersehen|gelöscht|kaputt ?gemacht|entfernt|ausgelassen|ignoriert|missverstanden|umbenannt)\b|\bdu (hättest|solltest) .*\bnicht\b|^(bitte )?(mach|nimm) (das|es|dein\w*( \w+)?) (wieder )?(rückgängig|zurück)\b|^hör (bitte )?auf\b`), nil},

	{Preference, "standing rule", []Role{User}, lazyregexp.New(
		`(?i)\b(ab jetzt|von jetzt an|ab sofort|in zukunft|künftig|zukünftig|grundsätzlich|(jedes ?mal|immer),? wenn du|wann immer du)\b|\bwenn du\b.*\b(hinzufügst|schreibst|anlegst|erstellst|änderst|committest|umbenennst|benutzt|löschst)\b`),
		lazyregexp.New(`(?i)\b(schlägt|fehl|stürzt|hängt|passiert|flackert|bricht|kracht)\b|, (dann )?(ist|war|wird|hat|geht|läuft|dauert|kommt|sieht|steht|braucht|fehlt|bleibt|startet|lädt|funktioniert|verliert) `)},
	{Preference, "always or never", []Role{User}, lazyregexp.New(
		`(?i)^(bitte )?(führ|schreib|nimm|benutz|verwend|nutz|mach|lösch|commit|push|füg|lass|setz|ruf|leg|trag|test|prüf|fass|nenn|starte|änder|installier)\pL*\b.*\b(immer|nie|niemals|stets)\b|\b(ich|wir) (will|wollen|möchte|möchten) (sie |es |das |so etwas )?(nie|niemals|immer)\b|^(bitte )?(immer|nie|niemals) \pL+(en|ern)\b`),
		lazyregexp.New(`(?i)\b(dass|ob|was|warum|wo|der|die)\b[^,]*\b(nie|niemals|immer|stets)\b|\b(noch nie|immer (noch|wieder|so|mehr|weniger)|wie immer)\b`)},
	{Preference, "likes or dislikes", []Role{User}, lazyregexp.New(
		`(?i)\bich (mag|hasse|bevorzuge)\b|\bmir (ist|sind|wäre|wären)\b.*\blieber\b|\bich hätte (lieber|gerne? immer)\b|\bich will keinen?\b`),
		lazyregexp.New(`(?i)\b(nicht|kaum) (mehr|warten)\b|\bmag sein\b`)},
	{Preference, "asks to avoid", []Role{User}, lazyregexp.New(
		`(?i)^(und |aber |bitte )*keinen? \pL+ (mehr|in (den )?(commits?|tests?|kommentaren?|der doku))\b|^(und |aber |bitte )*(schreib|benutz|verwend|nutz|mock|commit|push|installier|formatier|lösch|erklär)\pL* [^,]*\b(nicht|keinen?)\b`),
		lazyregexp.New(`(?i)\b(noch|jetzt|erst|erstmal|vorerst|heute|diesmal|gerade|momentan|im moment)\b|\b(das|es|sie) nicht\W*$|\bkeine (ahnung|sorge|eile|zeit|frage)`)},
	{Preference, "how things are done here", []Role{User}, lazyregexp.New(
		`(?i)^(bitte )?(verwend|benutz|nutz|nimm|schreib|nenn|behalt|halt|lass|leg)\pL*\b.*(\b(statt|anstatt|anstelle|überall)\b|\b(in|für) (allen?|jede\w*|diesem (repo|projekt))\b|, nicht )|\bwir (committen|benutzen|verwenden|schreiben|pushen|mergen|mocken) (nie|immer|keinen?|grundsätzlich)\b|\sbitte überall\b|\süberall so\b`),
		lazyregexp.New("(?i)\\bstatt [\"'`]?[0-9]|, nicht [\"'`]?[0-9]|^(bitte )?\\pL+ (das|dies\\w*|es|sie)\\b")},

	{Decision, "says that it is decided", []Role{User, Assistant, Summary}, lazyregexp.New(
		`(?i)^((die|unsere|meine) )?entscheidung( ist| war)?\s*[:,—–-]|^(beschlossen|entschieden|abgemacht|vereinbart)\s*[:,—–-]|^wie (vereinbart|besprochen|abgemacht)\b|\b(habe|haben|hatten)( wir| ich)? (uns|mich) .*\b(entschieden|geeinigt|festgelegt)\b|\bhaben? beschlossen\b|\bhaben wir beschlossen\b|\bwir (bleiben bei|gehen mit|setzen auf|wechseln (zu|auf)|verzichten auf|einigen uns auf)\b`),
		lazyregexp.New(`(?i)\b(ob|falls|bevor|sobald)\b|\b(zuerst|erst ?mal|umgesehen|anzusehen|zu lesen|noch nicht)\b`)},
	{Decision, "chooses", []Role{User}, lazyregexp.New(
		`(?i)^((ok(ay)?|ja|gut|klar|genau|einverstanden|also|dann)[,.!]? )*(nehmen|behalten|verwenden|benutzen|streichen) wir\b|^((ok(ay)?|ja|gut|also)[,.!]? )*wir (nehmen|behalten|verwenden|benutzen|streichen|wechseln)\b|\bunterstützen wir nicht\b|\bwir unterstützen\b.*\b(nicht|keinen?)\b|\b(option|variante|plan) [a-z0-9]{1,2} (ist es|nehmen wir)\b`),
		lazyregexp.New(`(?i)\b(nächst\w*|weiter|erst(mal)?|schritt|debugger|um zu sehen|später)\b`)},

	{Lesson, "names a cause", []Role{User, Assistant, Summary}, lazyregexp.New(
		`(?i)\b(die )?(eigentliche |wahre )?ursache (war|ist|dafür)\b|^ursache\s*[:—–-]|\b(der grund|das problem|der fehler|die lösung|der trick|der haken) (war|lag)\b.*\b(dass|weil|daran|am|ein|eine|der|die|das)\b`), nil},
	{Lesson, "turned out", []Role{User, Assistant, Summary}, lazyregexp.New(`(?i)\bstellte? sich heraus\b|\bes hat sich (herausgestellt|gezeigt), dass\b`), nil},
	{Lesson, "lesson learned", []Role{User, Assistant, Summary}, lazyregexp.New(`(?i)^(lektion|merke|fazit)\s*[:—–-]|\b(habe|haben) gelernt, dass\b`), nil},
	{Lesson, "asks to keep in mind", []Role{User}, lazyregexp.New(
		`(?i)^((nur )?zur info|achtung|vorsicht|hinweis|beachte|denk (bitte )?daran|denk dran|merk dir|vergiss nicht, dass)\b`), lazyregexp.New(`(?i)^achtung\W+(fertig|los)\b`)},
}

var french = []rule{
	{Correction, "contradicts", []Role{User}, lazyregexp.New(
		`(?i)^(non|nan|attends?|stop|en fait)\b[\s,.!:;—–-]+(.*[\s,('])?(pas|jamais|plutôt|faut|fallait|doit|doivent|annule\w*|remets|au lieu|c'est (faux|l'inverse)|je (voulais|parlais|disais))([\s,.!;:)]|$)`),
		lazyregexp.New(`(?i)\bmerci\b|\bpas de (souci|problème)|\bbien comme |\bc'est (très |bien )?(bon|bien|parfait|ok)\b|\bpas (encore|maintenant|grave|sûr|(si )?(nécessaire|utile|urgent|important|obligatoire)|la peine|besoin)|\bje ne (sais|crois) pas\b|\b(suffit|laisse tomber)\b`)},
	{Correction, "denies a result", []Role{User}, lazyregexp.New(
		`(?i)(^|[\s,])(c'est|ce n'est|c'était|ce n'était) (faux|incorrect|pas (correct|juste|vrai|ce que j))|\bje (voulais dire|parlais d|demandais|disais)\b.*\b(pas|non)\b|\bpas ce que j('ai |e )(demand|voul|di)`), nil},
	{Correction, "names a mistake", []Role{User}, lazyregexp.New(
		`(?i)\btu (as|avais) (oublié|raté|cassé|supprimé|effacé|enlevé|ignoré|mal compris|sauté|renommé)|\btu n'aurais pas dû|^(s'il te plaît,? )?(annule|défais|reviens sur) (ça|cela|ce|ton|tes|la|le) |^arrête d(e |')`), nil},

	{Preference, "standing rule", []Role{User}, lazyregexp.New(
		`(?i)(^|[\s,])(désormais|dorénavant|à partir de maintenant|à l'avenir|(chaque|toutes les) fois que tu|quand tu (ajoutes|écris|crées|modifies|commites|changes|lances|renommes|utilises|réponds))\b`),
		lazyregexp.New(`(?i)\b(échoue|plante|arrive|se passe|casse|bloque|recharge)\b`)},
	{Preference, "always or never", []Role{User}, lazyregexp.New(
		`(?i)^(s'il te plaît,? |et |mais |alors )*(ne |n')\pL+ jamais\b|^(s'il te plaît,? )?(utilise|écris|mets|lance|garde|fais|teste|vérifie|ajoute|crée|commite|nomme)\b[^,]*\btoujours\b|\bje n(e |'en )(veux|voudrais) (plus )?jamais\b|\b(il faut|tu dois|on doit) (toujours|ne jamais)\b|^(toujours|ne jamais) \pL+(er|ir|re)\b`),
		lazyregexp.New(`(?i)\b(jamais vu|toujours (pas|en|le même))\b`)},
	{Preference, "likes or dislikes", []Role{User}, lazyregexp.New(
		`(?i)\bje (préfère|préférerais|déteste|n'aime pas)|\bj'aime (que|quand|bien (que|quand))\b|\bj'aimerais mieux\b`), nil},
	{Preference, "asks to avoid", []Role{User}, lazyregexp.New(
		`(?i)^(s'il te plaît,? |et |mais )*(n'|ne )(utilise|ajoute|écris|commite|pousse|mocke|crée|mets|répète|explique|installe|formate|renomme)\pL* (pas|plus)\b|^plus d(e |')\pL+[^,]*, s'il te plaît|^pas d(e |')\pL+ (dans|en|sur)\b`),
		lazyregexp.New(`(?i)\b(pas|plus) (encore|maintenant|tout de suite)\b|\bpour (l'instant|le moment)\b|\baujourd'hui\b|\bcette fois\b|(ça|cela)\W*$`)},
	{Preference, "how things are done here", []Role{User}, lazyregexp.New(
		`(?i)^(s'il te plaît,? )?(utilise|écris|garde|mets|nomme|appelle|lance)\b.*(\bau lieu d|\bplutôt que\b|\bpartout\b|\b(dans|pour) (tous|toutes|chaque)\b|, pas )|(^|\s)(garde|fais|laisse) (ça|comme ça) partout\b|\bon (commite|utilise|écrit|pousse|fusionne) (toujours|jamais)\b`),
		lazyregexp.New("(?i)\\b(au lieu d[eu]|plutôt que) [\"'`]?[0-9]|, pas [\"'`]?[0-9]|^(utilise|mets|garde) (celui|celle|ceci|cela)")},

	{Decision, "says that it is decided", []Role{User, Assistant, Summary}, lazyregexp.New(
		`(?i)^(la |notre |ma )?décision( est| prise)?\s*[:,—–-]|^(c'est )?décidé\s*[:,—–-]|^convenu\s*[:,—–-]|^comme convenu\b|\b(nous avons|on a|j'ai) (décidé|choisi|opté|tranché|retenu|convenu)|\b(on part sur|on reste sur|on s'en tient à|on abandonne|nous (partons|restons) sur|nous abandonnons)\s`),
		lazyregexp.New(`(?i)^(si|avant|quand|une fois)\b|\bd'abord\b|\bpas encore\b|(décidé|choisi) d(e |')(lire|regarder|voir|chercher|vérifier|commencer|continuer|examiner|relire)\b`)},
	{Decision, "chooses", []Role{User}, lazyregexp.New(
		`(?i)^((ok|oui|bon|bien|d'accord|parfait|alors)[,.!]? )*(on|nous) (garde|prend|utilise|enlève|supprime|abandonne|adopte|gardons|prenons|utilisons)\b|^((ok|oui|bon|alors)[,.!]? )*(gardons|prenons|utilisons|abandonnons)\b|\b(on|nous) ne (supporte|gère|supportons|gérons)\b.*\b(pas|plus)\b`),
		lazyregexp.New(`(?i)\b(suite|suivante?|débogueur|pour voir|plus tard|étape|pause)\b`)},

	{Lesson, "names a cause", []Role{User, Assistant, Summary}, lazyregexp.New(
		`(?i)\b(la |le )(vraie |vrai |véritable )?(cause|raison|coupable|astuce|problème|solution|bug) (était|venait|provenait)\s|^cause\s*[:—–-]|\sétait (causée?|due?|provoquée?) (par|à)`), nil},
	{Lesson, "turned out", []Role{User, Assistant, Summary}, lazyregexp.New(`(?i)\bil s'avère que\b|\bil s'est avéré que\b|\bil se trouve que\b`), nil},
	{Lesson, "lesson learned", []Role{User, Assistant, Summary}, lazyregexp.New(`(?i)^(leçon|à retenir)\s*[:—–-]|\bj'ai appris que\b|\bappris à mes dépens\b`), nil},
	{Lesson, "asks to keep in mind", []Role{User}, lazyregexp.New(
		`(?i)^(pour info(rmation)?|attention|fais attention|garde en tête|n'oublie pas que|note que|souviens-toi que|sache que|rappelle-toi que)\b`), nil},
}

var spanish = []rule{
	{Correction, "contradicts", []Role{User}, lazyregexp.New(
		`(?i)^[¡]?(no|espera|en realidad|alto)\b[\s,.!:;—–-]+(.*[\s,(])?(no (es|est|toqu|debe|hag|us|quer|pong|borr|camb|era)\pL*|nunca|deb(e|en|ería|ía)|tenías que|hay que|deshaz\pL*|en (vez|lugar) de|sino|equivocad[oa]|me refería|quería decir)([\s,.!;:)]|$)`),
		lazyregexp.New(`(?i)\bgracias\b|\bno hay (problema|prisa)\b|\bno pasa nada\b|\bestá (muy )?bien\b|\b(todavía|aún) no\b|\bno (todavía|aún|ahora)\b|\bno (lo )?sé\b|\bda igual\b|\bsuficiente\b|\bno importa\b|\bno (es|era) (tan )?(necesario|importante|urgente|obligatorio)\b|\bno hace falta\b`)},
	{Correction, "denies a result", []Role{User}, lazyregexp.New(
		`(?i)\b(eso|esto|así) (está mal|es (incorrecto|falso)|no es (correcto|así|lo que|cierto))|\bme (refería|refiero) .*\bno\b|\bquería decir\b.*\bno\b|\bno (es )?lo que (pedí|quería|dije)`), nil},
	{Correction, "names a mistake", []Role{User}, lazyregexp.New(
		`(?i)\b(te )?has (olvidado|borrado|roto|quitado|eliminado|ignorado|saltado|pasado por alto|malinterpretado|renombrado)\b|\bte olvidaste\b|\bno deberías haber\b|^(por favor,? )?(deshaz|revierte)\b|^deja de \pL+r\b`), nil},

	{Preference, "standing rule", []Role{User}, lazyregexp.New(
		`(?i)\b(de ahora en adelante|a partir de ahora|en adelante|por norma|(cada vez que|cuando|siempre que) (añadas|escribas|crees|cambies|hagas|uses|toques|ejecutes|renombres|modifiques|edites|respondas))\b`),
		lazyregexp.New(`(?i)\b(falla|pasa|ocurre|se cae|se cuelga|se rompe|recarga)\b`)},
	{Preference, "always or never", []Role{User}, lazyregexp.New(
		`(?i)^(por favor,? |y |pero )*(nunca|jamás) (me |lo |la |los |las |te )?\pL+(es|as)\b|\bno (los |las |lo |la )?quiero\b.*\b(nunca|jamás)\b|\b(usa|escribe|pon|ejecuta|haz|añade|comprueba) siempre\b|\bsiempre (usa|escribe|pon|ejecuta|haz|añade|comprueba)\b|\b(debes|tienes que) siempre\b`),
		lazyregexp.New(`(?i)\b(nunca|jamás) (has|es|habías|antes)\b`)},
	{Preference, "likes or dislikes", []Role{User}, lazyregexp.New(
		`(?i)\b(prefiero|preferiría|odio|detesto)\b|\bno me gustan?\b|\bme gustan? (que|cuando|los|las)\b`), nil},
	{Preference, "asks to avoid", []Role{User}, lazyregexp.New(
		`(?i)^(por favor,? |y |pero )*no (uses|utilices|añadas|escribas|hagas commits?|subas|crees|pongas|repitas|expliques|instales|formatees|renombres|borres)\b|^(por favor,? )?evita\b|^no más \pL+`),
		lazyregexp.New(`(?i)\b(todavía|ahora|de momento|por ahora|hoy|esta vez)\b|\saún\s|\b(eso|esto|lo|la|los|las)\W*$`)},
	{Preference, "how things are done here", []Role{User}, lazyregexp.New(
		`(?i)^(por favor,? )?(usa|utiliza|escribe|pon|llama|mantén|ejecuta)\b.*(\ben (vez|lugar) de|\ben tod[oa]s\b|\ben cada\b|, no )|(^|\s)mantenlo así en tod`),
		lazyregexp.New("(?i)\\ben (vez|lugar) del? [\"'`]?[0-9]|, no (el |la )?[\"'`]?[0-9]|^(usa|pon) (eso|esto|est[ea]|es[ea])\\b")},

	{Decision, "says that it is decided", []Role{User, Assistant, Summary}, lazyregexp.New(
		`(?i)^(la |nuestra |mi )?decisión( es)?\s*[:,—–-]|^(decidido|acordado)\s*[:,—–-]|^como (acordamos|quedamos|hablamos)\b|\b(hemos|he) (decidido|acordado|elegido|optado)\b|\b(decidimos|acordamos|optamos por|elegimos|nos quedamos con|vamos con|nos pasamos a)\b|\b(decidí|opté por|elegí)\s`),
		lazyregexp.New(`(?i)^(si|antes|cuando|una vez)\b|\bprimero\b|\btodavía no\b|\b(el|lo|la) siguiente\b|(decidí|decidido|decidimos) (leer|mirar|ver|buscar|revisar|comprobar|empezar|seguir|examinar)\b`)},
	{Decision, "chooses", []Role{User}, lazyregexp.New(
		`(?i)^((ok|vale|sí|bien|bueno|de acuerdo|perfecto|entonces)[,.!]? )*(usemos|usamos|mantenemos|mantengamos|dejamos|quitamos|descartamos|adoptamos|cambiamos a|pasamos a)\b|\bno (damos soporte a|soportamos|admitimos)\b`),
		lazyregexp.New(`(?i)\b(siguiente|depurador|para ver|luego|paso)\b`)},

	{Lesson, "names a cause", []Role{User, Assistant, Summary}, lazyregexp.New(
		`(?i)\b(la |el )(verdader[oa] )?(causa|razón|problema|culpable|solución|truco|fallo|error) (era|fue|estaba|venía) (que|de|en|porque|un|una|el|la|por)\b|^causa\s*[:—–-]|\b(estaba|fue|era) causad[oa] por\b|\bse debía a\b`), nil},
	{Lesson, "turned out", []Role{User, Assistant, Summary}, lazyregexp.New(`(?i)\bresulta(ba)? que\b|\bresultó (que|ser)\b`), lazyregexp.New(`(?i)\bresultó ser (muy |bastante )?(fácil|bueno|bien)\b`)},
	{Lesson, "lesson learned", []Role{User, Assistant, Summary}, lazyregexp.New(`(?i)^(lección|para el futuro)\s*[:—–-]|\b(he aprendido|aprendí) que\b`), nil},
	{Lesson, "asks to keep in mind", []Role{User}, lazyregexp.New(
		`(?i)^(para que lo sepas|ojo|cuidado|que conste|aviso)\s*[,:]|^(ten en cuenta|recuerda|ten presente) que\b`), nil},
}
