import type { CreateRun } from '../../../src/work/runs/contract.ts'
import type { World } from '../world.ts'
import { checkClaims, listFiles } from './commands.ts'

/** Gives a drawn run a repository, and its briefs evidence that a fresh checkout can answer. */
export function inRepository({ git, random }: World, input: CreateRun, name: string): CreateRun {
  const draw = random.about(`repository ${name}`)
  if (git === null || !draw.chance(git.rates.repository)) return input
  const checksClaims = git.rates.claim > 0 && draw.chance(0.8)
  return {
    ...input,
    repo: draw.pick(git.paths),
    briefs: input.briefs.map((brief) => ({
      ...brief,
      evidence: [
        ...(brief.evidence ?? []).map((each) => (each.kind === 'command' ? { ...each, run: listFiles } : each)),
        ...(checksClaims && draw.chance(0.7) ? [claims] : []),
      ],
    })),
  }
}

const claims = { kind: 'command' as const, run: checkClaims, expectExit: 0, timeoutSeconds: 120 }
