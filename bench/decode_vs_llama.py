#!/usr/bin/env python3
"""Decode speed beside a released llama.cpp: the same file, the same threads, taking turns.

usage: decode_vs_llama.py --aprx PROGRAM --llama-bench COMMAND --model FILE [--llama-model FILE] [--tokens N]
                          [--threads N] [--rounds N]

COMMAND runs llama.cpp's llama-bench; it may be several words. Where it runs in a tree of its own, --llama-model says
what the file is called there. Each round runs one after the other, so that a disturbance of the machine meets
both; the best of all rounds counts. Prints one line of JSON: both rates, their ratio, and every round.
"""
import argparse
import json
import shlex
import subprocess

PROMPT = "The quick brown fox"


def aprx_rate(options):
    command = [options.aprx, "run", options.model, "--prompt", PROMPT, "--no-chat-template", "--temperature", "0",
               "--max-tokens", str(options.tokens + 1), "--threads", str(options.threads), "--json"]
    report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    figures = report["figures"]
    if figures["decoded_tokens"] != options.tokens:
        raise SystemExit(f"the model ended after {figures['decoded_tokens']} tokens: choose another prompt")
    return figures["decode_tokens_per_second"], report["route"]


def llama_rate(options):
    command = shlex.split(options.llama_bench) + ["-m", options.llama_model or options.model, "-p", "0", "-n",
                                                  str(options.tokens), "-t", str(options.threads), "-r", "1", "-o", "json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)[0]["avg_ts"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aprx", required=True)
    parser.add_argument("--llama-bench", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--llama-model")
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rounds, route = [], None
    for _ in range(options.rounds):
        ours, route = aprx_rate(options)
        rounds.append({"aprx": round(ours, 2), "llama.cpp": round(llama_rate(options), 2)})
    best = {name: max(r[name] for r in rounds) for name in ("aprx", "llama.cpp")}
    print(json.dumps({"model": options.model.rsplit("/", 1)[-1], "threads": options.threads, "tokens": options.tokens,
                      "device": route["parts"][0]["device_name"], "target": route["parts"][0]["target"], "best": best,
                      "ratio": round(best["aprx"] / best["llama.cpp"], 2), "rounds": rounds}))


main()
