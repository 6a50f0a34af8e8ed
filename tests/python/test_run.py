"""`tvmq run`: unmodified programs get the delegate, and are otherwise as they were."""

from __future__ import annotations

import functools
import inspect
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import builders
import harness
import numpy as np
import pytest
import test_pages

import tvmq_delegate
from tvmq_delegate import binding
from tvmq_delegate.hosts import calls

PRELOAD = "libtvmq_preload.so"

pytestmark = pytest.mark.skipif(harness.EMULATED, reason="other Pythons are started without the emulator's folders")

PROGRAM = """
import sys
import numpy as np
import {module} as runtime
interpreter = runtime.Interpreter(model_path=sys.argv[1])
interpreter.allocate_tensors()
detail = interpreter.get_input_details()[0]
values = np.random.default_rng(3).integers(-128, 128, detail["shape"]).astype(detail["dtype"])
for _ in range(7):
    interpreter.set_tensor(detail["index"], values)
    interpreter.invoke()
print(interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).tobytes().hex())
sys.exit(7)
"""


@pytest.fixture
def model(tmp_path) -> pathlib.Path:
    path = tmp_path / "model.tflite"
    path.write_bytes(builders.build_fully_connected())
    return path


def started(*command: str | os.PathLike[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*map(str, command)], check=False, capture_output=True, text=True, env={**os.environ, **environment})


def run(*arguments: str | os.PathLike[str], **environment: str) -> subprocess.CompletedProcess[str]:
    return started(sys.executable, "-m", "tvmq_delegate", "run", *arguments, **environment)


def test_programs_do_not_wait_for_imports():
    """The hook imports none of the slow modules that other programs do without."""
    folder = pathlib.Path(tvmq_delegate.__file__).parents[1]
    script = f"import sys; sys.path.insert(0, {str(folder)!r}); import tvmq_delegate.hosts.attach; print(*sys.modules)"
    imported = set(started(sys.executable, "-I", "-S", "-c", script).stdout.split())
    assert "tvmq_delegate.binding.loader" in imported
    assert imported & {"inspect", "pathlib", "importlib.resources", "click", "cffi", "numpy", "json", "subprocess", "tempfile"} == set()


@pytest.mark.parametrize(
    ("arguments", "named", "found"),
    [
        ((1,), {}, {"a": 1}),
        ((1, 2), {"d": 4}, {"a": 1, "b": 2, "d": 4}),
        ((), {"b": 2, "a": 1}, {"a": 1, "b": 2}),
        ((), {}, None),
        ((1, 2, 3), {}, None),
        ((1,), {"a": 1}, None),
        ((1,), {"e": 5}, None),
    ],
)
def test_arguments_by_name(arguments, named, found):
    """As the module inspect binds them."""

    def function(a, b=2, *, d=3):
        pass

    @functools.wraps(function)
    def wrapped(*arguments, **named):
        return function(*arguments, **named)

    for called in (function, wrapped):
        assert calls.by_name(called, arguments, named) == found
        try:
            assert found == inspect.signature(called).bind(*arguments, **named).arguments
        except TypeError:
            assert found is None
    assert calls.by_name(lambda *rest: rest, arguments, named) is None and calls.by_name(len, arguments, named) is None


def lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines about the delegate."""
    return [line for line in done.stderr.splitlines() if line.startswith("tvmq: ")]


def program(folder: pathlib.Path, text: str) -> pathlib.Path:
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("place", ["before", "after"])
def test_programs_may_clear_their_environment(runtime, model, tmp_path, place):
    """Before the runtime is imported, or after."""
    text = PROGRAM.format(module=runtime.module.__name__)
    line = "interpreter = runtime" if place == "after" else "import numpy"
    done = run("--compare", program(tmp_path, text.replace(line, f"import os; os.environ.clear()\n{line}", 1)), model)
    assert done.returncode == 7 and len(lines(done)) == 1, done.stderr


def test_what_a_closed_stderr_is_spared(runtime, model, tmp_path):
    """The line of the end goes nowhere else."""
    path = program(tmp_path, PROGRAM.format(module=runtime.module.__name__))
    done = started("sh", "-c", f"exec '{sys.executable}' -m tvmq_delegate run '{path}' '{model}' 2>&-")
    assert done.returncode == 7 and "tvmq:" not in done.stdout


def test_names_are_found_as_the_shell_finds_them(tmp_path):
    """A folder or a file of the same name is no program."""
    (tmp_path / "true").mkdir()
    done = subprocess.run([sys.executable, "-m", "tvmq_delegate", "run", "true"], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_library_that_is_not_there(model):
    done = run("--options", "num_threads=2", "true", TVMQ_LIBRARY="/absent.so")
    assert done.returncode == 2 and "/absent.so" in done.stderr and "None" not in done.stderr


@pytest.mark.parametrize("options", [(), ("--options", "num_threads=2"), ("--compare",)])
def test_results_are_the_references(runtime, model, tmp_path, options):
    done = run(*options, program(tmp_path, PROGRAM.format(module=runtime.module.__name__)), model)
    interpreter = runtime.module.Interpreter(str(model), experimental_op_resolver_type=runtime.module.OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    detail = interpreter.get_input_details()[0]
    values = np.random.default_rng(3).integers(-128, 128, detail["shape"]).astype(detail["dtype"])
    assert done.stdout == harness.run(interpreter, values)[0].tobytes().hex() + "\n"
    assert done.returncode == 7
    (line,) = lines(done)
    assert line.startswith("tvmq: 1 network with 1 of 1 nodes by the delegate")
    assert ("--compare" in options) == bool(re.search(r"; 6 inferences took \S+ ms instead of \S+ ms \(\S+ times as fast\)$", line)), line


def test_modules_and_child_processes(runtime, model, tmp_path):
    """A program that starts itself as a module, twice."""
    program(tmp_path, PROGRAM.format(module=runtime.module.__name__))
    parent = tmp_path / "parent.py"
    parent.write_text(
        f"import subprocess, sys\nimport {runtime.module.__name__}\n"
        "for _ in range(2): subprocess.run([sys.executable, '-m', 'program', sys.argv[1]], check=False)\n",
        encoding="utf-8",
    )
    done = run("-m", "parent", model, PYTHONPATH=str(tmp_path))
    first, second = done.stdout.splitlines()
    assert first == second and done.returncode == 0
    assert [line.partition(" by")[0] for line in lines(done)] == ["tvmq: 2 networks with 2 of 2 nodes"]


def test_delegates_of_the_programs_own_are_left_alone(runtime, model, tmp_path):
    text = PROGRAM.replace("model_path=sys.argv[1]", "model_path=sys.argv[1], experimental_delegates=[tvmq_delegate.load(runtime=runtime)]")
    done = run(program(tmp_path, "import tvmq_delegate\n" + text.format(module=runtime.module.__name__)), model)
    assert done.returncode == 7
    assert [line.partition(" by")[0] for line in lines(done)] == ["tvmq: 0 networks with 0 of 0 nodes"]


@pytest.mark.parametrize(
    "text",
    [
        "import sys; print(sys.argv, __name__, __file__); raise KeyError('of the program')",
        "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
        "import os; os._exit(3)",
        "import sys; sys.stdout.write(sys.stdin.read()); sys.exit('said at the end')",
        "import signal; print(signal.getsignal(signal.SIGPIPE), signal.getsignal(signal.SIGINT))",
        "syntax error",
    ],
)
def test_programs_without_a_runtime_are_as_they_were(tmp_path, text):
    path = program(tmp_path, text)
    plain, done = started(sys.executable, path, "a", "--b"), run(path, "a", "--b")
    assert (done.returncode, done.stdout, done.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def test_nothing_is_imported_before_a_runtime(tmp_path):
    """Neither by the command, whose modules the program would wait for, nor by the hook in the program."""
    path = program(tmp_path, "import sys; print(*sorted(sys.modules))")
    plain, done = started(sys.executable, path), run(path)
    frozen = {"importlib._bootstrap", "importlib._bootstrap_external"}  # which importlib names, and every Python has loaded
    assert {*done.stdout.split()} - {*plain.stdout.split()} - frozen <= {"__future__", "importlib", "sitecustomize", "warnings"}
    package = tmp_path / "installed" / "tvmq_delegate"  # an editable installation imports what finds its files
    shutil.copytree(pathlib.Path(tvmq_delegate.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(binding.packaged(PRELOAD).resolve(), package / PRELOAD)
    command = [sys.executable, "-S", "-X", "importtime", "-m", "tvmq_delegate", "run", "--compare", path]
    listed = started(*command, PYTHONPATH=str(package.parent)).stderr
    ours = {line.rpartition("|")[2].strip() for line in listed.partition("| tvmq_delegate\n")[2].splitlines()}
    assert "tvmq_delegate.hosts.launch" in ours
    assert not ours & {"click", "ctypes", "cffi", "numpy", "typing", "inspect", "subprocess", "tvmq_delegate.binding", "tvmq_delegate.cli"}


SEEN = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 shows the frame of the hook in tracebacks")


def said(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines on stderr that are the program's."""
    return [line for line in done.stderr.splitlines() if not line.startswith(("tvmq: ", "INFO: ", "W0000", "I0000"))]


@SEEN
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ((), PROGRAM),  # the model is none
        ((), "import {module} as runtime\nruntime.Interpreter(no_such_argument=1)\n"),
        ((), "import {module} as runtime\nruntime.Interpreter(model_content=b'short', experimental_preserve_all_tensors=True)\n"),
        (("--compare",), PROGRAM.replace("interpreter.allocate_tensors()", "pass").replace("sys.argv[1]", "sys.argv[2]")),  # not allocated
    ],
)
def test_errors_of_a_network_are_the_runtimes(runtime, model, tmp_path, text, options):
    (tmp_path / "none.tflite").write_bytes(b"no model")
    path = program(tmp_path, text.format(module=runtime.module.__name__))
    plain, done = started(sys.executable, path, tmp_path / "none.tflite", model), run(*options, path, tmp_path / "none.tflite", model)
    assert (done.returncode, done.stdout, said(done)) == (1, "", said(plain)) and plain.returncode == 1


@SEEN
def test_errors_of_a_runtime_are_its_own(tmp_path):
    """A runtime that cannot be imported."""
    (tmp_path / "tflite_runtime").mkdir()
    for name, text in (("__init__", ""), ("interpreter", "def fail():\n    raise OSError('no such library')\n\n\nfail()\n")):
        (tmp_path / "tflite_runtime" / f"{name}.py").write_text(text, encoding="utf-8")
    path = program(tmp_path, "import tflite_runtime.interpreter")
    plain, done = started(sys.executable, path, PYTHONPATH=str(tmp_path)), run(path, PYTHONPATH=str(tmp_path))
    assert "no such library" in plain.stderr and (done.returncode, done.stderr) == (1, plain.stderr)


def test_a_network_without_nodes_for_the_delegate_is_opened_without_it(runtime, tmp_path):
    """A delegate that takes nothing would still be asked at each change of shape."""
    (tmp_path / "model.tflite").write_bytes(builders.build_conv(dtype="float32"))
    text = f"import {runtime.module.__name__} as runtime, sys\ninterpreter = runtime.Interpreter(sys.argv[1])\nprint(getattr(interpreter, '_delegates', []))\n"
    done = run(program(tmp_path, text), tmp_path / "model.tflite")
    assert (done.returncode, done.stdout) == (0, "[]\n")
    assert lines(done) == ["tvmq: 1 network with 0 of 1 nodes by the delegate"]


def test_a_network_that_cannot_be_opened_is_told(runtime, tmp_path):
    (tmp_path / "model.tflite").write_bytes(b"no model")
    (line,) = lines(run(program(tmp_path, PROGRAM.format(module=runtime.module.__name__)), tmp_path / "model.tflite"))
    assert "1 network without it: " in line


def test_report(runtime, model, tmp_path):
    """One page for networks of files, of memory, of child processes, and those that could not be opened."""
    for module in ("plotly", "jinja2", "grandalf"):
        pytest.importorskip(module, reason="the extra `report` is not installed: no pages")
    text = PROGRAM.format(module=runtime.module.__name__)
    program(tmp_path, text.replace("model_path=sys.argv[1]", "model_content=open(sys.argv[1], 'rb').read()"))
    parent = tmp_path / "parent.py"
    text = text.replace("sys.exit(7)", "import subprocess; sys.exit(subprocess.call([sys.executable, 'program.py', sys.argv[1]]))")
    parent.write_text(f"{text.partition('interpreter =')[0]}\ntry: runtime.Interpreter(sys.argv[2])\nexcept ValueError: pass\n{text}", encoding="utf-8")
    (tmp_path / "<b>none.tflite").write_bytes(b"no model")
    page = tmp_path / "page.html"
    command = [sys.executable, "-m", "tvmq_delegate", "run", "--compare", "--report", "page.html", parent, model, "<b>none.tflite"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 7 and f"{page}: written" in done.stderr, done.stderr
    written = page.read_text(encoding="utf-8")
    rows = re.findall(r"<tr><td .*?</tr>", written)
    assert len(rows) == 3 and test_pages.stands_alone(written) and "<b>none" not in written
    for name in (str(model), "a model in memory"):
        (row,) = (row for row in rows if name in row)
        assert "<td>1</td><td>1</td><td>1</td><td>6</td>" in row  # opened once; 1 of 1 nodes; 6 inferences after the first
    (row,) = (row for row in rows if "none.tflite" in row)
    assert "<td>0</td><td>0</td><td></td>" in row and not row.endswith('"text wrap left"></td></tr>')
    assert written.count("There is no graph: ") == 1 and written.count("FULLY_CONNECTED") >= 2
    assert [path.name for path in tmp_path.glob("tvmq-run-*")] == []


def test_a_report_that_cannot_be_written_is_refused_first(tmp_path):
    done = run("--report", tmp_path / "none" / "page.html", program(tmp_path, "print('started')"))
    assert (done.returncode, done.stdout) == (2, "") and "page.html: no file can be written there" in done.stderr


def test_signals_reach_the_program(runtime, tmp_path):
    path = program(tmp_path, f"import {runtime.module.__name__}, time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    process = subprocess.Popen([sys.executable, "-m", "tvmq_delegate", "run", str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == -signal.SIGTERM
    process.stdout.close()


def test_compiled_models(tmp_path, model):
    pytest.importorskip("ai_edge_litert.environment", reason="CompiledModel takes the delegate from LiteRT 2.2 on: pip install 'ai-edge-litert>=2.2'")
    if harness.SANITIZED:
        pytest.skip("LiteRT loads its plugins by RTLD_DEEPBIND, at which a sanitizer ends the process")
    text = "import sys\nfrom ai_edge_litert.compiled_model import CompiledModel\nCompiledModel.from_file(sys.argv[1])\n"
    done = run(program(tmp_path, text), model)
    assert done.returncode == 0
    assert [line.partition(" by")[0] for line in lines(done)] == ["tvmq: 1 network with 1 of 1 nodes"]


def test_the_users_sitecustomize_runs(tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import os\nif 'TVMQ_RUN' in os.environ: print('of the user')\n", encoding="utf-8")
    assert run(program(tmp_path, "print('program')"), PYTHONPATH=str(tmp_path)).stdout == "of the user\nprogram\n"


HOST = """
#include <stdio.h>
#include "unit/fake_c_library.h"
int main(void) {
  static const TfLiteModel model;
  TfLiteInterpreter *interpreter = TfLiteInterpreterCreate(&model, NULL);
  printf("%d delegates\\n", interpreter->options.n);
  TfLiteInterpreterDelete(interpreter);
  return 5;
}
"""


@pytest.mark.skipif(harness.SANITIZED, reason="a sanitizer's library is to be loaded before all others")
def test_programs_that_are_linked_to_the_c_library(tmp_path):
    """And Python programs that open it by ctypes. The C library is the fake one of the C tests, in which no nodes are offered to the delegate."""
    (tmp_path / "host.c").write_text(HOST, encoding="utf-8")
    tests, library, host = harness.REPOSITORY / "tests", tmp_path / "libfake.so", tmp_path / "host"
    subprocess.run(["cc", "-shared", "-fPIC", f"-I{tests}", tests / "unit/fake_c_library.c", "-o", library], check=True)
    subprocess.run(["cc", f"-I{tests}", tmp_path / "host.c", library, f"-Wl,-rpath,{tmp_path}", "-o", host], check=True)
    plain, done = started(host), run("--", host)
    assert (plain.returncode, plain.stdout, plain.stderr) == (5, "0 delegates\n", "")
    assert (done.returncode, done.stdout, done.stderr) == (5, "1 delegates\n", "tvmq: 1 network with 0 of 0 nodes by the delegate\n")
    text = f"import ctypes\nlibrary = ctypes.CDLL({str(library)!r})\nlibrary.TfLiteInterpreterCreate(bytes(8), None)\nprint(library.fake_alive())\n"
    done = run(program(tmp_path, text))
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "tvmq: 1 network with 0 of 0 nodes by the delegate\n")


def test_what_cannot_be_run(tmp_path):
    path = program(tmp_path, "print('started')")
    wrong = run("--options", "colour=red", path)
    assert (wrong.returncode, wrong.stdout) == (2, "") and "unknown option colour" in wrong.stderr
    absent = run("no-such-program")
    assert (absent.returncode, absent.stdout) == (2, "") and "no-such-program" in absent.stderr
