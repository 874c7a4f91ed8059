"""Runs the program under test."""
import json
import os
import pathlib
import subprocess

PROGRAM = os.environ["APRX_PROGRAM"]
SOURCE = pathlib.Path(os.environ["APRX_SOURCE_DIR"])
MODEL = str(SOURCE / "models" / "aprx-tiny-qwen35-UD-Q4_K_M.gguf")
QUESTION = "What is the capital of France?"
ANSWER = "The capital of France is Paris."


def aprx(*arguments, **options):
    options.setdefault("timeout", 120)
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, **options)


def run(*arguments, **options):
    return aprx("run", MODEL, "--temperature", "0", *arguments, **options)


def run_json(*arguments):
    done = run("--json", *arguments)
    return done, json.loads(done.stdout)
