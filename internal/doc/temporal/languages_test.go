package temporal_test

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/temporal"
)

func TestEndingsInOtherLanguages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// German.
		"Ada hat Brex im März 2025 verlassen.":                                 "90 2025-03",
		"Ada hat [[Brex]] verlassen.":                                          "0",
		"Sie hat im März 2025 die Firma [[Brex]] verlassen.":                   "0 2025-03",
		"Ada verließ [[Brex]] Ende 2025.":                                      "0 2025",
		"Ada verließ Brex am 3. März 2025 und gründete [[Acme]].":              "90 2025-03-03",
		"2025 verließ Ada [[Brex]].":                                           "",
		"Im März 2025 verließ Ada [[Brex]].":                                   "0 2025-03",
		"Im März 2025 verließ Ada Lovelace Brex.":                              "90 2025-03",
		"Ada ist im Mai 2025 bei den Brex ausgeschieden.":                      "90 2025-05",
		"Im Mai 2025 verließ sie Brex.":                                        "90 2025-05",
		"Ada Lovelace ist zum 31.12.2025 bei [[Brex]] ausgeschieden.":          "0 2025-12-31",
		"Ada ist bei Brex im Juni 2025 ausgeschieden.":                         "90 2025-06",
		"Ada schied im Oktober 2025 bei [[Brex]] aus.":                         "0 2025-10",
		"Ada hat bei Brex gekündigt.":                                          "90",
		"Ada kündigte im Dezember 2025 bei [[Brex]].":                          "0 2025-12",
		"Ada wurde im Mai 2025 von [[Brex]] entlassen.":                        "0 2025-05",
		"Ada trat im Mai 2025 als Geschäftsführerin von [[Brex]] zurück.":      "0 2025-05",
		"Ada ist als CEO von Brex zurückgetreten.":                             "90",
		"Ada arbeitet nicht mehr bei [[Brex]].":                                "0",
		"Ada ist seit März 2025 nicht mehr bei Brex.":                          "90 2025-03",
		"Nicht mehr bei [[Brex]].":                                             "0",
		"Ada ist nicht mehr Geschäftsführerin bei [[Brex]].":                   "0",
		"Ehemalige Einkaufsleiterin bei [[Brex]].":                             "0",
		"> Früherer CEO von Brex.":                                             "90",
		"Ex-CEO von Brex.":                                                     "90",
		"Früher bei [[Brex]].":                                                 "0",
		"Ada war bis März 2025 bei [[Brex]].":                                  "0 2025-03",
		"Bis Ende 2025 Leiterin des Einkaufs bei Brex.":                        "",
		"Bis Ende 2025 Einkaufsleiterin bei Brex.":                             "90 2025",
		"Ada arbeitete von 2019 bis 2025 bei [[Brex]].":                        "0 2025",
		"Bei Brex bis Mai 2025.":                                               "90 2025-05",
		"Adas letzter Arbeitstag bei [[Brex]] war der 1. März 2025.":           "0 2025-03-01",
		"Ihr letzter Tag bei Brex: 1.3.2025":                                   "90 2025-03-01",
		"Ihr Vertrag mit [[Brex]] lief im Juni 2025 aus.":                      "0 2025-06",
		"Adas Arbeitsvertrag bei Brex endete am 30. Juni 2025.":                "90 2025-06-30",
		"Ihr Vertrag bei [[Brex]] ist im Juni 2025 ausgelaufen.":               "0 2025-06",
		"Ada zog im Mai 2025 von [[Rom]] nach [[Oslo]].":                       "0 2025-05",
		"Ada ist von [[Rom]] nach Oslo gezogen.":                               "0",
		"Ada wechselte von [[Brex]] zu [[Acme]].":                              "0",
		"Ada ist im Mai 2025 von [[Brex]] zu [[Acme]] gewechselt.":             "0 2025-05",
		"**Stand 2026-11-27:** Ada hat Brex verlassen.":                        "90 @2026-11-27",
		"**Stand: 27. November 2026:** nicht mehr bei [[Brex]].":               "0 @2026-11-27",
		"**As of 2026-11-27:** Ada verließ Brex im Januar.":                    "90 2026-01 @2026-11-27",
		"**As of 2026-11-27:** Ada verließ Brex letzte Woche.":                 "90 @2026-11-27",
		"Schreibt.\n\n---\n\n- **2025-03-01** | Mail — Ada verlässt Brex":      "90 2025-03-01",
		"Schreibt.\n\n---\n\n- **2025-03-01** | Mail — Hat bei Brex gekündigt": "90 2025-03-01",
		"Ada verließ [[Brex]] 2025. Sie kehrte 2026 zu [[Brex]] zurück.":       "",
		"Ada verließ Brex 2025.\n\nAda arbeitet wieder bei Brex.":              "",

		// A pronoun is one in its language only.
		"Elle a quitté [[Brex]] en mars 2025.":                      "0 2025-03",
		"Ella dejó [[Brex]] en marzo de 2025.":                      "0 2025-03",
		"Lei ha lasciato [[Brex]] nel marzo 2025.":                  "0 2025-03",
		"Ze verliet [[Brex]] in maart 2025.":                        "0 2025-03",
		"Ela deixou a [[Brex]] em março de 2025.":                   "0 2025-03",
		"Ada works with Ella. Ella left [[Brex]] in 2025.":          "",
		"Lei left [[Brex]] in 2025.":                                "",
		"Ze has left [[Brex]].":                                     "",
		"Ela was fired from [[Brex]] in 2025.":                      "",
		"Elle resigned from [[Brex]] in 2025.":                      "",
		"Ella runs a shop. She left [[Brex]] in 2025.":              "",
		"Ella is the ex-CEO of [[Brex]], of the house de Vries.":    "",
		"Ada runs a shop. She was fired from [[Brex]] in May 2025.": "0 2025-05",

		// No end.
		"Ada hat [[Brex]] nicht verlassen.":               "",
		"Ada wird [[Brex]] 2027 verlassen.":               "",
		"Ada will [[Brex]] verlassen.":                    "",
		"Ada soll [[Brex]] im März 2025 verlassen haben.": "",
		"Wenn Ada [[Brex]] verlassen hat, schreibt sie.":  "",
		"Charles hat [[Brex]] im März 2025 verlassen.":    "",
		"Ada hat die Sitzung bei [[Brex]] verlassen.":     "",
		"Ada hat sich auf [[Brex]] verlassen.":            "",
		"Ada verließ den Raum bei [[Brex]] im März 2025.": "",
		"Ada arbeitet bis 2027 bei [[Brex]].":             "",
		"Die frühere Strategie bei [[Brex]] war gut.":     "",
		"Ada arbeitet nicht bei [[Brex]].":                "",
		"Ada zog von [[Brex]] Geld ab.":                   "",
		"Ada hat den Vertrag mit [[Brex]] gekündigt.":     "",
		"„Ada hat Brex im März 2025 verlassen.“":          "",
		"Ada trat bei [[Brex]] auf.":                      "",
		"Adas Mitarbeiter hat Brex verlassen.":            "",

		// French.
		"Ada a quitté [[Brex]] en mars 2025.":                "0 2025-03",
		"Elle a démissionné de Brex le 3 mars 2025.":         "90 2025-03-03",
		"Ada a été licenciée par [[Brex]].":                  "0",
		"Ada ne travaille plus chez [[Brex]].":               "0",
		"Ancienne directrice de Brex.":                       "90",
		"Ada travaillait chez [[Brex]] jusqu'en août 2025.":  "0 2025-08",
		"Son dernier jour chez Brex était le 1er juin 2025.": "90 2025-06-01",
		"**État au 2026-11-27 :** a quitté Brex.":            "90 @2026-11-27",
		"Ada ne quitte pas [[Brex]] en 2025.":                "",
		"Ada a peut-être quitté [[Brex]].":                   "",

		// Spanish.
		"Ada dejó [[Brex]] en marzo de 2025.":            "0 2025-03",
		"Ada ha dejado Brex.":                            "90",
		"Ada ya no trabaja en [[Brex]].":                 "0",
		"Antigua directora de Brex.":                     "90",
		"Trabajó en [[Brex]] hasta el 3 de mayo de 2025": "0 2025-05-03",
		"Ada dejó una carta en [[Brex]] en 2025.":        "",

		// Italian.
		"Ada ha lasciato [[Brex]] nel marzo 2025.":      "0 2025-03",
		"Ada non lavora più in [[Brex]].":               "0",
		"Ex direttrice di Brex.":                        "90",
		"Ha lavorato in [[Brex]] fino a dicembre 2025.": "0 2025-12",
		"Ada ha lavorato in Brex fino al 2025.":         "90 2025",
		"Ada ha lasciato una lettera in [[Brex]].":      "",

		// Dutch.
		"Ada verliet [[Brex]] in maart 2025.":        "0 2025-03",
		"Ada heeft Brex in mei 2025 verlaten.":       "90 2025-05",
		"Ada werkt niet meer bij [[Brex]].":          "0",
		"Voormalig directeur van Brex.":              "90",
		"Ada werkte bij [[Brex]] tot augustus 2025.": "0 2025-08",
		"Ada werkt niet bij [[Brex]].":               "",

		// Portuguese.
		"Ada deixou a [[Brex]] em março de 2025.":   "0 2025-03",
		"Ada já não trabalha na [[Brex]].":          "0",
		"Ex-diretora da Brex.":                      "90",
		"Ada trabalhou na Brex até maio de 2025.":   "90 2025-05",
		"Ada deixou uma carta na [[Brex]] em 2025.": "",
	} {
		t.Run(text, func(t *testing.T) {
			if got := endings(prose(markdown.Codec{}, "people/ada.md", text)); got != want {
				t.Errorf("ended %q, want %q", got, want)
			}
		})
	}
}

func TestInnocentSentencesOfOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		// Away for a while.
		"Ada a quitté [[Paris]] pour le week-end.",
		"Ada a quitté [[Paris]] pour déjeuner.",
		"Ada a quitté [[Paris]] en voiture.",
		"Elle a quitté [[Paris]], pour une semaine.",
		"Ada ha lasciato [[Roma]] per il weekend.",
		"Ada ha lasciato [[Roma]] per una riunione.",
		"Ada ha lasciato [[Brex]] e torna domani.",
		"Ada non è più a [[Roma]] per oggi.",
		"Ada hat [[Berlin]] verlassen, um Urlaub zu machen.",
		"Ada hat [[Berlin]] verlassen, um einzukaufen.",
		"Ada hat [[Berlin]] nach dem Essen verlassen.",
		"Ada verließ [[Berlin]] im Mai 2025 nach dem Essen.",
		"In [[Rom]] bis 3. Mai 2025, Urlaub.",
		"Ada heeft [[Brex]] verlaten om te lunchen.",
		"Ada heeft [[Brex]] verlaten om brood te kopen.",
		"Ada ha dejado [[Madrid]] para comer.",
		"Ada dejó [[Madrid]] en mayo de 2025 para un congreso.",
		"Ada deixou [[Lisboa]] em 2025 para férias.",
		"Ada deixou [[Lisboa]] em 2025 para um congresso.",
		// The place of resigning.
		"Ada renunció en [[Madrid]].",
		"Ada a démissionné à [[Paris]].",
		// Taken back, or a rumour.
		"Ihr Vertrag mit [[Brex]] lief im Juni 2025 aus und wurde erneuert.",
		"Ihr Vertrag mit [[Brex]] endete 2025 und wurde verlängert.",
		"Ada hat bei [[Brex]] gekündigt, zog die Kündigung aber zurück.",
		"Ada wurde aus [[Brex]] entlassen, was ein Gerücht war.",
		"Ada ist von [[Rom]] nach [[Oslo]] gezogen und nach Rom zurückgekehrt.",
		"Ada a été licenciée par [[Brex]], selon une rumeur.",
		"Ada a démissionné de [[Brex]] et a retiré sa démission.",
		"Ada fue despedida de [[Brex]] y readmitida.",
		"Quizá Ada ha dejado [[Brex]].",
		"Ada è stata licenziata da [[Brex]], poi riassunta.",
		"Ada nam ontslag bij [[Brex]], maar trok het in.",
		"Ada foi demitida da [[Brex]] e recontratada.",
		"Ada saiu da [[Brex]] em 2025 e voltou.",
		// Of somebody else.
		"Ancien directeur de [[Brex]], Bob conseille Ada.",
		"Antiguo director de [[Brex]], Bob aconseja a Ada.",
		"Ex direttore di [[Brex]], [[Bob]] consiglia Ada.",
		"Ex-diretor da [[Brex]], Bob aconselha Ada.",
		// Not yet.
		"Ada scheidet im Mai 2027 bei [[Brex]] aus.",
	} {
		t.Run(text, func(t *testing.T) {
			if got := endings(prose(markdown.Codec{}, "people/ada.md", text)); got != "" {
				t.Errorf("ended %q, want nothing", got)
			}
		})
	}
}

// A cue is found whatever the case of its first letter, and what follows may say more.
func TestEndingsThatBeginTheSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Verließ [[Brex]] im Mai 2025.":                         "0 2025-05",
		"Trat im Mai 2025 als CEO von [[Brex]] zurück.":         "0 2025-05",
		"Zog 2025 von [[Rom]] nach [[Oslo]].":                   "0 2025",
		"Quitta [[Brex]] en mai 2025.":                          "0 2025-05",
		"Ada ne vit plus à [[Paris]].":                          "0",
		"Dejó [[Brex]] en mayo de 2025.":                        "0 2025-05",
		"Ex directora de [[Brex]].":                             "0",
		"Lasciò [[Brex]] nel maggio 2025.":                      "0 2025-05",
		"Non lavora più in [[Brex]].":                           "0",
		"Verliet [[Brex]] in mei 2025.":                         "0 2025-05",
		"Werkt niet meer bij [[Brex]].":                         "0",
		"Deixou a [[Brex]] em maio de 2025.":                    "0 2025-05",
		"Saiu da [[Brex]] em maio de 2025.":                     "0 2025-05",
		"Mudou-se da [[Roma]] para [[Oslo]].":                   "0",
		"Não trabalha mais na [[Brex]].":                        "0",
		"Ada hat [[Brex]] verlassen, um Acme zu gründen.":       "0",
		"Ada hat [[Brex]] im Mai 2025 verlassen, um zu lehren.": "",
		"Ada a quitté [[Brex]] pour fonder Acme.":               "0",
		"Ada a quitté [[Brex]] pour [[Acme]].":                  "0",
		"Ada ha lasciato [[Brex]] per lavorare in Acme.":        "0",
		"Ada heeft [[Brex]] verlaten om Acme te leiden.":        "0",
		"Ancienne directrice de [[Brex]], Ada conseille Bob.":   "0",
	} {
		t.Run(text, func(t *testing.T) {
			if got := endings(prose(markdown.Codec{}, "people/ada.md", text)); got != want {
				t.Errorf("ended %q, want %q", got, want)
			}
		})
	}
}

func TestAsOfInOtherLanguages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"**Stand 2026-03-01:** bei Brex.":         "2026-03-01",
		"Stand: 1. März 2026":                     "2026-03-01",
		"Stand März 2026 bei Brex.":               "2026-03",
		"**État au 3 février 2026 :** chez Brex.": "2026-02-03",
		"A fecha de 3 de mayo de 2026.":           "2026-05-03",
		"Der Stand war 2026 in Halle 3.":          "",
		"Stand up on 2026-01-01.":                 "",
		"Abstand 2026.":                           "",
	} {
		if said, _ := temporal.Find(markdown.Codec{}.Parse("a.md", []byte(text)), 0).AsOf(time.Time{}); said != want {
			t.Errorf("%s: %q, want %q", text, said, want)
		}
	}
}
