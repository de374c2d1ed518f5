import { shorten } from '../../kernel/text.ts'
import { redact } from '../../secrets/redact.ts'
import { describeEvidence, type Evidence, type Odd } from '../../work/evidence/contract.ts'
import type { Finding } from '../../work/evidence/record.ts'
import type { EngineDeps } from '../deps.ts'
import { exitCodeIn } from '../evidence/command.ts'
import { failureIn, missingProgram } from '../evidence/output.ts'
import type { WitnessChange, WitnessChanges } from '../witnesses/find.ts'
import { atCommit, checkAgainIn, type FinishedWork, isCheap, isOfProcess, openPlace, type Scene } from './place.ts'

export interface Repeated {
  readonly findings: readonly Finding[]
  readonly odd: readonly Odd[]
}

/**
 * Repeats the commands that held with the tests, scripts and settings that the work began with, laid over its commit.
 * New tests and new files that tools load by themselves are removed. A command that holds only with the versions of the
 * agent is bent. Resolves to null if the work has changed nothing that a command depends on, or if it has only new tests
 * and its checks take long.
 */
export async function checkBaseWitnesses(
  deps: EngineDeps,
  work: FinishedWork,
  scene: Scene,
  held: readonly Finding[],
  { witnesses, newTests }: WitnessChanges,
): Promise<Repeated | null> {
  const { repository } = work.claimed.run
  const commitId = work.collected.commit
  const known = witnesses.filter(({ isRun }) => isRun)
  const changed = known.length > 0 || isCheap(scene) ? [...known, ...newTests] : []
  const items = held.filter(({ evidence }) => isOfProcess(evidence) || restsOnSchema(evidence, changed))
  if (deps.repositories === undefined || repository === null || commitId === null) return null
  if (items.length === 0 || changed.length === 0) return null
  let commit: string
  try {
    const undo = changed.flatMap((each) => each.undo)
    commit = await deps.repositories.replaceFiles(repository.mirror, commitId, undo)
  } catch (error) {
    work.signal.throwIfAborted()
    return { findings: [], odd: [notRepeated(changed, error instanceof Error ? error.message : String(error))] }
  }
  const place = await openPlace(
    deps,
    work,
    '.base-witnesses',
    atCommit(scene.source, commit),
    scene.checks,
    items.map(({ evidence }) => evidence),
  )
  try {
    const setup = await place.checkout.setUp()
    if (setup?.outcome === 'failed')
      return { findings: [], odd: [notRepeated(changed, `the setup "${setup.command}" failed: ${setup.detail}`)] }
    const { findings } = await checkAgainIn(deps, work, place, items, { round: 'base_witnesses', commitId })
    const bent = findings.filter((finding) => !finding.passed && (known.length > 0 || !needsTests(finding)))
    return { findings, odd: [...bent.map((finding) => oddOf(finding, changed)), ...place.oddSetups()] }
  } finally {
    await place.remove()
  }
}

/** Reports whether a command failed only because new tests are missing: it counts or selects them. */
const needsTests = ({ output }: Finding): boolean =>
  /\bno tests?\b|\b0 tests?\b|no test files|coverage|threshold/i.test(output)

/** A document is valid only in the eyes of its schema, which may be a file of the work. */
const restsOnSchema = (evidence: Evidence, changed: readonly WitnessChange[]): boolean =>
  evidence.kind === 'schema' && changed.some(({ path }) => path === evidence.schemaPath)

function oddOf(finding: Finding, changed: readonly WitnessChange[]): Odd {
  const { evidence, detail, output } = finding
  // Its scripts name a program that the work no longer installs, for example after a change of the test runner.
  if (detail.startsWith('not run:') || missingProgram(exitCodeIn(finding), output))
    return notRepeated(changed, `${nameOf(evidence)}: ${detail}: ${endOf(finding)}`)
  const text = `${nameOf(evidence)} holds only with its own ${named(changed)}; with the files that it began with: ${detail}`
  return { kind: 'bent', path: changed[0]?.path ?? null, text: joined(text, endOf(finding)) }
}

const notRepeated = (changed: readonly WitnessChange[], why: string): Odd => ({
  kind: changed[0]?.kind ?? 'scripts',
  path: changed[0]?.path ?? null,
  text: shorten(
    redact(`The evidence could not be checked with the files that it began with instead of ${named(changed)}: ${why}`),
    600,
  ),
})

const mostNamed = 3

const named = (changed: readonly WitnessChange[]): string => {
  const names = changed.slice(0, mostNamed).map(({ path }) => shorten(path, 120))
  const more = changed.length - names.length
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ')
}

/** Names the command of an item of evidence. */
export const nameOf = (evidence: Evidence): string =>
  evidence.kind === 'command' || evidence.kind === 'http'
    ? `\`${shorten(evidence.kind === 'command' ? evidence.run : evidence.start, 200)}\``
    : describeEvidence(evidence)

/** Returns the end of the output of a check as one line. */
export const endOf = ({ output }: Pick<Finding, 'output'>): string => failureIn(output)

const joined = (text: string, end: string): string => (end === '' ? text : `${text}: ${end}`)
