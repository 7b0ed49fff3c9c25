"""A network of onnxruntime as a model of Triton's Python backend: model.onnx beside this file, one thread."""
import os

import onnxruntime
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors; the exporters left unused weights that it would list
        network = os.path.join(args['model_repository'], args['model_version'], 'model.onnx')
        self.session = onnxruntime.InferenceSession(network, options, providers=['CPUExecutionProvider'])
        self.names = [output.name for output in self.session.get_outputs()]

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        feed = {tensor.name(): tensor.as_numpy() for tensor in request.inputs()}
        values = self.session.run(self.names, feed)
        return pb_utils.InferenceResponse([pb_utils.Tensor(name, value) for name, value in zip(self.names, values)])
