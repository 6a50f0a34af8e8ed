#!/usr/bin/env python3
"""Runs a model in LiteRT's CompiledModel with the delegate, on random input: run.py MODEL. Needs LiteRT 2.2 or newer."""

from __future__ import annotations

import argparse

import numpy as np
from ai_edge_litert.compiled_model import CompiledModel, CpuOptions, Options

import tvmq_delegate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    path = parser.parse_args().model
    environment = tvmq_delegate.environment()
    options = Options(cpu_options=CpuOptions(num_threads=2))
    model = CompiledModel.from_file(path, environment=environment, options=options)
    signature, names = next(iter(model.get_signature_list().items()))
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
    for name, buffer in zip(names["inputs"], inputs):
        detail = model.get_input_tensor_details(signature)[name]
        buffer.write(np.random.default_rng(0).integers(0, 127, detail["shape"]).astype(detail["dtype"]))
    model.run_by_index(0, inputs, outputs)
    detail = model.get_output_tensor_details(signature)[names["outputs"][0]]
    print(outputs[0].read(int(np.prod(detail["shape"])), np.dtype(detail["dtype"]).type)[:8])
    (delegate,) = tvmq_delegate.delegates(environment)
    summary = tvmq_delegate.report(delegate).summary
    print(f"{summary.claimed} of {summary.nodes} nodes by the delegate, {summary.threads} threads")


if __name__ == "__main__":
    main()
