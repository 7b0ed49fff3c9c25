/** The process of the arm without a governor. Its argument is the parameter file. */
import { loadConfiguration } from '../config/load.js';
import { SteadyClock } from '../governor/clock.js';
import { Inputs } from '../ros/inputs.js';
import { installPrefixes } from '../ros/interface-definitions.js';
import { OperatorLog } from '../ros/operator-log.js';
import { openPlainNode } from '../ros/plain-node.js';
import { RosPublisher } from '../ros/ros-publisher.js';
import { SerialisedTopic } from '../ros/serialised-topic.js';
import { type StatusMessage, statusMessage } from '../ros/status-message.js';
import { StopSignals } from '../ros/stop-signals.js';
import { connectTriton } from '../triton/connect.js';
import { NAMESPACE, UNGOVERNED_NODE } from './demo-parameters.js';
import { UngovernedService } from './ungoverned-service.js';

const STATUS_INTERVAL_MS = 1000;
const STATUS_DEPTH = 10;

const signals = new StopSignals();
const { parameters } = loadConfiguration({ files: [process.argv[2] ?? ''] });
const plain = await openPlainNode(UNGOVERNED_NODE, NAMESPACE);
const { rcl, node } = plain;
const log = new OperatorLog('warn').logger;
const rosNowNs = () => node.getClock().now().nanoseconds;
const publisher = new RosPublisher(rcl, node, parameters, installPrefixes(), log);
const service = new UngovernedService(parameters, { clock: new SteadyClock(), publisher, connect: connectTriton, log });
const inputs = new Inputs(rcl, node, parameters, { service, rosNowNs, isActive: () => true, log });
const description = { type: 'vigilant_governor/msg/GovernorStatus', name: '~/status', depth: STATUS_DEPTH };
const topic = new SerialisedTopic<StatusMessage>(rcl, node, description, installPrefixes());

service.start();
inputs.open();
const timer = setInterval(() => topic.publish(statusMessage(service.status(), rosNowNs())), STATUS_INTERVAL_MS);
await signals.first;
clearInterval(timer);
inputs.close();
publisher.flush();
await service.close();
plain.close();
process.exit(0); // a call that hangs at the server would keep the process
