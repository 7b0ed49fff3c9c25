"""A camera: the same rgb8 image at a steady rate, stamped as it is published.   usage: camera.py TOPIC WIDTH HEIGHT RATE_HZ OUT

Says `ready` once something subscribes. On SIGTERM it writes the stamps, in microseconds, as JSON to OUT.
"""
import array
import json
import signal
import sys
import time

import rclpy
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import Image


def main():
    topic, width, height, rate, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), sys.argv[5]
    running = True

    def stop(*_):
        nonlocal running
        running = False

    signal.signal(signal.SIGTERM, stop)
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    node = rclpy.create_node('bench_camera')
    qos = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=2, reliability=ReliabilityPolicy.RELIABLE)
    publisher = node.create_publisher(Image, topic, qos)
    image = Image(width=width, height=height, step=3 * width, encoding='rgb8')
    image.header.frame_id = 'camera'
    image.data = array.array('B', (bytes(range(256)) * (3 * width * height // 256 + 1))[: 3 * width * height])

    while running and publisher.get_subscription_count() == 0:
        time.sleep(0.02)
    print('ready', flush=True)
    stamps, start = [], time.monotonic()
    while running:
        # By the plan, not by the last image: the rate stays right, and what is missed is not caught up.
        due = start + (int((time.monotonic() - start) * rate) + 1) / rate
        time.sleep(max(0.0, due - time.monotonic()))
        now_us = time.time_ns() // 1000
        image.header.stamp.sec, image.header.stamp.nanosec = now_us // 1_000_000, now_us % 1_000_000 * 1000
        publisher.publish(image)
        stamps.append(now_us)
    with open(out, 'w') as file:
        json.dump(stamps, file)
    node.destroy_node()
    rclpy.shutdown()


main()
