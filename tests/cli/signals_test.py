"""Ctrl-C, closed pipes, and a file that is cut short while it is mapped."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from program import MODEL, PROGRAM

# Text that doesn't end by itself: a hot temperature without cuts, to a long context.
ENDLESS = ["run", MODEL, "--prompt", "Tell me everything.", "--temperature", "3", "--top-k", "0", "--top-p", "1",
           "--min-p", "0", "--no-chat-template", "--seed", "1", "--backend", "reference"]


def start(*arguments, **options):
    return subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


class CtrlC(unittest.TestCase):
    def test_the_text_so_far_is_kept_and_the_exit_code_is_130(self):
        process = start(*ENDLESS)
        first = process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        rest, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertTrue((first + rest).endswith(b"\n"))
        self.assertIn(b"finish: interrupted", error)

    def test_json_is_whole_all_the_same(self):
        process = start(*ENDLESS, "--json")
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(json.loads(out)["finish_reason"], "interrupted")


class ClosedPipe(unittest.TestCase):
    def test_it_is_quiet(self):
        process = start(*ENDLESS)
        process.stdout.read(1)
        process.stdout.close()
        with process.stderr:
            error = process.stderr.read().decode()
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual([line for line in error.splitlines() if "Backend:" not in line], [])


class ShrinkingFile(unittest.TestCase):
    def test_a_mapped_file_that_is_cut_short_ends_the_run_with_its_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.gguf")
            shutil.copy(MODEL, path)
            process = start(*[str(path) if a == MODEL else a for a in ENDLESS])
            process.stdout.read(1)
            os.truncate(path, 4096)
            _, error = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 3)
            self.assertIn(str(path), error.decode())
            self.assertIn("cut short", error.decode())


if __name__ == "__main__":
    unittest.main()
