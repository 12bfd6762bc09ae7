"""Makes the reference data of internal/search/embed with ONNX Runtime and the Hugging
Face tokenizer. See README.md.

    python reference.py --model bge-small-en-v1.5.onnx --tokenizer tokenizer.json --root ../..
"""

import argparse
import json
import pathlib

import numpy as np
import onnxruntime
from tokenizers import Tokenizer, normalizers

import texts


def embed(session, ids):
    ids = np.array([ids], dtype=np.int64)
    out = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})
    vector = out[0][0, 0]  # the row of [CLS]
    return (vector / np.linalg.norm(vector)).astype("<f4")


def write_vectors(folder, session, tokenizer):
    encode = lambda text: tokenizer.encode(text).ids
    all_texts = texts.reference_texts(lambda text: len(encode(text)))
    with open(folder / "reference.jsonl", "w", encoding="utf-8") as f:
        for text in all_texts:
            f.write(json.dumps({"text": text, "tokens": len(encode(text))}, ensure_ascii=True) + "\n")
    np.stack([embed(session, encode(text)) for text in all_texts]).tofile(folder / "reference.f32")


def write_golden(folder, tokenizer):
    with open(folder / "golden.jsonl", "w", encoding="utf-8") as f:
        for text in texts.tokenizer_texts():
            f.write(json.dumps({"text": text, "ids": tokenizer.encode(text).ids}, ensure_ascii=True) + "\n")


def write_rules(folder, tokenizer):
    """Some of the golden texts under the other rules for case and accents."""
    usual = tokenizer.normalizer
    with open(folder / "rules.jsonl", "w", encoding="utf-8") as f:
        for keep_case, keep_accents in [(True, True), (True, False), (False, True)]:
            tokenizer.normalizer = normalizers.BertNormalizer(lowercase=not keep_case, strip_accents=not keep_accents)
            for text in texts.tokenizer_texts()[:-1][::4]:
                line = {"text": text, "keep_case": keep_case, "keep_accents": keep_accents, "ids": tokenizer.encode(text).ids}
                f.write(json.dumps(line, ensure_ascii=True) + "\n")
    tokenizer.normalizer = usual


def code_point_class(tokenizer, c):
    """What becomes of a code point between two letters: drop, space, split
    (a token of its own) or keep."""
    text = tokenizer.normalizer.normalize_str("a" + chr(c) + "b")
    words = [w for w, _ in tokenizer.pre_tokenizer.pre_tokenize_str(text)]
    if words == ["ab"]:
        return "drop"
    if words == ["a", "b"]:
        return "space"
    if len(words) == 1:
        return "keep"
    return "split"


def write_code_points(folder, tokenizer):
    """Runs of code points of one class, as: first class."""
    with open(folder / "codepoints.txt", "w") as f:
        last = None
        for c in range(0x110000):
            if 0xD800 <= c < 0xE000:  # surrogates are no characters
                continue
            kind = code_point_class(tokenizer, c)
            if kind != last:
                f.write(f"{c:x} {kind}\n")
                last = kind


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", required=True, help="float ONNX model")
    p.add_argument("--tokenizer", required=True, help="its tokenizer.json")
    p.add_argument("--root", default="../..", help="root of the repository")
    args = p.parse_args()

    tokenizer = Tokenizer.from_file(args.tokenizer)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    session = onnxruntime.InferenceSession(args.model, providers=["CPUExecutionProvider"])
    folder = pathlib.Path(args.root) / "internal" / "embed"
    for name in ["bge", "tokenizer"]:
        (folder / name / "testdata").mkdir(parents=True, exist_ok=True)
    write_vectors(folder / "bge" / "testdata", session, tokenizer)
    write_golden(folder / "tokenizer" / "testdata", tokenizer)
    write_rules(folder / "tokenizer" / "testdata", tokenizer)
    write_code_points(folder / "tokenizer", tokenizer)


if __name__ == "__main__":
    main()
