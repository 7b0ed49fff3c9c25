"""What people write by hand: a node that calls the server in its image callback and publishes the answer.

usage: plain_node.py IMAGE_TOPIC RESULT_TOPIC ENDPOINT MODEL WIDTH HEIGHT inline|shared_memory OUT

Says `ready` once it is. On SIGTERM it writes one row a frame as JSON to OUT; see `stampRow` in recording.ts.
"""
import json
import os
import signal
import sys
import time

import numpy
import rclpy
import tritonclient.grpc as triton
import tritonclient.utils.shared_memory as shared_memory
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import Image
from vigilant_governor.msg import InferenceResult, Tensor

REGION = f'bench_plain_{os.getpid()}'


class PlainNode:
    def __init__(self, image_topic, result_topic, endpoint, model, width, height, transport):
        self.model, self.shape = model, (1, height, width, 3)
        self.client = triton.InferenceServerClient(endpoint)
        self.region = None
        if transport == 'shared_memory':
            self.bytes = width * height * 3
            self.region = shared_memory.create_shared_memory_region(REGION, f'/{REGION}', self.bytes)
            self.client.register_system_shared_memory(REGION, f'/{REGION}', self.bytes)
        self.infer(numpy.zeros(self.shape, numpy.uint8))
        self.rows = []
        self.node = rclpy.create_node('bench_plain')
        self.publisher = self.node.create_publisher(InferenceResult, result_topic, 10)
        qos = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self.node.create_subscription(Image, image_topic, self.receive, qos)

    def request(self, image):
        tensor = triton.InferInput('IMAGE', self.shape, 'UINT8')
        if self.region is None:
            tensor.set_data_from_numpy(image)
        else:
            shared_memory.set_shared_memory_region(self.region, [image])
            tensor.set_shared_memory(REGION, self.bytes)
        return [tensor]

    def infer(self, image):
        return self.client.infer(self.model, self.request(image))

    def receive(self, message):
        entered = time.perf_counter()
        inputs = self.request(numpy.frombuffer(message.data, numpy.uint8).reshape(self.shape))
        handed_over = time.perf_counter()
        answer = self.client.infer(self.model, inputs)
        answered = time.perf_counter()
        sample = answer.as_numpy('SAMPLE')
        result = InferenceResult(header=message.header, stream='camera', model=self.model)
        result.outputs = [Tensor(name='SAMPLE', datatype='UINT8', shape=list(sample.shape), data=sample.tobytes())]
        self.publisher.publish(result)
        published = time.perf_counter()
        stamp = message.header.stamp
        self.rows.append({
            'stamp_us': stamp.sec * 1_000_000 + stamp.nanosec // 1000, 'dispatch_ms': 1000 * (handed_over - entered),
            'call_ms': 1000 * (answered - handed_over), 'publish_ms': 1000 * (published - answered),
            'cpu_ms': 1000 * time.process_time()})

    def close(self):
        if self.region is not None:
            self.client.unregister_system_shared_memory(REGION)
            shared_memory.destroy_shared_memory_region(self.region)
        self.client.close()
        self.node.destroy_node()


def main():
    image_topic, result_topic, endpoint, model, width, height, transport, out = sys.argv[1:]
    running = True

    def stop(*_):
        nonlocal running
        running = False

    signal.signal(signal.SIGTERM, stop)
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    plain = PlainNode(image_topic, result_topic, endpoint, model, int(width), int(height), transport)
    print('ready', flush=True)
    while running:
        rclpy.spin_once(plain.node, timeout_sec=0.1)
    with open(out, 'w') as file:
        json.dump(plain.rows, file)
    plain.close()
    rclpy.shutdown()


main()
