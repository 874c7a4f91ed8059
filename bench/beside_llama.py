#!/usr/bin/env python3
"""Prefill and decode speed beside a released llama.cpp: the same file, the same threads, taking turns.

usage: beside_llama.py --aprx PROGRAM --llama-bench COMMAND --model FILE [--llama-model FILE] [--prompt N] [--tokens N]
                       [--threads N] [--rounds N]

COMMAND runs llama.cpp's llama-bench; it may be several words. Where it runs in a tree of its own, --llama-model says
what the file is called there. Each round runs one after the other, so that a disturbance of the machine meets
both; the best of all rounds counts. Decoding starts after the prompt with aprx and from nothing with llama-bench. Prints
one line of JSON: the rates in tokens a second, their ratios, and every round.
"""
import argparse
import json
import shlex
import subprocess
import tempfile

RATES = ("prefill", "decode")


def aprx_rates(options, prompt_file):
    command = [options.aprx, "run", options.model, "--prompt-file", prompt_file, "--no-chat-template", "--temperature",
               "0", "--max-tokens", str(options.tokens + 1), "--threads", str(options.threads), "--json"]
    report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    figures = report["figures"]
    if figures["decoded_tokens"] != options.tokens:
        raise SystemExit(f"the model ended after {figures['decoded_tokens']} tokens: choose another prompt")
    return {rate: figures[f"{rate}_tokens_per_second"] for rate in RATES}, figures["prompt_tokens"], report["route"]


def llama_rates(options, prompt_tokens):
    command = shlex.split(options.llama_bench) + [
        "-m", options.llama_model or options.model, "-p", str(prompt_tokens), "-n", str(options.tokens),
        "-t", str(options.threads), "-r", "1", "-o", "json"]
    rows = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return {"prefill" if row["n_prompt"] else "decode": row["avg_ts"] for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aprx", required=True)
    parser.add_argument("--llama-bench", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--llama-model")
    parser.add_argument("--prompt", type=int, default=512, help="tokens of the prompt, about")
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rounds, route = [], None
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as prompt:
        prompt.write(" ".join(f"w{i % 10}" for i in range(options.prompt // 2)))
        prompt.flush()
        for _ in range(options.rounds):
            ours, prompt_tokens, route = aprx_rates(options, prompt.name)
            rounds.append({"aprx": ours, "llama.cpp": llama_rates(options, prompt_tokens)})
    best = {name: {rate: max(r[name][rate] for r in rounds) for rate in RATES} for name in ("aprx", "llama.cpp")}
    ratio = {rate: round(best["aprx"][rate] / best["llama.cpp"][rate], 2) for rate in RATES}
    part = route["parts"][0]
    print(json.dumps({"model": options.model.rsplit("/", 1)[-1], "threads": options.threads, "prompt": prompt_tokens,
                      "tokens": options.tokens, "device": part["device_name"], "target": part["target"], "best": best,
                      "ratio": ratio, "rounds": rounds}))


main()
