package language

import (
	"strings"
	"sync"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/irish"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/tamil"
	"github.com/blevesearch/snowballstem/turkish"
)

// Language is a language other than English.
type Language struct {
	Name string
	// Marks are function words that distinguish the language from others. A memory with most
	// of them has pages in it.
	Marks     []string
	Compounds bool // the language writes compounds as one word

	stop func() map[string]bool
	stem func(*snowballstem.Env) bool
	// full restores the letters that stemming depends on in a folded word.
	full func(string) string
}

// MostMarks is the number of marks of a language; HasMarks the number of them that a memory
// must have.
const (
	MostMarks = 8
	HasMarks  = 5
)

// Stem returns the stem of a folded word.
func (l *Language) Stem(word string) string {
	if l.full != nil {
		word = l.full(word)
	}
	e := snowballstem.NewEnv(word)
	l.stem(e)
	return e.Current()
}

// IsStop reports whether a folded word is a function word.
func (l *Language) IsStop(word string) bool { return l.stop()[word] }

// Stopwords returns the folded function words. The result must not be changed.
func (l *Language) Stopwords() map[string]bool { return l.stop() }

// Writes reports whether a word is in the script of the language.
func (l *Language) Writes(word string) bool { return scriptOf(word) == scriptOf(l.Marks[0]) }

// scripts are the scripts of the languages other than Latin.
var scripts = []*unicode.RangeTable{unicode.Cyrillic, unicode.Arabic, unicode.Tamil}

// scriptOf returns the script of a word, nil for Latin and for scripts of no language.
func scriptOf(word string) *unicode.RangeTable {
	for _, r := range word {
		for _, script := range scripts {
			if unicode.Is(script, r) {
				return script
			}
		}
	}
	return nil
}

// Of returns the language of a question among some, given its folded words; nil if none has
// function words in it, or if English has as many.
func Of(words []string, among []*Language, english func(string) bool) *Language {
	var best *Language
	most := 0
	for _, w := range words {
		if english(w) {
			most++
		}
	}
	for _, l := range among {
		if n := l.Stops(words); n > most {
			best, most = l, n
		}
	}
	return best
}

// Stops counts the function words among folded words.
func (l *Language) Stops(words []string) (n int) {
	for _, w := range words {
		if l.stop()[w] {
			n++
		}
	}
	return n
}

// cyrillic restores the short i, which folding changes, in the endings that have it.
func cyrillic(word string) string {
	for _, end := range []string{"ыи", "ои", "еи", "аи", "яи", "уи", "юи", "ии"} {
		if strings.HasSuffix(word, end) {
			return strings.TrimSuffix(word, "и") + "й"
		}
	}
	return word
}

// romance restores accents of French endings.
func romance(word string) string {
	for _, end := range [][2]string{{"ees", "ées"}, {"ee", "ée"}, {"ites", "ités"}, {"ite", "ité"}} {
		if rest, ok := strings.CutSuffix(word, end[0]); ok {
			return rest + end[1]
		}
	}
	return word
}

// set is computed on first use: most runs of cairn read no text.
func set(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			m[w] = true
		}
		return m
	})
}

// All are the languages.
var All = []*Language{
	{Name: "German", Marks: strings.Fields("und der das nicht ist mit fur ein"), Compounds: true, stem: german.Stem, stop: set(`aber
alle als also am an auch auf aus bei bin bis da damit dann das dass dein dem den denn der des dich die dies diese diesem diesen
dieser dir doch dort du durch ein eine einem einen einer eines er es etwas euch fur gegen habe haben hat hatte hier ich ihm ihn
ihr ihre im in ist ja jede jeder kann kein keine konnen man mein meine mich mir mit muss nach nicht noch nur ob oder ohne sehr
sein seine sich sie sind so soll sollte uber um und uns unser unter viel viele vom von vor war waren warum was welche welchem
welchen welcher welches wenn wer werden wie wieder will wir wird wo wofur womit worauf wozu zu zum zur
wann wen wem wessen wohin woher wieviel wieviele wovon worin woran weshalb wieso darf durfen sollen wurde wurden`)},
	{Name: "Dutch", Marks: strings.Fields("het een van niet zijn voor met wordt"), Compounds: true, stem: dutch.Stem, stop: set(`aan
als bij dan dat de deze die dit doe door een er ga geen had heb hebben heeft het hij hoe hoeveel hun ik in is ja je kan kunnen
maar me meer met mijn moet na naar niet nog nu of om omdat onder ons ook op over te tegen toch toen tot u uit van veel voor waar
waarom wanneer was wat we wel welke werd wie wij wil worden wordt ze zich zij zijn zo zonder zou
welk wiens waarmee waarheen hoelang`)},
	{Name: "Danish", Marks: strings.Fields("og ikke det er til af med jeg"), Compounds: true, stem: danish.Stem, stop: set(`af alle
at blev blive da de dem den der deres det dette dig din du efter eller en end er et for fra ham han har havde have hende her hos
hun hvad hvem hvilken hvilket hvis hvor hvordan hvorfor hvornar i ikke ind jeg jo kan kunne man mange med meget mig min mod nar
noget nogle nu og ogsa om op os over pa sa sig sin skal som til ud under var ved vi vil var at
hvilke hvorhen`)},
	{Name: "Norwegian", Marks: strings.Fields("og ikke det er til av med jeg"), Compounds: true, stem: norwegian.Stem, stop: set(`alle
at av bare ble bli da de dem den der deres det dette din du eller en enn er et etter for fra ha hadde han har henne her hun hva
hvem hvilken hvis hvor hvordan hvorfor i ikke inn jeg kan kunne man mange med meg mer min mot na nar noe noen og ogsa om opp oss
over pa sa seg sin skal som til ut under var ved vi vil
hvilke hvilket hvorhen`)},
	{Name: "Swedish", Marks: strings.Fields("och inte det ar till av med jag"), Compounds: true, stem: swedish.Stem, stop: set(`alla
an ar att av blev bli da de dem den denna deras dess det detta dig din du efter ej eller en er ett for fran ha hade han har hon
hur i icke in inte ja jag kan kunde man med mellan men mig min mot mycket nagon nagot nar nu och om oss over pa sa sedan sig sin
ska skulle som till under upp ut utan vad var varfor vem vi vid vilka vilken vilket vill
vart vems hurdan`)},
	{Name: "Finnish", Marks: strings.Fields("ja ei on se etta mutta ovat kuin"), Compounds: true, stem: finnish.Stem, stop: set(`ei
eivat ennen ettei etta han hanen he itse ja joka jos jota kaikki kanssa kuin kuinka kun kuten la me mika mika miksi milloin mina
missa mita mutta ne niin nyt ole oli olla olen on ovat se sen sina sita tai taman tama vain voi
mihin mista kuka ketka kenen kenelle paljonko montako minne onko`)},
	{Name: "French", Marks: strings.Fields("les des est dans une pour pas avec"), stem: french.Stem, full: romance, stop: set(`a ai au
aux avec c ce ces cet cette ceux chez comme comment d dans de depuis des dois doit donc du elle elles en est et eu faire fait
faut il ils j je l la le les leur leurs lui m ma mais me meme mes moi mon n ne nos notre nous on ont ou par pas peut plus pour
pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se ses si son sont sous sur t ta te tes toi ton tous tout tu
un une vos votre vous y etre avoir
combien lequel laquelle lesquels lesquelles`)},
	{Name: "Spanish", Marks: strings.Fields("los las del que una para con esta"), stem: spanish.Stem, stop: set(`a al algo como con
cual cuales cuando cuanto de del desde donde dos el ella ellos en entre era es esa ese eso esta estan este esto fue ha hace hacer
hay la las le les lo los mas me mi mis muy nada ni no nos o para pero por porque puede que quien se ser si sin sobre son su sus
tambien te tiene todo tu un una unos y ya yo
cuanta cuantos cuantas quienes adonde`)},
	{Name: "Portuguese", Marks: strings.Fields("os nao uma para com mais dos seu"), stem: portuguese.Stem, stop: set(`a ao aos as ate com
como da das de dela dele deve do dos e ela ele eles em entre era essa esse esta este eu foi ha isso isto ja la lhe mais mas me
meu minha muito na nao nas no nos o onde os ou para pela pelo por porque pode qual quando que quem se sem ser seu sua tem um uma
voce
quais quanto quanta quantos quantas aonde`)},
	{Name: "Italian", Marks: strings.Fields("il della che non una per gli sono"), stem: italian.Stem, stop: set(`a ad agli ai al alla alle
anche c che chi ci come con cosa cui d da dai dal dalla de degli dei del della delle di dove e ed era fa fare gli ha hanno ho i
il in io l la le lei li lo loro lui ma mi mio ne nei nel nella no noi non o per perche piu puo qual quale quali quando quanto
quello questa questo se si sia sono su sua sul sulla suo tra tu un una uno vi voi
quanti quante quanta`)},
	{Name: "Romanian", Marks: strings.Fields("si nu este pentru din care mai sunt"), stem: romanian.Stem, stop: set(`a acest aceasta ai
al ale am ar are as au ca care ce cea cel cele cine cu cum da daca de din dintre doar e ea ei el ele este eu fi fost in insa isi
la le lor lui mai mi ne nu o pe pentru prin sa sau se si sub sunt te toate tot tu un una unde unei unui va
cand cat cata cati cate cui`)},
	{Name: "Hungarian", Marks: strings.Fields("az es hogy nem egy van meg csak"), stem: hungarian.Stem, stop: set(`a ahogy aki ami
amely az azt be csak de e ebben egy el en es ez ezt fel ha hogy hogyan hol is itt kell ki le lehet ma maga mar meg mennyi mi
mikor miert mint mit mely most nagyon ne nem o oket ott s sem sok szerint ugy van vagy volt
kik kinek hova honnan milyen hany mibol mivel`)},
	{Name: "Turkish", Marks: strings.Fields("ve bir bu icin ile degil gibi daha"), stem: turkish.Stem, stop: set(`ama ancak bana bazi
ben bir biz bu cok da daha de degil diye en gibi hangi hem her icin ile ise kac kadar ki kim mi mu nasil ne neden nerede o olan
olarak sen siz su ve veya ya zaman
niye nereye nereden kimin`)},
	{Name: "Russian", Marks: strings.Fields("не на что это как для по из"), stem: russian.Stem, full: cyrillic, stop: set(`а без более
бы был была были было быть в вам вас ваш во вот все всего вы где да даже для до его ее если есть еще же за здесь и из или им их к
как какая какие какои какую ко когда кого который кто куда ли лучше между меня мне много может можно мои мы на надо нам нас наш
не него нее нет ни них но ну нужно о об он она они оно от откуда очень по под после почему при про раз с сам свои себя сеичас со
сколько так также там тебя тем то того тоже только том тот ты у уж уже чего чем что чтобы эта эти это этого этот я
зачем кому кем чья чье чеи чему`)},
	{Name: "Arabic", Marks: strings.Fields("من في على الى ان هذا التي ما"), stem: arabic.Stem, stop: set(`اذا اكثر التي الذي الى ام اما ان انا انت او اي
اين ايضا بعد بل بين تم ثم حتى حول حيث خلال ذلك عند عن على غير في قبل قد كان كانت كل كم كما كيف لا لكن لم لماذا لن له لها ليس ما ماذا متى مع من منذ مما نحن
هذا هذه هل هم هناك هنا هو هي و يا يكون يمكن يجب`)},
	{Name: "Irish", Marks: strings.Fields("agus bhi leis ach bhfuil ata siad freisin"), stem: irish.Stem, stop: set(`a ach ag agus an ann ar as ata ba beidh bhfuil bhi
cad ce cen cathain conas cen chuig de do don fad faoi go i is le leis mar mo muid na nach ni nil o os roimh se seo si sin siad sna ta tar tu um`)},
	{Name: "Tamil", Marks: strings.Fields("ஒரு மற்றும் இந்த என்று இது அந்த உள்ள அது"), stem: tamil.Stem, stop: set(`அது அதை அந்த அவர் அவள் அவன் ஆகும் இங்கு இது இதை இந்த இல்லை உள்ள எங்கு எங்கே எத்தனை எது எந்த
எப்படி எப்போது எவ்வளவு என என்ற என்று என்ன ஏன் ஒரு தான் மற்றும் யார்`)},
}
