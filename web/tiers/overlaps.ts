import type { Brief } from '../../src/work/briefs/contract.ts'
import type { Squad } from './team.ts'

export interface Overlap {
  /** A scope or a file. */
  readonly what: string
  /** The squad, and the brief, that claim it too. */
  readonly ref: string
  readonly brief: Brief
}

/** By brief: what somebody in another squad of the same domain claims as well. */
export function overlapsOf(squads: readonly Squad[]): Map<string, Overlap[]> {
  const claims = new Map<string, { ref: string; brief: Brief }[]>()
  const tasks = squads.flatMap(({ ref, mesh, tasks: own }) =>
    mesh === null ? [] : own.filter(isClaimed).map((brief) => ({ ref, mesh, brief })),
  )
  for (const { ref, mesh, brief } of tasks)
    for (const { kind, what } of claimsOf(brief)) {
      const key = `${mesh} ${kind} ${what.toLowerCase()}`
      const known = claims.get(key)
      if (known === undefined) claims.set(key, [{ ref, brief }])
      else known.push({ ref, brief })
    }
  const found = new Map<string, Overlap[]>()
  for (const { ref, mesh, brief } of tasks) {
    const shared = claimsOf(brief).flatMap(({ kind, what }) =>
      (claims.get(`${mesh} ${kind} ${what.toLowerCase()}`) ?? [])
        .filter((other) => other.ref !== ref)
        .map((other) => ({ what, ...other })),
    )
    if (shared.length > 0) found.set(brief.id, shared)
  }
  return found
}

/** What was released belongs to nobody. */
const isClaimed = ({ status }: Brief): boolean => status !== 'cancelled'

export const scopeOf = ({ inputs }: Pick<Brief, 'inputs'>): string =>
  typeof inputs['scope'] === 'string' ? inputs['scope'].trim() : ''

function claimsOf(brief: Brief): { kind: string; what: string }[] {
  const scope = scopeOf(brief)
  const files = [...new Set(brief.files.map((file) => file.replace(/^\.\//, '')))]
  return [...(scope === '' ? [] : [{ kind: 'scope', what: scope }]), ...files.map((what) => ({ kind: 'file', what }))]
}
