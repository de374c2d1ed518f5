import { shorten } from '../../kernel/text.ts'
import type { Odd } from '../../work/evidence/contract.ts'
import type { Finding } from '../../work/evidence/record.ts'
import type { EngineDeps } from '../deps.ts'
import { Unchecked } from '../evidence/finding.ts'
import { endOf } from './base-witnesses.ts'
import { checkAgainIn, type FinishedWork, isCheap, openPlace, type Scene } from './place.ts'

export interface SecondLook {
  readonly findings: readonly Finding[]
  /** The delivered findings that do not hold after all. */
  readonly failed: readonly Finding[]
  readonly odd: readonly Odd[]
}

/**
 * Runs the commands that held a second time, in another fresh place: a command that passes only sometimes does not hold.
 * They keep their order, because one may build a program that the next one runs.
 */
export async function checkAgain(
  deps: EngineDeps,
  work: FinishedWork,
  scene: Scene,
  held: readonly Finding[],
): Promise<SecondLook | null> {
  const isHosts = (run: string): boolean => scene.checks.host?.commands.includes(run) === true
  const items = held.filter(({ evidence }) => evidence.kind === 'command' && !isHosts(evidence.run))
  if (items.length === 0 || !isCheap(scene)) return null
  const place = await openPlace(deps, work, '.again', scene.source, scene.checks, [])
  try {
    // The setup has just worked for the same files, so that this says nothing about the work.
    const setup = await place.checkout.setUp()
    if (setup?.outcome === 'failed') throw new Unchecked(`the setup "${setup.command}" failed: ${setup.detail}`)
    const round = { round: 'again', commitId: scene.source.commit } as const
    const { findings } = await checkAgainIn(deps, work, place, items, round)
    const failed = findings.filter(({ passed }) => !passed)
    return { findings, failed: failed.map((second) => unsteady(items, second)), odd: place.oddSetups() }
  } finally {
    await place.remove()
  }
}

function unsteady(items: readonly Finding[], second: Finding): Finding {
  const first = items.find(({ item }) => item === second.item) ?? second
  const outputs = [`first: ${endOf(first) || 'no output'}`, `then: ${endOf(second) || 'no output'}`].join('; ')
  const detail = `passed once and failed once on the same files, each time in a fresh place: ${second.detail} (${outputs})`
  return { ...first, passed: false, detail: shorten(detail, 1_000) }
}
