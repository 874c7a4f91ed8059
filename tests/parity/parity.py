#!/usr/bin/env python3
"""Compares `aprx logits` with the oracle's reference logits at every position.

usage: parity.py APRX PACK LEDGER

Thresholds are those of the oracle's MANIFEST.md (least cosine over positions). Greedy agreement and margins are
written to LEDGER, one JSON object a line, and decide nothing: a near tie may flip under any sound rounding.
Exits 77, which the test runner shows as skipped, where PACK isn't there.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ModuleNotFoundError:
    np = None  # without the pack nothing needs it

MODELS = ("qwen35-tiny", "qwen35-nano", "qwen35-mtp", "llama-tiny", "mistral-tiny")
FLOAT_TYPES = ("F32", "F16", "BF16")
CHUNKS = (1, 7, 64)


class Pack:
    def __init__(self, folder):
        self.folder = folder
        self.prompts = {name: entry["ids"] for name, entry in json.load(open(folder / "prompts.json")).items()}

    def gguf(self, model, label):
        """The file that a reference belongs to; F32 references belong to a BF16 file too: the same weights."""
        for name in (label, "BF16") if label == "F32" else (label,):
            found = sorted((self.folder / "gguf" / model).glob(f"{model}-{name}*.gguf"))
            if found:
                return found[0]
        return None

    def references(self, model):
        """(label, prompt, kind, logits, rounding of the storage); some references hold the last rows only."""
        for path in sorted((self.folder / "logits" / model).glob("*.npy")):
            parts = path.name.removesuffix(".npy").split(".")
            stored = np.atleast_2d(np.load(path))
            # Storing a reference as float16 costs up to 0.004.
            slack = 0.004 if stored.dtype == np.float16 else 0.0
            yield parts[0], parts[1], parts[-1], stored.astype(np.float64), slack


class Aprx:
    def __init__(self, program):
        self.program = program
        self.cache = {}

    def logits(self, gguf, tokens, **options):
        key = (gguf, tuple(tokens), tuple(sorted(options.items())))
        if key not in self.cache:
            self.cache[key] = self.run(gguf, tokens, options)
        return self.cache[key]

    def run(self, gguf, tokens, options):
        with tempfile.TemporaryDirectory() as folder:
            out = f"{folder}/logits.npy"
            command = [self.program, "logits", str(gguf), "--tokens", ",".join(map(str, tokens)), "--out", out]
            for name, value in options.items():
                command += ["--" + name.replace("_", "-"), str(value)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
            if done.returncode != 0:
                raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")
            return np.load(out).astype(np.float64)


def least_cosine(a, b):
    norms = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return float(np.nan_to_num((a * b).sum(-1) / np.maximum(norms, 1e-30), nan=-1).min())


def production_bar(model, label, kind):
    """CPU kernels, F16 KV cache."""
    if label == "F32":
        return 0.99999
    if label in FLOAT_TYPES:
        # The CPU keeps activations in float; llama.cpp rounds them to the weights' type.
        rounded = 0.99999 if label == "F16" else 0.9999
        return rounded if model.startswith("qwen35") else 0.997
    if model == "qwen35-nano":
        return 0.9995 if kind == "exact" else 0.999
    if model == "qwen35-tiny":
        return 0.999 if kind == "exact" else 0.998
    return 0.997


class Check:
    def __init__(self):
        self.failures = 0
        self.worst = {}

    def at_least(self, group, name, value, bar):
        if value < self.worst.get(group, (2.0, ""))[0]:
            self.worst[group] = (value, name)
        if value < bar:
            self.failures += 1
            print(f"FAILED {group}: {name}: {value:.8f}, must be at least {bar}")

    def at_most(self, group, name, value, bar):
        if value > bar:
            self.failures += 1
            print(f"FAILED {group}: {name}: {value:.8f}, must be at most {bar}")

    def summary(self):
        for group, (value, name) in sorted(self.worst.items()):
            print(f"worst of {group}: {value:.8f} ({name})")


def check_references(check, aprx, pack, model):
    ran = 0
    for label, prompt, kind, reference, slack in pack.references(model):
        gguf = pack.gguf(model, label)
        if gguf is None:
            continue
        ran += 1
        tokens = pack.prompts[prompt]
        name = f"{gguf.name} {prompt} {kind}"
        got = aprx.logits(gguf, tokens, backend="cpu")[-len(reference):]
        if kind != "hf":
            check.at_least("cpu, F16 cache", name, least_cosine(got, reference), production_bar(model, label, kind))
        check.at_least("the gate of 0.98", name, least_cosine(got, reference), 0.98)
        # Exact arithmetic: only references that are exact themselves.
        if kind == "exact" or label == "F32":
            for backend in ("reference",) + (("cpu",) if label == "F32" else ()):
                exact = aprx.logits(gguf, tokens, backend=backend, kv_type="f32")[-len(reference):]
                check.at_least(f"{backend}, F32 cache", name, least_cosine(exact, reference), 0.999999)
                if label == "F32":
                    difference = float(np.abs(exact - reference).max())
                    check.at_most(f"{backend}, largest difference", name, difference, 1e-3 + slack)
    return ran


def check_splits(check, aprx, pack, model):
    for gguf in sorted((pack.folder / "gguf" / model).glob("*.gguf")):
        if "-of-" in gguf.name and "00001-of" not in gguf.name:
            continue
        is_float = gguf.stem.split("-")[-1] in FLOAT_TYPES
        tokens = pack.prompts["p150"] if is_float or "Q4_K_M" in gguf.name else pack.prompts["p33"]
        whole = aprx.logits(gguf, tokens, backend="cpu")
        for chunk in CHUNKS:
            pieces = aprx.logits(gguf, tokens, backend="cpu", chunk=chunk)
            bar = 0.9999 if is_float else 0.9995
            check.at_least("pieces against one batch", f"{gguf.name} by {chunk}", least_cosine(pieces, whole), bar)


def ledger_entry(aprx, gguf, prompt, tokens, greedy):
    continuation = greedy["tokens"]
    logits = aprx.logits(gguf, tokens + continuation[:-1], backend="cpu")[len(tokens) - 1:]
    order = np.argsort(-logits, axis=-1, kind="stable")
    ranks = [int(np.flatnonzero(row == token)[0]) for row, token in zip(order, continuation)]
    top = np.take_along_axis(logits, order[:, :2], axis=-1)
    agreed = next((i for i, rank in enumerate(ranks) if rank > 0), len(ranks))
    return {"file": gguf.name, "prompt": prompt, "steps": len(ranks), "agreed_before_first_flip": agreed,
            "agreed_steps": sum(rank == 0 for rank in ranks), "worst_rank": max(ranks),
            "least_margin": float((top[:, 0] - top[:, 1]).min()), "reference_least_margin": min(greedy["margin"])}


def write_ledger(aprx, pack, path):
    with open(path, "w") as ledger:
        for model in MODELS:
            for greedy in sorted((pack.folder / "logits" / model).glob("*.greedy.json")):
                gguf = pack.gguf(model, greedy.name.split(".")[0])
                if gguf is None:
                    continue
                for prompt, entry in json.load(open(greedy)).items():
                    if prompt in pack.prompts and prompt != "p150":
                        line = ledger_entry(aprx, gguf, prompt, pack.prompts[prompt], entry)
                        ledger.write(json.dumps(line) + "\n")


def main():
    program, folder, ledger = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    if not (folder / "prompts.json").exists():
        print(f"parity: SKIPPED:\nexplicitly with message:\n  needs the shared test pack (set APRX_SHARED to its folder); {folder} isn't there\n")
        sys.exit(77)
    if np is None:
        sys.exit("parity: needs numpy (Debian: python3-numpy)")
    pack, aprx, check = Pack(folder), Aprx(program), Check()
    compared = 0
    for model in MODELS:
        compared += check_references(check, aprx, pack, model)
        check_splits(check, aprx, pack, model)
    write_ledger(aprx, pack, ledger)
    check.summary()
    print(f"{compared} references compared, {check.failures} short; the ledger is {ledger}")
    sys.exit(1 if check.failures or not compared else 0)


main()
