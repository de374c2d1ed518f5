import type { ReadTx } from '../../db/port.ts'
import type { GateRow } from './contract.ts'
import { countGates, listGates } from './store.ts'

/** Returns one line of a list of gates to choose from. */
export const gateLine = (gate: Pick<GateRow, 'id' | 'gate' | 'runId'>): string =>
  `${gate.id} (${gate.gate} of ${gate.runId})`

/** Returns the line within one run, where only the part of a gate distinguishes it from others of its kind. */
export function gateOfPart({ id, gate, boundary }: Pick<GateRow, 'id' | 'gate' | 'boundary'>): string {
  // For a mesh, its domain: the prefix names only the wave it belongs to.
  const about = boundary.replace(/^part:(?:ws:|sq:|mesh:[^:]*:[^:]*:)?/, '').replace(/^(brief|wave):/, '$1 ')
  return `${id} (${gate}${about === 'run' ? '' : ` of ${about}`})`
}

const shown = 20

/** Lists the pending gates of all runs, for the answer to a wrong name. */
export async function pendingText(tx: ReadTx): Promise<string> {
  const pending = await listGates(tx, 'pending', shown)
  const more = (await countGates(tx, 'pending')) - pending.length
  const lines = [...pending.map(gateLine), ...(more > 0 ? [`and ${more} more`] : [])]
  return `pending: ${lines.length === 0 ? 'none' : lines.join(', ')}`
}
