"""Prints what other tools find in a bag that the replay wrote: read-back.py FOLDER"""
import json
import sys
from pathlib import Path

from mcap.reader import make_reader
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import Reader

folder = Path(sys.argv[1])


def plain(value):
    if hasattr(value, '__dataclass_fields__'):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__ if name != '__msgtype__'}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.tolist() if hasattr(value, 'tolist') else value


with AnyReader([folder]) as reader:
    messages = [
        {'topic': connection.topic, 'type': connection.msgtype, 'log': str(time), 'message': plain(reader.deserialize(raw, connection.msgtype))}
        for connection, time, raw in reader.messages()
    ]
    counts = {connection.topic: connection.msgcount for connection in reader.connections}
with Reader(folder) as reader:
    qos = {
        connection.topic: [[profile.reliability.name, profile.durability.name, profile.depth] for profile in connection.ext.offered_qos_profiles]
        for connection in reader.connections
    }
with next(folder.glob('*.mcap')).open('rb') as stream:
    reader = make_reader(stream, validate_crcs=True)
    found = sum(1 for _ in reader.iter_messages())
    profile = reader.get_header().profile
print(json.dumps({'messages': messages, 'counts': counts, 'qos': qos, 'mcap': {'messages': found, 'profile': profile}}))
