import type { Contract } from '../core/configuration.js';
import type { DecisionCore } from '../core/decision-core.js';
import type { Clock } from '../governor/ports.js';
import { type DiagnosticStatus, Diagnostics } from '../telemetry/diagnostics.js';
import { judgeBackend, judgeStream } from '../telemetry/finding.js';
import type { Observer } from '../telemetry/observer.js';
import { whatIsMissing } from '../telemetry/readiness.js';
import { type ClockFacts, judgeClock } from '../telemetry/ros-clock.js';
import type { BackendStatus, GovernorStatus, StreamStatus } from '../telemetry/status.js';
import type { ServedBackend } from './served-backend.js';
import type { Stream } from './stream.js';

type ShownStream = Pick<Stream, 'topic'>;
type ShownBackend = Pick<ServedBackend, 'health' | 'startHint'>;

/** Reads the state of the node out of its parts, for status, metrics and diagnostics. */
export class NodeStatus {
  readonly #core: DecisionCore;
  readonly #observer: Observer;
  readonly #streams: ReadonlyMap<string, ShownStream>;
  readonly #contracts: ReadonlyMap<string, Contract>;
  readonly #backends: ReadonlyMap<string, ShownBackend>;
  readonly #clock: Clock;
  readonly #diagnostics = new Diagnostics();
  readonly #inputProblems = new Map<string, string>();
  readonly #receivedAtReport = new Map<string, number>();
  #jumpsAtReport = 0;

  constructor(
    core: DecisionCore,
    observer: Observer,
    streams: ReadonlyMap<string, ShownStream>,
    contracts: ReadonlyMap<string, Contract>,
    backends: ReadonlyMap<string, ShownBackend>,
    clock: Clock,
  ) {
    this.#core = core;
    this.#observer = observer;
    this.#streams = streams;
    this.#contracts = contracts;
    this.#backends = backends;
    this.#clock = clock;
  }

  noteInput(stream: string, problem: string | undefined): void {
    if (problem === undefined) this.#inputProblems.delete(stream);
    else this.#inputProblems.set(stream, problem);
  }

  /** @param active ready is what the node can do now: serving, every server ready, a slot left on each backend. */
  read(active: boolean): GovernorStatus {
    const snapshot = this.#core.snapshot();
    const now = this.#clock.now();
    const streams = snapshot.streams.map(
      ({ name: stream, waiting, inFlight, measured, weaklyHardMisses, weaklyHardViolated }): StreamStatus => ({
        ...this.#observer.statistics(stream).snapshot(now),
        stream,
        waiting,
        inFlight,
        weaklyHardMisses,
        weaklyHardViolated,
        profile: measured ? 'measured' : 'unmeasured',
      }),
    );
    const backends = snapshot.backends.map(
      ({ name: backend, ...counts }): BackendStatus => ({
        ...counts,
        backend,
        reachable: this.#backends.get(backend)?.health().reachable ?? false,
        ready: this.#backends.get(backend)?.health().ready ?? false,
      }),
    );
    return { ready: whatIsMissing(active, backends).length === 0, streams, backends };
  }

  /** @param clock under use_sim_time */
  diagnose(whyNotReady: (stream: string) => string | undefined, clock: ClockFacts | undefined): readonly DiagnosticStatus[] {
    const { streams, backends } = this.read(true);
    return [
      ...(clock === undefined ? [] : [this.#diagnoseClock(clock)]),
      ...streams.map((status) => this.#diagnoseStream(status, whyNotReady(status.stream), clock)),
      ...backends.map((status) => {
        const backend = this.#backends.get(status.backend);
        return this.#diagnostics.backend(judgeBackend(status, backend?.health().detail ?? '', backend?.startHint ?? ''), status);
      }),
    ];
  }

  #diagnoseClock(facts: ClockFacts): DiagnosticStatus {
    const jumps = facts.jumps - this.#jumpsAtReport;
    this.#jumpsAtReport = facts.jumps;
    return this.#diagnostics.clock(judgeClock(facts, jumps), facts);
  }

  #diagnoseStream(status: StreamStatus, modelProblem: string | undefined, clock: ClockFacts | undefined): DiagnosticStatus {
    const { stream } = status;
    const received = status.received - (this.#receivedAtReport.get(stream) ?? 0);
    this.#receivedAtReport.set(stream, status.received);
    const configured = this.#streams.get(stream);
    const finding = judgeStream({
      topic: configured?.topic ?? stream,
      received,
      causes: this.#observer.takeCauses(stream),
      silentUs: this.#observer.silentUs(stream),
      periodUs: this.#contracts.get(stream)?.periodUs,
      inputProblem: this.#inputProblems.get(stream),
      modelProblem,
      brokenBudget: status.weaklyHardViolated ? status.weaklyHardMisses : undefined,
      stamps: this.#observer.takeStamps(stream),
      clock,
    });
    return this.#diagnostics.stream(finding, status, this.#contracts.get(stream)?.version ?? 0);
  }
}
