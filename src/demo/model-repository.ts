/** The demo's models in the layout of Triton's model repository: our configurations and Python, the networks that set-up fetched. */
import { copyFileSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { NETWORKS_FOLDER } from './checkout.js';
import { DemoError } from './demo-error.js';

const SOURCES = fileURLToPath(new URL('model-repository', import.meta.url));
const NETWORKS = { centerface: 'centerface.onnx', ppocr_det: 'ppocr-det.onnx' } as const;

/**
 * @param folder an empty folder
 * @throws {DemoError} `missing` when set-up has not fetched the networks.
 */
export function writeModelRepository(folder: string): void {
  for (const [model, network] of Object.entries(NETWORKS)) {
    const file = path.join(NETWORKS_FOLDER, network);
    if (!existsSync(file)) throw new DemoError('missing', `${file} is missing: type npm run setup in the checkout`);
    const version = path.join(folder, model, '1');
    mkdirSync(version, { recursive: true });
    copyFileSync(path.join(SOURCES, model, 'config.pbtxt'), path.join(folder, model, 'config.pbtxt'));
    copyFileSync(path.join(SOURCES, 'model.py'), path.join(version, 'model.py'));
    symlinkSync(file, path.join(version, 'model.onnx'));
  }
}
