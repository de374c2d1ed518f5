import type { ReadTx } from '../../db/port.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import type { Run } from './contract.ts'
import { findRun, findRunIdsByPrefix } from './store.ts'

export async function requireRun(tx: ReadTx, prefix: string): Promise<Run> {
  const run = await findRun(tx, await resolveRun(tx, prefix))
  if (run === undefined) throw notFound('run', prefix)
  return run
}

/** Finds a run by its id or a unique prefix. */
export async function resolveRun(tx: ReadTx, prefix: string): Promise<string> {
  const full = prefix.startsWith('run_') ? prefix : `run_${prefix}`
  const found = await findRunIdsByPrefix(tx, full)
  if (found[0] === undefined || full === 'run_') throw notFound('run', prefix, 'List them with "agency runs".')
  if (found.length > 1 && found[0] !== full)
    throw refusal('invalid_input', `"${prefix}" is the beginning of several runs`, { hint: 'Give more of the id.' })
  return found[0]
}
