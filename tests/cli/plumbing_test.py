"""inspect, backends, tokenize, template, graph, logits, --help, --version."""
import json
import pathlib
import re
import struct
import tempfile
import unittest

from program import MODEL, aprx

COMMANDS = ["run", "probe", "qa", "bench", "inspect", "validate", "backends", "tokenize", "template", "graph", "logits"]


class Help(unittest.TestCase):
    def test_every_command_explains_itself_on_standard_output(self):
        overview = aprx("--help").stdout.decode()
        for command in COMMANDS:
            with self.subTest(command=command):
                done = aprx(command, "--help")
                self.assertEqual((done.returncode, done.stderr), (0, b""))
                text = done.stdout.decode()
                self.assertTrue(text.startswith(f"Usage: aprx {command}"))
                self.assertIn("Examples:", text)
                self.assertRegex(overview, rf"(?m)^  {command} ")

    def test_exit_codes_are_in_the_overview(self):
        self.assertIn("8 capability refusal", aprx("--help").stdout.decode())

    def test_an_unknown_command_lists_those_that_exist(self):
        done = aprx("runn")
        self.assertEqual(done.returncode, 2)
        for command in COMMANDS:
            self.assertIn(command, done.stderr.decode())

    def test_the_version_names_commit_abi_and_targets(self):
        text = aprx("--version").stdout.decode()
        self.assertRegex(text, r"^aprx \d+\.\d+\.\d+ \(commit \w+\), plugin ABI \d+\.\d+\n")
        self.assertRegex(text, r"(?m)^backend cpu .*\*")


class Inspect(unittest.TestCase):
    def test_dtypes_parameters_and_claims(self):
        report = json.loads(aprx("inspect", MODEL, "--json").stdout)
        self.assertEqual(report["parameters"], 8431664)
        self.assertEqual(report["tensor_count"], 108)
        counts = {row["dtype"]: row["tensors"] for row in report["dtypes"]}
        self.assertEqual(counts, {"Q4_K": 42, "Q6_K": 9, "F32": 45, "F16": 12})
        self.assertEqual(sum(row["bytes"] for row in report["dtypes"]), report["tensor_bytes"])
        self.assertEqual(report["claims"]["metadata"], "Q4_K_M")
        self.assertFalse(report["claims"]["name_differs_from_content"])
        self.assertEqual(report["special_tokens"]["tokenizer.ggml.eos_token_id"], {"id": 4089, "text": "<|im_end|>"})

    def test_a_name_that_lies_is_pointed_out(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model-Q8_0.gguf")
            path.symlink_to(MODEL)
            text = aprx("inspect", path).stdout.decode()
            self.assertRegex(text, r"file name: +Q8_0, but most bytes are Q4_K")

    def test_tensors_by_pattern_and_a_key_whole(self):
        report = json.loads(aprx("inspect", MODEL, "--json", "--tensors", "blk.0.ssm_*").stdout)
        names = {tensor["name"]: tensor for tensor in report["tensors"]}
        self.assertEqual(names["blk.0.ssm_alpha.weight"]["dtype"], "F16")
        self.assertEqual(names["blk.0.ssm_conv1d.weight"]["shape"], [1024, 4])
        self.assertEqual(aprx("inspect", MODEL, "--key", "general.architecture").stdout, b"qwen35\n")
        self.assertEqual(aprx("inspect", MODEL, "--key", "no.such.key").returncode, 2)


class Backends(unittest.TestCase):
    def test_listing(self):
        report = json.loads(aprx("backends", "--json").stdout)
        plugins = {(p["kind"], p["name"]): p for p in report["plugins"]}
        cpu = plugins["backend", "cpu"]
        self.assertTrue(cpu["usable"] and cpu["available"])
        self.assertEqual([d["id"] for d in cpu["devices"]], ["cpu"])
        self.assertEqual(sum(t["in_use"] for t in cpu["targets"]), 1)
        for target in cpu["targets"]:
            self.assertTrue(target["usable"] or target["detail"])
        self.assertFalse(plugins["backend", "reference"]["devices"][0]["chosen_by_auto"])
        self.assertTrue(plugins["format", "gguf"]["usable"])

    def test_a_broken_plugin_is_listed_with_the_loaders_words_and_stops_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "aprx_backend_broken.so").write_text("not a library " * 20)
            report = json.loads(aprx("backends", "--json", "--plugin-dir", folder).stdout)
            plugins = {p["name"]: p for p in report["plugins"]}
            self.assertFalse(plugins["broken"]["usable"])
            self.assertIn("invalid ELF header", plugins["broken"]["why_not"])
            self.assertTrue(plugins["cpu"]["usable"])


class Tokenize(unittest.TestCase):
    def ids(self, *arguments, **options):
        return json.loads(aprx("tokenize", MODEL, "--json", *arguments, **options).stdout)["ids"]

    def test_text_file_and_standard_input_are_raw_bytes(self):
        text = "Hello,\n  wörld \U0001f600"
        expected = self.ids("--text", text)
        self.assertEqual(self.ids("-", input=text.encode()), expected)
        plain = aprx("tokenize", MODEL, "--text", text).stdout.decode()
        self.assertEqual(plain, " ".join(map(str, expected)) + "\n")
        back = json.loads(aprx("tokenize", MODEL, "--decode", ",".join(map(str, expected)), "--json").stdout)
        self.assertEqual(back["text"], text)

    def test_control_tokens_are_tokens_only_when_asked(self):
        self.assertEqual(self.ids("--text", "<|im_end|>", "--special"), [4089])
        self.assertNotIn(4089, self.ids("--text", "<|im_end|>"))

    def test_pushes_never_split_a_character(self):
        ids = self.ids("--text", "\U0001f600!")
        pushes = json.loads(aprx("tokenize", MODEL, "--decode", ",".join(map(str, ids)), "--pushes").stdout)
        self.assertEqual("".join(pushes), "\U0001f600!")
        self.assertTrue(all(piece in ("", "\U0001f600", "!") for piece in pushes))

    def test_ids_that_are_no_ids(self):
        for ids in ("1,x", "", "99999999", "-1"):
            self.assertEqual(aprx("tokenize", MODEL, f"--decode={ids}").returncode, 2, ids)


class Template(unittest.TestCase):
    def render(self, template, messages, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "m.json")
            path.write_text(json.dumps(messages))
            source = [MODEL]
            if template is not None:
                file = pathlib.Path(folder, "t.jinja")
                file.write_text(template)
                source = ["--template", file]
            return aprx("template", *source, "--messages", path, *arguments)

    def test_the_models_own_template(self):
        done = self.render(None, [{"role": "user", "content": "hi"}])
        self.assertEqual(done.stdout, b"<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n")

    def test_variables_and_the_time(self):
        done = self.render("{{ a.b }} {{ strftime_now('%Y') }} {{ add_generation_prompt }}", [],
                           "--set", 'a={"b": [1, "x"]}', "--now", "2026-07-04T12:34:56", "--no-generation-prompt")
        self.assertEqual(done.stdout.decode(), "[1, 'x'] 2026 False", done.stderr.decode())

    def test_a_fault_names_its_line(self):
        done = self.render("one\n{{ nothing.at.all }}", [])
        self.assertEqual(done.returncode, 3)
        self.assertIn("line 2", done.stderr.decode())


class Graph(unittest.TestCase):
    def test_composites_whole_or_expanded(self):
        whole = aprx("graph", MODEL).stdout.decode()
        self.assertEqual(len(re.findall(r"(?m)^blk\.\d+ +gated_delta_net ", whole)), 6)
        self.assertEqual(len(re.findall(r"(?m)^blk\.\d+ +gated_attention ", whole)), 2)
        report = json.loads(aprx("graph", MODEL, "--json", "--expand").stdout)
        ops = [node["op"] for node in report["nodes"]]
        self.assertEqual((ops.count("gated_delta_rule"), ops.count("attention"), ops[0], ops[-1]), (6, 2, "embed", "linear"))
        self.assertNotIn("gated_delta_net", ops)


class Logits(unittest.TestCase):
    @staticmethod
    def read_npy(path):
        data = path.read_bytes()
        length = struct.unpack_from("<H", data, 8)[0]
        header = data[10:10 + length].decode()
        shape = tuple(map(int, re.search(r"\((\d+), (\d+)\)", header).groups()))
        values = struct.unpack(f"<{shape[0] * shape[1]}f", data[10 + length:])
        return shape, values

    def test_shape_and_teacher_forcing(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "l.npy")
            done = aprx("logits", MODEL, "--tokens", "4088,265,260", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            shape, whole = self.read_npy(out)
            self.assertEqual(shape, (3, 4096))
            aprx("logits", MODEL, "--tokens", "4088,265", "--out", out)
            _, start = self.read_npy(out)
            self.assertEqual(len(start), 2 * 4096)
            self.assertLess(max(abs(a - b) for a, b in zip(whole, start)), 1e-2)

    def test_nothing_is_left_behind_by_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "l.npy")
            for tokens in ("1,4096", "1,x"):
                self.assertEqual(aprx("logits", MODEL, "--tokens", tokens, "--out", out).returncode, 2)
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])
            self.assertEqual(aprx("logits", MODEL, "--tokens", "1", "--out", f"{folder}/none/l.npy").returncode, 5)


if __name__ == "__main__":
    unittest.main()
