"""Build backend: meson-python, with the wheel tagged for what is in it.

meson-python takes any file in the platform's library directory for an extension module and ties the wheel to one version of Python. Ours is a plain shared
library beside pure Python, the same for all of them: py3-none-<platform>.
"""

import os
import subprocess
import sys

import mesonpy
from mesonpy import *  # noqa: F403  (the other hooks, as they are)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = mesonpy.build_wheel(wheel_directory, config_settings, metadata_directory)
    command = [sys.executable, "-m", "wheel", "tags", "--remove", "--python-tag=py3", "--abi-tag=none", os.path.join(wheel_directory, name)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1]
