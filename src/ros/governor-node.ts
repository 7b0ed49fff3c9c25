/** The ROS node around one governor: subscriptions in, topics out, the lifecycle between. */
import type { Logger } from 'pino';
import { changeParameters, type ParameterChange } from '../config/live-change.js';
import { splitName } from '../config/node-name.js';
import { planWarnings } from '../config/plan.js';
import type { Configuration } from '../config/validate.js';
import type { Clock } from '../governor/ports.js';
import { GovernorService } from '../service/governor-service.js';
import type { ConnectServer } from '../service/served-backend.js';
import type { DiagnosticStatus } from '../telemetry/diagnostics.js';
import type { HeldCalls } from '../telemetry/held-calls.js';
import { isRunning } from '../telemetry/ros-clock.js';
import type { GovernorStatus } from '../telemetry/status.js';
import type { RclNode, Rclnodejs } from './binding.js';
import { ClockLog } from './clock-log.js';
import { type DiagnosticsMessage, diagnosticsMessage } from './diagnostics-message.js';
import { serveExplanations } from './explain-service.js';
import { InputWatch } from './input-watch.js';
import { Inputs } from './inputs.js';
import { installPrefixes } from './interface-definitions.js';
import type { LifecycleWork } from './lifecycle.js';
import { NODE_TOPICS } from './node-topics.js';
import { asked } from './operator-log.js';
import { ReadinessLog } from './readiness-log.js';
import { RosPublisher } from './ros-publisher.js';
import { RosTime } from './ros-time.js';
import { SerialisedTopic, type TopicDescription } from './serialised-topic.js';
import { StatusBroadcast } from './status-broadcast.js';
import { type StatusMessage, statusMessage } from './status-message.js';

export interface NodeSurroundings {
  readonly rcl: Rclnodejs;
  readonly node: RclNode;
  readonly configuration: Configuration;
  /** The machine's time. */
  readonly clock: Clock;
  readonly connect: ConnectServer;
  readonly log: Logger;
}

/** From configure to cleanup. */
interface Running {
  readonly service: GovernorService;
  readonly inputs: Inputs;
  readonly broadcast: StatusBroadcast;
}

const LEFT_AT_DRAIN = 'the drain is not complete: the end of these calls is not proven, and the server may still be computing them';
const FORGOTTEN =
  'cleanup forgets calls whose end is not proven: the next configure starts with every slot, and the server may still be computing them';

export class GovernorNode implements LifecycleWork {
  readonly #surroundings: NodeSurroundings;
  /** Of what an operator did. */
  readonly #asked: Logger;
  /** What the next configure takes; contracts change while the node runs. */
  #configuration: Configuration;
  readonly #publisher: RosPublisher;
  readonly #status: SerialisedTopic<StatusMessage>;
  readonly #diagnostics: SerialisedTopic<DiagnosticsMessage>;
  readonly #time: RosTime;
  readonly #clockLog: ClockLog;
  readonly #inputProblems = new Map<string, string>();
  readonly #readiness: ReadinessLog;
  #running: Running | undefined;
  #active = false;
  #drained = true;

  /** @throws {RosInterfaceError} when the messages of this package are not installed. */
  constructor(surroundings: NodeSurroundings) {
    const { rcl, node, configuration, clock, log } = surroundings;
    const prefixes = installPrefixes();
    const topic = <M extends object>(description: TopicDescription): SerialisedTopic<M> =>
      new SerialisedTopic<M>(rcl, node, description, prefixes);
    this.#surroundings = surroundings;
    this.#asked = asked(log);
    this.#configuration = configuration;
    this.#readiness = new ReadinessLog(log, () => performance.now());
    this.#publisher = new RosPublisher(rcl, node, configuration.parameters, prefixes, log);
    this.#status = topic(NODE_TOPICS.status);
    this.#diagnostics = topic(NODE_TOPICS.diagnostics);
    this.#clockLog = new ClockLog(log);
    this.#time = new RosTime(rcl, node, {
      useSimTime: configuration.useSimTime,
      machine: clock,
      placed: (rosEpochUs) => this.#running?.service.placeRosTime(rosEpochUs),
      jumped: () => this.#running?.service.clockJumped(),
      log,
    });
    serveExplanations(node, log, async (subject) => this.#running?.service.explain(subject) ?? 'the node is not configured');
  }

  /** Whether the end of every call was proven when the node was shut down. */
  get drained(): boolean {
    return this.#drained;
  }

  /** Nothing is waited for any longer: what runs gets its outcome now. */
  hurry(): void {
    this.#running?.service.hurry();
  }

  /** Nothing is left open when it rejects. */
  readonly configure = async (): Promise<void> => {
    if (this.#running !== undefined) await this.#end(); // of a configure that the state machine did not take
    const { rcl, node, connect, log } = this.#surroundings;
    const { parameters } = this.#configuration;
    for (const warning of planWarnings(this.#configuration)) this.#asked.warn(warning);
    const service = new GovernorService(parameters, {
      clock: this.#time.clock,
      connect,
      log,
      publisher: this.#publisher,
      rosEpochUs: this.#time.epochUs(),
      rosClock: () => this.#time.facts(),
    });
    const inputs = new Inputs(rcl, node, parameters, {
      service,
      rosNowNs: () => this.#time.nowNs(),
      isActive: () => this.#active,
      log,
    });
    const broadcast = this.#createBroadcast(service, inputs);
    this.#running = { service, inputs, broadcast };
    try {
      await service.configure();
      inputs.open();
      broadcast.start();
    } catch (error) {
      await this.#end().catch(() => undefined); // what failed first is told
      throw error;
    }
  };

  readonly activate = async (): Promise<void> => {
    this.#configured().service.activate();
    this.#active = true;
  };

  /** Every open request has its outcome when it resolves. */
  readonly deactivate = async (): Promise<void> => {
    const { service } = this.#configured();
    this.#active = false;
    this.#readiness.reset();
    const complete = await service.deactivate();
    if (!complete) this.#warn(LEFT_AT_DRAIN, service.heldCalls());
  };

  /** The next configure starts with every credit, so it is said which calls may still be running then. */
  readonly cleanup = async (): Promise<void> => {
    const held = this.#configured().service.heldCalls();
    if (held.length > 0) this.#warn(FORGOTTEN, held);
    await this.#end();
  };

  /** From any state; first of all nothing more is received, so that everything received has its outcome. */
  readonly shutdown = async (): Promise<void> => {
    if (this.#running === undefined) return;
    const { inputs, service } = this.#running;
    this.#drained = false; // until it is seen to be
    try {
      inputs.close();
      const active = this.#active;
      if (active) await this.deactivate();
      const held = service.heldCalls();
      this.#drained = held.length === 0;
      if (!active && held.length > 0) this.#warn(LEFT_AT_DRAIN, held);
    } finally {
      await this.#end();
    }
  };

  async #end(): Promise<void> {
    const { service, inputs, broadcast } = this.#configured();
    this.#running = undefined;
    this.#active = false;
    try {
      broadcast.stop();
      inputs.close();
      this.#publisher.flush();
    } finally {
      await service.cleanup();
    }
  }

  #warn(what: string, held: readonly HeldCalls[]): void {
    const calls = held.reduce((sum, of) => sum + of.calls, 0);
    const states = held.map(({ backend, states }) => `${backend}: ${states}`).join('; ');
    this.#asked.warn({ calls, states, hint: 'docs/runbook.md#a-slot-is-held' }, what);
  }

  /** Puts other contracts in force, at once and for every configure to come. @throws {ConfigurationError} with nothing changed. */
  readonly change = (changes: readonly ParameterChange[]): void => {
    const { node } = this.#surroundings;
    const changed = changeParameters(this.#configuration, changes, splitName(node.getFullyQualifiedName()));
    this.#running?.service.reconfigure(changed.parameters);
    this.#running?.inputs.adopt(changed.parameters);
    this.#configuration = changed;
    for (const { name, value } of changes) this.#asked.info({ parameter: name, value }, 'contract changed');
  };

  #configured(): Running {
    if (this.#running === undefined) throw new Error('the node is not configured');
    return this.#running;
  }

  #createBroadcast(service: GovernorService, inputs: Inputs): StatusBroadcast {
    const watch = new InputWatch(this.#surroundings.node, (stream, problem) => this.#noteInput(service, stream, problem));
    return new StatusBroadcast(
      {
        status: () => service.status(),
        isSilent: (stream) => inputs.isSilent(stream),
        look: () => this.#look(watch, inputs),
        publishStatus: (status) => this.#publishStatus(status),
        publishDiagnostics: () => this.#publishDiagnostics(service.diagnostics()),
      },
      this.#surroundings.log,
    );
  }

  #look(watch: InputWatch, inputs: Inputs): void {
    const clock = this.#time.facts();
    watch.look(inputs.opened(), clock !== undefined && !isRunning(clock));
    if (clock !== undefined) this.#clockLog.note(clock);
  }

  #noteInput(service: GovernorService, stream: string, problem: string | undefined): void {
    if (problem !== undefined && problem !== this.#inputProblems.get(stream)) this.#surroundings.log.warn({ stream }, problem);
    if (problem === undefined) this.#inputProblems.delete(stream);
    else this.#inputProblems.set(stream, problem);
    service.noteInput(stream, problem);
  }

  #publishStatus(status: GovernorStatus): void {
    if (this.#active) this.#readiness.note(status);
    this.#status.publish(statusMessage(status, this.#time.nowNs() ?? 0n));
  }

  #publishDiagnostics(statuses: readonly DiagnosticStatus[]): void {
    this.#diagnostics.publish(diagnosticsMessage(statuses, this.#time.nowNs() ?? 0n));
  }
}
