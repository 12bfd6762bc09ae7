"""Makes small random models of the families that internal/search/embed/modeldir
loads, as Sentence Transformers saves them, each in a zip file with texts, their
token ids and their vectors. See README.md.

    python families.py --root ../..
"""

import argparse
import io
import json
import pathlib
import tempfile
import zipfile

import sentencepiece
import torch
import transformers
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import modules
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

import texts

CORPUS = texts.SENTENCES + texts.QUESTIONS + texts.CODE + texts.FOREIGN + texts.MARKDOWN
WIDTH, LAYERS, HEADS, WIDE, POSITIONS = 32, 2, 2, 64, 96

# Unknown, padding, first, last, mask.
BERT_SPECIAL = ["[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]"]
ROBERTA_SPECIAL = ["<unk>", "<pad>", "<s>", "</s>", "<mask>"]
MPNET_SPECIAL = ["[UNK]", "<pad>", "<s>", "</s>", "<mask>"]


def difficult_texts(special):
    """Some of the texts of the other tests, and those that spell special tokens."""
    some = texts.SINGLE + texts.FOREIGN + texts.EMOJI + texts.ODD + texts.QUESTIONS[::3] + texts.MARKDOWN + texts.CODE[::2]
    some += texts.tokenizer_texts()[-261:-61:4]
    some += [f"a{token}b" for token in special] + [f" {token} {token}  x" for token in special]
    some += [" ".join(special), "".join(special), "  two  spaces ", "trailing \n", "\tleading", "a \u3000 b", "it's I'LL we'd"]
    some += ["\r\n", "a\r\nb", "e\u0301\u0302", "\u1100\u1161\u11a8", "x\u0338", "ﬁ\u0301", "①½ｶﾞｷﾞ㍿", "a\u200db", "\u0600a", "²³ ５６"]
    some += [" ".join(texts.SENTENCES)]
    return list(dict.fromkeys(some))


def wordpiece(special):
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    t.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=300, special_tokens=special, show_progress=False))
    return t


def between(t, first, last):
    """Puts special tokens around a text."""
    t.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}", pair=f"{first} $A {last} $B {last}",
        special_tokens=[(token, t.token_to_id(token)) for token in [first, last]])
    return t


def bert_tokenizer():
    return between(wordpiece(BERT_SPECIAL), "[CLS]", "[SEP]")


def randomize(module, generator):
    """Gives weights the size that makes texts, and mistakes, differ."""
    with torch.no_grad():
        for name, p in module.named_parameters():
            p.copy_(torch.randn(p.shape, generator=generator) * (0.3 if p.dim() > 1 else 0.1))
            if name.endswith("norm.weight") or name.endswith("LayerNorm.weight"):
                p.add_(1)


def byte_pairs():
    """RoBERTa's tokenizer: some of its special tokens are looked for after normalising."""
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=380, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False,
        special_tokens=["<s>", "<pad>", "</s>", AddedToken("<unk>", normalized=True),
                        AddedToken("<mask>", lstrip=True, normalized=True)]))
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return t


def train_pieces(map_file=None):
    """SentencePiece's model; its usual map of characters is large, so models
    are made with those rules of it that the texts need."""
    out = io.BytesIO()
    rule = {"normalization_rule_tsv": map_file} if map_file else {"normalization_rule_name": "nmt_nfkc"}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS * 3), model_writer=out, vocab_size=400, model_type="unigram",
        character_coverage=0.98, hard_vocab_limit=False, minloglevel=2, num_threads=1, **rule)
    m = sentencepiece_model_pb2.ModelProto()
    m.ParseFromString(out.getvalue())
    return m


def write_rules(path, special):
    """The rules of the usual map for the characters and clusters of the texts."""
    usual = normalizers.Precompiled(train_pieces().normalizer_spec.precompiled_charsmap)
    rules = {}
    for text in CORPUS + difficult_texts(special):
        for size in [1, 2, 3]:
            for at in range(len(text) - size + 1):
                old = text[at:at + size]
                new = usual.normalize_str(old)
                if new != "".join(rules.get(c, c) for c in old):
                    rules[old] = new
    with open(path, "w") as f:
        for old, new in sorted(rules.items()):
            f.write(" ".join(f"{ord(c):X}" for c in old) + "\t" + " ".join(f"{ord(c):X}" for c in new) + "\n")


def unigram(normalizer, pre_tokenizer, by_bytes):
    """XLM-RoBERTa's tokenizer, with the steps around it that a conversion made."""
    with tempfile.NamedTemporaryFile(suffix=".tsv") as rules:
        write_rules(rules.name, ROBERTA_SPECIAL)
        m = train_pieces(rules.name)
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)] + [(p.piece, p.score) for p in m.pieces[3:]]
    if by_bytes:
        pieces += [(f"<0x{b:02X}>", 0.0) for b in range(256)]
    t = Tokenizer(models.Unigram(pieces + [("<mask>", 0.0)], unk_id=3, byte_fallback=by_bytes))
    t.normalizer, t.pre_tokenizer = normalizer(m.normalizer_spec.precompiled_charsmap), pre_tokenizer
    t.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", AddedToken("<mask>", lstrip=True)])
    return between(t, "<s>", "</s>")


def new_unigram():
    """As Transformers converts SentencePiece's models now."""
    return unigram(lambda chars: normalizers.Sequence([normalizers.Precompiled(chars), normalizers.Strip(left=False, right=True),
                                                       normalizers.Replace(Regex(" {2,}"), "▁")]),
                   pre_tokenizers.Metaspace(prepend_scheme="always"), by_bytes=False)


def old_unigram():
    """As it did, with byte fallback besides."""
    return unigram(normalizers.Precompiled, pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]),
                   by_bytes=True)


def mpnet_tokenizer():
    t = wordpiece(["<s>", "<pad>", "</s>", "[UNK]", AddedToken("<mask>", lstrip=True)])
    t.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return t


class Family:
    """What makes up one model."""

    def __init__(self, name, config, model, tokenizer, special, pooling="mean", dtype=torch.float16, dense=None, shard=None,
                 positions=POSITIONS):
        self.name, self.config, self.model, self.tokenizer, self.special = name, config, model, tokenizer, special
        self.pooling, self.dtype, self.dense, self.shard, self.positions = pooling, dtype, dense, shard, positions

    def encoder(self, folder):
        t = self.tokenizer()
        unk, pad, cls, sep, mask = self.special
        PreTrainedTokenizerFast(tokenizer_object=t, unk_token=unk, pad_token=pad, cls_token=cls, sep_token=sep,
                                mask_token=next((a for a in t.get_added_tokens_decoder().values() if a.content == mask), mask),
                                model_max_length=self.positions).save_pretrained(folder)
        config = self.config(vocab_size=t.get_vocab_size())
        generator = torch.Generator().manual_seed(7)
        encoder = self.model(config)
        randomize(encoder, generator)
        encoder.to(self.dtype).save_pretrained(folder, **({"max_shard_size": self.shard} if self.shard else {}))
        steps = [modules.Transformer(str(folder), model_kwargs={"dtype": torch.float32}), modules.Pooling(WIDTH, self.pooling)]
        if self.dense:
            steps.append(modules.Dense(WIDTH, self.dense))
            randomize(steps[-1], generator)
        return SentenceTransformer(modules=steps + [modules.Normalize()], device="cpu")

    def write(self, root):
        with tempfile.TemporaryDirectory() as temporary:
            encoder_folder, folder = pathlib.Path(temporary) / "encoder", pathlib.Path(temporary) / "model"
            st = self.encoder(encoder_folder)
            st.save(str(folder))
            # Saved again in the type and the parts that were asked for.
            for part in folder.glob("model*.safetensors*"):
                part.unlink()
            for part in encoder_folder.glob("model*.safetensors*"):
                part.rename(folder / part.name)
            t = Tokenizer.from_file(str(folder / "tokenizer.json"))
            t.no_truncation()
            t.no_padding()
            lines = []
            for number, text in enumerate(difficult_texts(self.special)):
                ids = t.encode(text).ids
                line = {"text": text, "ids": ids}
                # Special tokens stand at the end, and tell more of the model.
                if len(ids) <= self.positions and (number % 4 == 0 or any(s in text for s in self.special) or len(ids) > 64):
                    vector = st.encode([text], normalize_embeddings=True, show_progress_bar=False)[0]
                    line["vector"] = [round(float(x), 5) for x in vector]
                lines.append(json.dumps(line, ensure_ascii=True))
            (folder / "expected.jsonl").write_text("\n".join(lines) + "\n")
            (folder / "README.md").unlink()
            self.zip(folder, root / f"{self.name}.zip")

    @staticmethod
    def zip(folder, target):
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    entry = zipfile.ZipInfo(str(path.relative_to(folder)), (1980, 1, 1, 0, 0, 0))
                    entry.compress_type = zipfile.ZIP_DEFLATED
                    z.writestr(entry, path.read_bytes(), compresslevel=9)


def distilbert(vocab_size):
    return transformers.DistilBertConfig(vocab_size=vocab_size, dim=WIDTH, n_layers=LAYERS, n_heads=HEADS, hidden_dim=WIDE,
                                         max_position_embeddings=POSITIONS)


def like_bert(config, first_position, positions=POSITIONS, **more):
    return lambda vocab_size: config(
        vocab_size=vocab_size, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS, intermediate_size=WIDE,
        max_position_embeddings=first_position + positions, layer_norm_eps=1e-5, **more)


FAMILIES = [
    Family("distilbert", distilbert, transformers.DistilBertModel, bert_tokenizer, BERT_SPECIAL, dense=24),
    Family("roberta", like_bert(transformers.RobertaConfig, 2, type_vocab_size=1), transformers.RobertaModel,
           byte_pairs, ROBERTA_SPECIAL),
    Family("xlm-roberta", like_bert(transformers.XLMRobertaConfig, 2, type_vocab_size=1), transformers.XLMRobertaModel,
           new_unigram, ROBERTA_SPECIAL, pooling="cls", dtype=torch.bfloat16),
    Family("bert-unigram", like_bert(transformers.BertConfig, 0, type_vocab_size=2), transformers.BertModel,
           old_unigram, ROBERTA_SPECIAL, shard="40KB"),
    # Long enough that the farthest distances meet.
    Family("mpnet", like_bert(transformers.MPNetConfig, 2, positions=200), transformers.MPNetModel, mpnet_tokenizer, MPNET_SPECIAL,
           positions=200),
]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--root", default="../..", help="root of the repository")
    p.add_argument("--only", help="the name of one model")
    args = p.parse_args()
    folder = pathlib.Path(args.root) / "internal" / "embed" / "modeldir" / "testdata"
    torch.manual_seed(7)
    for family in FAMILIES:
        if args.only in (None, family.name):
            family.write(folder)


if __name__ == "__main__":
    main()
