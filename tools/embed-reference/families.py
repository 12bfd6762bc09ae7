"""Makes small random models of the families that internal/embed/modeldir
loads, as Sentence Transformers saves them, each in a zip file with texts, their
token ids and their vectors. See README.md.

    python families.py --root ../..
"""

import argparse
import json
import pathlib
import tempfile
import zipfile

import torch
import transformers
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import modules
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

import texts

CORPUS = texts.SENTENCES + texts.QUESTIONS + texts.CODE + texts.FOREIGN + texts.MARKDOWN
BERT_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WIDTH, LAYERS, HEADS, WIDE, POSITIONS = 32, 2, 2, 64, 96


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


class Family:
    """What makes up one model: special are unknown, padding, first, last and mask."""

    def __init__(self, name, config, model, tokenizer, special, pooling="mean", dtype=torch.float32, dense=None, shard=None):
        self.name, self.config, self.model, self.tokenizer, self.special = name, config, model, tokenizer, special
        self.pooling, self.dtype, self.dense, self.shard = pooling, dtype, dense, shard

    def encoder(self, folder):
        t = self.tokenizer()
        unk, pad, cls, sep, mask = self.special
        PreTrainedTokenizerFast(tokenizer_object=t, unk_token=unk, pad_token=pad, cls_token=cls, sep_token=sep,
                                mask_token=mask, model_max_length=POSITIONS).save_pretrained(folder)
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
                if len(ids) <= POSITIONS and (number % 4 == 0 or any(s in text for s in self.special) or len(ids) > 64):
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


FAMILIES = [
    Family("distilbert", distilbert, transformers.DistilBertModel, bert_tokenizer,
           ["[UNK]", "[PAD]", "[CLS]", "[SEP]", "[MASK]"], dtype=torch.float16),
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
