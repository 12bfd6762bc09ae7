package transcript

import (
	"os"
	"strings"
	"testing"
)

// TestDistilIsPrecise holds the rules to turns with labels: those that they were made after, and others.
func TestDistilIsPrecise(t *testing.T) {
	t.Parallel()
	for file, bar := range map[string]struct{ precision, recall float64 }{"distil.txt": {.95, .97}, "distil-unseen.txt": {.8, .6}, "distil-de.txt": {.8, .6}, "distil-fr.txt": {.8, .6}, "distil-es.txt": {.8, .6}} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile("testdata/" + file)
			if err != nil {
				t.Fatal(err)
			}
			turns, labelled, found, right, met := 0, 0, 0, 0, 0
			for _, part := range strings.Split(string(text), "\n== ")[1:] {
				head, body, _ := strings.Cut(part, "\n")
				role, label, _ := strings.Cut(head, " ")
				turns++
				hit := false
				for _, f := range (Turn{Role: Role(role), Text: body}).Distil() {
					found++
					if label == string(f.Kind) {
						right++
						hit = true
					} else {
						t.Logf("%s (%s) instead of %s: %s", f.Kind, f.Rule, label, f.Quote)
					}
				}
				if label == "none" {
					continue
				}
				if labelled++; hit {
					met++
				} else {
					t.Logf("missed a %s: %s", label, strings.TrimSpace(body))
				}
			}
			precision, recall := float64(right)/float64(found), float64(met)/float64(labelled)
			t.Logf("%d turns, %d with a label, %d found: precision %.2f, recall %.2f", turns, labelled, found, precision, recall)
			if turns < 60 || labelled < 25 || precision < bar.precision || recall < bar.recall {
				t.Errorf("precision %.2f, recall %.2f of %d turns, %d with a label", precision, recall, turns, labelled)
			}
		})
	}
}

// TestDistilReadsWhatWasSaid: no code, no quotes, no tools.
func TestDistilReadsWhatWasSaid(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"```\nAlways run the linter first.\n```\n",
		"> Always run the linter first.\n",
		"- Bash make\n\n      Always run the linter first.\n",
		"    Always run the linter first.\n",
		"Should we always run the linter first?\n",
	} {
		if f := (Turn{Role: User, Text: text}).Distil(); len(f) > 0 {
			t.Errorf("%q: %+v", text, f)
		}
	}
	f := Turn{Role: User, Text: "Hello.\n\nAlways run the\nlinter first. Thanks!\n"}.Distil()
	if len(f) != 1 || f[0] != (Finding{Preference, "always or never", "Always run the linter first."}) {
		t.Errorf("%+v", f)
	}
	if f := (Turn{Role: Assistant, Text: "Always run the linter first."}).Distil(); len(f) > 0 {
		t.Errorf("an agent has preferences: %+v", f)
	}
}

// TestDistilLeavesEverydayReplies: what is said every day is not worth a page, and what is like it may be.
func TestDistilLeavesEverydayReplies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Kind{
		"No, it is fine, thanks.":                              "",
		"No, it's fine.":                                       "",
		"Wait, this is great.":                                 "",
		"Actually that is exactly right.":                      "",
		"Actually, that's perfect, thank you!":                 "",
		"Hm, it is working now.":                               "",
		"Hmm, that is strange.":                                "",
		"Actually, never mind.":                                "",
		"No, not yet, sorry.":                                  "",
		"No, I don't know.":                                    "",
		"No, the first is right, the second must be a list.":   Correction,
		"No, that is not right.":                               Correction,
		"Actually the right limit is 50, not 100.":             Correction,
		"Wait, this is great but it must not touch the lexer.": Correction,
		"Hm, it is in the wrong directory.":                    Correction,
		"It fails every time I run it.":                        "",
		"Every time I run it, it fails.":                       "",
		"This happens every time.":                             "",
		"When you run it, it crashes with EOF.":                "",
		"Every time you click it the page reloads.":            "",
		"Every time you change a migration, bump the version.": Preference,
		"Run the linter every time.":                           Preference,
		"You must run the linter every time, even for docs.":   Preference,
		"When you run the tests, use the flag -short.":         Preference,
		"Don't commit yet.":                                    "",
		"Don't push right now, CI is down.":                    "",
		"Please don't add tests for now.":                      "",
		"Do not touch that.":                                   "",
		"Don't commit generated files.":                        Preference,
		"Use 3 instead of 4.":                                  "",
		"Use port 8080, not 8081.":                             "",
		"Use this one instead of the old file.":                "",
		"Call it Store rather than Database.":                  "",
		"Use httpx instead of requests.":                       Preference,
		"Let's move to the next task.":                         "",
		"Ok, let's move on to step 3.":                         "",
		"Let's keep going.":                                    "",
		"We keep getting errors.":                              "",
		"Let's use the debugger to see where it hangs.":        "",
		"Ok, let's keep it.":                                   "",
		"I'm moving to the next point now.":                    "",
		"Let's move to Postgres.":                              Decision,
		"We keep the v1 routes.":                               Decision,
		"Let's use the sync API to save a thread.":             Decision,
		"It turned out fine.":                                  "",
		"It turned out that the clock was wrong.":              Lesson,
		"I would hate to lose the old notes.":                  "",
		"I hate mocks of the database.":                        Preference,
		"Perhaps we're going with Postgres for the store.":     "",
		"Maybe we've decided on SQLite already, I forget.":     "",
		"Maybe we'll always use tabs, maybe not.":              "",
		"Not sure—from now on we use Postgres.":                "",
		"I wonder/doubt it, but from now on we use Postgres.":  "",
		"We've decided on SQLite already.":                     Decision,
		"Attention: I am out of office until Monday.":          "",
		"Attention, me and Al die at level three.":             "",
	} {
		f := (Turn{Role: User, Text: text}).Distil()
		if got := append(f, Finding{})[0]; got.Kind != want {
			t.Errorf("%q is a %q (%s), not a %q", text, got.Kind, got.Rule, want)
		}
	}
	for text, want := range map[string]Kind{
		"I chose to look at main.go.":                      "",
		"I decided to read the tests first.":               "",
		"I decided to check whether the flag is used.":     "",
		"I picked up where we stopped.":                    "",
		"I chose to keep main.go as it is.":                Decision,
		"We decided to check the token in the middleware.": Decision,
		"I decided to read the config once at startup.":    Decision,
	} {
		f := (Turn{Role: Assistant, Text: text}).Distil()
		if got := append(f, Finding{})[0]; got.Kind != want {
			t.Errorf("%q is a %q (%s), not a %q", text, got.Kind, got.Rule, want)
		}
	}
}

// TestDistilLeavesEverydayRepliesOfOtherLanguages: as above, for German, French and Spanish.
func TestDistilLeavesEverydayRepliesOfOtherLanguages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Kind{
		"Nein, kein Problem.":                              "",
		"Nein, das ist für dich nicht nötig.":              "",
		"Wenn du schreibst, geht mein Rechner langsamer.":  "",
		"Wenn du Tests schreibst, nimm bitte pytest.":      Preference,
		"Achtung, fertig, los, wir fangen jetzt an.":       "",
		"Achtung, die API kürzt lange Namen.":              Lesson,
		"Non, ce n'est pas nécessaire pour toi.":           "",
		"Non, ce n'est pas le bon fichier.":                Correction,
		"No, no es necesario que lo hagas.":                "",
		"Quizá usamos SQLite, no lo sé.":                   "",
		"Quizás usamos SQLite, no lo sé.":                  "",
		"Nein, das weiß ich nicht.":                        "",
		"Nein, noch nicht, ich muss erst essen.":           "",
		"Eigentlich ist das schon gut so.":                 "",
		"Warte, ich muss kurz nachsehen.":                  Correction, // like one: "Warte, das muss ins andere Paket."
		"Wenn du fertig bist, sag bitte Bescheid.":         "",
		"Es stürzt immer noch ab.":                         "",
		"Mach das bitte immer noch nicht.":                 "",
		"Committe das noch nicht.":                         "",
		"Nehmen wir den nächsten Punkt.":                   "",
		"Das Problem war gestern schon da.":                "",
		"Ich mag nicht mehr.":                              "",
		"Schreib mir, ob das nie passiert.":                "",
		"Committe nie generierte Dateien.":                 Preference,
		"Wir bleiben bei SQLite.":                          Decision,
		"Non, pas de problème.":                            "",
		"Non, je ne sais pas.":                             "",
		"Non, pas encore, il faut que je mange.":           "",
		"En fait c'est très bien.":                         "",
		"Quand tu auras fini, dis-le-moi.":                 "",
		"Chaque fois que tu cliques, la page se recharge.": "",
		"Ça ne marche toujours pas.":                       "",
		"Ne pousse pas encore.":                            "",
		"On passe à l'étape suivante.":                     "",
		"Je n'aime pas attendre, mais bon.":                Preference, // like one: "Je n'aime pas les mocks."
		"Plus de cent lignes ont changé dans ce fichier.":  "",
		"Le problème est toujours là.":                     "",
		"Ne commite jamais de fichiers générés.":           Preference,
		"On abandonne le cache, il coûte trop cher.":       Decision,
		"No, gracias, ya está.":                            "",
		"No, no pasa nada.":                                "",
		"No, no lo sé.":                                    "",
		"No, todavía no, es pronto.":                       "",
		"En realidad está muy bien.":                       "",
		"Cuando termines, avísame.":                        "",
		"Nunca había usado esta orden.":                    "",
		"Siempre es igual con esta biblioteca.":            "",
		"No lo subas todavía, la CI está caída.":           "",
		"Vamos con el siguiente punto.":                    "",
		"Usamos el depurador para ver qué pasa.":           "",
		"El problema sigue ahí en la rama nueva.":          "",
		"Resultó ser muy fácil al final.":                  "",
		"Nunca subas ficheros generados al repositorio.":   Preference,
		"Nos quedamos con SQLite.":                         Decision,
		"N’oublie pas que l’API tronque les noms longs.":   Lesson,
	} {
		f := (Turn{Role: User, Text: text}).Distil()
		if got := append(f, Finding{})[0]; got.Kind != want {
			t.Errorf("%q is a %q (%s), not a %q", text, got.Kind, got.Rule, want)
		}
	}
}

// TestDistilReadsNamesInEnglish: names and words of English are words of other languages, too.
func TestDistilReadsNamesInEnglish(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Remember: Ben reviews her code, never Sam.", "Ben and her team own billing.", "Ben wants her PRs small.",
		"Always ask Dan over Slack.", "Ask Dan over Slack before merging.", "Den van her men over, Ben.",
	} {
		if len(rulesFor(text)) < len(rules) {
			t.Errorf("%q has no rules", text)
		}
	}
	for _, text := range []string{"Bu dosya çok büyük ama her şey var.", "Gebruik nooit een bestand zonder test, het moet altijd met.", "Não faça isso no teste."} {
		if len(rulesFor(text)) > 0 {
			t.Errorf("%q has rules", text)
		}
	}
}
