"""Whether a file may be a TFLite model, by its first bytes, and what it is if not: the usual mistakes are told by name."""

from __future__ import annotations

import re

HEAD_BYTES = 512  # of a file, which tell
IDENTIFIER = b"TFL3"  # at byte 4

# Pattern of the first bytes -> what the file is, and what to do about it. The first one that fits holds.
_FORMATS: tuple[tuple[bytes, str], ...] = (
    (rb"\Z", "an empty file"),
    (rb"version https://git-lfs\.github\.com", "a Git LFS pointer, which stands for the file: `git lfs pull` fetches it"),
    (rb"(?i)(\xef\xbb\xbf)?\s*(<!--.*?-->\s*)?(<!doctype html|<html|<head|<body)", "an HTML page, which servers send in place of files: download the file"),
    (rb"(\xef\xbb\xbf)?\s*<", "an XML file"),
    (rb"PK(\x03\x04|\x05\x06|\x07\x08)", "a zip archive, as .keras and .task files are, too: unpack the .tflite file in it"),
    (rb"\x1f\x8b", "a gzip archive: unpack it"),
    (rb"BZh[1-9]", "a bzip2 archive: unpack it"),
    (rb"\xfd7zXZ\0", "an xz archive: unpack it"),
    (rb"\x28\xb5\x2f\xfd", "a Zstandard archive: unpack it"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7z archive: unpack it"),
    (rb"(?s).{257}ustar", "a tar archive: unpack it"),
    (rb"\x89HDF\r\n\x1a\n", "an HDF5 file, such as a Keras model: convert it"),
    (rb"GGUF", "a GGUF model"),
    (rb"\x93NUMPY", "a NumPy array"),
    (rb"(?s).{4}ORTM", "an ONNX Runtime model (.ort)"),
    (rb"(?s).{4}ET\d\d", "an ExecuTorch program"),
    (rb"\x08[\x01-\x7f]\x12|\x0a[\x80-\xff]?[\x01-\x7f]\x0a", "a protobuf, such as an ONNX model, a SavedModel or a frozen graph: convert it"),
    (rb"\x80[\x02-\x05]", "a Python pickle, such as PyTorch's"),
    (rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF", "a picture or a recording"),
    (rb"\x7fELF", "an ELF program or library"),
    (rb"(\xef\xbb\xbf)?\s*[{\[]\s*([\"{\[\]}\dtfn-])", "a JSON file"),
    (rb"\s*[\x20-\x7e\s]+\Z", "a text file"),
)


class ModelError(ValueError):
    """A model file that cannot be read, or a model that cannot be built; the message says what is wrong."""


def check_header(begin: bytes | memoryview) -> None:
    """Raises ModelError unless a file that begins like this may be a model. begin: HEAD_BYTES of it, or all if it has fewer."""
    begin = bytes(begin)
    if begin[4:8] == IDENTIFIER:
        return
    for pattern, what in _FORMATS:
        if re.match(pattern, begin):
            raise ModelError(f"not a TFLite model, but {what}")
    if len(begin) < 8:
        raise ModelError(f"not a TFLite model: {len(begin)} bytes are too few for a header")
    raise ModelError(f"not a TFLite model: the identifier at byte 4 is {begin[4:8]!r}, not {IDENTIFIER!r}")
