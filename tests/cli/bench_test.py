"""aprx bench: figures that agree with each other, and refusals."""
import json
import unittest

from program import MODEL, aprx


def bench_json(*arguments):
    done = aprx("bench", *arguments, "--json")
    return done, json.loads(done.stdout)


class Figures(unittest.TestCase):
    def test_rates_are_tokens_over_seconds(self):
        done, report = bench_json(MODEL, "--prefill", "8,40", "--decode", "5", "--depth", "3", "--runs", "3", "--threads", "1")
        self.assertEqual((done.returncode, done.stderr, report["error"]), (0, b"", None))
        self.assertEqual([row["tokens"] for row in report["prefill"]], [8, 40])
        self.assertEqual((report["decode"]["tokens"], report["decode"]["depth"]), (5, 3))
        for row in [*report["prefill"], report["decode"]]:
            self.assertEqual(len(row["seconds"]), 3)
            rates = sorted(row["tokens"] / seconds for seconds in row["seconds"])
            found = [row[f"{which}_tokens_per_second"] for which in ("worst", "median", "best")]
            for expected, rate in zip(rates, found):
                self.assertAlmostEqual(rate / expected, 1, places=9)
        self.assertEqual(report["prefill_tokens_per_second"], report["prefill"][0]["best_tokens_per_second"])
        self.assertEqual(report["decode_tokens_per_second"], report["decode"]["best_tokens_per_second"])
        self.assertGreater(report["load_seconds"], 0)
        self.assertGreater(report["peak_memory_bytes"], 5_000_000)
        self.assertEqual(report["threads"], 1)
        self.assertEqual(report["target"], report["route"]["parts"][0]["target"])

    def test_the_table_goes_to_standard_output_and_the_banner_does_not(self):
        done = aprx("bench", MODEL, "--prefill", "8", "--decode", "2", "--runs", "1")
        self.assertEqual(done.returncode, 0)
        lines = done.stdout.decode().splitlines()
        self.assertEqual([line.split("  ")[0] for line in lines[1:3]], ["prefill 8", "decode 2 at depth 0"])
        self.assertRegex(lines[3], r"^load \d+\.\d\d s, peak memory \d+ MiB$")
        self.assertRegex(done.stderr.decode(), r"^Backend: cpu\b[^\n]*\n$")

    def test_no_decode_is_no_figure(self):
        _, report = bench_json(MODEL, "--prefill", "4", "--decode", "0", "--runs", "1")
        self.assertEqual((report["decode"], report["decode_tokens_per_second"]), (None, None))


class Refusals(unittest.TestCase):
    def test_usage(self):
        for options, word in [(["--runs", "0"], "--runs"), (["--prefill", "0"], "--prefill"), (["--decode", "-1"], "--decode"),
                              (["--prefill", "x"], "--prefill"), (["--depth", "-1"], "--depth"),
                              (["--ctx", "10", "--prefill", "11"], "--ctx"), (["--prefill", "1000000"], "--prefill")]:
            with self.subTest(options=options):
                done, report = bench_json(MODEL, *options)
                self.assertEqual((done.returncode, report["error"]["code"]), (2, "usage"))
                self.assertIn(word, report["error"]["subject"])
                self.assertIsNone(report["prefill_tokens_per_second"])

    def test_a_missing_file_and_a_backend_that_cannot(self):
        done, report = bench_json("/nowhere/model.gguf")
        self.assertEqual((done.returncode, report["error"]["code"]), (3, "bad_file"))
        done, report = bench_json(MODEL, "--backend", "nosuch")
        self.assertEqual((done.returncode, report["error"]["code"]), (8, "capability"))
        self.assertIsNone(report["route"])


if __name__ == "__main__":
    unittest.main()
