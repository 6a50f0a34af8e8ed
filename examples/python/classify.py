#!/usr/bin/env python3
"""Names what an image shows: classify.py MODEL LABELS [IMAGE].

Without IMAGE it asks a camera again and again: that of a Raspberry Pi (apt-get install python3-picamera2), or with --camera 0 a camera at USB,
or the images of a video file (pip install opencv-python-headless).

    pip install '.[litert,images]'
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from PIL import Image

import tvmq_delegate


def frames(image: str | None, camera: int | str | None, size: tuple[int, int]) -> Iterator[np.ndarray]:
    """RGB pixels of the size that the model wants: of the file once, or of a camera as long as it gives images."""
    if image is not None:
        yield np.asarray(Image.open(image).convert("RGB").resize(size))
    elif camera is not None:
        yield from usb_frames(camera, size)
    else:
        yield from pi_frames(size)


def usb_frames(camera: int | str, size: tuple[int, int]) -> Iterator[np.ndarray]:
    """Images of /dev/video0 and so on, by Video4Linux, or of a video file."""
    try:
        import cv2
    except ModuleNotFoundError:
        sys.exit("--camera needs OpenCV: pip install opencv-python-headless; or give an IMAGE")

    is_device = isinstance(camera, int)
    source = cv2.VideoCapture(camera, cv2.CAP_V4L2 if is_device else cv2.CAP_ANY)
    if is_device:
        source.set(cv2.CAP_PROP_BUFFERSIZE, 1)  # the newest image, not one that has waited
    if not source.isOpened():
        hint = f": is there /dev/video{camera}, and may you read it (group video)? Or give an IMAGE" if is_device else ""
        sys.exit(f"camera {camera} cannot be opened{hint}")
    while True:
        there, pixels = source.read()
        if not there and is_device:
            sys.exit(f"camera {camera} gives no more images")
        if not there:
            return
        yield cv2.cvtColor(cv2.resize(pixels, size), cv2.COLOR_BGR2RGB)


def pi_frames(size: tuple[int, int]) -> Iterator[np.ndarray]:
    try:
        from picamera2 import Picamera2
    except ModuleNotFoundError:
        sys.exit("no IMAGE is given, and picamera2 is not installed: apt-get install python3-picamera2, or --camera 0 for a camera at USB")

    camera = Picamera2()
    camera.configure(camera.create_still_configuration({"size": size, "format": "BGR888"}))  # which is R, G, B in memory
    camera.start()
    while True:
        yield camera.capture_array()


def quantized(pixels: np.ndarray, detail: dict[str, Any]) -> np.ndarray:
    """Pixels from 0 to 255 as the model's input: uint8 as they are, int8 shifted, floats from -1 to 1."""
    if detail["dtype"] == np.uint8:
        return pixels[None]
    if detail["dtype"] == np.int8:
        return (pixels[None].astype(np.int16) - 128).astype(np.int8)
    return pixels[None].astype(np.float32) / 127.5 - 1


def number_or_file(text: str) -> int | str:
    return int(text) if text.isdigit() else text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("labels", help="a name on each line")
    parser.add_argument("image", nargs="?")
    parser.add_argument("--camera", type=number_or_file, metavar="N", help="images of a camera at USB, /dev/videoN, or of a video file")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    try:
        classify(options.model, options.labels, options.image, options.camera, options.threads)
    except (OSError, ValueError) as error:
        parser.error(str(error))


def classify(model: str, labels_file: str, image: str | None, camera: int | str | None, threads: int) -> None:
    labels = pathlib.Path(labels_file).read_text(encoding="utf-8").splitlines()
    with tvmq_delegate.Interpreter(model, num_threads=threads) as interpreter:
        detail = interpreter.get_input_details()[0]
        if len(detail["shape"]) != 4 or detail["shape"][3] != 3:
            raise ValueError(f"{model} does not take an RGB image, but an input of shape {[*map(int, detail['shape'])]}")
        _, height, width, _ = detail["shape"]
        for pixels in frames(image, camera, (int(width), int(height))):
            start = time.perf_counter()
            (scores,) = interpreter.run(quantized(pixels, detail))
            milliseconds = (time.perf_counter() - start) * 1e3
            best = int(scores[0].argmax())
            print(f"{labels[best] if best < len(labels) else best}: {milliseconds:.1f} ms", flush=True)


if __name__ == "__main__":
    main()
