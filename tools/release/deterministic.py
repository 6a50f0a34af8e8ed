"""Archives whose bytes depend on what is in them alone: sorted, with one time and one owner."""

from __future__ import annotations

import gzip
import hashlib
import io
import pathlib
import tarfile
import time
import zipfile
from collections.abc import Mapping

Contents = Mapping[str, bytes | pathlib.Path]  # name in the archive -> its bytes, or the file or symbolic link that has them


def _bytes(content: bytes | pathlib.Path) -> bytes:
    return content if isinstance(content, bytes) else content.read_bytes()


def _mode(data: bytes) -> int:
    """Libraries and programs may be executed."""
    return 0o755 if data.startswith(b"\x7fELF") else 0o644


def write_zip(path: pathlib.Path, contents: Contents, epoch: int, *, last: tuple[str, ...] = ()) -> pathlib.Path:
    """A zip archive. last: names that stand at the end, in this order. A zip knows no time before 1980."""
    date_time = time.gmtime(max(epoch, 315619200))[:6]
    names = [*sorted(name for name in contents if name not in last), *last]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in names:
            info = zipfile.ZipInfo(name, date_time)
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            data = _bytes(contents[name])
            info.external_attr = (0o100000 | _mode(data)) << 16
            archive.writestr(info, data)
    return path


def write_tar(path: pathlib.Path, contents: Contents, epoch: int) -> pathlib.Path:
    """A .tar.gz archive; symbolic links stay what they are."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name in sorted(contents):
            content = contents[name]
            info = tarfile.TarInfo(name)
            info.mtime = epoch
            if isinstance(content, pathlib.Path) and content.is_symlink():
                info.type, info.linkname = tarfile.SYMTYPE, str(content.readlink())
                archive.addfile(info)
                continue
            data = _bytes(content)
            info.size, info.mode = len(data), _mode(data)
            archive.addfile(info, io.BytesIO(data))
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, epoch) as compressed:
        compressed.write(buffer.getvalue())
    return path


def sha256(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def checksums(folder: pathlib.Path) -> None:
    """SHA256SUMS of all other files in a folder, as `sha256sum --check` reads it."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    (folder / "SHA256SUMS").write_text("".join(f"{sha256(folder / name)}  {name}\n" for name in names), encoding="utf-8")
