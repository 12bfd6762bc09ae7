package transcript

import "testing"

// TestDistilLeavesLanguagesWithoutRules: the rules of other languages take their words for something else.
func TestDistilLeavesLanguagesWithoutRules(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"No arquivo de configuração não use abas, é só para o teste de hoje.",
		"No teste isso é normal, put e delete falham às vezes.",
		"Stop! Não é isso que eu queria, never dá certo com esse driver.",
		"Para de perguntar, como sempre é o mesmo erro.",
		"Nunca vi isso dar certo com a versão antiga do banco.",
		"Sempre que eu clico no botão a página recarrega.",
		"No, non è un problema, use del parser è corretto così.",
		"No, il file è a posto, should sia solo un avviso.",
		"Note that è il titolo della pagina, non cambiarlo per ora.",
		"Stop, dat is niet wat ik bedoel, de test is prima zo.",
		"Wait, jag förstår inte, varför is det så här i den filen?",
		"Stop, to jest dobrze, nie używaj put w tym teście na razie.",
		"Actually bu dosya is tamam, ama bir şey daha var.",
		"Nu, este bine așa, nunca nu am văzut eroarea asta în fișierul nou.",
	} {
		for _, role := range []Role{User, Assistant} {
			if f := (Turn{Role: role, Text: text}).Distil(); len(f) > 0 {
				t.Errorf("%q: %+v", text, f)
			}
		}
	}
	for text, want := range map[string]Kind{
		"Always run the linter, do not ask me for it.":                                  Preference,
		"We decided to use SQLite in the app.":                                          Decision,
		"From now on name the commits after the ticket, as in no other repo.":           Preference,
		"No, use the São Paulo region, not Lisbon.":                                     Correction,
		"Use tabs instead of spaces everywhere.":                                        Preference,
		"Heads up: the mailer of João and André drops messages over 10 MB.":             Lesson,
		"De momento no, pero nunca subas ficheros generados al repositorio, por favor.": "",
		"Nunca subas ficheros generados al repositorio.":                                Preference,
	} {
		f := (Turn{Role: User, Text: text}).Distil()
		if got := append(f, Finding{})[0]; got.Kind != want {
			t.Errorf("%q is a %q (%s), not a %q", text, got.Kind, got.Rule, want)
		}
	}
}
