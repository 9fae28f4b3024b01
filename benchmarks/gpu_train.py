"""Training and inference on the GPU, beside PyTorch on the same one.

    python benchmarks/gpu_train.py [--quick] [--device cuda] [--kernels auto] [--no-torch]

Needs nothing but a GPU; writes results/gpu_train_<API>.json. What is measured, and how:
docs/bench.md. Without a hardware GPU it stops, unless --device names what to use; a software
adapter is then measured with small batches, and the tables say so.
"""

import argparse
import os
from typing import Any

from shared.results import write_results

import neuralshade
from neuralshade.cli.bench_table import rate, ratio, share
from neuralshade.gpu.open import hardware_adapter

Row = dict[str, Any]
RIVAL = "tiny-cuda-nn 2.0 on an H200, another run"  # commit 6ee3546, JIT fusion on
RIVAL_TRAINING = {  # network -> batch -> samples per second
    "A24": {2**14: 0.54e9, 2**16: 1.35e9, 2**18: 1.85e9, 2**20: 2.04e9, 2**21: 2.04e9},
    "B": {2**14: 0.90e9, 2**16: 2.26e9, 2**18: 3.81e9, 2**20: 4.68e9, 2**21: 4.73e9},
    "C": {2**14: 0.29e9, 2**16: 0.50e9, 2**18: 0.64e9, 2**20: 0.69e9, 2**21: 0.70e9},
}
RIVAL_INFERENCE = {"A24": 12.3e9, "B": 42.1e9, "C": 4.6e9}  # at 2^21 samples
RIVAL_EPOCH_MS = {"A24": 3.63, "B": 2.41, "C": 5.16}  # 128 steps of 1024


def training(rows: list[Row], quick: bool) -> list[Row]:
    """Return the table of training steps, roofline included."""
    rival = {} if quick else RIVAL_TRAINING
    return [
        {
            "network": row["network"],
            "batch": row["batch"],
            "kernels": row["kernels"],
            "step us": round(row["step_us"], 1),
            "samples/s": rate(row["samples_per_second"]),
            "PyTorch samples/s": rate(row["torch"]),
            "ratio": ratio(row["ratio"]),
            RIVAL: rate(rival.get(row["network"], {}).get(row["batch"])),
            "flop/sample": row["flops_per_sample"],
            "MB/step": round(row["bytes_per_step"] / 1e6, 2),
            "products": percent(row["product_share"]),
            "memory": percent(row["memory_share"]),
            "nearest ceiling": share(row),
            "skipped": row["skipped_steps"],
        }
        for row in rows
    ]


def inference(rows: list[Row], quick: bool) -> list[Row]:
    """Return the table of inference; small batches have nothing of the rival's beside them."""
    rival = {} if quick else RIVAL_INFERENCE
    return [
        {
            "network": row["network"],
            "batch": row["batch"],
            "kernels": row["kernels"],
            "samples/s": rate(row["samples_per_second"]),
            "PyTorch samples/s": rate(row["torch"]),
            "ratio": ratio(row["ratio"]),
            f"{RIVAL}, at 2^21": rate(rival.get(row["network"])),
        }
        for row in rows
    ]


def epochs(rows: list[Row], quick: bool) -> list[Row]:
    """Return the table of epochs as RTXNS has them, host included."""
    rival = {} if quick else RIVAL_EPOCH_MS
    return [
        {
            "network": row["network"],
            "steps": row["steps"],
            "batch": row["batch"],
            "ms": round(row["milliseconds"], 3),
            "PyTorch ms": "-" if row["torch"] is None else round(row["torch"], 1),
            "ratio": ratio(row["ratio"]),
            f"ms of {RIVAL}": rival.get(row["network"], "-"),
        }
        for row in rows
    ]


def host(rows: list[Row]) -> list[Row]:
    """Return the table of steps run one by one."""
    return [
        {
            "network": row["network"],
            "batch": row["batch"],
            "wall us": round(row["wall_us"], 1),
            "GPU us": round(row["gpu_us"], 1),
            "rest us": round(row["host_us"], 1),
            "host us to record and submit it": round(row["submit_us"], 1),
            "host us among many": round(row["record_us"], 1),
        }
        for row in rows
    ]


def percent(share_of_ceiling: float | None) -> str:
    """Return a share as text; '-' for none."""
    return "-" if share_of_ceiling is None else f"{100 * share_of_ceiling:.1f} %"


def megabytes(count: int | None) -> float | str:
    """Return bytes in MB; '-' where nobody knows."""
    return "-" if count is None else round(count / 1e6, 1)


def main() -> None:
    """Run the bench and write what it found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--device")
    parser.add_argument("--kernels", default="auto")
    parser.add_argument("--no-torch", action="store_false", dest="torch")
    options = parser.parse_args()
    if options.device is None and hardware_adapter() is None:
        print("left out: no hardware GPU answers")
        return
    found = neuralshade.bench(**vars(options), observer=lambda stage: print(stage, flush=True))
    adapter, twin, ceilings = found["adapter"], found["torch"], found["ceilings"]
    beside = twin and f"{twin['device']} ({twin['description'] or os.cpu_count()})"
    facts = {"gpu": f"{adapter['name']} ({adapter['api']})", "PyTorch": beside or "left out",
             "notes": "; ".join(found["notes"]) or "none"}  # fmt: skip
    if ceilings is not None:
        facts["ceilings"] = (f"{ceilings['half_flops'] / 1e12:.0f} TFLOP/s (float16 product), "
                             f"{ceilings['copy_bytes'] / 1e9:.0f} GB/s (copy)")  # fmt: skip
    memory = found["memory"]
    taken = {"network": memory["network"], "batch": memory["batch"],
             "MB of the fit": megabytes(memory["bytes"]),
             "MB of opening the device": megabytes(memory["opening_bytes"]),
             "source": memory["source"]}  # fmt: skip
    sections = {
        "Training": training(found["training"], found["quick"]),
        "Epochs, host included": epochs(found["epoch"], found["quick"]),
        "Inference": inference(found["inference"], found["quick"]),
        "Steps one by one": host(found["host"]),
        "Memory": [taken],
    }
    write_results(f"gpu_train_{adapter['api']}", sections, facts)


if __name__ == "__main__":
    main()
