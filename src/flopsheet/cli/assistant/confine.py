"""A process that reads one folder, writes nothing, starts nothing and connects to nothing.

Arguments are checked first, for a good message. The audit hook holds for everything else: a path in a portfolio, a link
in a folder that is searched, a cache. It cannot be removed, and judges a path by where its links end.
"""

from __future__ import annotations

import errno
import os
import sys
import sysconfig
from typing import TYPE_CHECKING, Any

from flopsheet.errors import UsageError
from flopsheet.host.local import user_folder

if TYPE_CHECKING:
    from pathlib import Path

OUTSIDE = "is outside the folder that this server may read"
READ = ("open", "os.listdir", "os.scandir")
"""What is allowed inside the folder."""
REFUSED = (
    *("os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink"),
    *("os.truncate", "os.utime", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system"),
    *("socket.bind", "socket.connect", "socket.getaddrinfo", "socket.sendto", "subprocess.Popen", "tempfile.mkstemp"),
)
"""What is not allowed at all."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def inside(folder: Path, text: str) -> str:
    """Return the path that an argument names, from the folder; UsageError for one that is elsewhere or not there."""
    path = (folder / text).resolve()
    if not path.is_relative_to(folder):
        raise UsageError(f"{text}: {OUTSIDE}")
    if not path.exists():
        raise UsageError(f"{text}: there is no such file or folder")
    return str(path.relative_to(folder))


def confine(folder: Path) -> None:
    """Let this process read the folder, Python's libraries and the user's plugins, and do nothing else outside."""
    libraries = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders = [
        str(folder),
        *libraries,
        *filter(os.path.isabs, sys.path),
        str(user_folder()),
    ]
    roots = tuple(dict.fromkeys(map(os.path.realpath, folders)))
    working = os.path.realpath(os.getcwd())  # noqa: PTH109 - os.path throughout: pathlib opens nothing here either
    roots = tuple(root for root in roots if root == str(folder) or root != working)

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event in REFUSED:
            raise PermissionError(errno.EPERM, f"{event} is not allowed: this server only reads")
        if event not in READ or not isinstance(arguments[0], str | bytes):
            return
        path = os.fsdecode(arguments[0])
        if event == "open" and (arguments[2] or 0) & WRITING:
            raise PermissionError(errno.EPERM, "this server only reads", path)
        if not _lies_in(os.path.realpath(path), roots):
            raise PermissionError(errno.EPERM, OUTSIDE, path)

    sys.addaudithook(refuse)


def _lies_in(path: str, roots: tuple[str, ...]) -> bool:
    return any(path == root or path.startswith(root.rstrip(os.sep) + os.sep) for root in roots)
