import type { Clock } from '../../kernel/clock.ts'
import { refusal } from '../../kernel/errors.ts'
import { readText, smallText } from '../../threads/read-texts.ts'
import { type ReadPlan, readPlan } from './read.ts'

const maxPlanBytes = 4_000_000

/** Reads a plan, and a large one in a thread, so that other requests are served meanwhile. */
export async function readInThread(text: string, clock: Clock): Promise<ReadPlan> {
  if (Buffer.byteLength(text) > maxPlanBytes)
    throw refusal('too_large', `the plan is larger than ${maxPlanBytes / 1_000_000} MB; it was not read`)
  return text.length < smallText ? readPlan(text) : readText<ReadPlan>('plan', text, clock)
}
