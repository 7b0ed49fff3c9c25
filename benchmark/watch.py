"""Somebody who uses the results.   usage: watch.py TOPIC OUT

Says `ready` once something publishes them. On SIGTERM it writes one row a result as JSON to OUT; see `resultRow` in recording.ts.
"""
import json
import signal
import sys
import time

import rclpy
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from vigilant_governor.msg import InferenceResult


def main():
    topic, out = sys.argv[1:]
    running, rows = True, []

    def stop(*_):
        nonlocal running
        running = False

    def receive(result):
        arrival_us = time.time_ns() // 1000
        stamp = result.header.stamp
        times_ns = [int.from_bytes(bytes(output.data[:8]), 'little') for output in result.outputs if output.datatype == 'INT64']
        rows.append({'stamp_us': stamp.sec * 1_000_000 + stamp.nanosec // 1000, 'arrival_us': arrival_us, 'age_us': result.age_us,
                     'waiting_us': result.waiting_us, 'obsolete': result.obsolete, 'times_us': [ns / 1000 for ns in times_ns]})

    signal.signal(signal.SIGTERM, stop)
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node('bench_watch')
    qos = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=100, reliability=ReliabilityPolicy.RELIABLE)
    node.create_subscription(InferenceResult, topic, receive, qos)
    while running and node.count_publishers(topic) == 0:
        rclpy.spin_once(node, timeout_sec=0.02)
    print('ready', flush=True)
    while running:
        rclpy.spin_once(node, timeout_sec=0.1)
    with open(out, 'w') as file:
        json.dump(rows, file)
    node.destroy_node()
    rclpy.shutdown()


main()
