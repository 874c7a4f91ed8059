"""What the program says about backends is what ran, in every situation; and a lie would be found."""
import unittest

from fake import ANSWER, WHITELIST, Outcome, judge, spoiled


class Situation(unittest.TestCase):
    def check_true(self, outcome):
        self.assertEqual(judge(outcome.said, outcome.report), [])
        for what, said, report in spoiled(outcome):
            if (said, report) != (outcome.said, outcome.report):
                self.assertNotEqual(judge(said, report), [], what)

    def check_answers(self, outcome):
        self.assertEqual((outcome.code, outcome.text.returncode), (0, 0), outcome.said)
        self.assertEqual(outcome.text.stdout.strip(), ANSWER)
        self.assertEqual(outcome.report["text"], ANSWER)

    def check_refused(self, outcome, code=8):
        """Nothing ran, nothing is said to have run, and the reason is given once."""
        self.assertEqual((outcome.code, outcome.text.returncode), (code, code))
        self.assertEqual(outcome.text.stdout, "")
        self.assertNotIn("Backend:", outcome.said)
        self.assertNotIn("notice:", outcome.said)
        self.assertIsNone(outcome.report["route"])
        self.assertEqual(outcome.said.count("aprx: "), 1)


class OneDevice(Situation):
    def test_everything_on_the_device(self):
        outcome = Outcome(devices="bandwidth=1e12")
        self.check_answers(outcome)
        self.check_true(outcome)
        self.assertEqual(outcome.devices, ["fake:0"])
        self.assertEqual(outcome.notices, [])

    def test_one_dtype_refused_gives_one_notice_with_the_useful_half(self):
        outcome = Outcome(devices=WHITELIST)
        self.check_answers(outcome)
        self.check_true(outcome)
        self.assertEqual(outcome.devices, ["cpu"])
        self.assertEqual(len(outcome.notices), 1)
        notice = outcome.notices[0]
        self.assertIn("fake:0 not used, cpu runs the model", notice)
        self.assertIn("blk.0.ssm_alpha.weight is F16, and 11 more like blk.*.ssm_{alpha,beta}.weight", notice)
        self.assertIn("takes F32 Q4_0 Q4_1 Q5_0 Q8_0 Q4_K Q5_K Q6_K", notice)
        self.assertIn("a Q4_K_M, Q5_K_M or Q6_K build of this model runs on fake:0", notice)

    def test_a_remedy_that_would_not_work_is_not_advised(self):
        # Q5_1 stands in for Q5_K in narrow rows, Q6_K is in every K mix; without Q6_K only the plain types remain.
        outcome = Outcome(devices="linear=F32+Q8_0")
        self.assertIn("a Q8_0 or F32 build of this model runs on fake:0", outcome.notices[0])
        nothing_helps = Outcome(devices=WHITELIST + ",without=attention")
        self.assertNotIn("what helps", nothing_helps.notices[0])

    def test_a_named_device_that_refuses_a_tensor_is_never_replaced(self):
        outcome = Outcome("--backend=fake", devices=WHITELIST)
        self.check_refused(outcome)
        self.assertIn("blk.0.ssm_alpha.weight is F16", outcome.said)
        self.assertIn("a Q4_K_M", outcome.said)

    def test_everything_refused(self):
        outcome = Outcome("--backend=fake", devices="linear=IQ1_S")
        self.check_refused(outcome)
        for dtype in ("F16", "Q4_K", "Q6_K"):
            self.assertEqual(outcome.said.count(f" is {dtype}"), 1, outcome.said)

    def test_too_little_memory_is_found_before_anything_is_allocated(self):
        outcome = Outcome("--backend=fake", devices="memory=1000000")
        self.check_refused(outcome)
        self.assertIn("not enough memory (needs ", outcome.said)
        fallback = Outcome(devices="memory=1000000")
        self.check_answers(fallback)
        self.check_true(fallback)
        self.assertIn("fake:0 not used, cpu runs the model: not enough memory", fallback.notices[0])
        self.assertNotIn("what helps", fallback.notices[0])  # no build of the model fits either

    def test_a_device_lost_in_mid_generation_ends_the_run_and_is_not_replaced(self):
        outcome = Outcome(devices="bandwidth=1e12", lost_after=3)
        self.assertEqual((outcome.code, outcome.text.returncode), (7, 7))
        self.assertEqual(judge(outcome.said, outcome.report), [])
        self.assertEqual(outcome.report["error"]["code"], "device")
        self.assertEqual(outcome.said.count("the device fell off the bus"), 1)
        self.assertEqual(outcome.said.count("Backend:"), 1)

    def test_no_driver(self):
        named = Outcome("--backend=fake", unavailable="no driver is installed")
        self.check_refused(named)
        self.assertIn("fake can't run this model: no driver (no driver is installed)", named.said)
        fallback = Outcome("--backend=fake,cpu", unavailable="no driver is installed")
        self.check_answers(fallback)
        self.check_true(fallback)
        self.assertEqual(fallback.devices, ["cpu"])
        self.assertIn("no driver is installed", fallback.notices[0])


class TwoDevices(Situation):
    def test_the_faster_one_is_taken(self):
        outcome = Outcome(devices="bandwidth=1e11;bandwidth=1e12")
        self.check_answers(outcome)
        self.check_true(outcome)
        self.assertEqual(outcome.devices, ["fake:1"])

    def test_a_device_is_named_by_its_id(self):
        outcome = Outcome("--backend=fake:1", devices="bandwidth=1e12;bandwidth=1e11")
        self.check_answers(outcome)
        self.check_true(outcome)
        self.assertEqual(outcome.devices, ["fake:1"])

    def test_two_share_a_model_where_that_pays(self):
        outcome = Outcome("--backend=fake", devices=WHITELIST + ";bandwidth=1e6")
        self.check_answers(outcome)
        self.check_true(outcome)
        self.assertEqual(outcome.devices, ["fake:0", "fake:1"])
        first, second = outcome.report["route"]["parts"]
        self.assertEqual(first["operators"] + second["operators"], outcome.report["route"]["operators"])
        self.assertGreater(first["operators"], second["operators"])
        self.assertIn(f"fake:0 doesn't run {second['operators']} of", outcome.notices[0])

    def test_a_state_stays_on_one_device(self):
        # Neither attention nor its cache can be split: what stores into a cache goes where attention is.
        outcome = Outcome("--backend=fake", devices="without=attention;bandwidth=1e6")
        self.check_answers(outcome)
        self.check_true(outcome)
        self.assertEqual(outcome.devices, ["fake:0", "fake:1"])

    def test_two_together_run_what_neither_runs_alone(self):
        outcome = Outcome("--backend=fake", devices="without=rope;without=delta_gate")
        self.check_answers(outcome)
        self.check_true(outcome)
        self.assertEqual(outcome.devices, ["fake:0", "fake:1"])

    def test_a_second_choice_is_taken_in_the_given_order(self):
        outcome = Outcome("--backend=fake:0,fake:1,cpu", devices="linear=F32;bandwidth=1e12")
        self.check_answers(outcome)
        self.check_true(outcome)
        self.assertEqual(outcome.devices, ["fake:1"])


if __name__ == "__main__":
    unittest.main()
