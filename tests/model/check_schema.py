#!/usr/bin/env python3
"""check_schema.py ROOT: every description is valid by the schema, and small changes are not."""
import copy
import json
import pathlib
import re
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: this Python has no package jsonschema")
    sys.exit(77)

root = pathlib.Path(sys.argv[1])
schema = json.loads((root / "docs/schema/model-description.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)


def read(path):
    """No text of a description holds two slashes, so comments are easily told."""
    return json.loads(re.sub(r"//[^\n]*", "", path.read_text()))


def must_fail(description, change):
    broken = copy.deepcopy(description)
    change(broken)
    assert list(validator.iter_errors(broken)), "the schema takes what it must not"


paths = sorted((root / "plugins/models").glob("*.json"))
assert len(paths) >= 2, "no descriptions found"
for path in paths:
    description = read(path)
    for error in validator.iter_errors(description):
        sys.exit(f"{path}: {error.json_path}: {error.message}")
    must_fail(description, lambda d: d.pop("tensors"))
    must_fail(description, lambda d: d.update(surprise=1))
    must_fail(description, lambda d: d.update(layers=3))
    must_fail(description, lambda d: d["layer"].append({"op": "add"}))
    must_fail(description, lambda d: d["layer"].append({"use": "a", "op": "add"}))
    must_fail(description, lambda d: d["requires"].append("E"))
print(f"{len(paths)} descriptions are valid")
