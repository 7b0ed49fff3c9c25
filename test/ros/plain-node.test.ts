import { expect, it, vi } from 'vitest';
import { openPlainNode } from '../../src/ros/plain-node.js';

const binding = vi.hoisted(() => ({ isUp: false }));
vi.mock('../../src/ros/load-rclnodejs.js', () => ({
  loadRclnodejs: async () => ({
    removeSignalHandlers: () => undefined,
    Context: { defaultContext: () => undefined },
    init: async () => {
      binding.isUp = true;
    },
    Node: class {
      constructor() {
        throw new Error('no such namespace');
      }
    },
    NodeOptions: class {},
    isShutdown: () => !binding.isUp,
    shutdown: () => {
      binding.isUp = false;
    },
  }),
}));

it('leaves nothing of the binding running when the node cannot be made', async () => {
  await expect(openPlainNode('demo', '1x')).rejects.toThrow('no such namespace');
  expect(binding.isUp).toBe(false);
});
