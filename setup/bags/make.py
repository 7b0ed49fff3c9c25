"""Makes the bags that the tests of the replay read, with other people's tools: make.py FOLDER

One recording of five seconds, in every container and with every fault; truth.json says what is in each. Seeded: the same everywhere.
"""
import json
import random
import shutil
import sqlite3
import sys
from pathlib import Path

import numpy
import zstandard
from mcap.reader import make_reader
from mcap.stream_reader import StreamReader, breakup_chunk
from mcap.writer import CompressionType, IndexType
from mcap.writer import Writer as McapWriter
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin
from rosbags.rosbag2 import Writer as RosbagWriter
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

START_NS = 1_717_243_200_000_000_000
RUN_NS = 5_000_000_000
CHUNK_BYTES = 16_384
LATE = 'field_msgs/msg/Late'
STRANGE = 'field_msgs/msg/Strange'
# topic: type, period in ms
TOPICS = {
    '/camera/image_raw': ('sensor_msgs/msg/Image', 33),
    '/camera/compressed': ('sensor_msgs/msg/CompressedImage', 50),
    '/points': ('sensor_msgs/msg/PointCloud2', 100),
    '/imu': ('sensor_msgs/msg/Imu', 10),
    '/late': (LATE, 50),
    '/text': ('std_msgs/msg/String', 500),
}

random_numbers = random.Random(20_240_601)
typestore = get_typestore(Stores.ROS2_JAZZY)
typestore.register(get_types_from_msg('float64 value\nstd_msgs/Header header\n', LATE))
types = typestore.types


class Message:
    def __init__(self, topic, log_ns, stamp_ns, frame_id, data):
        self.topic, self.log_ns, self.stamp_ns, self.frame_id, self.data = topic, log_ns, stamp_ns, frame_id, data


def payload(kind, header):
    vector = types['geometry_msgs/msg/Vector3'](1.0, 2.0, 3.0)
    nine = numpy.zeros(9)
    noise = lambda count: numpy.frombuffer(random_numbers.randbytes(count), dtype=numpy.uint8)
    if kind == 'sensor_msgs/msg/Image':
        return types[kind](header, 8, 12, 'rgb8', 0, 36, noise(288))
    if kind == 'sensor_msgs/msg/CompressedImage':
        return types[kind](header, 'jpeg', noise(random_numbers.randrange(50, 400)))
    if kind == 'sensor_msgs/msg/PointCloud2':
        field = types['sensor_msgs/msg/PointField']('x', 0, 7, 1)
        return types[kind](header, 1, 20, [field], False, 4, 80, noise(80), False)
    if kind == 'sensor_msgs/msg/Imu':
        return types[kind](header, types['geometry_msgs/msg/Quaternion'](0.0, 0.0, 0.0, 1.0), nine, vector, nine, vector, nine)
    if kind == LATE:
        return types[kind](0.5, header)
    return types[kind]('hello')


def record(little_endian=True, stamped=True):
    """Unique log times, so that there is one order."""
    messages = []
    taken = set()
    for topic, (kind, period_ms) in TOPICS.items():
        frame_id = topic.strip('/').replace('/', '_')
        for number in range(RUN_NS // (period_ms * 1_000_000)):
            stamp_ns = START_NS + number * period_ms * 1_000_000 + random_numbers.randrange(-1_000_000, 1_000_001)
            log_ns = stamp_ns + random_numbers.randrange(2_000_000, 9_000_000)
            while log_ns in taken:
                log_ns += 1
            taken.add(log_ns)
            shown_ns = stamp_ns if stamped else 0
            stamp = types['builtin_interfaces/msg/Time'](shown_ns // 1_000_000_000, shown_ns % 1_000_000_000)
            message = payload(kind, types['std_msgs/msg/Header'](stamp, frame_id))
            data = bytes(typestore.serialize_cdr(message, kind, little_endian=little_endian))
            messages.append(Message(topic, log_ns, shown_ns, frame_id, data))
    return sorted(messages, key=lambda message: message.log_ns)


def definition(kind):
    return typestore.generate_msgdef(kind, ros_version=2)[0]


def write_mcap(file, messages, *, text=definition, name=lambda kind: kind, encode=lambda data: data, encoding='cdr', finish=True, **options):
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open('wb') as stream:
        writer = McapWriter(stream, chunk_size=CHUNK_BYTES, **options)
        writer.start(profile='ros2', library='foreign')
        channels = {}
        for topic, (kind, _) in TOPICS.items():
            schema = writer.register_schema(name=name(kind), encoding='ros2msg', data=text(kind).encode())
            channels[topic] = writer.register_channel(topic=topic, message_encoding=encoding, schema_id=schema)
        for message in messages:
            writer.add_message(channels[message.topic], message.log_ns, encode(message.data), message.stamp_ns, 0)
        if finish:
            writer.finish()


def write_rosbag(folder, messages, plugin, compression=None):
    writer = RosbagWriter(folder, version=9, storage_plugin=plugin)
    if compression is not None:
        writer.set_compression(compression, CompressionFormat.ZSTD)
    with writer:
        connections = {topic: writer.add_connection(topic, kind, typestore=typestore) for topic, (kind, _) in TOPICS.items()}
        for message in messages:
            writer.write(connections[message.topic], message.log_ns, message.data)


# The schemas that rosbag2 has had, oldest first; Foxy added the QoS, Jazzy the definitions.
def write_sqlite(file, messages, *, qos=True, index=True, wal=False, definitions=False):
    file.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(file)
    if wal:
        database.execute('PRAGMA journal_mode = WAL')
    extra = ', offered_qos_profiles TEXT NOT NULL' if qos else ''
    database.execute(f'CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, serialization_format TEXT NOT NULL{extra})')
    database.execute('CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, data BLOB NOT NULL)')
    if index:
        database.execute('CREATE INDEX timestamp_idx ON messages (timestamp ASC)')
    if definitions:
        database.execute(
            'CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT, encoding TEXT, encoded_message_definition TEXT, type_description_hash TEXT)'
        )
        database.execute("INSERT INTO message_definitions VALUES(1, ?, 'ros2msg', ?, '')", (LATE, definition(LATE)))
    ids = {}
    for number, (topic, (kind, _)) in enumerate(TOPICS.items(), 1):
        ids[topic] = number
        database.execute(f"INSERT INTO topics VALUES(?, ?, ?, 'cdr'{', ?' if qos else ''})", (number, topic, kind, *([''] if qos else [])))
    rows = [(ids[message.topic], message.log_ns, message.data) for message in messages]
    database.executemany('INSERT INTO messages(topic_id, timestamp, data) VALUES(?, ?, ?)', rows)
    database.commit()
    database.close()


def write_metadata(folder, files, *, storage='sqlite3', compression='', mode=''):
    lines = ['rosbag2_bagfile_information:', '  version: 4', f'  storage_identifier: {storage}', '  relative_file_paths:']
    lines += [f'    - {file}' for file in files]
    lines += ['  duration:', f'    nanoseconds: {RUN_NS}', '  starting_time:', f'    nanoseconds_since_epoch: {START_NS}', '  message_count: 0']
    lines += ['  topics_with_message_count: []', f'  compression_format: "{compression}"', f'  compression_mode: "{mode}"']
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'metadata.yaml').write_text('\n'.join(lines) + '\n')


def chunks_of(file):
    """For each chunk where it stands, and the log times of its messages."""
    with file.open('rb') as stream:
        places = [(index.chunk_start_offset, index.chunk_length) for index in make_reader(stream).get_summary().chunk_indexes]
    with file.open('rb') as stream:
        chunks = [record for record in StreamReader(stream, emit_chunks=True).records if type(record).__name__ == 'Chunk']
    times = [[record.log_time for record in breakup_chunk(chunk) if type(record).__name__ == 'Message'] for chunk in chunks]
    return list(zip(sorted(places), times, strict=True))


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    messages = record()
    order = {message.log_ns: number for number, message in enumerate(messages)}
    everything = list(range(len(messages)))
    topic_of = [message.topic for message in messages]
    without = lambda *topics: [number for number in everything if topic_of[number] not in topics]
    bags = {}

    def tell(name, kept=None, *, problems=(), refused=None, some=False):
        bags[name] = {'kept': everything if kept is None else kept, 'problems': list(problems), 'refused': refused, 'some': some}

    # MCAP
    for name, compression in {'none': CompressionType.NONE, 'lz4': CompressionType.LZ4, 'zstd': CompressionType.ZSTD}.items():
        write_mcap(folder / f'{name}.mcap', messages, compression=compression)
        tell(f'{name}.mcap')
    write_mcap(folder / 'unchunked.mcap', messages, use_chunking=False)
    tell('unchunked.mcap')
    write_mcap(folder / 'unindexed.mcap', messages, index_types=IndexType.NONE, use_statistics=False, use_summary_offsets=False, repeat_channels=False, repeat_schemas=False)
    tell('unindexed.mcap')
    shuffled = sorted(messages, key=lambda message: message.log_ns + random_numbers.randrange(400_000_000))
    write_mcap(folder / 'shuffled.mcap', shuffled, compression=CompressionType.ZSTD)
    tell('shuffled.mcap')
    write_mcap(folder / 'shuffled-unchunked.mcap', shuffled, use_chunking=False)
    tell('shuffled-unchunked.mcap')
    write_mcap(folder / 'short-type-names.mcap', messages, name=lambda kind: kind.replace('/msg/', '/'))
    tell('short-type-names.mcap')
    write_mcap(folder / 'message-zstd.mcap', messages, compression=CompressionType.NONE, encode=zstandard.ZstdCompressor().compress)
    tell('message-zstd.mcap')
    write_mcap(folder / 'no-definitions.mcap', messages, text=lambda kind: '')
    tell('no-definitions.mcap', without('/late'), problems=['topic /late: .*field_msgs/msg/Late'])
    write_mcap(folder / 'json.mcap', messages, encoding='json')
    tell('json.mcap', [], problems=["'json'"])
    write_mcap(folder / 'unfinished.mcap', messages, compression=CompressionType.ZSTD, finish=False)
    tell('unfinished.mcap', some=True, problems=['offset \\d+: '])

    whole = (folder / 'zstd.mcap').read_bytes()
    chunks = chunks_of(folder / 'zstd.mcap')
    cut = chunks[len(chunks) // 2][0][0] + 100
    (folder / 'truncated.mcap').write_bytes(whole[:cut])
    kept = [order[time] for (offset, length), times in chunks if offset + length <= cut for time in times]
    tell('truncated.mcap', sorted(kept), problems=[f'offset {chunks[len(chunks) // 2][0][0]}: '])
    for name in ('zstd', 'lz4', 'none'):
        whole = bytearray((folder / f'{name}.mcap').read_bytes())
        chunks = chunks_of(folder / f'{name}.mcap')
        (offset, length), times = chunks[1]
        for place in range(offset + length // 2, offset + length // 2 + 8):
            whole[place] ^= 0x5A
        (folder / f'corrupt-{name}.mcap').write_bytes(whole)
        kept = [order[time] for number, (_, times) in enumerate(chunks) if number != 1 for time in times]
        tell(f'corrupt-{name}.mcap', sorted(kept), problems=[f'offset {offset}: '])

    # what rosbags writes
    for name, plugin in {'mcap': StoragePlugin.MCAP, 'sqlite3': StoragePlugin.SQLITE3}.items():
        write_rosbag(folder / f'rosbags-{name}', messages, plugin)
        tell(f'rosbags-{name}')
    write_rosbag(folder / 'message-zstd-sqlite3', messages, StoragePlugin.SQLITE3, CompressionMode.MESSAGE)
    tell('message-zstd-sqlite3')
    for name, plugin in {'mcap': StoragePlugin.MCAP, 'sqlite3': StoragePlugin.SQLITE3}.items():
        write_rosbag(folder / f'file-zstd-{name}', messages, plugin, CompressionMode.FILE)
        tell(f'file-zstd-{name}')

    # sqlite3 of all ages
    no_late = without('/late')
    late = ['topic /late: .*field_msgs/msg/Late']
    write_sqlite(folder / 'oldest.db3', messages, qos=False, index=False)
    tell('oldest.db3', no_late, problems=late)
    write_sqlite(folder / 'definitions.db3', messages, definitions=True)
    tell('definitions.db3')
    write_sqlite(folder / 'wal.db3', messages, wal=True, definitions=True)
    tell('wal.db3')
    write_sqlite(folder / 'shuffled.db3', shuffled, definitions=True, index=False)
    tell('shuffled.db3')
    thirds = [messages[: len(messages) // 3], messages[len(messages) // 3 : 2 * len(messages) // 3], messages[2 * len(messages) // 3 :]]
    for number, third in enumerate(thirds):
        for split in ('split', 'split-without-metadata', 'split-missing'):
            if split != 'split-missing' or number != 1:
                write_sqlite(folder / split / f'{split}_{number}.db3', third, definitions=True)
    tell('split')
    tell('split-without-metadata')
    write_metadata(folder / 'split', [f'split/split_{number}.db3' for number in range(3)])
    write_metadata(folder / 'split-missing', [f'split-missing_{number}.db3' for number in range(3)])
    gap = everything[: len(messages) // 3] + everything[2 * len(messages) // 3 :]
    tell('split-missing', gap, problems=['metadata.yaml: 1 of 3 files .*split-missing_1.db3'])
    whole = (folder / 'definitions.db3').read_bytes()
    (folder / 'truncated.db3').write_bytes(whole[: len(whole) * 6 // 10])
    tell('truncated.db3', some=True, problems=[f'offset {len(whole) * 6 // 10}: '])
    damaged = bytearray(whole)
    damaged[len(whole) // 2 : len(whole) // 2 + 8192] = random_numbers.randbytes(8192)
    (folder / 'corrupt.db3').write_bytes(damaged)
    tell('corrupt.db3', some=True, problems=['corrupt.db3: '])

    # what cannot be read at all
    write_metadata(folder / 'unknown-storage', ['x.bin'], storage='holographic')
    tell('unknown-storage', [], refused="unknown-storage/metadata.yaml: storage 'holographic'")
    write_metadata(folder / 'unknown-compression', ['x.mcap'], storage='mcap', compression='brotli', mode='FILE')
    tell('unknown-compression', [], refused="unknown-compression/metadata.yaml: compression 'brotli'")
    (folder / 'ros1.bag').write_bytes(b'#ROSBAG V2.0\n' + bytes(100))
    tell('ros1.bag', [], refused='ros1.bag: offset 0: .*ROS 1')
    (folder / 'empty.mcap').write_bytes(b'')
    tell('empty.mcap', [], refused='empty.mcap: offset 0: .*empty')
    (folder / 'empty-folder').mkdir()
    (folder / 'empty-folder' / 'notes.txt').write_text('no bag')
    tell('empty-folder', [], refused='empty-folder: there is no bag file')

    # other recordings: big endian, and stamps that are all zero
    big = record(little_endian=False)
    write_mcap(folder / 'big-endian.mcap', big)
    zero = record(stamped=False)
    write_mcap(folder / 'zero-stamps.mcap', zero)
    shown = lambda of: [[m.topic, str(m.log_ns), m.stamp_ns // 1_000_000_000, m.stamp_ns % 1_000_000_000, m.frame_id] for m in of]
    truth = {'messages': shown(messages), 'bags': bags, 'big-endian.mcap': shown(big), 'zero-stamps.mcap': shown(zero)}
    (folder / 'truth.json').write_text(json.dumps(truth))


main(Path(sys.argv[1]))
