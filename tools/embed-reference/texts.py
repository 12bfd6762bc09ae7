"""Texts for the reference data, the same on every run."""

import random

SENTENCES = """The ferry leaves at seven, and after that there is nothing until Monday.
We chose a single writer because two of them kept blocking each other.
A cairn is a pile of stones that shows the way over open ground.
Interest on the loan is fixed for ten years and then follows the market.
The patient reported mild headache and no fever for three days.
Rust the cat slept on the keyboard while the build was running.
Heat transfer at the stagnation point grows with the square root of density.
Nobody remembers who wrote the script, but everything depends on it.
Photosynthesis in this alga stops within minutes when iron is removed.
Her grandmother taught her to mend nets before she could read.
The index is rebuilt at night, which takes about forty minutes.
Two witnesses saw a red van outside the bakery shortly before noon.
If the queue is full, the sender waits; it never drops a message.
Copper prices fell for the third week on weak demand from builders.
The quartet plays the slow movement faster than any recording I know.
Please water the tomatoes in the evening and leave the beans alone.
The court held that silence alone was not acceptance of the offer.
Snow closed the pass in October, a month earlier than usual.
Version four reads the old format but writes only the new one.
He ran the marathon in three hours and twelve minutes despite the wind.
Vaccinated mice cleared the infection twice as fast as the controls.
The recipe wants butter, but oil works and keeps the cake moist.
Every page has a title, a date and at least one link to another page.
The telescope found a planet that circles two suns in forty days.
My brother says the flat is too small, yet he never throws anything away.""".split("\n")

SINGLE = ["", " ", "a", "I", "?", ".", "the", "7", "cairn", "Zürich", "naïve", "東", "語", "é", "ß", "Ω", "🙂", "[SEP]",
          "antidisestablishmentarianism", "hello", "Hello", "HELLO"]

QUESTIONS = """who wrote the migration script
what is the interest rate on the loan
When does the ferry leave on Sunday?
how do plants react to missing iron
why did copper prices fall?
which court decided about silence as acceptance
Where did she learn to mend nets?
is oil a substitute for butter in cakes
how long does the nightly rebuild take
what happens when the queue is full?""".split("\n")

CODE = [
    "func main() {\n\tfmt.Println(\"hello, world\")\n}",
    "def fib(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a",
    "SELECT title, updated_at FROM pages WHERE space = ? AND status <> 'stale' ORDER BY updated_at DESC LIMIT 20;",
    "#include <vector>\ntemplate <class T> T sum(const std::vector<T>& v) { T s{}; for (auto x : v) s += x; return s; }",
    "<div class=\"card\"><a href=\"/p/42?ref=home#top\">Read more&hellip;</a></div>",
    "{\"name\": \"cairn\", \"tags\": [\"kb\", \"memory\"], \"count\": 3, \"ratio\": 0.75, \"ok\": true, \"none\": null}",
    "for f in *.md; do sed -i 's/[[:space:]]*$//' \"$f\" && git add -- \"$f\"; done",
    "x86_64-linux-gnu-gcc -O2 -march=x86-64-v3 -o bin/tool src/*.c -lm",
    "TypeError: Cannot read properties of undefined (reading 'length') at parse (index.js:17:23)",
    "(defun greet (name) (message \"Hello, %s!\" name))",
    "let total: f64 = items.iter().map(|i| i.price * i.qty as f64).sum();",
    "0xDEADBEEF 1e-9 3.14159 1_000_000 v1.2.3-rc.1+build.5 192.168.0.1 ::1",
]

FOREIGN = [
    "日本語の文章を一つ書いてください。",
    "我们的会议改到星期四下午三点。",
    "한국어 문장은 자모로 나뉩니다.",
    "Café crème, s'il vous plaît ; où est la gare ?",
    "Größere Änderungen überprüft man besser zu zweit.",
    "El niño comió piñas y jamón en Málaga.",
    "Żółta łódź płynie po Wiśle.",
    "Příliš žluťoučký kůň úpěl ďábelské ódy.",
    "İstanbul'da ılık bir gün, ĞÜŞÖÇ.",
    "Съешь ещё этих мягких французских булок.",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία.",
    "שלום עולם, מה שלומך?",
    "مرحبا بالعالم، كيف حالك؟",
    "नमस्ते दुनिया, आप कैसे हैं?",
    "สวัสดีชาวโลก",
    "Tiếng Việt có nhiều dấu thanh.",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝒻𝒶𝓃𝒸𝓎 ﬁne ﬂow ½ ² ™ №",
    "e\u0301 vs \u00e9, A\u030a vs \u00c5, o\u0308\u0304",
    "zero\u200bwidth soft\u00adhyphen no\u00a0break \u2009thin\u3000wide",
    "tabs\tand\r\nline\u2028breaks\x0bvertical\x0cfeed \x00null \x7fdelete \ufffd",
]

EMOJI = ["😀😃😄", "Shipped! 🚀🎉 thanks @ana", "👩‍👩‍👧‍👦 family", "🇳🇴 flag", "❤️ heart", "thumbs 👍🏽 up", "☕ + 📚 = 🙂"]

MARKDOWN = [
    "# Title\n\n> A summary in one line.\n\n- [fact] water boils at 100 °C #physics\n- relates_to [[Steam]]\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "* TODO Call the plumber\n  :PROPERTIES:\n  :ID: 3f2a\n  :END:\n",
    "1. first\n2. second\n   - nested `code` and **bold**\n\n---\n\n[link](https://example.org/a_b?c=d&e=f)",
    "Ana: are we still on for Friday?\nBo: yes! 6pm at mine, bring the board game\nAna: 👍",
]

ODD = [
    "a" * 100, "a" * 101, "ab" * 60, "é" * 100, "é" * 101, "x" * 600, "1" * 50, "!" * 80, "- " * 40, "the " * 60,
    "[CLS] spelled [SEP] out [MASK] in [PAD] text [UNK] [cls] [SEP", "##ing ##s # #", "don't can't it's o'clock 'tis",
    "snake_case camelCase kebab-case SCREAMING_CASE path/to/file.ext C:\\dir\\file", "a.b,c;d:e!f?g(h)i[j]k{l}m<n>o",
    "…—–‘’“”«»„‚·•†‡§¶", "+-*/=<>^|~`@#$%&_", "x²+y²=z² ∑∏∫√∞≈≠≤≥±×÷", "€£¥₿¢ 5€ £3.20", "ﷺ ǅ ŉ ẞ ſ K Å",
]


def reference_texts(count_tokens):
    """Two hundred texts of 2 to 512 tokens, special tokens included."""
    rng = random.Random(20251121)
    texts = SINGLE + QUESTIONS + CODE + FOREIGN + EMOJI + MARKDOWN + ODD + SENTENCES
    # Prose of growing length fills the rest, the longest exactly full.
    want = 200 - len(texts)
    for i in range(want):
        target = 12 + int((512 - 12) * (i / (want - 1)) ** 3)
        text = ""
        while count_tokens(text) < target:
            longer = (text + " " + rng.choice(SENTENCES)).strip()
            if count_tokens(longer) > target:
                break
            text = longer
        while count_tokens(text + " stone") <= target:
            text += " stone"
        texts.append(text)
    assert len(texts) == 200 and max(map(count_tokens, texts)) == 512
    return texts


def tokenizer_texts():
    """Difficult texts for the tokenizer: all the kinds above, and mixtures."""
    rng = random.Random(7)
    kinds = SINGLE + QUESTIONS + CODE + FOREIGN + EMOJI + MARKDOWN + ODD
    mixed = []
    alphabet = "aAbZ09 _-.'#[]\t\n\u00a0éÉñßİıſ\u0301\u0327\u0345中語가각ـ\u200d\u200b\ufeff\u00ad…“🙂\U00020000\uf900ﬁ½"
    for _ in range(200):
        mixed.append("".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 24))))
    for _ in range(60):
        mixed.append(rng.choice(kinds) + rng.choice(["", " ", "\n"]) + rng.choice(kinds))
    return kinds + mixed + [" ".join(SENTENCES * 4)]
