import type { Envelope } from '@operon/contracts/contract'
import type { Kysely } from 'kysely'
import type { KitDb } from '../schema.ts'

/**
 * One durable handler of one event: run at least once for each, in no promised order. `run` and `runMany` are already wrapped in `once`;
 * where there is a `runMany`, what waits comes together, and all of it fails where one does.
 */
export type Consumer = {
  handler: string
  event: string
  run(envelope: Envelope): Promise<unknown>
  runMany?(envelopes: Envelope[]): Promise<unknown>
}

/**
 * How services speak. One a service: `local:` shares a hub within the process, `nats://` a connection.
 * Register everything before `start`.
 */
export interface Bus {
  /** Resolves when the broker (on `local:`, every consumer's inbox) has each envelope for good. Ids make a resend harmless. */
  send(envelopes: Envelope[]): Promise<void>
  consume(consumer: Consumer): void
  /** To every running instance, without durability. */
  broadcast(name: string, payload: unknown): Promise<void>
  onBroadcast(name: string, handler: (payload: any) => void): void
  /** Asks the service that the name begins with; rejects with DomainError('unavailable') when nobody answers in time. */
  request(name: string, payload: unknown, deadlineMs: number, options?: { mayRepeat?: boolean }): Promise<unknown>
  /** A DomainError thrown by the handler reaches the asker as the same DomainError. */
  reply(name: string, handler: (payload: any) => Promise<unknown>): void
  start(): Promise<void>
  /** Stops taking, finishes what runs. */
  drain(): Promise<void>
  close(): Promise<void>
  ready(): boolean
  /** Messages that wait, by handler. */
  lag(): Promise<Record<string, number>>
}

/** The bus needs this from the service that opens it. */
export type BusOwner = { service: string; db: Kysely<KitDb>; log: import('pino').Logger; retryDelayMs?: (attempt: number) => number }

/** After so many failed tries a message is parked: kept in the inbox with its error, visible and replayable. */
export const MAX_DELIVERIES = 8
export const retryDelayMs = (attempt: number): number => Math.min(60_000, 250 * 2 ** attempt)
