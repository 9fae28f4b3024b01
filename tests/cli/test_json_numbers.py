"""cli: --json prints JSON, null where a number is none."""

import json
import math

import pytest

from neuralshade.cli.fit import _print_json


@pytest.mark.parametrize("loss", [math.inf, -math.inf, math.nan])
def test_what_json_lacks_is_null(capsys, loss):
    _print_json({"loss": loss, "psnr_db": 31.5, "values": {"tint": [loss, 1]}})

    def refuse(word):
        raise AssertionError(word)

    found = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert found == {"loss": None, "psnr_db": 31.5, "values": {"tint": [None, 1]}}
