"""Starts the server that was just installed with a model that returns its input, and asks it.  usage: VENV/bin/python check.py SERVER_FOLDER"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

server = pathlib.Path(sys.argv[1])
configuration = '''
name: "echo"
backend: "python"
input [ { name: "IN" data_type: TYPE_INT32 dims: [ -1 ] } ]
output [ { name: "OUT" data_type: TYPE_INT32 dims: [ -1 ] } ]
instance_group [ { count: 1 kind: KIND_CPU } ]
'''
model = '''
import triton_python_backend_utils as backend

class TritonPythonModel:
    def execute(self, requests):
        values = [backend.get_input_tensor_by_name(request, "IN").as_numpy() for request in requests]
        return [backend.InferenceResponse([backend.Tensor("OUT", value)]) for value in values]
'''


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


def ask(port):
    body = {'inputs': [{'name': 'IN', 'datatype': 'INT32', 'shape': [3], 'data': [1, 2, 3]}]}
    request = urllib.request.Request(f'http://127.0.0.1:{port}/v2/models/echo/infer', json.dumps(body).encode())
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return json.load(direct.open(request, timeout=10))['outputs'][0]['data']


with tempfile.TemporaryDirectory() as repository:
    folder = pathlib.Path(repository) / 'echo'
    (folder / '1').mkdir(parents=True)
    (folder / 'config.pbtxt').write_text(configuration)
    (folder / '1/model.py').write_text(model)
    port = free_port()
    process = subprocess.Popen(
        [server / 'bin/tritonserver', f'--model-repository={repository}', f'--backend-directory={server}/backends',
         '--http-address=127.0.0.1', f'--http-port={port}', '--allow-grpc=false', '--allow-metrics=false',
         f'--backend-config=python,shm-region-prefix-name=vig-setup-{os.getpid()}-', '--exit-timeout-secs=1'],
        env={**os.environ, 'PATH': f'{pathlib.Path(sys.executable).parent}:{os.environ["PATH"]}'})  # the stub takes python3 from PATH
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                answer = ask(port)
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    sys.exit('the server ended' if process.poll() is not None else 'the server was not ready within 60 s')
                time.sleep(0.1)
    finally:
        process.terminate()
        process.wait(20)
sys.exit(None if answer == [1, 2, 3] else f'a wrong answer: {answer}')
