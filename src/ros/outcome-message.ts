/** vigilant_governor/msg/Outcome: how one received message ended, and why. */
import { CAUSES, STATES } from '../core/catalogue.js';
import type { OutcomeRecord } from '../governor/ports.js';
import { type HeaderMessage, headerMessage, known } from './message-fields.js';

export interface OutcomeMessage {
  readonly header: HeaderMessage;
  readonly stream: string;
  readonly request_id: bigint;
  readonly state: number;
  readonly cause: number;
  readonly state_text: string;
  readonly cause_text: string;
  readonly age_us: bigint;
  readonly waiting_us: bigint;
  readonly service_us: bigint;
  readonly slack_us: bigint;
  readonly slack_known: boolean;
  readonly deadline_missed: boolean;
  readonly superseded_by: bigint;
  readonly variant: string;
  readonly blocked_by: string;
  readonly detail: string;
}

export function outcomeMessage(record: OutcomeRecord): OutcomeMessage {
  return {
    header: headerMessage(record.header),
    stream: record.stream,
    request_id: BigInt(record.request),
    state: STATES[record.state],
    cause: CAUSES[record.cause].number,
    state_text: record.state,
    cause_text: record.cause,
    age_us: known(record.ageUs),
    waiting_us: known(record.waitingUs),
    service_us: known(record.serviceUs),
    slack_us: known(record.slackUs),
    slack_known: record.slackUs !== undefined,
    deadline_missed: record.deadlineMissed,
    superseded_by: BigInt(record.supersededBy ?? 0),
    variant: record.variant ?? '',
    blocked_by: record.blockedBy ?? '',
    detail: record.detail,
  };
}
