/** Installs stand-in message packages under a prefix of their own: our own definitions from msg/, and the public ones they use. */
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const OWN = fileURLToPath(new URL('../../msg', import.meta.url));

/** Definitions by package/Name, as their public packages state them. */
const PUBLIC: Readonly<Record<string, string>> = {
  'builtin_interfaces/Time': 'int32 sec\nuint32 nanosec\n',
  'std_msgs/Header': 'builtin_interfaces/Time stamp\nstring frame_id\n',
  'diagnostic_msgs/KeyValue': 'string key\nstring value\n',
  'diagnostic_msgs/DiagnosticStatus':
    'byte OK=0\nbyte WARN=1\nbyte ERROR=2\nbyte STALE=3\nbyte level\nstring name\nstring message\nstring hardware_id\nKeyValue[] values\n',
  'diagnostic_msgs/DiagnosticArray': 'std_msgs/Header header\nDiagnosticStatus[] status\n',
  'geometry_msgs/Point': 'float64 x\nfloat64 y\nfloat64 z\n',
  'geometry_msgs/Quaternion': 'float64 x 0\nfloat64 y 0\nfloat64 z 0\nfloat64 w 1\n',
  'geometry_msgs/Pose': 'Point position\nQuaternion orientation\n',
  'geometry_msgs/PoseWithCovariance': 'Pose pose\nfloat64[36] covariance\n',
  'vision_msgs/Point2D': 'float64 x\nfloat64 y\n',
  'vision_msgs/Pose2D': 'vision_msgs/Point2D position\nfloat64 theta\n',
  'vision_msgs/BoundingBox2D': 'vision_msgs/Pose2D center\nfloat64 size_x\nfloat64 size_y\n',
  'vision_msgs/ObjectHypothesis': 'string class_id\nfloat64 score\n',
  'vision_msgs/ObjectHypothesisWithPose': 'ObjectHypothesis hypothesis\ngeometry_msgs/PoseWithCovariance pose\n',
  'vision_msgs/Detection2D': 'std_msgs/Header header\nObjectHypothesisWithPose[] results\nBoundingBox2D bbox\nstring id\n',
  'vision_msgs/Detection2DArray': 'std_msgs/Header header\nvision_msgs/Detection2D[] detections\n',
};

/** @returns the prefix; without the packages named in `without`. */
export function installInterfaces(without: readonly string[] = []): string {
  const prefix = mkdtempSync(path.join(tmpdir(), 'vig-interfaces-'));
  cpSync(OWN, path.join(prefix, 'share', 'vigilant_governor', 'msg'), { recursive: true });
  for (const [type, text] of Object.entries(PUBLIC)) {
    const [packageName, name] = type.split('/') as [string, string];
    if (without.includes(packageName)) continue;
    const folder = path.join(prefix, 'share', packageName, 'msg');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `${name}.msg`), text);
  }
  return prefix;
}
