"""Makes the ROS 2 wheels in a venv usable as an install prefix.  usage: VENV/bin/python repair.py"""
import pathlib
import re
import subprocess
import sys
import sysconfig

import numpy

prefix = pathlib.Path(sys.prefix)

# The exported CMake targets name the include folders of the machine that the wheels were built on.
numpy_there = re.compile(r'/opt/python/[^/;"]+/lib/python3\.\d+/site-packages/numpy/_core/include')
python_there = re.compile(r'/opt/python/[^/;"]+/include/python3\.\d+')
for file in prefix.glob('share/**/*.cmake'):
    text = file.read_text()
    if '/opt/python/' in text:
        file.write_text(python_there.sub(sysconfig.get_paths()['include'], numpy_there.sub(numpy.get_include(), text)))

# The C libraries are linked to Python extensions that they do not use; outside Python: undefined symbol PyExc_RuntimeError.
patchelf = prefix / 'bin/patchelf'
for name in 'librcl.so', 'librcl_action.so', 'librcl_lifecycle.so':
    library = prefix / 'lib' / name
    needed = subprocess.run([patchelf, '--print-needed', library], check=True, capture_output=True, text=True).stdout.split()
    for extension in needed:
        if extension.endswith('__rosidl_generator_py.so'):
            subprocess.run([patchelf, '--remove-needed', extension, library], check=True)

# rclnodejs' build finds the prefix by `which ros2`; no wheel has that command.
command = prefix / 'bin/ros2'
command.write_text('#!/bin/sh\necho "the ros2 command is not among the wheels of ROS 2" >&2\nexit 127\n')
command.chmod(0o755)
