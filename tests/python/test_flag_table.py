"""The table of benchmark_model's and inference_diff's flags in docs/tools.md: it has all of them, and says of each truly whether the command takes it."""

from __future__ import annotations

import re

import click
import harness
import pytest

from tvmq_delegate import cli

# As TensorFlow's documents of the two tools and of their delegates list them.
BENCHMARK_MODEL = """
graph num_threads warmup_runs warmup_min_secs num_runs min_secs max_secs run_delay run_frequency enable_op_profiling max_profiling_buffer_entries
allow_dynamic_profiling_buffer_increase profiling_output_csv_file op_profiling_output_mode op_profiling_output_file print_preinvoke_state print_postinvoke_state
report_peak_memory_footprint memory_footprint_check_interval_ms dry_run verbose release_dynamic_tensors optimize_memory_for_large_tensors result_file_path
signature_to_run_for input_layer input_layer_shape input_layer_value_range input_layer_value_files require_full_delegation use_caching allow_fp16
disable_delegate_clustering output_filepath max_delegated_partitions min_nodes_per_partition delegate_serialize_dir delegate_serialize_token
first_delegate_node_index last_delegate_node_index use_gpu gpu_precision_loss_allowed gpu_experimental_enable_quant gpu_inference_for_sustained_speed
gpu_backend gpu_wait_type use_nnapi nnapi_execution_preference nnapi_execution_priority nnapi_accelerator_name disable_nnapi_cpu nnapi_allow_fp16
nnapi_allow_dynamic_dimensions nnapi_use_burst_mode use_hexagon hexagon_profiling hexagon_lib_path use_xnnpack xnnpack_force_fp16 use_coreml coreml_version
external_delegate_path external_delegate_options stable_delegate_loader_settings
""".split()
INFERENCE_DIFF = "model_file num_runs num_interpreter_threads delegate output_file_path".split()

TEXT = (harness.REPOSITORY / "docs/tools.md").read_text(encoding="utf-8").partition("### Flags of TFLite's tools\n")[2].partition("\n#")[0]
ROWS = [(re.findall(r"`--(\w+)`", left), right) for left, right in re.findall(r"^\| (`--.*?) \| (.*?) \|$", TEXT, re.MULTILINE)]


def taken(command: click.Command) -> set[str]:
    context = click.Context(command)
    return {name.lstrip("-").replace("-", "_") for option in command.get_params(context) for name in (*option.opts, *option.secondary_opts)}


@pytest.mark.parametrize(("command", "flags"), [("bench", BENCHMARK_MODEL), ("diff", INFERENCE_DIFF)])
def test_every_flag_has_a_row(command: str, flags: list[str]) -> None:
    listed = [flag for names, _ in ROWS for flag in names]
    assert len(listed) == len(set(listed)) and not set(flags) - set(listed)
    known = taken(cli.main.commands[command])
    for names, text in ROWS:
        for flag in set(names) & set(flags):
            assert (flag in known) == (not text.startswith("not ")), flag
