import type { ReadTx } from '../../db/port.ts'
import type { Brief } from '../briefs/contract.ts'
import { listBriefs, listBriefsById } from '../briefs/store.ts'
import type { Run } from '../runs/contract.ts'

/**
 * Lists the briefs whose evidence must hold for the merged result: those of the run, and the accepted ones of earlier
 * runs whose work it keeps, although the end of their run may have cancelled them.
 */
export async function listProvenBriefs(tx: ReadTx, { id, configuration }: Run): Promise<Brief[]> {
  const own = await listBriefs(tx, id)
  const kept = (configuration.continues?.kept ?? []).map((each) => each.id)
  if (kept.length === 0) return own
  const earlier = await listBriefsById(tx, kept)
  return [...earlier.map((brief): Brief => ({ ...brief, status: 'done' })), ...own]
}
