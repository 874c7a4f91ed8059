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


def lowest_target():
    """The plainest instruction set that this build and machine offer; every build has at least a baseline."""
    plugins = json.loads(aprx("backends", "--json").stdout)["plugins"]
    cpu = next(p for p in plugins if (p["kind"], p["name"]) == ("backend", "cpu"))
    return [target["name"] for target in cpu["targets"] if target["usable"]][-1]


def run(*arguments, **options):
    return aprx("run", MODEL, "--temperature", "0", *arguments, **options)


def run_json(*arguments):
    done = run("--json", *arguments)
    return done, json.loads(done.stdout)
