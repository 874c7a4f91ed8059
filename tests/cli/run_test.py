"""`aprx run`: what goes where, exit codes, JSON on every exit path, limits of the context."""
import json
import pathlib
import re
import tempfile
import unittest

from program import ANSWER, MODEL, QUESTION, aprx, lowest_target, run, run_json


class Streams(unittest.TestCase):
    def test_only_the_text_goes_to_standard_output(self):
        done = run("--prompt", QUESTION)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.decode(), ANSWER + "\n")

    def test_one_backend_line_and_the_figures_go_to_standard_error(self):
        text = run("--prompt", QUESTION, "--threads", "2").stderr.decode()
        backend = re.findall(r"^Backend: (.*)$", text, re.M)
        self.assertEqual(len(backend), 1)
        self.assertRegex(backend[0], r"^cpu \(.+, (AVX|SSE|EMU|NEON|SVE)\w*, 2 threads\), 8 of 8 layers \[route [0-9a-f]{8}\]$")
        self.assertRegex(text, r"finish: end_token; load [\d.]+ s; prefill 17 tokens in [\d.]+ s \([\d.]+ tok/s\); "
                               r"decode 8 tokens in [\d.]+ s \([\d.]+ tok/s\)\n$")

    def test_no_colour_and_no_progress_into_a_pipe(self):
        done = run("--prompt", QUESTION)
        self.assertNotIn(b"\x1b", done.stdout + done.stderr)
        self.assertNotIn(b"\r", done.stdout + done.stderr)

    def test_the_prompt_may_come_from_a_file_or_standard_input(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(QUESTION)
            file.flush()
            self.assertEqual(run("--prompt-file", file.name).stdout.decode(), ANSWER + "\n")
        self.assertEqual(run("-", input=QUESTION.encode()).stdout.decode(), ANSWER + "\n")
        self.assertEqual(run("--prompt-file", "-", input=QUESTION.encode()).stdout.decode(), ANSWER + "\n")

    def test_a_random_seed_is_printed_and_repeats_the_text(self):
        arguments = ("--prompt", "hi", "--temperature", "2", "--top-k", "0", "--top-p", "1", "--min-p", "0", "-n", "20")
        first = aprx("run", MODEL, *arguments)
        seed = re.search(r"^seed: (\d+)$", first.stderr.decode(), re.M).group(1)
        again = aprx("run", MODEL, *arguments, "--seed", seed)
        self.assertEqual(first.stdout, again.stdout)
        self.assertNotIn(b"seed:", again.stderr)


class Json(unittest.TestCase):
    KEYS = ["model", "text", "finish_reason", "tokens", "seed", "route", "warnings", "figures", "error"]

    def test_success(self):
        done, report = run_json("--prompt", QUESTION, "--backend", "cpu", "--threads", "1")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(list(report), self.KEYS)
        self.assertEqual(report["text"], ANSWER)
        self.assertEqual(report["finish_reason"], "end_token")
        self.assertEqual(report["tokens"], [315, 307, 271, 2943, 282, 2941, 258, 13, 4089])
        self.assertIsNone(report["error"])
        planned = [{"device": part["device"], "operators": part["operators"]} for part in report["route"]["parts"]]
        self.assertEqual(planned, report["figures"]["executed"])
        self.assertEqual(report["route"]["threads"], 1)
        figures = report["figures"]
        self.assertEqual((figures["prompt_tokens"], figures["generated_tokens"], figures["decoded_tokens"]), (17, 9, 8))
        rate = figures["decoded_tokens"] / figures["decode_seconds"]
        self.assertAlmostEqual(figures["decode_tokens_per_second"], rate, places=6)

    def test_the_route_of_the_json_is_that_of_the_line(self):
        line = run("--prompt", QUESTION).stderr.decode()
        _, report = run_json("--prompt", QUESTION)
        self.assertIn(f"[route {report['route']['digest']}]", line)

    def test_a_rate_that_has_nothing_to_measure_is_null(self):
        _, report = run_json("--prompt", QUESTION, "--max-tokens", "1")
        self.assertEqual(report["figures"]["decoded_tokens"], 0)
        self.assertIsNone(report["figures"]["decode_tokens_per_second"])

    def test_every_failure_is_one_object_with_its_exit_code(self):
        cases = [
            (3, "bad_file", ["run", "/nowhere.gguf", "--prompt", "x", "--json"]),
            (2, "usage", ["run", MODEL, "--json"]),
            (2, "usage", ["run", MODEL, "--prompt", "x", "--top-p", "7", "--json"]),
            (2, "usage", ["run", MODEL, "--prompt", "x", "--no-such-option", "--json"]),
            (5, "limit", ["run", MODEL, "--prompt", "x", "--ctx", "4", "--json"]),
            (8, "capability", ["run", MODEL, "--prompt", "x", "--backend", "nothing", "--json"]),
            (8, "capability", ["run", MODEL, "--prompt", "x", "--target", "nothing", "--json"]),
        ]
        for code, word, arguments in cases:
            with self.subTest(arguments=arguments):
                done = aprx(*arguments)
                report = json.loads(done.stdout)
                self.assertEqual(done.returncode, code)
                self.assertEqual((report["error"]["code"], report["error"]["exit_code"]), (word, code))


class Refusals(unittest.TestCase):
    def test_a_named_backend_is_never_replaced(self):
        done = run("--prompt", QUESTION, "--backend", "nothing")
        self.assertEqual((done.returncode, done.stdout), (8, b""))
        text = done.stderr.decode()
        self.assertIn("nothing", text)
        self.assertIn("cpu", text)
        self.assertNotIn("Backend:", text)

    def test_an_error_is_one_message_without_a_doubled_prefix(self):
        text = aprx("run", "/nowhere.gguf", "--prompt", "x").stderr.decode()
        self.assertEqual(text, "aprx: /nowhere.gguf: no such file\n")

    def test_an_ordered_list_takes_the_first_that_can(self):
        done = run("--prompt", QUESTION, "--backend", "reference,cpu")
        self.assertIn("Backend: reference ", done.stderr.decode())
        self.assertEqual(done.stdout.decode(), ANSWER + "\n")


class Context(unittest.TestCase):
    def test_one_below_exactly_at_and_one_above_the_limit(self):
        for context, code, reason in ((16, 5, None), (17, 0, "context_full"), (18, 0, "context_full"), (26, 0, "end_token")):
            with self.subTest(context=context):
                done, report = run_json("--prompt", QUESTION, "--ctx", str(context))
                self.assertEqual((done.returncode, report["finish_reason"]), (code, reason))

    def test_more_than_the_model_was_made_for_is_refused_with_the_figure(self):
        done = run("--prompt", QUESTION, "--ctx", "5000")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.decode(),
                         "aprx: --ctx: 5000, expected 1 to 4096, the context that the model was made for\n")


class Variants(unittest.TestCase):
    def test_kv_types_targets_and_threads_give_the_same_answer(self):
        for arguments in (["--kv-type", "f32"], ["--kv-type", "q8_0"], ["--threads", "1"], ["--threads", "5"],
                          ["--target", lowest_target().lower()], ["--backend", "reference", "--kv-type", "f32"]):
            with self.subTest(arguments=arguments):
                done = run("--prompt", QUESTION, *arguments)
                self.assertEqual(done.stdout.decode(), ANSWER + "\n", done.stderr.decode())

    def test_a_lowered_target_is_the_one_that_is_announced(self):
        target = lowest_target()
        line = run("--prompt", QUESTION, "--target", target.lower()).stderr.decode()
        self.assertRegex(line, rf"Backend: cpu \(.*, {target}, ")

    def test_stop_strings_are_not_shown(self):
        done, report = run_json("--prompt", QUESTION, "--stop", " France is", "--stop", "London")
        self.assertEqual((report["text"], report["finish_reason"]), ("The capital of", "stop_string"))

    def test_a_template_of_the_users(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "t.jinja")
            path.write_text("<|im_start|>user\n{{ messages[0].content }}<|im_end|>\n<|im_start|>assistant{{ '\\n' }}")
            self.assertEqual(run("--prompt", QUESTION, "--chat-template", path).stdout.decode(), ANSWER + "\n")
            path.write_text("{% if %}")
            done = run("--prompt", QUESTION, "--chat-template", path)
            self.assertEqual(done.returncode, 3)
            self.assertIn("t.jinja", done.stderr.decode())

    def test_without_a_template_the_text_is_continued_as_it_stands(self):
        prompt = f"<|im_start|>user\n{QUESTION}<|im_end|>\n<|im_start|>assistant\n"
        done, report = run_json("--prompt", prompt, "--no-chat-template", "--max-tokens", "4")
        self.assertGreater(report["figures"]["prompt_tokens"], 17, "control tokens of a user's text stay text")


if __name__ == "__main__":
    unittest.main()
