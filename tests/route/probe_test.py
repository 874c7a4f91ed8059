"""`aprx probe` says what a run does, before anything is loaded."""
import json
import os
import unittest

import jsonschema

from fake import MODEL, WHITELIST, Outcome, aprx

SCHEMA = json.load(open(os.path.join(os.environ["APRX_SOURCE_DIR"], "docs/schema/probe.schema.json"), encoding="utf-8"))


def probe(*options, **fake):
    done = aprx("probe", MODEL, "--json", *options, **fake)
    report = json.loads(done.stdout)
    jsonschema.validate(report, SCHEMA)
    return done.returncode, report


def device(report, name):
    return next(each for each in report["devices"] if each["device"] == name)


class Probe(unittest.TestCase):
    def test_the_route_is_the_one_that_a_run_takes(self):
        for devices in (WHITELIST, "bandwidth=1e12", WHITELIST + ";bandwidth=1e6", "memory=1000000"):
            _, report = probe(devices=devices)
            self.assertEqual(report["route"], Outcome(devices=devices, tokens=1).report["route"], devices)

    def test_a_refused_dtype_names_the_tensors_and_what_would_help(self):
        code, report = probe("--backend=fake", devices=WHITELIST)
        self.assertEqual((code, report["route"], report["error"]["code"]), (8, None, "capability"))
        fake = device(report, "fake:0")
        self.assertEqual(fake["verdict"], "runs_partly")
        self.assertEqual(fake["operators"] - fake["operators_taken"], 12)
        self.assertEqual(len(fake["refusals"]), 1)
        refusal = fake["refusals"][0]
        self.assertEqual((refusal["reason"], refusal["operator"], refusal["dtype"]), ("dtype_unsupported", "linear", "F16"))
        alpha_and_beta = [f"blk.{layer}.ssm_{part}.weight" for layer in (0, 1, 2, 4, 5, 6) for part in ("alpha", "beta")]
        self.assertEqual(sorted(refusal["tensors"]), sorted(alpha_and_beta))
        self.assertEqual(fake["eligible_recipes"], ["Q4_K_M", "Q5_K_M", "Q6_K", "Q8_0", "Q4_0", "F32"])
        change = fake["smallest_change"]
        self.assertEqual([(c["dtype"], len(c["tensors"]), c["bytes_before"], c["bytes_after"]) for c in change],
                         [("F32", 12, 12 * 2048, 12 * 4096)])

    def test_widening_answers_what_if(self):
        code, report = probe("--backend=fake", "--widen=F16:F32", devices=WHITELIST)
        self.assertEqual((code, device(report, "fake:0")["verdict"]), (0, "runs"))

    def test_memory_is_need_against_free_and_gives_the_largest_context(self):
        code, report = probe("--backend=cpu")
        cpu = device(report, "cpu")
        self.assertEqual((code, cpu["verdict"], cpu["largest_context"]), (0, "runs", report["model_context"]))
        need = cpu["memory_bytes"]
        self.assertEqual(need["total"], need["weights"] + need["states"] + need["workspace"])
        self.assertLessEqual(need["weights"], report["tensor_bytes"])

        enough_for_less = need["total"] - 1
        code, report = probe("--backend=cpu", f"--assume-memory={enough_for_less}")
        cpu = device(report, "cpu")
        self.assertEqual((code, cpu["verdict"]), (8, "refused"))
        self.assertEqual([refusal["reason"] for refusal in cpu["refusals"]], ["memory_insufficient"])
        largest = cpu["largest_context"]
        self.assertTrue(0 < largest < report["model_context"])
        fits, _ = probe("--backend=cpu", f"--assume-memory={enough_for_less}", "--ctx", largest)
        too_long, _ = probe("--backend=cpu", f"--assume-memory={enough_for_less}", "--ctx", largest + 256)
        self.assertEqual((fits, too_long), (0, 8))

    def test_a_smaller_cache_type_needs_less(self):
        states = [device(probe("--backend=cpu", "--kv-type", kv)[1], "cpu")["memory_bytes"]["states"]
                  for kv in ("f32", "f16", "q8_0")]
        self.assertEqual(states, sorted(states, reverse=True))
        self.assertEqual(len(set(states)), 3)

    def test_all_lists_each_tensor_with_its_operator_and_why(self):
        _, report = probe("--all", devices=WHITELIST)
        tensors = {tensor["name"]: tensor for tensor in report["tensors"]}
        self.assertEqual(len(tensors), report["tensor_count"])
        alpha = tensors["blk.0.ssm_alpha.weight"]
        self.assertEqual((alpha["dtype"], alpha["shape"]), ("F16", [4, 256]))
        self.assertTrue(all(use["device"] == "cpu" for use in alpha["uses"]) and alpha["uses"])
        self.assertEqual(alpha["why"], "fake:0: no kernel for this tensor type")
        self.assertEqual(tensors["output_norm.weight"]["why"], "the first choice takes it")

    def test_what_the_file_claims_and_holds(self):
        _, report = probe()
        self.assertEqual(report["claims"]["file_name"], "Q4_K_M")
        self.assertEqual({row["dtype"]: row["tensors"] for row in report["dtypes"]},
                         {"Q4_K": 42, "Q6_K": 9, "F32": 45, "F16": 12})

    def test_a_backend_without_a_driver_is_listed_with_its_reason(self):
        code, report = probe("--backend=fake,cpu", unavailable="no driver is installed")
        self.assertEqual(code, 0)
        fake = device(report, "fake")
        self.assertEqual((fake["verdict"], fake["refusals"][0]["reason"]), ("unavailable", "driver_missing"))

    def test_text_says_each_refusal_once(self):
        done = aprx("probe", MODEL, devices=WHITELIST)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.count("blk.*.ssm_{alpha,beta}.weight"), 2)  # the refusal, the smallest change
        self.assertEqual(done.stdout.count("no kernel for this tensor type"), 1)
        self.assertIn("fake:0 (Fake Accelerator): runs partly: ", done.stdout)
        self.assertIn("smallest change: 12 tensors like blk.*.ssm_{alpha,beta}.weight as F32 (48.0 KiB instead of 24.0 KiB)",
                      done.stdout)
        self.assertIn("A run would use cpu (", done.stdout)

    def test_without_a_model_the_kernel_tables_are_listed(self):
        done = aprx("probe", "--json", devices="linear=F32+Q8_0")
        self.assertEqual(done.returncode, 0)
        backends = {each["backend"]: each for each in json.loads(done.stdout)["backends"]}
        fake = backends["fake"]["devices"][0]["operators"]
        self.assertEqual(fake["linear"], ["F32", "Q8_0"])
        self.assertEqual(fake["add"], [])
        self.assertIn("Q4_K", backends["cpu"]["devices"][0]["operators"]["linear"])

    def test_options_that_can_not_be_are_usage_errors(self):
        for option in ("--assume-memory=lots", "--assume-memory=1T", "--widen=Q4_0:F32"):
            done = aprx("probe", MODEL, option)
            self.assertEqual((done.returncode, done.stdout), (2, ""), option)


if __name__ == "__main__":
    unittest.main()
