import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { registerReplay } from '../../src/cli/replay.js';
import { STATES } from '../../src/core/catalogue.js';
import { explainFile } from '../../src/trace/explain-file.js';
import { verifyTrace } from '../../src/trace/verify.js';
import { commandRunner, type Ended } from '../support/run-command.js';
import { foreignBag, python, truth } from './foreign.js';
import { parametersFor } from './parameters.js';

const command = commandRunner('replay', registerReplay, '--params');
const BAG = foreignBag('zstd.mcap');

const streamSchema = z.looseObject({
  received: z.number(),
  outcomes: z.record(z.string(), z.number()),
  causes: z.record(z.string(), z.number()),
  window_uncovered_permille: z.number().nullable(),
  consumer_uncovered_permille: z.number().nullable(),
  longest_gap_ms: z.number(),
});
const reportSchema = z.looseObject({
  bag: z.string(),
  streams: z.record(z.string(), streamSchema),
  problems: z.array(z.string()),
  compare: z.array(z.looseObject({ streams: z.record(z.string(), streamSchema) })).optional(),
});
/** Of the last run of the test. */
const reportOf = ({ out }: Ended) => reportSchema.parse(JSON.parse(out.trimEnd().split('\n').at(-1) ?? ''));
const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((total, count) => total + count, 0);
const sentOn = (topic: string) => truth.messages.filter((message) => message[0] === topic).length;

/** A file of the test. */
function file(name: string, text: string): string {
  const there = path.join(command.folder, name);
  writeFileSync(there, text);
  return there;
}

describe('the report', () => {
  it('counts every message of every stream once, by state and by cause', async () => {
    const ended = await command.run(parametersFor(), BAG, '--json');
    const { bag, streams, problems } = reportOf(ended);
    expect({ bag, problems, status: ended.status, error: ended.error }).toEqual({ bag: BAG, problems: [], status: undefined, error: '' });
    expect(Object.entries(streams).map(([name, { received }]) => [name, received])).toEqual([
      ['camera', sentOn('/camera/image_raw')],
      ['jpeg', sentOn('/camera/compressed')],
      ['points', sentOn('/points')],
      ['imu', sentOn('/imu')],
    ]);
    for (const { received, outcomes, causes } of Object.values(streams)) {
      expect(Object.keys(outcomes)).toEqual(Object.keys(STATES));
      expect(sum(outcomes)).toBe(received);
      expect(sum(causes)).toBe(received);
    }
    expect(streams['camera']?.outcomes['delivered']).toBeGreaterThan(100);
    expect(streams['imu']?.outcomes['superseded']).toBeGreaterThan(100);
  });

  it('says the same as text', async () => {
    const { out } = await command.run(parametersFor(), BAG);
    expect(out).toContain(`${BAG}: 5.0 s, seed 1\n`);
    expect(out).toMatch(/camera +151 +\d+ +0/);
    expect(out).toMatch(/imu +newer_capture +\d+/);
    expect(out).toMatch(/gpu +1 +\d+ +\d+ +\d+/);
  });

  it.each(['ordered', 'planned'] as const)('has the same bytes each time, and in every container: %s', async (policy) => {
    const json = async (bag: string) =>
      JSON.stringify({ ...reportOf(await command.run(parametersFor({ policy }), foreignBag(bag), '--json')), bag: '' });
    const first = await json('zstd.mcap');
    for (const bag of ['zstd.mcap', 'unchunked.mcap', 'shuffled.mcap', 'message-zstd-sqlite3', 'split', 'wal.db3']) {
      expect(await json(bag)).toBe(first);
    }
  });

  it('draws other runtimes with another seed, and the same whatever other streams there are', async () => {
    const streamOf = async (text: string, ...options: string[]) =>
      reportOf(await command.run(text, BAG, '--json', ...options)).streams['camera'];
    const alone = parametersFor({ streams: ['camera'], slots: 4 });
    const among = parametersFor({ slots: 4 });
    expect(await streamOf(alone, '--seed', '2')).not.toEqual(await streamOf(alone, '--seed', '3'));
    expect(await streamOf(among, '--seed', '0x2')).toEqual(await streamOf(alone, '--seed', '2'));
  });

  it('puts contracts side by side on the same frames', async () => {
    const slower = file('slower.yaml', parametersFor({ p50Us: 30_000 }));
    const { streams, compare = [] } = reportOf(await command.run(parametersFor(), BAG, '--json', '--compare', slower, slower));
    expect(compare).toHaveLength(2);
    expect(compare[1]).toEqual(compare[0]);
    expect(compare[0]?.streams['camera']?.received).toBe(streams['camera']?.received);
    expect(compare[0]?.streams['camera']?.outcomes['delivered']).toBeLessThan(streams['camera']?.outcomes['delivered'] ?? 0);
  });

  it('takes the last name that --compare has for the bag, where none stands before', async () => {
    const slower = file('slower.yaml', parametersFor({ p50Us: 30_000 }));
    const before = reportOf(await command.run(parametersFor(), BAG, '--json', '--compare', slower, slower));
    expect(reportOf(await command.run(parametersFor(), '--json', '--compare', slower, slower, BAG))).toEqual(before);
    await expect(command.run(parametersFor(), '--json', '--compare', BAG)).rejects.toThrow("missing required argument 'bag'");
  });

  it('draws a page', async () => {
    const page = path.join(command.folder, 'page.html');
    const faster = file('faster.yaml', parametersFor({ p50Us: 1000 }));
    await command.run(parametersFor(), BAG, '--html', page, '--compare', faster);
    const html = readFileSync(page, 'utf8');
    expect(html).toMatch(/^<!doctype html>/);
    expect(html.match(/<svg /g)).toHaveLength(6);
    expect(html).not.toMatch(/<script|NaN|undefined/);
  });
});

it('records what the core runs again to the same actions', async () => {
  const trace = path.join(command.folder, 'trace.jsonl');
  await command.run(parametersFor({ policy: 'planned' }), BAG, '--trace', trace);
  expect(await verifyTrace(trace)).toMatchObject({ difference: undefined });
  await command.run(parametersFor(), foreignBag('zero-stamps.mcap'), '--trace', trace);
  expect(await explainFile(trace, 'camera')).toMatchObject({ received: 151, ends: [{ end: 'invalid/stamp_zero', count: 151 }] });
  const { error, status } = await command.run(parametersFor(), BAG, '--trace', '/nowhere/trace.jsonl');
  expect(error).toMatch(/--trace \/nowhere\/trace\.jsonl: cannot write to \/nowhere/);
  expect(status).toBe(2);
});

describe('progress', () => {
  const bars = (error: string) => [...error.matchAll(/\r\[#*\.*\] (\d+)\/(\d+)/g)];

  async function watched(isTty: boolean): Promise<string> {
    const { isTTY } = process.stderr;
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      nowMs += 2000;
      return nowMs;
    });
    process.stderr.isTTY = isTty;
    try {
      return (await command.run(parametersFor(), BAG)).error;
    } finally {
      process.stderr.isTTY = isTTY;
      clock.mockRestore();
    }
  }

  it('of a long replay is shown to somebody who watches, and wiped in the end', async () => {
    const error = await watched(true);
    const shown = bars(error).map(([, done = '', of]) => ({ done: Number(done), of }));
    expect(shown.length).toBeGreaterThan(1);
    expect(shown).toEqual(shown.toSorted((one, other) => one.done - other.done));
    expect(shown.at(-1)).toEqual({ done: 4, of: '5' });
    expect(error).toContain(`\r[${'#'.repeat(24)}......] 4/5`);
    expect(error).toMatch(/\r +\r$/);
  });

  it('is not shown to a file', async () => expect(await watched(false)).toBe(''));
});

describe('what is read is not written', () => {
  const parameters = () => path.join(command.folder, 's.yaml');
  const recording = () => {
    const bag = path.join(command.folder, 'bag');
    cpSync(foreignBag('split'), bag, { recursive: true });
    return bag;
  };
  const contents = (folder: string) =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'latin1')]));

  it.each(['--html', '--trace'])('no file of the bag: %s', async (option) => {
    const bag = recording();
    const before = contents(bag);
    for (const name of Object.keys(before)) {
      const target = path.join(bag, name);
      const ended = await command.run(parametersFor(), bag, option, target);
      expect(ended.status).toBe(2);
      expect(ended.error).toContain(`vig replay: ${option} ${target}: is part of the bag ${bag}; name another file\n`);
    }
    const [one = ''] = Object.keys(before).filter((name) => !name.endsWith('.yaml'));
    const other = path.join(bag, 'metadata.yaml');
    expect((await command.run(parametersFor(), path.join(bag, one), option, other)).status).toBe(2);
    expect(contents(bag)).toEqual(before);
  });

  it('no parameter file, and nothing twice', async () => {
    const other = file('other.yaml', parametersFor());
    symlinkSync('other.yaml', path.join(command.folder, 'link.yaml'));
    const refused = async (...options: readonly string[]) => {
      const { error, out, status } = await command.run(parametersFor(), BAG, ...options);
      expect({ out, status }).toEqual({ out: '', status: 2 });
      return error.split('\n').at(-2);
    };
    const at = (name: string) => path.join(command.folder, name);
    expect(await refused('--html', parameters())).toMatch(/--html .*s\.yaml: is the parameter file .*s\.yaml/);
    expect(await refused('--compare', other, '--trace', at('link.yaml'))).toMatch(
      /--trace .*link\.yaml: is the parameter file .*other\.yaml/,
    );
    expect(await refused('--html', at('new'), '--trace', at('new'))).toMatch(/--trace .*new: is what --html writes/);
    expect(await refused('--html', at('new'), '--output', at('new'))).toMatch(/--output .*new: is what --html writes/);
    expect(await refused('--trace', file('run.1', parametersFor()))).toMatch(/--trace .*run\.1: is there already, and is no trace/);
    expect(readdirSync(command.folder).sort()).toEqual(['link.yaml', 'other.yaml', 'run.1', 's.yaml']);
    for (const name of readdirSync(command.folder)) expect(readFileSync(at(name), 'utf8')).toBe(parametersFor());
  });
});

describe('the exit status', () => {
  it('is 1 when a condition holds, and 0 when none does', async () => {
    const condition = 'streams.camera.consumer_uncovered_permille>999';
    expect((await command.run(parametersFor(), BAG, '--fail-if', condition)).status).toBeUndefined();
    const { error, status } = await command.run(parametersFor(), BAG, '--fail-if', condition, '--fail-if', 'streams.imu.received>=500');
    expect({ error, status }).toEqual({ error: 'vig replay: --fail-if "streams.imu.received>=500" holds: it is 500\n', status: 1 });
  });

  it('is 3 where a condition has nothing to compare, and 1 where one holds besides', async () => {
    const nothing = ['--fail-if', 'streams.camera.longest_gap_ms>=0'];
    const holds = ['--fail-if', 'streams.camera.received==0'];
    const text = parametersFor().replace('/camera/image_raw', '/nobody');
    const { error, status } = await command.run(text, BAG, ...nothing);
    expect(error).toContain('--fail-if "streams.camera.longest_gap_ms>=0": there is nothing to compare, it is null: no message came\n');
    expect(status).toBe(3);
    expect((await command.run(text, BAG, ...holds, ...nothing)).status).toBe(1);
    const unperiodic = await command.run(
      parametersFor().replaceAll(/period_ms: \S+, /g, ''),
      BAG,
      '--fail-if',
      'streams.imu.window_uncovered_permille<1',
    );
    expect(unperiodic).toMatchObject({ status: 3, error: expect.stringContaining('its contract has no period_ms') });
  });

  it('is 1 where a condition holds on a bag of which something could not be replayed', async () => {
    const { error, status } = await command.run(parametersFor(), foreignBag('truncated.mcap'), '--fail-if', 'streams.imu.received>0');
    expect(error).toMatch(/truncated\.mcap: offset[\s\S]*--fail-if .* holds/);
    expect(status).toBe(1);
  });

  it.each([
    ['an option that does nothing', () => [BAG, '--fast'], /--fast has no effect with --backend simulated/],
    ['another', () => [BAG, '--backend', 'live', '--seed', '1'], /--seed has no effect with --backend live/],
    ['a bag that is none', () => [foreignBag('ros1.bag')], /ros1\.bag: offset 0: is a bag of ROS 1/],
    ['a bag that is not there', () => ['/nowhere/bag'], /\/nowhere\/bag: cannot be opened/],
    ['a condition that is none', () => [BAG, '--fail-if', 'streams.camera'], /--fail-if "streams\.camera": expected a path/],
    ['a condition on what is not there', () => [BAG, '--fail-if', 'streams.front.received>0'], /the report has no streams\.front/],
    ['a condition beyond all numbers', () => [BAG, '--fail-if', 'streams.camera.received>1e400'], /1e400 is beyond all numbers/],
    ['a folder that is there', () => [BAG, '--output', command.folder], /--output .* is there already/],
    ['a page that cannot be written', () => [BAG, '--html', '/nowhere/page.html'], /--html \/nowhere\/page\.html: cannot write/],
  ])('is 2 for %s', async (_what, options, words) => {
    const { error, status } = await command.run(parametersFor(), ...options());
    expect(error).toMatch(words);
    expect(status).toBe(2);
  });

  it.each([
    'streams.front.received>0',
    'streams.camera.recieved>0',
    'streams.camera.response_age_ms>0',
    'streams.camera.response_age_ms.p98>0',
    'streams.camera.delivered_by_variant.half>0',
    'backends.cpu.slots>0',
    'compare.1.duration_ms>0',
    'compare.1.streams.camera.received>0',
    'start_ns>0',
  ])('is 2 for a condition that no report can be judged by, before anything is written: %s', async (condition) => {
    const other = file('other.yaml', parametersFor());
    const written = ['--html', path.join(command.folder, 'page.html'), '--output', path.join(command.folder, 'out')];
    const before = [...readdirSync(command.folder), 's.yaml'].sort();
    // A bag that is not there: the condition is judged before it is looked for.
    const { error, status } = await command.run(parametersFor(), '/nowhere/bag', '--compare', other, '--fail-if', condition, ...written);
    expect(error).toContain(`vig replay: --fail-if "${condition}"`);
    expect(status).toBe(2);
    expect(readdirSync(command.folder).sort()).toEqual(before);
  });

  it.each([
    'streams.camera.causes.predicted_stale>100000',
    'streams.camera.response_age_ms.p99>100000',
    'compare.0.backends.gpu.slot_busy_permille>1000',
    'problems.length>0',
    'duration_ms<0',
    'seed!=1',
  ])('is 0 where a condition can be judged and does not hold: %s', async (condition) => {
    const other = file('other.yaml', parametersFor());
    expect((await command.run(parametersFor(), BAG, '--compare', other, '--fail-if', condition)).status).toBeUndefined();
  });

  it('is 2 for a type whose payload nobody can decode for a server', async () => {
    const { error, status } = await command.run(parametersFor().replace('Image', 'Range'), BAG, '--backend', 'live');
    expect(error).toMatch(/s\.yaml:\d+: streams\.camera\.type is sensor_msgs\/msg\/Range: its payload cannot be decoded for a server/);
    expect(status).toBe(2);
  });

  it('is 2 for a server whose certificates are not there', async () => {
    const text = parametersFor({ streams: ['camera'] }).replace('{slots: 1}', '{slots: 1, tls: {ca_file: /nowhere/ca.pem}}');
    const { error, status } = await command.run(text, BAG, '--backend', 'live', '--output', path.join(command.folder, 'out'));
    expect(error).toMatch(/^vig replay: .*\/nowhere\/ca\.pem cannot be read/);
    expect(status).toBe(2);
    expect(readdirSync(command.folder)).toEqual(['s.yaml']);
  });

  it('is 2 for parameters without profiles: nothing could be drawn', async () => {
    const { error, status } = await command.run(parametersFor().replace(/, profile: \{.*?\}/, ''), BAG);
    expect(error).toMatch(/s\.yaml:\d+: models\.det\.variants\.full\.profile: is missing/);
    expect(status).toBe(2);
  });

  it.each([
    ['truncated.mcap', /truncated\.mcap: offset \d+: .* what stands before is replayed/],
    ['corrupt-lz4.mcap', /corrupt-lz4\.mcap: offset \d+: this chunk is damaged/],
    ['corrupt.db3', /corrupt\.db3: .*the file is damaged/],
    ['split-missing', /1 of 3 files named here are not there/],
    ['zero-stamps.mcap', /zero-stamps\.mcap: stream camera: the stamps of all messages are zero/],
  ])('is 3 for %s, with a report of what is there', async (bag, words) => {
    const ended = await command.run(parametersFor(), foreignBag(bag), '--json');
    expect(ended.error).toMatch(words);
    expect(reportOf(ended).problems.join('\n')).toMatch(words);
    expect(reportOf(ended).streams['camera']?.received).toBeGreaterThan(50);
    expect(ended.status).toBe(3);
  });

  it('is 3 for a topic that is not in the bag, and one whose type differs', async () => {
    const text = parametersFor({ stream: { jpeg: 'queue: {policy: latest}' } })
      .replace('topic: /points', 'topic: /no/points')
      .replace('type: sensor_msgs/msg/CompressedImage', 'type: sensor_msgs/msg/Image');
    const { error, status } = await command.run(text, BAG);
    expect(error).toMatch(/topic \/no\/points: is not in the bag; it has \/camera\/compressed, \/camera\/image_raw/);
    expect(error).toMatch(
      /topic \/camera\/compressed: offset \d+: 100 messages of type sensor_msgs\/msg\/CompressedImage \(cdr\); stream 'jpeg' expects/,
    );
    expect(status).toBe(3);
  });
});

describe('stamps', () => {
  const camera = async (bag: string, line: string) =>
    reportOf(await command.run(parametersFor({ streams: ['camera'], stream: { camera: line } }), foreignBag(bag), '--json')).streams[
      'camera'
    ];

  it('that are zero end every message as invalid, unless the reception counts', async () => {
    expect((await camera('zero-stamps.mcap', 'stamp_source: header'))?.causes).toEqual({ stamp_zero: 151 });
    expect((await camera('zero-stamps.mcap', 'stamp_source: receive'))?.causes).toEqual({ delivered: 151 });
  });

  it('of another clock are corrected by the offset', async () => {
    expect((await camera('zstd.mcap', 'stamp_offset_ms: -500.0'))?.causes).toEqual({ stale_on_arrival: 151 });
    expect((await camera('zstd.mcap', 'stamp_offset_ms: 2000.0'))?.causes).toEqual({ stamp_future: 151 });
    const tolerant = 'future_tolerance_ms: 5000.0\n        stamp_offset_ms: 2000.0';
    expect((await camera('zstd.mcap', tolerant))?.causes).toEqual({ delivered: 151 });
  });
});

describe('the bag that is written', () => {
  const backSchema = z.object({
    messages: z.array(z.object({ topic: z.string(), type: z.string(), log: z.string(), message: z.looseObject({ header: z.unknown() }) })),
    counts: z.record(z.string(), z.number()),
    qos: z.record(z.string(), z.unknown()),
    mcap: z.object({ messages: z.number(), profile: z.string() }),
  });
  const readBack = (folder: string) =>
    backSchema.parse(
      JSON.parse(execFileSync(python, [path.join(import.meta.dirname, 'read-back.py'), folder], { encoding: 'utf8', maxBuffer: 1 << 28 })),
    );

  it('has the same bytes each time', async () => {
    const folders = ['one', 'two'].map((name) => path.join(command.folder, name));
    for (const folder of folders) await command.run(parametersFor(), BAG, '--output', folder);
    const [one = '', two = ''] = folders;
    expect(readdirSync(one)).toEqual(['metadata.yaml', 'replay_0.mcap']);
    for (const name of readdirSync(one)) expect(readFileSync(path.join(one, name)).equals(readFileSync(path.join(two, name)))).toBe(true);
  });

  it('is read by other tools: an outcome for every message, with its header, and status and diagnostics by the clock of the bag', async () => {
    const folder = path.join(command.folder, 'out');
    const { streams } = reportOf(await command.run(parametersFor(), BAG, '--json', '--output', folder));
    const { messages, counts, qos, mcap } = readBack(folder);
    const received = sum(Object.fromEntries(Object.entries(streams).map(([name, stream]) => [name, stream.received])));
    expect(counts).toEqual({ '/governor/outcomes': received, '/governor/status': expect.any(Number), '/diagnostics': 6 });
    expect(counts['/governor/status']).toBeGreaterThanOrEqual(6);
    expect(mcap).toEqual({ messages: messages.length, profile: 'ros2' });
    expect(qos).toEqual({
      '/governor/outcomes': [['RELIABLE', 'VOLATILE', 100]],
      '/governor/status': [['RELIABLE', 'VOLATILE', 10]],
      '/diagnostics': [['RELIABLE', 'VOLATILE', 10]],
    });

    const outcomes = messages.filter(({ topic }) => topic === '/governor/outcomes').map(({ message }) => message);
    const headers = outcomes.map(({ header, stream }) => JSON.stringify([stream, header])).sort();
    const topics: Readonly<Record<string, string>> = {
      '/camera/image_raw': 'camera',
      '/camera/compressed': 'jpeg',
      '/points': 'points',
      '/imu': 'imu',
    };
    const sent = truth.messages
      .filter(([topic]) => topic in topics)
      .map(([topic, , sec, nanosec, frame_id]) => JSON.stringify([topics[topic], { stamp: { sec, nanosec }, frame_id }]));
    expect(headers).toEqual(sent.sort());
    for (const [name, { causes }] of Object.entries(streams)) {
      for (const [cause, count] of Object.entries(causes))
        expect(outcomes.filter(({ stream, cause_text }) => stream === name && cause_text === cause)).toHaveLength(count);
    }

    for (const { topic, log, message } of messages) {
      if (topic === '/governor/outcomes') continue;
      const { stamp } = z.object({ stamp: z.object({ sec: z.number(), nanosec: z.number() }) }).parse(message.header);
      expect(BigInt(stamp.sec) * 1_000_000_000n + BigInt(stamp.nanosec)).toBe(BigInt(log));
    }
    const last = messages.findLast(({ topic }) => topic === '/governor/status')?.message;
    expect(last).toMatchObject({
      ready: true,
      backends: [{ backend: 'gpu', ready: true, in_flight: 0 }],
      streams: Object.entries(streams).map(([stream, { received, outcomes }]) => ({ stream, received, in_flight: 0, ...outcomes })),
    });
    const diagnostics = messages.filter(({ topic }) => topic === '/diagnostics').map(({ message }) => JSON.stringify(message));
    expect(diagnostics[0]).toContain('fresh results of');
    expect(diagnostics[0]).not.toContain('No events recorded');
    expect(messages.slice(-2).map(({ topic }) => topic)).toEqual(['/governor/status', '/diagnostics']);
  });
});
