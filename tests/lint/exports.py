#!/usr/bin/env python3
"""exports.py FOLDER: every plugin of the folder exports its table and nothing else, and needs no GPU driver."""
import pathlib
import re
import subprocess
import sys

SYMBOL = "aprx_plugin_v1"


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


plugins = sorted(pathlib.Path(sys.argv[1]).glob("*.so"))
wrong = 0
for plugin in plugins:
    exported = [line.split()[-1] for line in output("nm", "--dynamic", "--defined-only", plugin).splitlines()]
    needed = re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "--dynamic", "--wide", plugin))
    if exported != [SYMBOL]:
        wrong += 1
        print(f"{plugin.name} exports {' '.join(exported) or 'nothing'}, not {SYMBOL} alone")
    if any(library.startswith(("libcuda.", "libcudart.")) for library in needed):
        wrong += 1
        print(f"{plugin.name} is linked to a GPU library that may be absent: {' '.join(needed)}")
print(f"exports: {len(plugins)} plugins read, {wrong} findings")
sys.exit(1 if wrong or not plugins else 0)
