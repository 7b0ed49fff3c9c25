/**
 * Tells whether a server is still the process it was: a region of ours that it was told to map is listed there until it ends, and by no
 * process after it (rules.md 11, adr/0015). Its name is unique to this start of ours; nothing is ever written to it.
 */
import type { Logger } from 'pino';
import type { Micros } from '../core/units.js';
import type { Connection } from './connection.js';
import type { Region } from './region.js';
import type { SharedMemory } from './shared-memory.js';
import { TritonError, type TritonErrorCode, textOf } from './triton-error.js';

const FORGOTTEN =
  'the server forgot a shared-memory region of ours while the connection stood: another client unregisters the regions of others, or a proxy stands between us and several servers';
const ANOTHER_PROCESS =
  'a new connection leads to another server process while the one before still runs: nothing is sent there until that one has ended its calls and closed its connections';

export interface WitnessPorts {
  readonly memory: Pick<SharedMemory, 'createWitness' | 'register' | 'isRegistered' | 'unregister'>;
  now(): Micros;
  /** @param polledUs when the server was asked */
  tell(present: boolean, polledUs: Micros): void;
  readonly log: Logger;
}

/**
 * registered: a server took it. Only then does a server that does not list it prove a restart.
 * unusable: a server does not list it although it has not ended, so that its absence proves nothing.
 */
type State = 'not_registered' | 'registered' | 'unusable';

const FOUND_NOTHING: ReadonlySet<TritonErrorCode> = new Set(['not_connected', 'no_answer', 'another_process']);

export class BootWitness {
  readonly #ports: WitnessPorts;
  /** Those that lead to the process that holds the witness. */
  #confirmedOn: readonly Connection[] = [];
  #region: Region | undefined;
  #state: State = 'not_registered';
  #checking: Promise<unknown> = Promise.resolve();
  #said = '';

  constructor(ports: WitnessPorts) {
    this.#ports = ports;
  }

  /** What is sent over this connection from now on goes to the process that holds the witness. */
  isConfirmedOn(connection: Connection): boolean {
    return this.#state === 'registered' && this.#confirmedOn.includes(connection);
  }

  /**
   * Asks for the witness and tells what is found; makes one known to a server that has none, after telling that it is missing.
   * @throws {TritonError} `not_connected` or `no_answer`, when nothing was found out; `another_process`, when the one that holds the witness
   *   has not ended
   */
  check(connection: Connection): Promise<void> {
    const check = this.#checking.then(() => this.#check(connection));
    this.#checking = check.catch(() => undefined);
    return check;
  }

  /** Gives the region back. */
  async close(connection: Connection | undefined): Promise<void> {
    await this.#checking;
    if (this.#region === undefined) return;
    await this.#ports.memory.unregister(connection, this.#region);
    this.#region.release();
    this.#region = undefined;
    this.#state = 'unusable';
  }

  async #check(connection: Connection): Promise<void> {
    try {
      if (this.#state === 'registered') await this.#look(connection);
      if (this.#state === 'not_registered') await this.#register(connection);
    } catch (error) {
      if (!(error instanceof TritonError) || FOUND_NOTHING.has(error.code)) throw error;
      this.#say(`restarts of this server are told by its counters alone, since it takes no shared memory from us: ${textOf(error)}`);
    }
  }

  async #look(connection: Connection): Promise<void> {
    const polledUs = this.#ports.now();
    if (await this.#isListed(connection)) this.#confirm(connection, polledUs);
    // A connection ends with the process behind it: while one stands, a restart is not what happened.
    else if (await this.#isForgotten(connection)) this.#giveUp(FORGOTTEN);
    else if (this.#confirmedOn.some(stands)) throw new TritonError('another_process', ANOTHER_PROCESS);
    else {
      this.#state = 'not_registered';
      this.#confirmedOn = [];
      this.#ports.tell(false, polledUs);
    }
  }

  /** Whether the process that held it does not list it any more. @param connection over which it is not listed */
  async #isForgotten(connection: Connection): Promise<boolean> {
    if (this.#confirmedOn.includes(connection)) return true;
    const other = this.#confirmedOn.find(({ state }) => state === 'ready');
    if (other === undefined) return false;
    try {
      return !(await this.#isListed(other));
    } catch (error) {
      if (error instanceof TritonError && error.code === 'no_answer') return false; // it hangs, and runs
      throw error;
    }
  }

  async #register(connection: Connection): Promise<void> {
    const { memory, now } = this.#ports;
    this.#region ??= memory.createWitness();
    await memory.register(connection, this.#region);
    this.#state = 'registered';
    const polledUs = now();
    if (await this.#isListed(connection)) this.#confirm(connection, polledUs);
    else this.#giveUp('the server does not list a shared-memory region that it has just taken');
  }

  async #isListed(connection: Connection): Promise<boolean> {
    return this.#region !== undefined && (await this.#ports.memory.isRegistered(connection, this.#region));
  }

  #confirm(connection: Connection, polledUs: Micros): void {
    this.#confirmedOn = [...this.#confirmedOn.filter((other) => other !== connection && stands(other)), connection];
    this.#ports.tell(true, polledUs);
  }

  #giveUp(why: string): void {
    this.#state = 'unusable';
    this.#say(`${why}. Restarts are told by its counters alone until the next configure`);
  }

  #say(text: string): void {
    if (text === this.#said) return;
    this.#said = text;
    this.#ports.log.warn(text);
  }
}

/** A connection that takes no more calls can still carry answers. */
function stands({ state, openCalls }: Connection): boolean {
  return state === 'ready' || openCalls > 0;
}
