import type { ReadTx } from '../../db/port.ts'
import { fold } from '../../kernel/text.ts'
import { listOpenAssignmentsOfPersona } from '../../org/assignments/store.ts'
import { isDirector } from '../../org/governance.ts'
import { listPersonas } from '../../org/personas/store.ts'
import type { BriefSpec } from '../briefs/contract.ts'
import type { FileStart } from './contract.ts'

/**
 * Lists the AR Directors that a plan casts: their attempts decide about proposals, a right that no planner may give, and
 * no file of a stranger either. The personas are read once, because a file may contain thousands of unknown names.
 */
export async function directorsIn(tx: ReadTx, briefs: readonly BriefSpec[]): Promise<FileStart[]> {
  const places = placesByName(briefs)
  if (places.size === 0) return []
  const starts: FileStart[] = []
  for (const { id, slug, name } of await listPersonas(tx)) {
    const keys = [...(places.get(slug) ?? []), ...(places.get(fold(name)) ?? [])]
    if (keys.length === 0 || !(await isDirectorAnywhere(tx, id))) continue
    const text = `work as ${slug}, an AR Director, who decides about proposals`
    starts.push({ where: `brief "${keys[0]}", persona`, text, count: keys.length })
  }
  return starts
}

/** Returns the keys of the briefs that name a persona, by the name as it is compared. */
function placesByName(briefs: readonly BriefSpec[]): Map<string, string[]> {
  const places = new Map<string, string[]>()
  for (const { key, persona, verifier } of briefs)
    for (const written of [persona, verifier]) {
      if (written === undefined) continue
      const name = fold(written.trim())
      const known = places.get(name)
      if (known === undefined) places.set(name, [key])
      else known.push(key)
    }
  return places
}

async function isDirectorAnywhere(tx: ReadTx, personaId: number): Promise<boolean> {
  const seats = await listOpenAssignmentsOfPersona(tx, personaId)
  for (const { organisationId } of seats) if (await isDirector(tx, personaId, organisationId)) return true
  return false
}
