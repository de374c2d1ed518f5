import { shorten } from '../../kernel/text.ts'
import type { Odd } from '../../work/evidence/contract.ts'
import type { Finding } from '../../work/evidence/record.ts'
import type { Checkout, CheckoutSource, Setup } from '../../workspaces/port.ts'
import type { EngineDeps } from '../deps.ts'
import { endOf, nameOf } from './base-witnesses.ts'

/** Describes evidence that holds only after other evidence: code of the work ran there and may have prepared the place. */
export const oddOrder = (findings: readonly Finding[]): Odd[] =>
  findings.flatMap(({ evidence, passed, detail, alone }) =>
    passed && alone !== undefined
      ? [{ kind: 'prepared', path: null, text: shorten(orderText(nameOf(evidence), detail, alone), 600) }]
      : [],
  )

const orderText = (name: string, detail: string, alone: NonNullable<Finding['alone']>): string =>
  [`${name}: ${detail}; alone: ${alone.detail}`, endOf(alone)].filter((part) => part !== '').join(': ')

/** The setup of a checkout, and the files of the commit that it changes. */
export interface WatchedSetup {
  setUp(): Promise<Setup | null>
  odd(): Odd[]
}

/** Compares the files of the commit after the setup: a setup runs code of the work, which may rewrite the files that are checked. */
export function watchSetup(
  { repositories }: EngineDeps,
  source: CheckoutSource,
  checkout: Checkout,
  signal: AbortSignal,
): WatchedSetup {
  let changed: Odd[] = []
  const compare = async ({ command }: Setup): Promise<void> => {
    if (source.kind !== 'commit' || repositories === undefined) return
    const different = await repositories.compare(source.mirror, source.commit, checkout, signal)
    const isHere = (path: string): boolean =>
      source.paths === undefined || source.paths.some((each) => path === each || path.startsWith(`${each}/`))
    const paths = different.filter(isHere)
    changed = paths.length === 0 ? [] : [oddSetup(command, paths)]
  }
  let made: Promise<Setup | null> | null = null
  return {
    setUp: () =>
      (made ??= checkout.setUp().then(async (setup) => {
        if (setup !== null && setup.outcome !== 'failed') await compare(setup)
        return setup
      })),
    odd: () => changed,
  }
}

const mostNamed = 3

function oddSetup(command: string, paths: readonly string[]): Odd {
  const names = paths.slice(0, mostNamed).map((path) => shorten(path.replace(/\p{Cc}/gu, '?'), 200))
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : ''
  const text = `The setup "${shorten(command, 200)}" changes ${names.join(', ')}${more} before anything is checked`
  return { kind: 'prepared', path: paths[0] ?? null, text }
}
