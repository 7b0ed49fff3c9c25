/** Where the demo finds what set-up made. It runs from a checkout. */
import { fileURLToPath } from 'node:url';

const made = new URL('../../.vig/', import.meta.url);

export const TRITON_FOLDER = fileURLToPath(new URL('triton', made));
export const PICTURE_FILE = fileURLToPath(new URL('models/astronaut.png', made));
export const NETWORKS_FOLDER = fileURLToPath(new URL('models', made));
export const CLI_FILE = fileURLToPath(new URL('../cli/main.js', import.meta.url));

/** The file of a process of the demo, compiled as this one. */
export function entry(name: 'camera-main' | 'ungoverned-main'): string {
  return fileURLToPath(new URL(`${name}.js`, import.meta.url));
}
