/**
 * Tells whether a server is still the process it was: a region of ours that it was told to map is listed there until it ends, and by no
 * process after it (rules.md 11, adr/0015). Its name is unique to this start of ours; nothing is ever written to it.
 */
import type { Logger } from 'pino';
import type { Micros } from '../core/units.js';
import type { Connection } from './connection.js';
import type { Region } from './region.js';
import type { SharedMemory } from './shared-memory.js';
import { TritonError, textOf } from './triton-error.js';

export interface WitnessPorts {
  readonly memory: Pick<SharedMemory, 'createWitness' | 'register' | 'isRegistered' | 'unregister'>;
  now(): Micros;
  /** @param polledUs when the server was asked */
  tell(present: boolean, polledUs: Micros): void;
  readonly log: Logger;
}

/**
 * registered: a server took it. Only then does a server that does not list it prove a restart.
 * unusable: a server forgot it without ending, so that its absence proves nothing.
 */
type State = 'not_registered' | 'registered' | 'unusable';

export class BootWitness {
  readonly #ports: WitnessPorts;
  readonly #confirmedOn = new WeakSet<Connection>();
  #region: Region | undefined;
  #state: State = 'not_registered';
  #checking: Promise<unknown> = Promise.resolve();
  #said = '';

  constructor(ports: WitnessPorts) {
    this.#ports = ports;
  }

  /** What is sent over this connection from now on goes to the process that holds the witness. */
  isConfirmedOn(connection: Connection): boolean {
    return this.#state === 'registered' && this.#confirmedOn.has(connection);
  }

  /**
   * Asks for the witness and tells what is found; makes one known to a server that has none, after telling that it is missing.
   * @throws {TritonError} `not_connected` or `no_answer`, when nothing was found out
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
      if (this.#state === 'registered' && (await this.#isListed(connection))) return;
      if (this.#state === 'not_registered') await this.#register(connection);
    } catch (error) {
      if (!(error instanceof TritonError) || error.code === 'not_connected' || error.code === 'no_answer') throw error;
      this.#say(`restarts of this server are told by its counters alone, since it takes no shared memory from us: ${textOf(error)}`);
    }
  }

  async #isListed(connection: Connection): Promise<boolean> {
    const { memory, now, tell, log } = this.#ports;
    const polledUs = now();
    const listed = this.#region !== undefined && (await memory.isRegistered(connection, this.#region));
    if (listed) {
      this.#confirmedOn.add(connection);
      tell(true, polledUs);
    } else if (this.#confirmedOn.has(connection)) {
      // A connection ends with the process behind it. This one stands: a restart is not what happened.
      this.#state = 'unusable';
      log.warn(
        { region: this.#region?.name },
        'the server forgot a shared-memory region of ours while the connection stood: another client unregisters the regions of others, or a proxy stands between us and several servers. Restarts are told by its counters alone until the next configure',
      );
    } else {
      this.#state = 'not_registered';
      tell(false, polledUs);
    }
    return listed;
  }

  async #register(connection: Connection): Promise<void> {
    const { memory } = this.#ports;
    this.#region ??= memory.createWitness();
    await memory.register(connection, this.#region);
    this.#state = 'registered';
    await this.#isListed(connection);
  }

  #say(text: string): void {
    if (text === this.#said) return;
    this.#said = text;
    this.#ports.log.warn(text);
  }
}
