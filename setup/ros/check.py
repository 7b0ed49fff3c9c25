"""Proves a ROS 2 environment: the project's messages import, and a message of one process arrives in another."""
import os
import sys
import time

child = os.fork()
import rclpy  # noqa: E402  (each process its own)
from vigilant_governor.msg import Outcome  # noqa: E402

rclpy.init()
node = rclpy.create_node('setup_publisher' if child else 'setup_subscriber')
arrived, ended, deadline = [], None, time.monotonic() + 20
if child:
    publisher = node.create_publisher(Outcome, 'setup_check', 10)
    node.create_timer(0.1, lambda: publisher.publish(Outcome(stream='check')))
else:
    node.create_subscription(Outcome, 'setup_check', lambda message: arrived.append(message.stream), 10)
while not arrived and ended is None and time.monotonic() < deadline:
    rclpy.spin_once(node, timeout_sec=0.1)
    if child:
        pid, status = os.waitpid(child, os.WNOHANG)
        ended = os.waitstatus_to_exitcode(status) if pid else None
node.destroy_node()
rclpy.shutdown()
sys.exit(0 if arrived == ['check'] or ended == 0 else 'no message arrived within 20 s')
