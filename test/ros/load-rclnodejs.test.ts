/** Only the ways in which it must not be imported: what happens when it can be is tested with ROS, in test/live. */
import { expect, it } from 'vitest';
import { loadRclnodejs } from '../../src/ros/load-rclnodejs.js';

it('says what to do where no ROS environment is sourced', async () => {
  await expect(loadRclnodejs({})).rejects.toThrow(/no ROS 2 environment is sourced: type npm run setup/);
  await expect(loadRclnodejs({ ROS_DISTRO: 'jazzy' })).rejects.toThrow(/no ROS 2 environment is sourced/);
});

it('refuses the switch that makes rclnodejs rebuild itself at each import', async () => {
  const environment = { ROS_DISTRO: 'jazzy', AMENT_PREFIX_PATH: '/opt/ros/jazzy', RCLNODEJS_FORCE_BUILD: '1' };
  await expect(loadRclnodejs(environment)).rejects.toThrow('RCLNODEJS_FORCE_BUILD=1 would rebuild rclnodejs at every start: unset it');
});
