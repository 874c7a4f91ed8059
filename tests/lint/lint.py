#!/usr/bin/env python3
"""Reads the sources against rules that the compiler does not know: lint.py RULE ROOT, or lint.py self-test.

  includes   who may include whom: FOLDERS below is the table of CONTRIBUTING.md
  banner     `Backend:` is spelled where a Route is rendered, and nowhere else in the program
  output     libraries and plugins print nothing
  comments   no comment tells of the past, the future or what other code does
  wording    no file speaks of the places and machines where it was written
"""
import pathlib
import re
import subprocess
import sys

SOURCES = (".cc", ".h", ".hpp", ".cu", ".cuh")
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^">]+)[">]', re.M)

# The part before the first slash, or the whole name, of headers that belong to no library of ours.
STANDARD = set("""
    algorithm any array atomic barrier bit bitset charconv chrono cmath compare complex concepts condition_variable coroutine
    deque exception execution filesystem forward_list format fstream functional future initializer_list iomanip ios iosfwd
    iostream istream iterator latch limits list locale map memory memory_resource mutex new numbers numeric optional ostream
    queue random ranges ratio regex scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept
    stop_token streambuf string string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo
    unordered_map unordered_set utility valarray variant vector version
    cassert cctype cerrno cfenv cfloat cinttypes climits clocale csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib
    cstring ctime cuchar cwchar cwctype
    assert.h errno.h float.h inttypes.h limits.h math.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h time.h
""".split())
SYSTEM = {"unistd.h", "fcntl.h", "sched.h", "pthread.h", "signal.h", "dlfcn.h", "poll.h", "termios.h", "pwd.h", "grp.h",
          "elf.h", "link.h", "sys", "linux", "spawn.h", "cpuid.h", "fnmatch.h"}

# folder -> prefixes of what it may include beside the standard library. The longest folder that fits counts.
SDK = ("aprx/",)
CORE = SDK + ("core/", "spdlog/", "fmt/", "nlohmann/", *SYSTEM)
RUNTIME = SDK + ("core/", "runtime/", "fmt/", "nlohmann/")
APP = SDK + ("core/", "runtime/", "app/", "commit.h", "boost/program_options", "spdlog/", "fmt/", "nlohmann/", *SYSTEM)
FOLDERS = {
    "sdk/include": SDK + ("sys/mman.h",),
    "sdk/conformance": SDK + ("conformance/", "sdk/conformance/"),
    "core": CORE,
    "core/plugin": CORE + ("boost/dll",),
    "runtime": RUNTIME,
    "runtime/text": RUNTIME + ("pcre2.h", "unicode/", "boost/unordered/"),
    "runtime/check": RUNTIME + ("openssl/",),
    "app": APP,
    "app/terminal": APP + ("histedit.h", "editline/"),
    "app/server": APP + ("boost/asio", "boost/beast", "openssl/"),
    "plugins/formats": SDK + ("plugins/formats/",),
    "plugins/cpu_simd": SDK + ("plugins/cpu_simd/", "hwy/", *SYSTEM),
    "plugins/cpu_simd/onednn": SDK + ("plugins/cpu_simd/", "hwy/", "oneapi/", "dnnl", "omp.h"),
    "plugins/cuda": SDK + ("plugins/cuda/", "cuda"),
    "plugins/reference": SDK + ("plugins/reference/", "conformance/", "sdk/conformance/", *SYSTEM),
}
# Within core an area may use itself, those before it, and those beside it.
CORE_ORDER = (("base",), ("dtype",), ("op", "graph"), ("capability",), ("plugin",), ("route",), ("exec",))
CORE_RANK = {area: rank for rank, areas in enumerate(CORE_ORDER) for area in areas}

PRINTS = re.compile(r"(?<![\w:])(?:std::)?(?:printf|fprintf|puts|fputs|putchar|vprintf|perror)\s*\("
                    r"|std::(?:cout|cerr|clog)\b|\bfmt::print(?:ln)?\b|\bstd::print(?:ln)?\b")

# Written in pieces so that this file keeps the rule too.
WORDING = re.compile("|".join((
    r"(?<![\w.])/" + r"work/\w", r"/tmp/" + r"b-\w", r"\bissues? " + r"(?:show|ci|note)\b", r"\bissue " + r"#?\d",
    r"\b(?:previous|earlier|this|next) (?:coding )?" + r"session\b(?! (?:holds|of a))", r"\bwork" + r"place\b",
    r"\bsub-?" + r"agent\b", r"\bsnapshot\.debian\." + r"org", r"\bdeb\.debian\." + r"org", r"\bpypi\." + r"org",
    r"\bproxy\.golang\." + r"org")), re.I)


# Words by which comments speak of the past, the future or other places.
HISTORY = re.compile(r"\b(?:used to \w+ (?!by|for)|no longer|previously|formerly|legacy|for now|temporarily|work-?around"
                     r"|TODO|FIXME|XXX|HACK)\b", re.I)


def without_comments(text):
    """The text with comments blanked; strings stay, since a printed line is a string."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    keep = lambda m: m.group() if m.group().startswith('"') else re.sub(r"[^\n]", " ", m.group())
    return re.sub(pattern, keep, text, flags=re.S)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def allowed_prefixes(path):
    fitting = [folder for folder in FOLDERS if path.startswith(folder + "/")]
    return FOLDERS[max(fitting, key=len)] if fitting else None


def is_in_order(path, target):
    """core/X may include core/Y where Y comes no later; one area that the order doesn't name may use all of core."""
    here, there = path.split("/")[1], target.split("/")[1]
    if here not in CORE_RANK:
        return True
    return there in CORE_RANK and CORE_RANK[there] <= CORE_RANK[here]


def check_includes(path, text):
    allowed = allowed_prefixes(path)
    if allowed is None or not path.endswith(SOURCES):
        return
    for match in INCLUDE.finditer(text):
        target, line = match.group(1), line_of(text, match.start(1))
        sibling = "/" not in target and (path.rsplit("/", 1)[0] + "/" + target) in check_includes.files
        if target.split("/")[0] in STANDARD or sibling:
            continue
        if not target.startswith(allowed):
            yield line, f"may not include {target}"
        elif path.startswith("core/") and target.startswith("core/") and not is_in_order(path, target):
            yield line, f"includes {target}, which comes later in core's order ({' '.join(CORE_RANK)})"


check_includes.files = set()


def check_banner(path, text):
    in_program = path.split("/")[0] in ("app", "core", "runtime", "plugins", "sdk")
    if not in_program or not path.endswith(SOURCES) or path == "core/route/render.cc":
        return
    for match in re.finditer(r"Backend:(?!:)", without_comments(text)):
        yield line_of(text, match.start()), "spells `Backend:`; only core/route/render.cc may"


def check_output(path, text):
    if path.split("/")[0] not in ("core", "runtime", "plugins", "sdk") or not path.endswith(SOURCES):
        return
    code = without_comments(text)
    for match in PRINTS.finditer(re.sub(r'"(?:\\.|[^"\\\n])*"', lambda m: '"' + " " * (len(m.group()) - 2) + '"', code)):
        yield line_of(text, match.start()), f"prints ({match.group().strip()}…); a library returns what it has to say"


def check_wording(path, text):
    for match in WORDING.finditer(text):
        yield line_of(text, match.start()), f"says '{match.group()}', which only its writers understand"


def check_comments(path, text):
    """A comment that tells what was, will be or happens elsewhere is soon untrue; the history is in git."""
    if not path.endswith(SOURCES):
        return
    code = without_comments(text)
    for match in HISTORY.finditer(text):
        if code[match.start():match.end()] != match.group():
            yield line_of(text, match.start()), f"says '{match.group()}' in a comment; say what holds here and why"


RULES = {"includes": check_includes, "banner": check_banner, "output": check_output, "wording": check_wording,
         "comments": check_comments}


def repository_files(root):
    """Files that git would commit; without git, all but what a build makes."""
    done = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                          capture_output=True, text=True)
    if done.returncode == 0 and done.stdout:
        return sorted(name for name in done.stdout.split("\0") if name)
    names = (p.relative_to(root).as_posix() for p in pathlib.Path(root).rglob("*") if p.is_file())
    return sorted(name for name in names if not name.startswith(("build", ".git/")))


def run(rule, root):
    files = repository_files(root)
    check_includes.files = set(files)
    read, found = 0, 0
    for name in files:
        try:
            text = (pathlib.Path(root) / name).read_text()
        except (UnicodeDecodeError, FileNotFoundError):
            continue  # a model or another binary file; or one that was deleted and not yet committed
        read += 1
        for line, message in RULES[rule](name, text):
            found += 1
            print(f"{name}:{line}: {message}")
    print(f"{rule}: {read} files read, {found} findings")
    return 1 if found or read == 0 else 0


# What each rule must find, and what it must let pass: (rule, path, text, number of findings).
CASES = [
    ("includes", "core/op/add.cc", '#include "core/base/error.h"\n#include <vector>\n#include "aprx/abi.h"\n', 0),
    ("includes", "core/op/add.cc", '#include "core/route/route.h"\n', 1),
    ("includes", "core/op/add.cc", "#include <boost/dll.hpp>\n", 1),
    ("includes", "core/plugin/library.cc", "#include <boost/dll/shared_library.hpp>\n", 0),
    ("includes", "core/base/error.cc", '#include "runtime/model/model.h"\n', 1),
    ("includes", "runtime/model/model.cc", "  #  include <pcre2.h>\n", 1),
    ("includes", "runtime/text/split.cc", "#include <pcre2.h>\n#include <unicode/normalizer2.h>\n", 0),
    ("includes", "runtime/text/split.cc", '#include "app/main.h"\n', 1),
    ("includes", "runtime/text/split.cc", "#include <openssl/evp.h>\n", 1),
    ("includes", "runtime/check/sha256.cc", "#include <openssl/evp.h>\n", 0),
    ("includes", "sdk/include/aprx/op.hpp", '#include <fmt/format.h>\n#include "core/base/result.h"\n', 2),
    ("includes", "plugins/cpu_simd/plugin.cc", '#include "core/base/result.h"\n#include <hwy/highway.h>\n', 1),
    ("includes", "plugins/cpu_simd/ops/add.cc", "#include <dnnl.hpp>\n", 1),
    ("includes", "plugins/formats/gguf/reader.cc", "#include <hwy/highway.h>\n", 1),
    ("includes", "app/main.cc", "#include <boost/program_options.hpp>\n#include <boost/beast.hpp>\n", 1),
    ("includes", "tests/core/error_test.cc", "#include <boost/dll.hpp>\n", 0),
    ("banner", "app/commands/run.cc", 'print("Backend: cpu");\n', 1),
    ("banner", "app/commands/run.cc", '// the Backend: line\nBackend::open();\n', 0),
    ("banner", "core/route/render.cc", '"Backend: "\n', 0),
    ("comments", "core/op/add.cc", "// This no longer copies.\nint x;  // TODO: copy\n", 2),
    ("comments", "core/op/add.cc", 'print("no longer here");\n', 0),
    ("output", "runtime/model/model.cc", 'std::cout << 1;\nprintf("x");\nfmt::print("x");\n', 3),
    ("output", "core/base/log.cc", 'snprintf(a, 1, "printf(x)"); // printf(\nmy::puts(x);\nvsnprintf(b);\n', 0),
    ("output", "app/main.cc", "std::cerr << 1;\n", 0),
    ("wording", "docs/a.md", "see /" + "work/main\n", 1),
    ("wording", "docs/a.md", "a session of a model; network/work/x; issue of memory\n", 0),
    ("wording", "core/a.cc", "// issue " + "12\n", 1),
]


def self_test():
    wrong = 0
    for rule, path, text, expected in CASES:
        got = len(list(RULES[rule](path, text)))
        if got != expected:
            wrong += 1
            print(f"{rule} {path}: {got} findings, not {expected}: {text!r}")
    print(f"self-test: {len(CASES)} cases, {wrong} wrong")
    return 1 if wrong else 0


if len(sys.argv) == 2 and sys.argv[1] == "self-test":
    sys.exit(self_test())
if len(sys.argv) != 3 or sys.argv[1] not in RULES:
    sys.exit(__doc__)
sys.exit(run(sys.argv[1], sys.argv[2]))
