"""`aprx validate`: exit codes, the gates in text and JSON, sums beside a file."""
import hashlib
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

from program import MODEL, PROGRAM, aprx

GATES = ["sha256", "structure", "shapes", "values", "tokenizer"]
KEYS = ["model", "files", "verdict", "exit_code", "gates", "warnings", "error"]


def report_of(*arguments):
    done = aprx("validate", *arguments, "--json")
    return done, json.loads(done.stdout)


def outcomes(report):
    return [gate["outcome"] for gate in report["gates"]]


def tensor_place(name):
    tensors = json.loads(aprx("inspect", MODEL, "--json", "--tensors", name).stdout)["tensors"]
    return tensors[0]["offset"]


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.folder / "m.gguf"
        shutil.copy(MODEL, self.model)

    def patch(self, offset, data):
        with open(self.model, "r+b") as file:
            file.seek(offset)
            file.write(data)

    def replace(self, old, new):
        data = self.model.read_bytes()
        self.assertEqual(len(old), len(new))
        self.assertIn(old, data)
        self.model.write_bytes(data.replace(old, new, 1))


class Whole(InFolder):
    def test_the_text_has_a_line_for_each_gate_and_the_verdict(self):
        done = aprx("validate", MODEL)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        lines = done.stdout.decode().splitlines()
        self.assertEqual([line.split()[0] for line in lines[:5]], GATES)
        self.assertEqual(lines[0], "sha256             not measured  no sum given")
        self.assertEqual(lines[3], "values             held          8431664 values, all finite, none above 10000 in magnitude")
        self.assertEqual(lines[5:], ["held: nothing is wrong with this file"])

    def test_json_has_the_same_facts(self):
        done, report = report_of(MODEL)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(list(report), KEYS)
        self.assertEqual([gate["name"] for gate in report["gates"]], GATES)
        self.assertEqual(outcomes(report), ["not_measured", "held", "held", "held", "held"])
        self.assertFalse(report["gates"][0]["asked_for"])
        self.assertEqual((report["verdict"], report["exit_code"], report["error"]), ("held", 0, None))
        self.assertEqual(report["files"], [MODEL])

    def test_sums_given_and_beside_the_file(self):
        digits = hashlib.sha256(self.model.read_bytes()).hexdigest()
        self.assertEqual(outcomes(report_of(self.model, "--sha256", digits.upper())[1])[0], "held")
        (self.folder / "SHA256SUMS").write_text(f"{digits}  m.gguf\n")
        done, report = report_of(self.model)
        self.assertEqual((done.returncode, outcomes(report)[0]), (0, "held"))
        (self.folder / "m.gguf.sha256").write_text(f"{digits}  another.gguf\n")
        done, report = report_of(self.model)
        self.assertEqual((done.returncode, outcomes(report)[0], report["verdict"]), (9, "not_measured", "unchecked"))

    def test_threads_change_nothing(self):
        self.assertEqual(report_of(MODEL, "--threads", "1")[1], report_of(MODEL, "--threads", "3")[1])


class Broken(InFolder):
    def test_a_wrong_sum(self):
        done, report = report_of(self.model, "--sha256", "0" * 64)
        self.assertEqual((done.returncode, report["verdict"], outcomes(report)[0]), (6, "check_failed", "broken"))
        finding = report["gates"][0]["findings"][0]
        self.assertEqual(finding["found"], hashlib.sha256(self.model.read_bytes()).hexdigest())

    def test_a_scale_that_is_not_a_number(self):
        self.patch(tensor_place("blk.0.ffn_gate.weight"), struct.pack("<H", 0x7E00))
        done = aprx("validate", self.model)
        self.assertEqual(done.returncode, 6)
        text = done.stdout.decode()
        self.assertIn("values             broken        tensor blk.0.ffn_gate.weight: 256 NaN of ", text)
        self.assertIn("the first, NaN, at [0, 0]", text)
        self.assertIn("broken: something is wrong with this file\n", text)

    def test_an_architecture_that_is_not_known(self):
        self.replace(b"\x06\0\0\0\0\0\0\0qwen35", b"\x06\0\0\0\0\0\0\0qwen99")
        done, report = report_of(self.model)
        self.assertEqual((done.returncode, report["verdict"]), (8, "capability"))
        self.assertEqual(outcomes(report), ["not_measured", "held", "broken", "held", "not_measured"])
        self.assertEqual(report["gates"][2]["findings"][0]["expected"], "one of llama, qwen35")


class Unreadable(InFolder):
    def test_a_file_that_was_cut_short(self):
        self.model.write_bytes(self.model.read_bytes()[:-4096])
        done, report = report_of(self.model)
        self.assertEqual((done.returncode, report["verdict"]), (3, "bad_file"))
        self.assertEqual(outcomes(report), ["not_measured", "broken"] + 3 * ["not_measured"])
        self.assertEqual(report["error"], report["gates"][1]["findings"][0])
        text = aprx("validate", self.model)
        self.assertEqual(text.returncode, 3)
        self.assertIn(report["error"]["subject"], text.stderr.decode())

    def test_a_file_that_is_not_there(self):
        done = aprx("validate", "/nowhere.gguf")
        self.assertEqual((done.returncode, done.stderr), (3, b"aprx: /nowhere.gguf: no such file\n"))


class CtrlC(InFolder):
    def test_json_is_whole_and_nothing_that_was_stopped_holds(self):
        os.truncate(self.model, 1 << 37)  # a hole, which takes minutes to hash
        process = subprocess.Popen([PROGRAM, "validate", self.model, "--sha256", "0" * 64, "--json"], stdout=subprocess.PIPE)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        report = json.loads(out)
        self.assertEqual((process.returncode, report["verdict"], report["exit_code"]), (130, "interrupted", 130))
        self.assertEqual(outcomes(report), ["not_measured", "held", "held", "not_measured", "not_measured"])
        self.assertEqual(report["gates"][0]["reason"], "stopped before it was done")


class Usage(unittest.TestCase):
    def test_every_failure_is_one_object_with_its_exit_code(self):
        for arguments in ([], [MODEL, "--sha256", "abc"], [MODEL, "--threads", "0"], [MODEL, "--no-such-option"]):
            with self.subTest(arguments=arguments):
                done, report = report_of(*arguments)
                self.assertEqual((done.returncode, report["error"]["code"]), (2, "usage"))


if __name__ == "__main__":
    unittest.main()
