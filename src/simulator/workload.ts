/** The frames of a run and how long each takes: the same for every policy (scenarios.md 1). */
import { FrameGenerators } from '../random/frame-generators.js';
import { Pcg32 } from '../random/pcg32.js';
import { FIRST_RUNTIME_GENERATOR, runtimeDraw } from '../random/runtime.js';
import type { Scenario, Source } from './scenario.js';

/** Number of the generator that all captures share. */
const CAPTURE_GENERATOR = 1n;
const FAILURE_GENERATOR = 5n;

export class Workload {
  /** Index into the streams of the scenario, by frame. Frames are stream-major, in order of their number. */
  readonly stream: Uint16Array;
  readonly captureNs: Float64Array;
  readonly arrivalNs: Float64Array;
  /** Frames in order of arrival; equal instants in order of their number. */
  readonly byArrival: Uint32Array;
  readonly #scenario: Scenario;
  readonly #seed: bigint;
  /** By variant, then frame; 0 = not drawn yet. */
  readonly #runtimesNs: Float64Array[] = [];
  readonly #draws: (readonly ((generator: Pcg32) => number)[])[];
  readonly #runtimeGenerators: FrameGenerators[] = [];
  readonly #failureGenerators: FrameGenerators;

  constructor(scenario: Scenario, seed: number) {
    this.#scenario = scenario;
    this.#seed = BigInt(seed);
    this.#failureGenerators = new FrameGenerators(this.#seed, FAILURE_GENERATOR);
    const captures = new Pcg32(this.#seed, CAPTURE_GENERATOR);
    const perStream = scenario.streams.map(({ source }) => captureTimes(source, scenario.runNs, captures));
    const frames = perStream.reduce((sum, { length }) => sum + length, 0);
    this.stream = new Uint16Array(frames);
    this.captureNs = new Float64Array(frames);
    this.arrivalNs = new Float64Array(frames);
    let frame = 0;
    perStream.forEach((instants, stream) => {
      const transportNs = scenario.streams[stream]?.source.transportNs ?? 0;
      for (const captureNs of instants) {
        this.stream[frame] = stream;
        this.captureNs[frame] = captureNs;
        this.arrivalNs[frame] = captureNs + transportNs;
        frame += 1;
      }
    });
    const { arrivalNs } = this;
    this.byArrival = Uint32Array.from({ length: frames }, (_, index) => index).sort(
      (a, b) => (arrivalNs[a] as number) - (arrivalNs[b] as number) || a - b,
    );
    this.#draws = scenario.streams.map(({ variants }) => variants.map(runtimeDraw));
  }

  get frames(): number {
    return this.stream.length;
  }

  /** A frame keeps its runtime, whenever it is run. */
  runtimeNs(frame: number, variant: number): number {
    this.#runtimesNs[variant] ??= new Float64Array(this.frames);
    const drawn = this.#runtimesNs[variant];
    if (drawn[frame] === 0) {
      const draw = this.#draws[this.stream[frame] as number]?.[variant];
      if (draw === undefined) throw new RangeError(`frame ${frame} has no variant ${variant}`);
      this.#runtimeGenerators[variant] ??= new FrameGenerators(this.#seed, FIRST_RUNTIME_GENERATOR + BigInt(variant));
      drawn[frame] = draw(this.#runtimeGenerators[variant].of(frame));
    }
    return drawn[frame] as number;
  }

  /** Whether the model answers this frame with an error. */
  fails(frame: number): boolean {
    const permille = this.#scenario.streams[this.stream[frame] as number]?.failurePermille ?? 0;
    return permille > 0 && this.#failureGenerators.of(frame).below(1000) < permille;
  }
}

/** The first capture at or beyond the end of the run is drawn, left out, and ends the stream: the draws of the next one depend on it. */
function captureTimes(source: Source, runNs: number, generator: Pcg32): number[] {
  const { jitterNs, phaseNs, stopNs = Number.POSITIVE_INFINITY } = source;
  const instants: number[] = [];
  for (let releaseNs = phaseNs; releaseNs < stopNs; releaseNs += periodAt(source, releaseNs - phaseNs)) {
    const jitter = jitterNs === 0 ? 0 : generator.below(2 * jitterNs + 1) - jitterNs;
    const captureNs = Math.max(0, releaseNs + jitter);
    if (captureNs >= runNs) break;
    instants.push(captureNs);
  }
  return instants;
}

function periodAt({ periodNs, burst }: Source, sinceStartNs: number): number {
  return burst !== undefined && sinceStartNs % burst.everyNs < burst.forNs ? burst.periodNs : periodNs;
}
