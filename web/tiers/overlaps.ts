import { dataOfBrief } from '../../src/playbooks/tiered/contract.ts'
import type { HeldBrief } from '../../src/work/briefs/contract.ts'
import type { Squad } from './team.ts'

export interface Overlap {
  /** The scope or file that both claim. */
  readonly claim: string
  /** The other squad and brief that claim it. */
  readonly ref: string
  readonly brief: HeldBrief
}

/** Returns, by brief, the claims that another squad of the same domain has as well. */
export function overlapsOf(squads: readonly Squad[]): Map<string, Overlap[]> {
  const claims = new Map<string, { ref: string; brief: HeldBrief }[]>()
  const tasks = squads.flatMap(({ ref, mesh, tasks: own }) =>
    mesh === null ? [] : own.filter(isClaimed).map((brief) => ({ ref, mesh, brief })),
  )
  for (const { ref, mesh, brief } of tasks)
    for (const { kind, claim } of claimsOf(brief)) {
      const key = `${mesh} ${kind} ${claim.toLowerCase()}`
      const known = claims.get(key)
      if (known === undefined) claims.set(key, [{ ref, brief }])
      else known.push({ ref, brief })
    }
  const found = new Map<string, Overlap[]>()
  for (const { ref, mesh, brief } of tasks) {
    const shared = claimsOf(brief).flatMap(({ kind, claim }) =>
      (claims.get(`${mesh} ${kind} ${claim.toLowerCase()}`) ?? [])
        .filter((other) => other.ref !== ref)
        .map((other) => ({ claim, ...other })),
    )
    if (shared.length > 0) found.set(brief.id, shared)
  }
  return found
}

/** A cancelled task claims nothing. */
const isClaimed = ({ status }: HeldBrief): boolean => status !== 'cancelled'

export const scopeOf = ({ inputs }: Pick<HeldBrief, 'inputs'>): string =>
  typeof inputs['scope'] === 'string' ? inputs['scope'].trim() : ''

function claimsOf(brief: HeldBrief): { kind: string; claim: string }[] {
  const scope = scopeOf(brief)
  const files = [...new Set(dataOfBrief(brief).files.map((file) => file.replace(/^\.\//, '')))]
  return [
    ...(scope === '' ? [] : [{ kind: 'scope', claim: scope }]),
    ...files.map((claim) => ({ kind: 'file', claim })),
  ]
}
