"""Wrong plugins of Python code: what their import does, and what their hooks answer."""

from wrong import Wrong

HEAD = """\
from flopsheet import Architecture, Dimension, Family, Line, hookimpl
flopsheet_api = "1.0"
"""
SOUND = """
WIDTH = Dimension("width", "Width", keys=("hidden_size",))

@hookimpl
def flopsheet_architectures():
    return [Architecture("toy", "Toy", "One matrix", (WIDTH,))]

@hookimpl
def flopsheet_families():
    return [Family("toy", "toy")]

@hookimpl
def flopsheet_parameters():
    return [Line("matrix", "width * width", "parameters", "mlp", title="M", source="S")]

@hookimpl
def flopsheet_flops():
    return [Line("product", "2*batch*width*width", "FLOP", "mlp", title="P", source="S", work="linear")]
"""
STDERR = "what plugins print goes to stderr"
RESTORED = "what an import changes of the process is put back"
IMPORTS = {
    "changes the working folder": ("import os\nos.chdir('/')\n", RESTORED),
    "changes the recursion limit": ("import sys\nsys.setrecursionlimit(60)\n", RESTORED),
    "prints": ("print('hello')\n", STDERR),
    "writes to the file 1": ("import os\nos.write(1, b'hello')\n", STDERR),
    "has no standard output": ("import sys\nsys.stdout = None\n", RESTORED),
    "has no standard error": ("import sys\nsys.stderr = None\n", RESTORED),
    "starts a thread that never ends": (
        "import threading, time\nthreading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()\n",
        "a daemon thread ends with the program",
    ),
    "starts a thread that raises": (
        "import threading\nthreading.Thread(target=lambda: 1 / 0).start()\n",
        "a thread's error is its own",
    ),
    "turns warnings into errors": ("import warnings\nwarnings.simplefilter('error')\n", "nothing of flopsheet warns"),
    "changes decimals": ("import decimal\ndecimal.getcontext().prec = 1\n", RESTORED),
    "takes Ctrl-C away": ("import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n", RESTORED),
    "makes floats trap": ("import numpy\nnumpy.seterr(all='raise')\n", "NumPy is told what to do where it is used"),
    "logs": ("import logging\nlogging.basicConfig(level=0)\nlogging.error('hello')\n", STDERR),
    "changes the language": ("import locale\nlocale.setlocale(locale.LC_ALL, 'C.UTF-8')\n", "no number is local"),
    "seeds chance": ("import random\nrandom.seed(1)\n", "no number is chance"),
    "adds to the path": ("import sys\nsys.path.insert(0, '/nowhere')\n", "imports go on"),
    "changes the environment": ("import os\nos.environ.clear()\n", RESTORED),
    "exits when it ends": ("import atexit, sys\natexit.register(sys.exit, 9)\n", "an exit at the end changes nothing"),
}
ENDING = {
    "ends the process": "import os\nos._exit(7)\n",
    "exits": "import sys\nsys.exit(0)\n",
    "exits with nothing": "raise SystemExit\n",
    "is interrupted": "class Stop(KeyboardInterrupt): pass\nraise Stop\n",
    "is no Python": "def (:\n",
    "is empty of sense": "\x00",
    "imports what is not there": "import nowhere_at_all\n",
    "imports itself in part": "from flopsheet import Nothing\n",
    "recurses": "def f(): f()\nf()\n",
    "asserts": "assert False, 'never'\n",
    "raises what cannot be printed": "class E(Exception):\n    def __str__(self): raise ValueError\nraise E\n",
    "raises a text of two lines": "raise ValueError('one\\ntwo\\x1b[31m')\n",
    "raises a text of a million characters": "raise ValueError('x' * 1_000_000)\n",
    "groups errors": "raise ExceptionGroup('many', [ValueError('one'), OSError('two')])\n",
}
AT_IMPORT = {
    f"import {what}": Wrong("import", HEAD + text + SOUND, ".py", alone=True, harmless=why)
    for what, (text, why) in IMPORTS.items()
} | {
    f"import {what}": Wrong("import", HEAD + text + SOUND, ".py", alone="ends" in what) for what, text in ENDING.items()
}


def asking(kind: str, of: str, answer: str, body: str = "", harmless: str = "") -> Wrong:
    """Return a file of Python whose hook answers so."""
    text = f"{HEAD}{SOUND}{body}\n@hookimpl\ndef flopsheet_{of}():\n    {answer}\n"
    return Wrong(kind, text, ".py", harmless)


HOOKS = {
    f"{hook} {what}": asking("hook", hook, answer)
    for hook in ("questions", "accelerators", "prices", "optimizers", "weight_formats", "scaling_laws", "exporters")
    for what, answer in {
        "give None": "return None",
        "give a number": "return [5]",
        "give no end": "return iter(int, 1)",
        "raise": "return {}['x']",
    }.items()
} | {
    "readers give None": asking("hook", "readers", "return None"),
    "readers raise": asking("hook", "readers", "raise OSError('no')"),
    "questions wait for what is not there": asking("hook", "questions", "return open('/nowhere/at/all')"),
    "questions exit": asking("hook", "questions", "raise SystemExit(0)"),
    "questions change the folder": asking("hook", "questions", "import os; os.chdir('/'); return []")._replace(
        alone=True, harmless=RESTORED
    ),
    "questions end the process": asking("hook", "questions", "import os; os._exit(5)")._replace(alone=True),
    "the lines of a reader are not hooks": asking("hook", "memory", "yield 5"),
}
