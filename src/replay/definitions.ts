/** Message definitions without a ROS installation: those of this package, and the common ones, which come with a library. */
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DefinitionTexts, readFirst } from '../ros/interface-definitions.js';

const OWN_PACKAGE = 'vigilant_governor';
/** The oldest release that is supported and the newest have the same. */
const DISTRIBUTION = 'ros2jazzy';

const ownFolder = fileURLToPath(new URL('../../msg', import.meta.url)); // it stands beside `src` and `dist` alike
const commonFolder = path.join(
  path.dirname(createRequire(import.meta.url).resolve('@foxglove/rosmsg-msgs-common/package.json')),
  'msgdefs',
  DISTRIBUTION,
);

/** The files of the library have the definitions of all types within behind a line. */
const SEPARATOR = /^={20,}$/m;

/** The same on every machine, whatever is installed there. */
export const bundledTexts: DefinitionTexts = (packageName, name) =>
  readFirst([
    packageName === OWN_PACKAGE ? path.join(ownFolder, `${name}.msg`) : path.join(commonFolder, packageName, 'msg', `${name}.msg`),
  ])?.split(SEPARATOR, 1)[0];
