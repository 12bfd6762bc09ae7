package temporal_test

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/markdown"
	"github.com/cairn-kb/cairn/internal/doc/temporal"
)

// titled reads a text as prose does, as a page of another title.
func titled(title, text string) temporal.Prose {
	p := prose(markdown.Codec{}, "people/x.md", text)
	p.Document.Nodes[0].Title = title
	return p
}

// read compares the endings of pages of one title.
func read(t *testing.T, title string, want map[string]string) {
	t.Helper()
	for text, want := range want {
		t.Run(text, func(t *testing.T) {
			if got := endings(titled(title, text)); got != want {
				t.Errorf("ended %q, want %q", got, want)
			}
		})
	}
}

func TestEndingsInRussian(t *testing.T) {
	t.Parallel()
	read(t, "Анна Орлова", map[string]string{
		"Анна ушла из [[Brex]] в марте 2026.":                                "0 2026-03",
		"Анна Орлова ушла из компании Brex в марте 2026 года.":               "90 2026-03",
		"Анна ушла из [[Brex]].":                                             "0",
		"Она уволилась из Brex 3 марта 2026 г.":                              "90 2026-03-03",
		"Анна покинула [[Brex]] в конце 2025 года.":                          "0 2025",
		"Анна была уволена из [[Brex]] в мае 2025.":                          "0 2025-05",
		"В марте 2026 Анна уволилась из [[Brex]].":                           "0 2026-03",
		"Анна больше не работает в [[Brex]].":                                "0",
		"С марта 2026 больше не работает в Brex.":                            "90 2026-03",
		"Бывший генеральный директор [[Brex]].":                              "0",
		"Бывшая сотрудница Brex.":                                            "90",
		"Анна — бывший директор [[Brex]].":                                   "0",
		"Экс-директор Brex.":                                                 "90",
		"Работала в [[Brex]] до марта 2026.":                                 "0 2026-03",
		"Анна работала в «Brex» с 2019 до марта 2026.":                       "90 2026-03",
		"Директор [[Brex]] до мая 2025.":                                     "0 2025-05",
		"До марта 2026 работала в [[Brex]].":                                 "0 2026-03",
		"Её последний рабочий день в [[Brex]] — 31 марта 2026.":              "0 2026-03-31",
		"Контракт с [[Brex]] истёк в июне 2025.":                             "0 2025-06",
		"Анна переехала из [[Rome]] в [[Oslo]] в мае 2025.":                  "0 2025-05",
		"Анна перешла из [[Brex]] в [[Acme]].":                               "0",
		"**As of 2026-11-27:** ушла из [[Brex]] в марте.":                    "0 2026-03 @2026-11-27",
		"**По состоянию на 2026-11-27:** больше не работает в [[Brex]].":     "0 @2026-11-27",
		"Пишет.\n\n---\n\n- **2025-03-01** | письмо — Анна ушла из [[Brex]]": "0 2025-03-01",
		"- works_at [[Brex]] @2017.. (до марта 2026)":                        "0 2026-03",

		"Анна не ушла из [[Brex]].":                           "",
		"Анна хочет уйти из [[Brex]] в 2026.":                 "",
		"Говорят, Анна ушла из [[Brex]] в марте 2026.":        "",
		"Анна ушла из [[Brex]] на обед.":                      "",
		"Анна ушла из [[Brex]] в отпуск в марте 2026.":        "",
		"Иван ушёл из [[Brex]] в марте 2026.":                 "",
		"Анна ушла из [[Brex]] в 2025. Она вернулась в Brex.": "",
		"Анна работает в [[Brex]].":                           "",
		"Анна работала с бывшим директором [[Brex]].":         "",
		"Бывший офис [[Brex]].":                               "",
		"Анна больше не пишет о [[Brex]].":                    "",
		"Анна работает в [[Brex]] до 2030.":                   "",
	})
}

func TestEndingsInJapanese(t *testing.T) {
	t.Parallel()
	read(t, "田中 健一", map[string]string{
		"田中は2026年3月に[[Brex]]を退職した。":                             "0 2026-03",
		"田中健一さんは2026年3月31日付で[[Brex]]を退社しました。":                   "0 2026-03-31",
		"[[Brex]]を2026年3月に退職。":                                  "0 2026-03",
		"2026年3月、Brexを退職した。":                                    "90 2026-03",
		"彼は[[Brex]]を辞めた。":                                       "0",
		"田中は[[Brex]]を辞めています。":                                   "0",
		"田中は2025年5月に[[Brex]]から[[Acme]]に転職した。":                   "0 2025-05",
		"田中は[[Brex]]を解雇された。":                                    "0",
		"元[[Brex]]のCTO。":                                        "0",
		"元Brex社員。":                                              "90",
		"[[Brex]]の元社員。":                                         "0",
		"田中は[[Brex]]の元エンジニアです。":                                 "0",
		"以前は[[Brex]]に勤務していた。":                                   "0",
		"2026年3月まで[[Brex]]に勤務。":                                 "0 2026-03",
		"田中は2019年から2026年3月まで[[Brex]]で働いていた。":                    "0 2026-03",
		"[[Brex]]で2026年3月まで勤務していました。":                           "0 2026-03",
		"田中はもう[[Brex]]で働いていない。":                                 "0",
		"現在は[[Brex]]に在籍していません。":                                 "0",
		"田中はもう[[Brex]]の社長ではない。":                                 "0",
		"[[Brex]]での最終出社日は2026年3月31日。":                           "0 2026-03-31",
		"田中は2025年5月に[[Tokyo]]から[[Osaka]]へ引っ越した。":                "0 2025-05",
		"**2026年11月27日現在：** もう[[Brex]]にいない。":                    "0 @2026-11-27",
		"書く。\n\n---\n\n- **2026-03-01** | メール — 田中が[[Brex]]を退職": "0 2026-03-01",
		"---\nrole: 元[[Brex]]CEO\n---\n\n書く。":                   "0",
		"- works_at [[Brex]] @2017.. (2026年3月に退職)":              "0 2026-03",

		"東京商事を2026年3月に退職した。":                          "東京商事 2026-03",
		"2026年3月まで東京商事に勤務。現在はAcmeで働いている。":             "東京商事 2026-03",
		"元東京商事の部長。":                                   "東京商事",
		"東京商事の部長。":                                    "",
		"現在は東京商事に勤務している。":                             "",
		"田中は[[Brex]]を退職していない。":                        "",
		"田中は2027年に[[Brex]]を退職する予定。":                   "",
		"田中は[[Brex]]を退職したいと言った。":                      "",
		"田中は[[Brex]]を退職したらしい。":                        "",
		"田中の妻は2026年に[[Brex]]を退職した。":                   "",
		"山田は2026年に[[Brex]]を退職した。":                     "",
		"田中は[[Brex]]に勤務している。":                         "",
		"元の計画は[[Brex]]にある。":                           "",
		"3日前に[[Brex]]のCEOに会った。":                       "",
		"田中は[[Brex]]のCEOではない。":                        "",
		"田中は2025年に[[Brex]]を退職した。2026年に[[Brex]]に復帰した。": "",
		"田中は[[Brex]]を退職したか？":                          "",
		"会議は2026年3月まで[[Brex]]の部屋を使う。":                 "",
	})
}

func TestEndingsInChinese(t *testing.T) {
	t.Parallel()
	read(t, "张伟", map[string]string{
		"张伟于2026年3月从[[Brex]]离职。":                              "0 2026-03",
		"张伟已从Brex离职。":                                         "90",
		"2026年3月，张伟从[[Brex]]离职。":                              "0 2026-03",
		"2026年3月张伟离开了[[Brex]]。":                               "0 2026-03",
		"张伟已经离开[[Brex]]。":                                     "0",
		"他2026年3月31日从Brex辞职。":                                 "90 2026-03-31",
		"张伟在2025年5月辞去了[[Brex]]首席执行官的职务。":                      "0 2025-05",
		"张伟被[[Brex]]解雇。":                                      "0",
		"前[[Brex]]首席执行官。":                                     "0",
		"[[Brex]]前CEO。":                                       "0",
		"张伟是[[Brex]]的前员工。":                                    "0",
		"曾在[[Brex]]工作。":                                       "0",
		"张伟在[[Brex]]工作到2026年3月。":                              "0 2026-03",
		"张伟2019年至2026年3月在[[Brex]]任职。":                         "0 2026-03",
		"2026年3月之前在[[Brex]]工作。":                               "0 2026-03",
		"张伟不再担任[[Brex]]总经理。":                                  "0",
		"张伟已不在[[Brex]]工作。":                                    "0",
		"自2026年3月起不再在[[Brex]]工作。":                             "0 2026-03",
		"他在[[Brex]]的最后一天是2026年3月31日。":                         "0 2026-03-31",
		"张伟与[[Brex]]的合同于2025年6月到期。":                           "0 2025-06",
		"张伟2025年5月从[[Brex]]跳槽到[[Acme]]。":                      "0 2025-05",
		"张伟从[[Shanghai]]搬到了[[Beijing]]。":                      "0",
		"**截至2026年11月27日：** 张伟已从[[Brex]]离职。":                  "0 @2026-11-27",
		"写作。\n\n---\n\n- **2026-03-01** | 邮件 — 张伟从[[Brex]]离职": "0 2026-03-01",
		"- works_at [[Brex]] @2017.. (2026年3月离职)":             "0 2026-03",

		"张伟2026年3月从华为离职。":                      "华为 2026-03",
		"前华为公司首席执行官。":                          "华为",
		"张伟在华为工作。":                             "",
		"张伟曾在[[Brex]]工作，现任CEO。":                "",
		"张伟没有离开[[Brex]]。":                      "",
		"张伟计划2027年从[[Brex]]离职。":                "",
		"据说张伟从[[Brex]]离职了。":                    "",
		"张伟的妻子2026年从[[Brex]]离职。":               "",
		"王芳于2026年3月从[[Brex]]离职。":               "",
		"张伟在[[Brex]]工作。":                       "",
		"张伟离开[[Brex]]去开会。":                     "",
		"之前的计划在[[Brex]]。":                      "",
		"三年前张伟见过[[Brex]]的CEO。":                 "",
		"张伟不在[[Brex]]工作。":                      "",
		"张伟2025年从[[Brex]]离职。2026年他重返[[Brex]]。": "",
		"张伟从[[Brex]]离职了吗？":                     "",
		"原计划到2026年3月在[[Brex]]开店。":              "",
	})
}

// More of what people write in the other languages.
func TestMoreEndingsInOtherLanguages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ada arbeitet seit März 2026 nicht mehr für [[Brex]].": "0 2026-03",
		"Arbeitet seit März 2026 nicht mehr für [[Brex]].":     "0 2026-03",
		"Ada ging im März 2026 von [[Brex]] zu [[Acme]].":      "0 2026-03",
		"Ada hat im März 2026 bei [[Brex]] aufgehört.":         "0 2026-03",
		"Ada ist seit März 2026 weg von [[Brex]].":             "0 2026-03",
		"Ehemals [[Brex]].": "0",
		"Bis März 2026 bei [[Brex]], jetzt bei [[Acme]].":                  "0 2026-03",
		"- works_at [[Brex]] @2017.. (bis März 2026)":                      "0 2026-03",
		"Ada est partie de [[Brex]] en mars 2026.":                         "0 2026-03",
		"Ada ne fait plus partie de [[Brex]].":                             "0",
		"Elle a cessé de travailler chez [[Brex]] en mars 2026.":           "0 2026-03",
		"Ada a rejoint [[Acme]] après avoir quitté [[Brex]] en mars 2026.": "",
		"Anciennement chez [[Brex]].":                                      "0",
		"- works_at [[Brex]] @2017.. (jusqu'en mars 2026)":                 "0 2026-03",
		"Ada dejó de trabajar en [[Brex]] en marzo de 2026.":               "0 2026-03",
		"Ada se fue de [[Brex]] en marzo de 2026.":                         "0 2026-03",
		"Ada salió de [[Brex]] en marzo de 2026.":                          "0 2026-03",
		"Ha dejado de trabajar en [[Brex]].":                               "0",
		"Anteriormente en [[Brex]].":                                       "0",
		"- works_at [[Brex]] @2017.. (hasta marzo de 2026)":                "0 2026-03",
		"Ada ha smesso di lavorare in [[Brex]] a marzo 2026.":              "0 2026-03",
		"Ada si è licenziata da [[Brex]] a marzo 2026.":                    "0 2026-03",
		"Ada se n'è andata da [[Brex]] a marzo 2026.":                      "0 2026-03",
		"- works_at [[Brex]] @2017.. (fino a marzo 2026)":                  "0 2026-03",
		"Ada pediu demissão da [[Brex]] em março de 2026.":                 "0 2026-03",
		"Ada desligou-se da [[Brex]] em março de 2026.":                    "0 2026-03",
		"Ada deixou de trabalhar na [[Brex]] em março de 2026.":            "0 2026-03",
		"Anteriormente na [[Brex]].":                                       "0",
		"- works_at [[Brex]] @2017.. (até março de 2026)":                  "0 2026-03",
		"Ada is sinds maart 2026 weg bij [[Brex]].":                        "0 2026-03",
		"Ada is gestopt bij [[Brex]] in maart 2026.":                       "0 2026-03",
		"Voorheen bij [[Brex]].":                                           "0",
		"- works_at [[Brex]] @2017.. (tot maart 2026)":                     "0 2026-03",

		"Ada ging im März 2026 von [[Brex]] zu Fuß nach Hause.": "",
		"Ada ging im März 2026 von [[Brex]] zum Bahnhof.":       "",
		"Ada salió de [[Brex]] en marzo de 2026 a comer.":       "",
		"Ada salió de [[Brex]].":                                "",
		"Ada est partie de [[Brex]] en vacances.":               "",
		"Ada se fue de [[Madrid]] de vacaciones en 2026.":       "",
		"Ada ist weg von [[Brex]].":                             "",
		"Ada hat aufgehört, bei [[Brex]] zu rauchen.":           "",
		"Ada dejó de fumar en [[Brex]] en marzo de 2026.":       "",
	} {
		t.Run(text, func(t *testing.T) {
			if got := endings(prose(markdown.Codec{}, "people/ada.md", text)); got != want {
				t.Errorf("ended %q, want %q", got, want)
			}
		})
	}
}
