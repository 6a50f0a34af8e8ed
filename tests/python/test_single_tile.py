"""Convolutions of one tile of pixels, whose channels do not fill their panels: what is stored in place keeps to the output's own rows."""

from __future__ import annotations

import builders
import harness
import numpy as np
import pytest

from tvmq_delegate.binding import library


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("channels", [7, 15, 17, 40, 63, 65, 90])
def test_every_number_of_rows(runtime: harness.Runtime, channels: int, dtype: str) -> None:
    for n_rows in (1, 4, 6, 7, 8, 12, 15, 16, 17):
        model = builders.build_conv(in_shape=(1, n_rows, 1, 24), out_c=channels, filter_size=(1, 1), dtype=dtype)
        expected = runtime.interpreter(model)
        value = np.random.default_rng(n_rows).integers(*{"int8": (-128, 128), "uint8": (0, 256)}[dtype], (1, n_rows, 1, 24)).astype(dtype)
        for isa in library.isas():
            if isa.available:
                delegate = runtime.load(isa=isa.name)
                delegated = runtime.interpreter(model, [delegate])
                harness.assert_claimed(delegate)
                harness.assert_equal(harness.run(delegated, value)[0], harness.run(expected, value)[0], f"{isa.name}, {n_rows} rows")
