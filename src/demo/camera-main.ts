/** The cameras' process. Its argument says where the picture is. */
import { runCameras } from '../ros/camera-node.js';
import { StopSignals } from '../ros/stop-signals.js';
import { FRONT, NAMESPACE, PERIOD_MS, REAR } from './demo-parameters.js';
import { crop, enlarged, readPicture, windowAt } from './moving-picture.js';

const IMAGE = { width: 640, height: 480 } as const;
const ENLARGEMENT = 2;

const signals = new StopSignals();
const picture = enlarged(readPicture(process.argv[2] ?? ''), ENLARGEMENT);
// The front camera's path keeps the face of the picture in view.
const cameras = [
  { ...FRONT, phaseMs: 0, path: { rangeX: 360, rangeY: 110, turnMs: 8000 } },
  { ...REAR, phaseMs: PERIOD_MS / 3, path: { rangeX: picture.width - IMAGE.width, rangeY: picture.height - IMAGE.height, turnMs: 13_000 } },
].map(({ name, topic, phaseMs, path }) => ({
  ...IMAGE,
  topic,
  frameId: `${name}_camera`,
  periodMs: PERIOD_MS,
  phaseMs,
  view: (timeMs: number) => {
    const { x, y } = windowAt(path, timeMs);
    return crop(picture, x, y, IMAGE.width, IMAGE.height);
  },
}));

await runCameras(NAMESPACE, cameras, () => process.stdout.write('cameras: filming\n'), signals.first);
signals.stop();
