import { shorten } from '../../kernel/text.ts'
import type { Odd } from '../../work/evidence/contract.ts'
import type { Checkout, CheckoutSource, Setup } from '../../workspaces/port.ts'
import type { EngineDeps } from '../deps.ts'

export interface SetupWatch {
  /** Returns the checkout with a setup after which the files of the commit are compared. */
  watch(checkout: Checkout): Checkout
  /** Describes the setups that have changed files of the commit. */
  odd(): Odd[]
}

/** Watches all setups of one source: a setup runs code of the work, which may rewrite the files that are checked. */
export function createSetupWatch(
  { repositories }: Pick<EngineDeps, 'repositories'>,
  source: CheckoutSource,
  signal: AbortSignal,
): SetupWatch {
  const changed = new Map<string, Odd>()
  const compare = async (checkout: Checkout, { command, outcome }: Setup): Promise<void> => {
    if (source.kind !== 'commit' || repositories === undefined || outcome === 'failed') return
    const different = await repositories.compare(source.mirror, source.commit, checkout, signal)
    const isHere = (path: string): boolean =>
      source.paths === undefined || source.paths.some((each) => path === each || path.startsWith(`${each}/`))
    const odd = oddSetup(command, different.filter(isHere))
    if (odd !== null) changed.set(odd.text, odd)
  }
  return {
    watch: (checkout) => {
      let made: Promise<Setup | null> | null = null
      const setUp = async (): Promise<Setup | null> => {
        const setup = await checkout.setUp()
        if (setup !== null) await compare(checkout, setup)
        return setup
      }
      return { ...checkout, setUp: () => (made ??= setUp()) }
    },
    odd: () => [...changed.values()],
  }
}

const mostNamed = 3

function oddSetup(command: string, paths: readonly string[]): Odd | null {
  if (paths.length === 0) return null
  const names = paths.slice(0, mostNamed).map((path) => shorten(path.replace(/\p{Cc}/gu, '?'), 200))
  const more = paths.length > mostNamed ? ` and ${paths.length - mostNamed} more` : ''
  const text = `The setup "${shorten(command, 200)}" changes ${names.join(', ')}${more} before anything is checked`
  return { kind: 'prepared', path: paths[0] ?? null, text }
}
