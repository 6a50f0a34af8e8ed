"""Files that are given in place of a model are told by name, wherever a model is opened."""

from __future__ import annotations

import pathlib

import builders
import pytest

from tvmq_delegate import models
from tvmq_delegate.models import ModelError
from tvmq_delegate.models.formats import check_header

MODEL = builders.build_conv()

# How files begin that are no models, and what is said of them.
NO_MODELS = {
    b"": "an empty file",
    b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n": "a Git LFS pointer",
    b"<!DOCTYPE html>\n<html>": "an HTML page",
    b"\n\n  <html lang=en>": "an HTML page",
    b"<?xml version='1.0'?><Error>NoSuchKey</Error>": "an XML file",
    b"PK\x03\x04\x14\0\0\0": "a zip archive",
    b"\x1f\x8b\x08\0\0\0\0\0": "a gzip archive",
    bytes(257) + b"ustar\0": "a tar archive",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file",
    b"\x08\x07\x12\x07pytorch": "a protobuf, such as an ONNX model",
    b"\x08\x01\x12\xc0\x3b\x12": "a protobuf, such as an ONNX model",
    b"\n\x9a\x01\n\x05input\x12\x0bPlaceholder": "a protobuf, such as an ONNX model",
    b"\x80\x02\x8a\nl\xfc\x9cF": "a Python pickle",
    b"\x18\0\0\0ORTM": "an ONNX Runtime model",
    b'{"message": "Not Found"}': "a JSON file",
    b"[\n1, 2]": "a JSON file",
    b"404: Not Found": "a text file",
    b"x": "a text file",
}


@pytest.mark.parametrize("begin, what", NO_MODELS.items())
def test_what_is_no_model_is_told(tmp_path: pathlib.Path, begin: bytes, what: str) -> None:
    path = tmp_path / "model.tflite"
    for content in (begin, begin + bytes(5000)) if begin and not begin.isascii() else (begin,):
        path.write_bytes(content)
        for source in (path, content):
            with pytest.raises(ModelError, match=f"^not a TFLite model, but {what}"):
                models.ops(source)


def test_a_model_is_taken_for_nothing_else() -> None:
    """Its first four bytes may be anything."""
    for begin in NO_MODELS:
        check_header(begin[:4].ljust(4, b"\0") + MODEL[4:512])
