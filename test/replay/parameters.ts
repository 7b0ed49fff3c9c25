/** Parameters for the foreign recording. */

export interface Changes {
  readonly policy?: 'ordered' | 'planned';
  readonly p50Us?: number;
  readonly slots?: number;
  /** More lines of a stream, by its name. */
  readonly stream?: Readonly<Record<string, string>>;
  /** Other streams than all of them. */
  readonly streams?: readonly string[];
}

const STREAMS: Readonly<Record<string, readonly [topic: string, type: string, streamClass: string, period: number, maxAge: number]>> = {
  camera: ['/camera/image_raw', 'sensor_msgs/msg/Image', 'protected', 33, 80],
  jpeg: ['/camera/compressed', 'sensor_msgs/msg/CompressedImage', 'normal', 50, 120],
  points: ['/points', 'sensor_msgs/msg/PointCloud2', 'high', 100, 200],
  imu: ['/imu', 'sensor_msgs/msg/Imu', 'best_effort', 10, 60],
};

export function parametersFor({
  policy = 'ordered',
  p50Us = 9000,
  slots = 1,
  stream = {},
  streams = Object.keys(STREAMS),
}: Changes = {}): string {
  const blocks = streams.map((name) => {
    const [topic = '', type = '', streamClass = '', period = 0, maxAge = 0] = STREAMS[name] ?? [];
    return [
      `      ${name}:`,
      `        topic: ${topic}`,
      `        type: ${type}`,
      '        model: det',
      `        class: ${streamClass}`,
      `        contract: {period_ms: ${period}.0, max_age_ms: ${maxAge}.0}`,
      ...(stream[name] === undefined ? [] : [`        ${stream[name]}`]),
    ].join('\n');
  });
  return `governor:
  ros__parameters:
    scheduling: {policy: ${policy}}
    backends: {gpu: {slots: ${slots}}}
    models:
      det:
        backend: gpu
        variants: {full: {backend_model: m, profile: {p50_us: ${p50Us}, p95_us: ${Math.round(p50Us * 1.3)}, p99_us: ${Math.round(p50Us * 1.6)}}}}
    streams:
${blocks.join('\n')}
`;
}
