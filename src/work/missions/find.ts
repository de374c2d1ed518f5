import type { ReadTx } from '../../db/port.ts'
import { notFound, refusal } from '../../kernel/errors.ts'
import type { Mission } from './contract.ts'
import { findMission, findMissionsByPrefix } from './store.ts'

/** Finds a mission by its id or a unique beginning of it. */
export async function requireMission(tx: ReadTx, prefix: string): Promise<Mission> {
  const exact = await findMission(tx, prefix)
  if (exact !== undefined) return exact
  const full = prefix.startsWith('mis_') ? prefix : `mis_${prefix}`
  const found = await findMissionsByPrefix(tx, full)
  if (found[0] === undefined || full === 'mis_')
    throw notFound('mission', prefix, 'List them with "agency mission list".')
  if (found.length > 1)
    throw refusal('invalid_input', `several missions begin with "${prefix}"`, { hint: 'Give more of the id.' })
  return found[0]
}
