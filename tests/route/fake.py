"""Runs the program on fake devices, and judges whether what it said is what it did."""
import json
import os
import re
import subprocess

PROGRAM = os.environ["APRX_PROGRAM"]
PLUGINS = os.environ["APRX_FAKE_PLUGINS"]
MODEL = os.path.join(os.environ["APRX_SOURCE_DIR"], "models", "aprx-tiny-qwen35-UD-Q4_K_M.gguf")
QUESTION = "What is the capital of France?"
ANSWER = "The capital of France is Paris."

# The dtypes that a GPU's GEMV kernels usually begin with: no F16, which the demo model has in ssm_alpha and ssm_beta.
WHITELIST = "linear=F32+Q4_0+Q4_1+Q5_0+Q8_0+Q4_K+Q5_K+Q6_K"


def aprx(*arguments, devices="", unavailable="", lost_after=""):
    environment = {**os.environ, "APRX_FAKE_DEVICES": devices, "APRX_FAKE_UNAVAILABLE": unavailable,
                   "APRX_FAKE_LOST_AFTER": str(lost_after)}
    return subprocess.run([PROGRAM, *map(str, arguments), "--plugin-dir", PLUGINS], capture_output=True, text=True,
                          env=environment, timeout=300)


class Outcome:
    """One situation, met twice: once as text, once as JSON."""

    def __init__(self, *options, prompt=QUESTION, tokens=12, **fake):
        arguments = ["run", MODEL, "--prompt", prompt, "--temperature", 0, "--max-tokens", tokens, *options]
        self.text = aprx(*arguments, **fake)
        as_json = aprx(*arguments, "--json", **fake)
        self.code = as_json.returncode
        self.report = json.loads(as_json.stdout)
        self.said = self.text.stderr

    @property
    def notices(self):
        return [line for line in self.said.splitlines() if line.startswith("notice: ")]

    @property
    def devices(self):
        return [part["device"] for part in self.report["route"]["parts"]]


# A processor's name may have brackets in it: Intel(R).
PART = re.compile(r"([\w:]+) \((?:[^()]|\([^()]*\))*\), (\d+) of (\d+) (layers|operators)")


def judge(said, report):
    """Where banner, notices, route and record contradict each other; nothing if they agree."""
    banners = [line for line in said.splitlines() if line.startswith("Backend:")]
    route = report["route"]
    if route is None:
        return [] if not banners else ["a banner without a route"]
    wrong = []
    if len(banners) != 1:
        return [f"{len(banners)} banners"]
    if f"[route {route['digest']}]" not in banners[0]:
        wrong.append("the banner's digest is not the route's")
    told = [(device, int(count), int(total), unit) for device, count, total, unit in PART.findall(banners[0])]
    planned = [(part["device"], part[unit], route[unit], unit)
               for part, (_, _, _, unit) in zip(route["parts"], told)]
    if told != planned or len(told) != len(route["parts"]):
        wrong.append(f"the banner says {told}, the route {planned}")
    executed = [(work["device"], work["operators"]) for work in (report["figures"] or {}).get("executed", [])]
    if report["error"] is None and executed != [(part["device"], part["operators"]) for part in route["parts"]]:
        wrong.append(f"the executor ran {executed}")
    notices = [line for line in said.splitlines() if line.startswith("notice: ")]
    if [line.split()[1] for line in notices] != [passed["device"] for passed in route["passed_over"]]:
        wrong.append("the notices are not those of the route")
    for passed, notice in zip(route["passed_over"], notices):
        for text in [refusal["text"] for refusal in passed["refusals"]] + passed["remedies"]:
            if notice.count(text) != 1:
                wrong.append(f"said {notice.count(text)} times: {text}")
    return wrong


def spoiled(outcome):
    """The outcome with one lie each, which judge() must find: (what, said, report)."""
    said, report = outcome.said, outcome.report
    banner = next(line for line in said.splitlines() if line.startswith("Backend:"))
    yield "another device in the banner", said.replace(banner, banner.replace(outcome.devices[0], "cuda:7")), report
    yield "the banner twice", said.replace(banner, banner + "\n" + banner), report
    altered = json.loads(json.dumps(report))
    altered["route"]["parts"][0]["device"] = "cuda:7"
    yield "a route that was altered after printing", said, altered
    fewer = json.loads(json.dumps(report))
    fewer["figures"]["executed"][0]["operators"] -= 1
    yield "an operator that ran elsewhere", said, fewer
    for notice in outcome.notices[:1]:
        yield "a notice twice", said.replace(notice, notice + "\n" + notice), report
        yield "a notice with another dtype", said.replace(notice, notice.replace("F16", "BF16")), report
