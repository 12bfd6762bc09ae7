"""Makes a tiny random BERT for the tests of tools/pack-model: as ONNX, wired
and named as PyTorch's exporter does it, as safetensors, and ONNX Runtime's
vectors for a few sequences. See README.md.

    python tiny.py --root ../..
"""

import argparse
import json
import pathlib
import struct

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HIDDEN, WIDE, LAYERS, HEADS, VOCABULARY, POSITIONS = 32, 64, 2, 2, 40, 16


def weights():
    rng = np.random.default_rng(11)
    def random(*shape, mean=0.0):
        return (mean + 0.2 * rng.standard_normal(shape)).astype(np.float32)

    w = {}
    def norm(name):
        w[name + ".weight"], w[name + ".bias"] = random(HIDDEN, mean=1.0), random(HIDDEN)
    def dense(name, n_in, n_out):
        w[name + ".weight"], w[name + ".bias"] = random(n_out, n_in), random(n_out)

    w["embeddings.word_embeddings.weight"] = random(VOCABULARY, HIDDEN)
    w["embeddings.position_embeddings.weight"] = random(POSITIONS, HIDDEN)
    w["embeddings.token_type_embeddings.weight"] = random(2, HIDDEN)
    norm("embeddings.LayerNorm")
    for n in range(LAYERS):
        p = f"encoder.layer.{n}."
        for part in ["query", "key", "value"]:
            dense(p + "attention.self." + part, HIDDEN, HIDDEN)
        dense(p + "attention.output.dense", HIDDEN, HIDDEN)
        norm(p + "attention.output.LayerNorm")
        dense(p + "intermediate.dense", HIDDEN, WIDE)
        dense(p + "output.dense", WIDE, HIDDEN)
        norm(p + "output.LayerNorm")
    return w


class Graph:
    def __init__(self, w):
        self.w, self.nodes, self.initializers, self.counter = w, [], [], 0
        for name, value in w.items():
            if not (name.endswith("weight") and value.ndim == 2) or "embeddings" in name:
                self.initializers.append(numpy_helper.from_array(value, name))

    def constant(self, value):
        self.counter += 1
        name = f"constant_{self.counter}"
        self.initializers.append(numpy_helper.from_array(value, name))
        return name

    def op(self, kind, *inputs, **attributes):
        self.counter += 1
        out = f"/{kind}_{self.counter}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], **attributes))
        return out

    def dense(self, x, name):
        # As the exporter does: the matrix transposed and without its name.
        self.counter += 1
        matrix = f"onnx::MatMul_{self.counter}"
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(self.w[name + ".weight"].T), matrix))
        return self.op("Add", name + ".bias", self.op("MatMul", x, matrix))

    def norm(self, x, name):
        return self.op("LayerNormalization", x, name + ".weight", name + ".bias", epsilon=1e-12)

    def heads(self, x):
        split = self.op("Reshape", x, self.constant(np.array([0, 0, HEADS, HIDDEN // HEADS], dtype=np.int64)))
        return self.op("Transpose", split, perm=[0, 2, 1, 3])


def build(w):
    g = Graph(w)
    positions = g.op("Slice", "embeddings.position_embeddings.weight", g.constant(np.array([0], dtype=np.int64)),
                     g.op("Shape", "input_ids", start=1, end=2), g.constant(np.array([0], dtype=np.int64)))
    x = g.op("Add", g.op("Gather", "embeddings.word_embeddings.weight", "input_ids"),
             g.op("Gather", "embeddings.token_type_embeddings.weight", "token_type_ids"))
    x = g.norm(g.op("Add", x, positions), "embeddings.LayerNorm")
    for n in range(LAYERS):
        p = f"encoder.layer.{n}."
        q, k, v = (g.heads(g.dense(x, p + "attention.self." + part)) for part in ["query", "key", "value"])
        scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = g.op("Div", scores, g.constant(np.array(np.sqrt(HIDDEN // HEADS), dtype=np.float32)))
        mixed = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        mixed = g.op("Reshape", mixed, g.constant(np.array([0, 0, HIDDEN], dtype=np.int64)))
        x = g.norm(g.op("Add", g.dense(mixed, p + "attention.output.dense"), x), p + "attention.output.LayerNorm")
        wide = g.dense(x, p + "intermediate.dense")
        erf = g.op("Erf", g.op("Div", wide, g.constant(np.array(np.sqrt(2), dtype=np.float32))))
        wide = g.op("Mul", g.op("Mul", wide, g.op("Add", erf, g.constant(np.array(1, dtype=np.float32)))),
                    g.constant(np.array(0.5, dtype=np.float32)))
        x = g.norm(g.op("Add", g.dense(wide, p + "output.dense"), x), p + "output.LayerNorm")
    g.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    tokens = ["batch", "tokens"]
    graph = helper.make_graph(
        g.nodes, "tiny", [helper.make_tensor_value_info(n, TensorProto.INT64, tokens) for n in ["input_ids", "token_type_ids"]],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, tokens + [HIDDEN])], g.initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model.SerializeToString()


def safetensors(w):
    header, data = {}, b""
    for name, value in sorted(w.items()):
        header["bert." + name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + value.nbytes]}
        data += value.tobytes()
    raw = json.dumps(header).encode()
    return struct.pack("<Q", len(raw)) + raw + data


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--root", default="../..", help="root of the repository")
    folder = pathlib.Path(p.parse_args().root) / "tools" / "pack-model" / "testdata"
    folder.mkdir(parents=True, exist_ok=True)
    w = weights()
    file = build(w)
    (folder / "tiny.onnx").write_bytes(file)
    (folder / "tiny.safetensors").write_bytes(safetensors(w))
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(12)
    cases = []
    for n in range(1, POSITIONS + 1):
        ids = rng.integers(0, VOCABULARY, (1, n))
        out = session.run(None, {"input_ids": ids, "token_type_ids": np.zeros_like(ids)})[0][0, 0]
        cases.append({"ids": ids[0].tolist(), "vector": [float(v) for v in out / np.linalg.norm(out)]})
    (folder / "tiny.json").write_text(json.dumps(cases) + "\n")


if __name__ == "__main__":
    main()
