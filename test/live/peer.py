"""A ROS 2 participant that is not our code, told what to do by JSON lines on standard input; answers with JSON lines.

{"id": 1, "do": "advertise", "topic": T, "type": "package/msg/Name", "reliability": "best_effort" | "reliable", "depth": 10}
{"id": 2, "do": "send", "topic": T, "count": 30, "period_ms": 33.3, "fields": {…}, "stamp": "now" | "zero" | {"offset_ms": -500} | {"ms": 5000}}
{"id": 3, "do": "subscribe", "topic": T, "type": "package/msg/Name", "reliability": …, "depth": 100}
{"id": 4, "do": "call", "service": S, "type": "package/srv/Name", "request": {…}}
{"id": 5, "do": "matched", "topic": T}      publishers and subscriptions that this participant's own endpoint is matched with
{"id": 6, "do": "play", "start_ms": 5000, "for_ms": 2000, "rate": 2, "clock_period_ms": 25, "topic": T, "period_ms": 33.3, "fields": {…}}
    as `ros2 bag play` does: /clock from a start at a rate, for a time of the machine, and on a topic what was recorded at a period

Each is answered by {"id": …, …}; every message received is {"topic": T, "message": {…}, "sent_us": …}, where the middleware of its
publisher noted when it was sent. It ends when its input ends.
"""
import array
import json
import queue
import sys
import threading
import time
from importlib import import_module
from pathlib import Path

import numpy
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy

SHOWN_BYTES = 64  # of a long uint8[]; its length is always told


def load(name):
    package, kind, type_name = name.split('/')
    return getattr(import_module(f'{package}.{kind}'), type_name)


def qos(command):
    reliability = ReliabilityPolicy.BEST_EFFORT if command.get('reliability') == 'best_effort' else ReliabilityPolicy.RELIABLE
    return QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=command.get('depth', 100), reliability=reliability)


def plain(value):
    if hasattr(value, 'get_fields_and_field_types'):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, bytes):
        return value[0] if len(value) == 1 else list(value[:SHOWN_BYTES])
    if isinstance(value, (array.array, numpy.ndarray)):
        shown = value[:SHOWN_BYTES].tolist()
        return shown if len(value) <= SHOWN_BYTES else {'length': len(value), 'start': shown}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def fill(message, fields):
    """`{"bytes": N, "value": V}` stands for N bytes of V, or 0, and `{"file": F}` for those of a file: a picture is too long for JSON."""
    for name, value in fields.items():
        current = getattr(message, name)
        if isinstance(value, dict) and 'bytes' in value:
            setattr(message, name, array.array('B', bytes([value.get('value', 0)]) * value['bytes']))
        elif isinstance(value, dict) and 'file' in value:
            setattr(message, name, array.array('B', Path(value['file']).read_bytes()))
        elif isinstance(value, dict):
            fill(current, value)
        elif isinstance(value, list) and isinstance(current, array.array):
            setattr(message, name, array.array(current.typecode, value))
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            setattr(message, name, [filled(element_type(message, name), element) for element in value])
        else:
            setattr(message, name, type(current)(value))


def element_type(message, field):
    """The messages in a list: `sequence<package/Name>` is always of package/msg/Name."""
    package, name = message.get_fields_and_field_types()[field].removeprefix('sequence<').removesuffix('>').split('/')
    return load(f'{package}/msg/{name}')


def filled(kind, fields):
    message = kind()
    fill(message, fields)
    return message


class Peer:
    def __init__(self):
        self.node = rclpy.create_node('peer')
        self.publishers, self.subscriptions, self.clients = {}, {}, {}
        self.sending, self.playing = [], []

    def say(self, **what):
        print(json.dumps(what), flush=True)

    def handle(self, command):
        answer = getattr(self, f"do_{command['do']}")(command)
        if answer is not None:
            self.say(id=command['id'], **answer)

    def do_advertise(self, command):
        self.publishers[command['topic']] = self.node.create_publisher(load(command['type']), command['topic'], qos(command))
        return {}

    def do_subscribe(self, command):
        topic = command['topic']
        self.subscriptions[topic] = self.node.create_subscription(
            load(command['type']), topic, lambda message, info: self.hear(topic, message, info), qos(command))
        return {}

    def hear(self, topic, message, info):
        self.say(topic=topic, message=plain(message), sent_us=info['source_timestamp'] // 1000)

    def do_matched(self, command):
        topic = command['topic']
        publisher = self.publishers.get(topic)
        subscribers = publisher.get_subscription_count() if publisher else 0
        # The graph knows remote publishers; the local subscription is matched when the middleware has told us of them.
        return {'subscribers': subscribers, 'publishers': self.node.count_publishers(topic) - (1 if publisher else 0)}

    def do_call(self, command):
        key = (command['service'], command['type'])
        if key not in self.clients:
            self.clients[key] = self.node.create_client(load(command['type']), command['service'])
        client = self.clients[key]
        if not client.wait_for_service(timeout_sec=10):
            return {'error': f"no service {command['service']}"}
        request = load(command['type']).Request()
        fill(request, command.get('request', {}))
        client.call_async(request).add_done_callback(
            lambda done: self.say(id=command['id'], response=plain(done.result())))
        return None

    def do_send(self, command):
        self.sending.append({'command': command, 'due': time.monotonic(), 'stamps': []})
        return None

    def send_due(self):
        for job in list(self.sending):
            command = job['command']
            while time.monotonic() >= job['due'] and len(job['stamps']) < command['count']:
                job['stamps'].append(self.send_one(command))
                job['due'] += command['period_ms'] / 1000
            if len(job['stamps']) == command['count']:
                self.sending.remove(job)
                self.say(id=command['id'], stamps=job['stamps'])

    def do_play(self, command):
        self.playing.append({'command': command, 'begun': time.monotonic(), 'ticks': 0, 'stamps': []})
        return None

    def play_due(self):
        for job in list(self.playing):
            command, stamps = job['command'], job['stamps']
            passed = (time.monotonic() - job['begun']) * 1000
            until = min(passed, command['for_ms'])
            while job['ticks'] * command['clock_period_ms'] <= until:
                self.publish_clock(command['start_ms'] + job['ticks'] * command['clock_period_ms'] * command['rate'])
                job['ticks'] += 1
            while 'topic' in command and len(stamps) * command['period_ms'] <= until * command['rate']:
                stamps.append(self.send_one({**command, 'stamp': {'ms': command['start_ms'] + len(stamps) * command['period_ms']}}))
            if passed > command['for_ms']:
                self.playing.remove(job)
                self.say(id=command['id'], stamps=stamps)

    def publish_clock(self, ms):
        publisher = self.publishers['/clock']
        message = publisher.msg_type()
        message.clock.sec, message.clock.nanosec = divmod(round(ms * 1000) * 1000, 10**9)
        publisher.publish(message)

    def send_one(self, command):
        publisher = self.publishers[command['topic']]
        message = publisher.msg_type()
        fill(message, command.get('fields', {}))
        stamp = [0, 0]
        if hasattr(message, 'header'):
            asked = command.get('stamp', 'now')
            if asked != 'zero':
                offset_ms = asked.get('offset_ms', 0) if isinstance(asked, dict) else 0
                ns = round(asked['ms'] * 1000) * 1000 if 'ms' in asked else time.time_ns() + int(offset_ms * 1e6)
                stamp = [ns // 10**9, ns % 10**9]
            message.header.stamp.sec, message.header.stamp.nanosec = stamp
        publisher.publish(message)
        return stamp


def read_commands(commands):
    for line in sys.stdin:
        commands.put(json.loads(line))
    commands.put(None)


def main():
    rclpy.init()
    peer, commands = Peer(), queue.Queue()
    threading.Thread(target=read_commands, args=(commands,), daemon=True).start()
    executor = SingleThreadedExecutor()
    executor.add_node(peer.node)
    try:
        while True:
            executor.spin_once(timeout_sec=0.002)
            peer.send_due()
            peer.play_due()
            while not commands.empty():
                command = commands.get()
                if command is None:
                    return
                peer.handle(command)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        peer.node.destroy_node()
        rclpy.try_shutdown()


main()
