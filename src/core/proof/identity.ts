/**
 * What the counter of one model at one server proves about the ends of our calls (rules.md 11, seeds adr-0040 and adr-0042). A counter has
 * epochs: each restart of the server, or of the model, begins one.
 */
import { type Micros, micros, NEVER } from '../units.js';
import type { Boot } from './boot.js';
import { type Claim, openClaim, type Proof } from './claim.js';

const IDLE_US = micros(5_000_000);
const WAITING_US = micros(250_000);

export class Identity {
  readonly #strict: boolean;
  /** Calls that have not ended, as far as is proven, in order of dispatch. */
  readonly #claims: Claim[] = [];
  /** When the present epoch was noticed to have begun. */
  #sinceUs = -NEVER as Micros;
  /** The count at the begin of the epoch; undefined until it was reported. */
  #baseline: number | undefined;
  /** Calls of this epoch that the server can have counted since, or will. */
  #countable = 0;
  #highest = 0;
  restarts = 0;
  /** False when more was counted than we sent: somebody else calls the model, and a count proves nothing. */
  soleCaller = true;
  /** What `everyUs` was when it was told last. */
  toldEveryUs = IDLE_US;

  constructor(strict: boolean) {
    this.#strict = strict;
  }

  get hasBaseline(): boolean {
    return this.#baseline !== undefined;
  }

  /** Nothing may be sent before it is known what was counted before. */
  get awaitsBaseline(): boolean {
    return this.#strict && this.#baseline === undefined;
  }

  /** How often the counter is to be asked for. */
  get everyUs(): Micros {
    const waits = this.awaitsBaseline || this.#claims.some(({ fate }) => fate === 'returned');
    return waits ? WAITING_US : IDLE_US;
  }

  send(now: Micros, boot: number): Claim {
    const claim = openClaim(now, boot);
    this.#claims.push(claim);
    this.#expect(claim);
    return claim;
  }

  /** The server answered, or the call never reached it. @param counted whether the server counts what it answered so. */
  answered(claim: Claim, counted: boolean): void {
    if (!counted) this.#exclude(claim);
    this.#end(claim, 'answer');
  }

  /** The call returned without telling whether the execution ended. */
  returned(claim: Claim, witnessed: boolean, boot: Boot): void {
    claim.fate = 'returned';
    claim.witnessed = witnessed;
    if (boot.had(claim)) this.#diedBefore(claim);
    this.#proveByCount();
  }

  /**
   * @returns whether the counter fell: the server, or the model, has restarted. Where the witness can tell which, what was seen has not ended
   * yet: of a model that is loaded anew the old instance runs on beside the new one (docs/counted-ends.md).
   */
  report(completed: number, polledUs: Micros, boot: Boot, now: Micros): boolean {
    if (polledUs < this.#sinceUs) return false; // asked of the process before
    const fell = this.#baseline !== undefined && completed < this.#highest;
    if (fell) this.#restart(now, (claim) => claim.seen && !boot.isWatched);
    this.#baseline ??= completed;
    this.#highest = completed;
    if (!fell) this.#see(completed, polledUs, boot);
    this.#watchForOthers();
    this.#proveByCount();
    return fell;
  }

  /** The process that the witness spoke for has ended. @returns whether that is news: the counter may have told of it before. */
  serverEnded(boot: Boot, now: Micros): boolean {
    const known = this.#beganAfter(boot);
    if (!known) this.#restart(now, (claim) => boot.had(claim));
    for (const claim of [...this.#claims]) if (claim.fate !== 'open' && boot.had(claim)) this.#diedBefore(claim);
    return !known;
  }

  /** A process that is new has counted no more than what we have sent since the epoch began. */
  #see(completed: number, polledUs: Micros, boot: Boot): void {
    const inBoot = completed > this.#countable && !this.#beganAfter(boot);
    for (const claim of this.#claims) {
      if (claim.sentUs >= polledUs) continue;
      claim.seen = true;
      claim.seenInBoot ||= inBoot && claim.boot === boot.number;
    }
  }

  /** The counter fell after the witness was found last: it may count in another process already. */
  #beganAfter(boot: Boot): boolean {
    return this.#sinceUs > boot.confirmedUs;
  }

  /** What is open may run in the new process, its answer will tell. What returned ends only if it was in the old one for certain. */
  #restart(now: Micros, wasThere: (claim: Claim) => boolean): void {
    this.restarts += 1;
    this.#sinceUs = now;
    this.#baseline = undefined;
    this.#highest = 0;
    this.#countable = 0;
    this.soleCaller = true;
    for (const claim of [...this.#claims]) {
      const there = wasThere(claim);
      claim.seen = false;
      if (claim.fate !== 'open') {
        if (there) this.#end(claim, 'restart');
        else claim.fate = 'lost';
      }
      // What may be in the new process may be counted there: else its count would be taken for another call's.
      if (claim.fate !== 'ended') this.#expect(claim);
    }
  }

  #diedBefore(claim: Claim): void {
    this.#exclude(claim);
    this.#end(claim, 'restart');
  }

  #expect(claim: Claim): void {
    claim.countable = true;
    this.#countable += 1;
  }

  #exclude(claim: Claim): void {
    if (!claim.countable) return;
    claim.countable = false;
    this.#countable -= 1;
  }

  #end(claim: Claim, by: Proof): void {
    claim.fate = 'ended';
    claim.provenBy = by;
    this.#claims.splice(this.#claims.indexOf(claim), 1);
  }

  /** As many as can have got there have ended: so has each. Where fewer have, nobody can say which. */
  #proveByCount(): void {
    if (this.#baseline === undefined || this.#highest < this.#baseline + this.#countable) return;
    if (this.#strict && !this.soleCaller) return;
    for (const claim of [...this.#claims]) if (claim.fate === 'returned') this.#end(claim, 'count');
  }

  #watchForOthers(): void {
    if (this.#baseline === undefined || this.#highest <= this.#baseline + this.#countable) return;
    this.soleCaller = false;
    // While none of ours is under way it can be set right.
    if (this.#claims.length === 0) this.#baseline = this.#highest - this.#countable;
  }
}
