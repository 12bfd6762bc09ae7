"""Makes a small random cross-encoder for internal/search/embed/modeldir, with the ids and scores
of pairs of texts: ids by the Hugging Face tokenizer, scores with NumPy by the definition of
BertForSequenceClassification. See README.md.

    python pairs.py --root ../..
"""

import argparse
import io
import json
import math
import pathlib
import struct
import zipfile

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

import texts

HIDDEN, WIDE, LAYERS, HEADS, POSITIONS, EPSILON = 32, 64, 2, 2, 96, 1e-12
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
erf = np.vectorize(math.erf)


def make_tokenizer():
    t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    t.train_from_iterator(texts.SENTENCES + texts.QUESTIONS, trainers.WordPieceTrainer(vocab_size=300, special_tokens=SPECIAL, show_progress=False))
    t.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, t.token_to_id(token)) for token in ["[CLS]", "[SEP]"]])
    return t


def make_weights(vocabulary):
    rng = np.random.default_rng(36)
    w = {}

    def add(name, *shape):
        w[name] = (rng.standard_normal(shape) * (0.3 if len(shape) > 1 else 0.1)).astype("<f4")
        if name.endswith("LayerNorm.weight"):
            w[name] += 1

    def dense(name, out, of):
        add(name + ".weight", out, of)
        add(name + ".bias", out)

    def norm(name):
        add(name + ".weight", HIDDEN)
        add(name + ".bias", HIDDEN)

    add("bert.embeddings.word_embeddings.weight", vocabulary, HIDDEN)
    add("bert.embeddings.position_embeddings.weight", POSITIONS, HIDDEN)
    add("bert.embeddings.token_type_embeddings.weight", 2, HIDDEN)
    norm("bert.embeddings.LayerNorm")
    for n in range(LAYERS):
        p = f"bert.encoder.layer.{n}."
        for part in ["query", "key", "value"]:
            dense(p + "attention.self." + part, HIDDEN, HIDDEN)
        dense(p + "attention.output.dense", HIDDEN, HIDDEN)
        norm(p + "attention.output.LayerNorm")
        dense(p + "intermediate.dense", WIDE, HIDDEN)
        dense(p + "output.dense", HIDDEN, WIDE)
        norm(p + "output.LayerNorm")
    dense("bert.pooler.dense", HIDDEN, HIDDEN)
    dense("classifier", 1, HIDDEN)
    return w


def score(w, ids, types):
    """The logit of a pair, in double precision."""
    w = {name: values.astype(np.float64) for name, values in w.items()}

    def dense(x, name):
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * w[name + ".weight"] + w[name + ".bias"]

    def heads(x):
        return x.reshape(len(ids), HEADS, -1).transpose(1, 0, 2)

    e = "bert.embeddings."
    x = norm(w[e + "word_embeddings.weight"][ids] + w[e + "position_embeddings.weight"][:len(ids)]
             + w[e + "token_type_embeddings.weight"][types], e + "LayerNorm")
    for n in range(LAYERS):
        p = f"bert.encoder.layer.{n}."
        q, k, v = (heads(dense(x, p + "attention.self." + part)) for part in ["query", "key", "value"])
        near = np.exp(q @ k.transpose(0, 2, 1) / math.sqrt(HIDDEN // HEADS))
        mixed = ((near / near.sum(-1, keepdims=True)) @ v).transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(x + dense(mixed, p + "attention.output.dense"), p + "attention.output.LayerNorm")
        wide = dense(x, p + "intermediate.dense")
        wide = wide / 2 * (1 + erf(wide / math.sqrt(2)))
        x = norm(x + dense(wide, p + "output.dense"), p + "output.LayerNorm")
    return float(dense(np.tanh(dense(x[:1], "bert.pooler.dense")), "classifier")[0, 0])


def safetensors(w):
    header, data = {}, b""
    for name, values in w.items():
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [len(data), len(data) + values.nbytes]}
        data += values.tobytes()
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + data


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--root", default="../..", help="root of the repository")
    args = p.parse_args()
    t = make_tokenizer()
    saved = t.to_str()
    w = make_weights(t.get_vocab_size())
    t.enable_truncation(POSITIONS, strategy="only_second")
    passages = texts.SENTENCES + texts.SINGLE + ["a [SEP] b", " ".join(texts.SENTENCES)]
    expected = []
    for n, passage in enumerate(passages):
        question = texts.QUESTIONS[n % 8]
        e = t.encode(question, passage)
        expected.append({"question": question, "passage": passage, "ids": e.ids, "types": e.type_ids, "score": score(w, e.ids, e.type_ids)})
    config = {
        "architectures": ["BertForSequenceClassification"], "model_type": "bert", "hidden_act": "gelu",
        "hidden_size": HIDDEN, "intermediate_size": WIDE, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "vocab_size": t.get_vocab_size(),
        "layer_norm_eps": EPSILON, "id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0},
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in {
            "config.json": json.dumps(config), "tokenizer.json": saved, "model.safetensors": safetensors(w),
            "expected.jsonl": "".join(json.dumps(e) + "\n" for e in expected),
        }.items():
            z.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    folder = pathlib.Path(args.root) / "internal" / "search" / "embed" / "modeldir" / "testdata" / "pairs"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cross-encoder.zip").write_bytes(out.getvalue())


if __name__ == "__main__":
    main()
