/**
 * Every way a request can end: the one list that messages, metric labels and the documentation are checked against (rules.md 2).
 * Numbers are part of the ROS interface: they are never reused, new ones are appended.
 */

/** Terminal states by number. */
export const STATES = {
  delivered: 1,
  obsolete: 2,
  superseded: 3,
  stale: 4,
  infeasible: 5,
  cancelled: 6,
  backend_timeout: 7,
  backend_failed: 8,
  invalid: 9,
} as const;

export type State = keyof typeof STATES;

interface CauseEntry {
  readonly number: number;
  readonly state: State;
  /** What happened, for the documented table. */
  readonly meaning: string;
  /** What a perception engineer can do about it. */
  readonly remedy: string;
}

/** Causes by name. */
export const CAUSES = {
  delivered: {
    number: 10,
    state: 'delivered',
    meaning: 'The result was at most max_age old when it came.',
    remedy: 'Nothing to do.',
  },
  obsolete: {
    number: 20,
    state: 'obsolete',
    meaning: 'The result came, older than max_age; it is published with the flag set.',
    remedy: 'Runtimes are longer than the profile says: measure them again, or allow a higher max_age_ms.',
  },
  newer_capture: {
    number: 30,
    state: 'superseded',
    meaning: 'A newer frame of the same topic arrived while this one waited.',
    remedy: 'Expected when input is faster than the model. Fewer: a faster variant, a lower input rate, more slots.',
  },
  out_of_order: {
    number: 31,
    state: 'superseded',
    meaning: 'It arrived after a frame with a newer capture time.',
    remedy: 'Look for reordering on the way: several publishers on one topic, a lossy link, a bag played in a loop.',
  },
  duplicate_stamp: {
    number: 32,
    state: 'superseded',
    meaning: 'Its stamp equals the one before it.',
    remedy: 'The driver repeats frames or stamps: look for a frozen camera or a publisher that copies the last stamp.',
  },
  stale_on_arrival: {
    number: 40,
    state: 'stale',
    meaning: 'When it arrived it was already too old to be fresh when finished.',
    remedy:
      'Look at the age at reception: transport delay, or a stamp from another clock (docs/runbook.md#frames-are-stale-on-arrival). Set stamp_offset_ms for a known constant offset.',
  },
  expired_waiting: {
    number: 41,
    state: 'stale',
    meaning: 'It grew older than max_age while it waited.',
    remedy:
      'The backend is busy or away: see its diagnostics, lower the load, or raise the class of this stream (docs/runbook.md#frames-wait-too-long).',
  },
  predicted_stale: {
    number: 42,
    state: 'stale',
    meaning: 'Even on the fastest ready variant it would have been older than max_age when finished.',
    remedy: 'The backend is overloaded for this contract: a faster variant, less input, or a higher max_age_ms.',
  },
  queue_full: {
    number: 50,
    state: 'infeasible',
    meaning: 'The queue of the stream was full.',
    remedy: 'Raise queue.capacity, or lower the input rate: the backend does not keep up (docs/runbook.md#a-queue-is-full).',
  },
  overflow_oldest: {
    number: 51,
    state: 'infeasible',
    meaning: 'The oldest waiting frame made room for a new one (queue.overflow: reject_oldest).',
    remedy: 'As for queue_full.',
  },
  admission: {
    number: 52,
    state: 'infeasible',
    meaning: 'Best effort is not admitted: guarded streams of the backend are not served in time (overload level 3).',
    remedy: 'Lower the load of the backend, or use faster variants; the level falls by itself (docs/runbook.md#the-backend-is-overloaded).',
  },
  protected_only: {
    number: 53,
    state: 'infeasible',
    meaning: 'Only guarded streams are admitted: they themselves are not served in time (overload level 4).',
    remedy: 'As for admission.',
  },
  no_variant_ready: {
    number: 54,
    state: 'infeasible',
    meaning: 'No variant of the model was ready on its backend.',
    remedy:
      'See the detail: start the server, load the model, or correct its name (docs/runbook.md#no-variant-is-ready). The node recovers by itself.',
  },
  slots_quarantined: {
    number: 55,
    state: 'infeasible',
    meaning: 'Every slot of the backend is held by a call whose end nobody can prove.',
    remedy:
      'Look at the server: hanging calls return their slots when they answer, or when it restarts (docs/runbook.md#every-slot-is-held).',
  },
  never_fits: {
    number: 56,
    state: 'infeasible',
    meaning: 'The fastest variant takes longer than max_age: no frame can ever be fresh.',
    remedy: 'Raise max_age_ms, or use a faster model.',
  },
  withdrawn: {
    number: 60,
    state: 'cancelled',
    meaning: 'Whoever asked for it is gone.',
    remedy: 'Nothing to do.',
  },
  shutdown: {
    number: 61,
    state: 'cancelled',
    meaning: 'The node was shutting down or deactivating.',
    remedy: 'Nothing to do.',
  },
  inactive: {
    number: 62,
    state: 'cancelled',
    meaning: 'It arrived while the node was not active.',
    remedy: 'Activate the node: ros2 lifecycle set /governor activate, or autostart: true.',
  },
  clock_jump: {
    number: 65,
    state: 'cancelled',
    meaning: 'The clock jumped (back, or ahead by more than an hour) while it waited: frames before and after cannot be compared.',
    remedy:
      'Expected when a bag is played in a loop. Else look for a simulator that was reset, or two publishers of /clock (docs/runbook.md#the-clock-jumps).',
  },
  no_clock: {
    number: 66,
    state: 'cancelled',
    meaning: 'use_sim_time is on and no /clock message has come yet.',
    remedy: 'Start the clock: ros2 bag play --clock, or the simulator; or turn use_sim_time off (docs/runbook.md#the-clock-stands-still).',
  },
  drain_limit: {
    number: 67,
    state: 'cancelled',
    meaning: 'It was still at the server when drain_timeout_ms had passed.',
    remedy: 'Raise drain_timeout_ms above the longest runtime, or look for a hanging model (docs/runbook.md#the-drain-was-not-complete).',
  },
  no_answer: {
    number: 70,
    state: 'backend_timeout',
    meaning: 'The server did not answer within timeout_ms. It may still be computing, so the slot stays held.',
    remedy: 'Look at the server; if the model is that slow, raise timeout_ms (docs/runbook.md#a-call-has-no-answer).',
  },
  model_error: {
    number: 80,
    state: 'backend_failed',
    meaning: 'The model answered with an error.',
    remedy: "See the detail and the server's log.",
  },
  rejected_by_server: {
    number: 81,
    state: 'backend_failed',
    meaning: 'The server refused the call before running it: its own queue was full, the model was unloaded, or takes other inputs.',
    remedy: "See the detail. Give the governor the model alone, with slots = the model's instances, and no max_queue_size.",
  },
  unavailable: {
    number: 82,
    state: 'backend_failed',
    meaning: 'The call never reached the server.',
    remedy: 'Start the server, check the endpoint. The node reconnects by itself within a second.',
  },
  execution_unknown: {
    number: 83,
    state: 'backend_failed',
    meaning: 'The connection broke during the call: nobody knows whether it runs on. Its slot stays held.',
    remedy:
      "Look at the server's log. The slot comes back with the proof that the call has ended (docs/runbook.md#a-call-waits-for-proof).",
  },
  bad_output: {
    number: 84,
    state: 'backend_failed',
    meaning: 'The answer could not be read: missing output, wrong shape or size, NaN in boxes.',
    remedy: 'See the detail; check the decoder and the output names of the model.',
  },
  response_too_large: {
    number: 85,
    state: 'backend_failed',
    meaning: 'The answer was larger than the limit derived from the metadata of the model.',
    remedy: 'Declare the output dims in the ModelConfig.',
  },
  chain_broken: {
    number: 86,
    state: 'backend_failed',
    meaning: 'A later part of a generated text failed, or brought nothing. The parts before it are not published.',
    remedy: "See the detail and the server's log.",
  },
  stamp_zero: {
    number: 90,
    state: 'invalid',
    meaning: 'The header stamp is zero.',
    remedy: 'Make the driver stamp its messages, or set stamp_source: receive.',
  },
  stamp_future: {
    number: 91,
    state: 'invalid',
    meaning: 'The header stamp lies in the future by more than future_tolerance_ms.',
    remedy: 'Synchronise the clocks (chrony, PTP; mind the 37 s between TAI and UTC), or set stamp_offset_ms.',
  },
  malformed_message: {
    number: 92,
    state: 'invalid',
    meaning: 'The message contradicts itself: size, step and data do not fit together.',
    remedy: 'See the detail; the fault is in the publisher.',
  },
  unsupported_encoding: {
    number: 93,
    state: 'invalid',
    meaning: 'The image encoding is not one this node can convert.',
    remedy: 'Publish one of the encodings listed in docs/streams.md, or convert with image_proc.',
  },
  unsupported_type: {
    number: 94,
    state: 'invalid',
    meaning: 'The message does not fit what the model takes, or its type is not one this node can convert.',
    remedy: 'See the detail: shape and datatype of the message and of the model input.',
  },
  too_large: {
    number: 95,
    state: 'invalid',
    meaning: 'The message is larger than the limit for one message.',
    remedy: 'Publish smaller images, or split the cloud.',
  },
} as const satisfies Record<string, CauseEntry>;

export type Cause = keyof typeof CAUSES;

/** The causes that belong to one state. */
export type CauseOf<S extends State> = { [C in Cause]: (typeof CAUSES)[C]['state'] extends S ? C : never }[Cause];
