import type { ReadTx } from '../../db/port.ts'
import type { GateRow } from './contract.ts'
import { countGates, listGates } from './store.ts'

/** One item of a list from which somebody chooses. */
export const gateLine = (gate: Pick<GateRow, 'id' | 'gate' | 'runId'>): string =>
  `${gate.id} (${gate.gate} of ${gate.runId})`

/** The same within one run, where only what a gate is about tells it from others of its kind. */
export function gateOfPart({ id, gate, boundary }: Pick<GateRow, 'id' | 'gate' | 'boundary'>): string {
  // Of a mesh, its domain: what stands before it says only which wave it belongs to.
  const about = boundary.replace(/^part:(?:ws:|sq:|mesh:[^:]*:[^:]*:)?/, '').replace(/^(brief|wave):/, '$1 ')
  return `${id} (${gate}${about === 'run' ? '' : ` of ${about}`})`
}

const shown = 20

/** What waits, over all runs, for whoever named something that does not. */
export async function pendingText(tx: ReadTx): Promise<string> {
  const pending = await listGates(tx, 'pending', shown)
  const more = (await countGates(tx, 'pending')) - pending.length
  const lines = [...pending.map(gateLine), ...(more > 0 ? [`and ${more} more`] : [])]
  return `pending: ${lines.length === 0 ? 'none' : lines.join(', ')}`
}
