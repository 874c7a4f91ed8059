"""`aprx qa` holds where all is well, breaks where something is wrong, and never takes one for the other."""
import json
import math
import os
import shutil
import struct
import tempfile
import time
import unittest

from fake import ANSWER, MODEL, WHITELIST, aprx

GATES = ["capability", "tokenizer", "chat_template", "finite_logits", "prefill_is_decode", "determinism", "output",
         "banner", "second_backend"]


def qa(model, *options, **fake):
    done = aprx("qa", model, "--quick", "--json", *options, **fake)
    report = json.loads(done.stdout)
    return done.returncode, report, {gate["name"]: gate for gate in report.get("gates", [])}


def patched(folder, tensor, index, value):
    """A copy of the demo model with one F32 value of a tensor changed."""
    inspected = json.loads(aprx("inspect", MODEL, "--tensors", tensor, "--json").stdout)["tensors"]
    path = os.path.join(folder, "patched.gguf")
    shutil.copy(MODEL, path)
    with open(path, "r+b") as file:
        file.seek(inspected[0]["offset"] + 4 * index)
        file.write(struct.pack("<f", value))
    return path


class Qa(unittest.TestCase):
    def test_every_gate_holds_on_the_demo_model(self):
        begin = time.monotonic()
        code, report, gates = qa(MODEL, devices="")
        self.assertEqual([gate["name"] for gate in report["gates"]], GATES)
        self.assertEqual({gate["outcome"] for gate in report["gates"]}, {"held"}, report)
        self.assertEqual((code, report["verdict"], report["answer"], report["error"]), (0, "held", ANSWER, None))
        self.assertLess(time.monotonic() - begin, 60)  # 10 s in an optimized build
        self.assertIn("fake:0", gates["second_backend"]["reason"] + gates["capability"]["reason"])

    def test_a_value_that_is_not_finite_breaks_the_gates_that_see_it(self):
        with tempfile.TemporaryDirectory() as folder:
            code, report, gates = qa(patched(folder, "output_norm.weight", 3, math.nan), "--backend=cpu")
        self.assertEqual((code, report["verdict"]), (6, "check_failed"))
        self.assertEqual(gates["finite_logits"]["outcome"], "broken")
        self.assertEqual(gates["prefill_is_decode"]["outcome"], "not_measured")
        self.assertEqual(gates["tokenizer"]["outcome"], "held")

    def test_a_model_that_says_one_thing_over_and_over_is_broken(self):
        with tempfile.TemporaryDirectory() as folder:
            # One large weight of the last norm drowns all others, so that one token always wins.
            code, _, gates = qa(patched(folder, "output_norm.weight", 3, 1e6), "--backend=cpu")
        self.assertEqual((code, gates["output"]["outcome"]), (6, "broken"), gates["output"])
        self.assertEqual(gates["finite_logits"]["outcome"], "held")

    def test_a_refusal_is_a_result_and_nothing_else_is_measured(self):
        code, report, gates = qa(MODEL, "--backend=fake", devices=WHITELIST)
        self.assertEqual((code, report["route"], report["error"]["code"]), (8, None, "capability"))
        self.assertEqual(gates["capability"]["outcome"], "broken")
        self.assertEqual({gates[name]["outcome"] for name in GATES[1:]}, {"not_measured"})

    def test_a_device_that_is_lost_breaks_the_gate_it_happens_in(self):
        code, _, gates = qa(MODEL, "--backend=fake", lost_after=1)
        self.assertEqual(code, 6)
        self.assertEqual((gates["finite_logits"]["outcome"], gates["prefill_is_decode"]["outcome"]), ("held", "broken"))

    def test_a_missing_file_and_a_wrong_option_are_errors_of_their_own(self):
        self.assertEqual(aprx("qa", "no-such.gguf", "--json").returncode, 3)
        self.assertEqual(aprx("qa", MODEL, "--kv-type", "q9").returncode, 2)
        self.assertEqual(aprx("qa").returncode, 2)

    def test_text_has_one_line_a_gate(self):
        done = aprx("qa", MODEL, "--quick", "--backend=cpu")
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], GATES)
        self.assertEqual(done.stderr.count("Backend:"), 1)


if __name__ == "__main__":
    unittest.main()
