import { startAnswering } from '../answering.ts'
import type { TimingRequest, StoreCheck, Timing } from './protocol.ts'

/** One of the compared programs, in a process of its own. */
export interface Side {
  time(request: TimingRequest): Promise<Timing>
  /** Supported by Agency only. */
  checkStore(): Promise<StoreCheck>
  stop(): Promise<void>
}

export async function startSide(entry: string, args: readonly string[]): Promise<Side> {
  const { ask, stop } = await startAnswering(`peers/${entry}`, args)
  return { time: (request) => ask<Timing>(request), checkStore: () => ask<StoreCheck>('checkStore'), stop }
}
