/** Fields that several messages share, and how unknown numbers stand in them. */
import type { Header } from '../governor/ports.js';

export interface TimeMessage {
  readonly sec: number;
  readonly nanosec: number;
}

export interface HeaderMessage {
  readonly stamp: TimeMessage;
  readonly frame_id: string;
}

/** The input's header, untouched. */
export function headerMessage(header: Header): HeaderMessage {
  return { stamp: { sec: header.stamp.sec, nanosec: header.stamp.nanosec }, frame_id: header.frameId };
}

/** A header that says when the node spoke. */
export function nowHeader(rosNowNs: bigint): HeaderMessage {
  return { stamp: timeMessage(rosNowNs), frame_id: '' };
}

const NS_PER_S = 1_000_000_000n;

export function timeMessage(ns: bigint): TimeMessage {
  return { sec: Number(ns / NS_PER_S), nanosec: Number(ns % NS_PER_S) };
}

/** A whole number for a signed field; -1 = unknown, and NaN never. */
export function known(value: number | undefined): bigint {
  return value === undefined || !Number.isFinite(value) ? -1n : BigInt(Math.round(value));
}

/** A number for a float field; a value that is not finite never leaves the node. */
export function finite(value: number): number {
  return Number.isFinite(value) ? value : -1;
}
