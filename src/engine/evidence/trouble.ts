import type { Clock } from '../../kernel/clock.ts'
import { shorten } from '../../kernel/text.ts'
import type { Evidence, EvidenceOf } from '../../work/evidence/contract.ts'
import type { Finding } from '../../work/evidence/record.ts'
import type { Checkout, Setup } from '../../workspaces/port.ts'
import { exitCodeIn } from './command.ts'
import { type Found, seen } from './finding.ts'
import { createKeptOutcomes, type KeptOutcomes } from './kept-outcomes.ts'
import { missesRegistry, missesService, missingProgram } from './output.ts'
import { isSameOutput } from '../../work/evidence/same-output.ts'
import {
  type CopiedFiles,
  findMissingFiles,
  listCopiedFiles,
  type MissingFile,
  removeUncommittedFiles,
} from './missing-files.ts'

/** The places where a failed check can be repeated. Each that is made here is removed here. */
export interface Grounds {
  readonly repository: string
  /** The branch and the commit that the run began with. */
  readonly branch: string
  readonly base: string
  /** The setup command of the run or the repository; null: found from the lockfile. */
  readonly setup: string | null
  /** Its commands run outside any box, with a setup of their own. */
  readonly isOnHost?: boolean
  readonly signal?: AbortSignal
  /** The fresh checkout of the agent's commit, where the check failed. */
  readonly checkout: Checkout
  /** Makes a fresh checkout of the base commit, set up in the same way. */
  checkoutBase(): Promise<Checkout>
  /** Makes a copy of the agent's workspace, with tracked files as in its commit. */
  copyWorkspace(): Promise<Checkout | null>
  check(evidence: Evidence, place: Checkout): Promise<Found>
}

export type Judgement =
  /** A fresh checkout cannot be checked, independent of the agent's work: the operator has to decide. */
  | { readonly fault: 'place'; readonly what: string; readonly detail: string; readonly isDoubtful?: boolean }
  /** The agent can correct it; `findings` say how. */
  | { readonly fault: 'agent'; readonly findings: readonly Finding[] }

export interface SetupJudgement {
  readonly fault: 'place' | 'agent'
  readonly what: string
  readonly detail: string
  /** Only the words of the output speak for the place; the work may write the same ones. */
  readonly isDoubtful?: boolean
}

export interface Troubles {
  /** Decides about a setup that failed in the checkout of the agent's commit. */
  judgeSetup(setup: Setup, grounds: Grounds): Promise<SetupJudgement>
  /** Decides about evidence that failed there; `findings` are those that failed. */
  judgeFindings(findings: readonly Finding[], grounds: Grounds): Promise<Judgement>
}

/**
 * Decides whether a check fails because of the agent's work or because of the place. The place is at fault where the
 * base commit, which no agent has touched, cannot be checked either. A base commit that fails in the same way is not
 * enough, because most checks fail before the work is done: it must also lack a service there, or hold in the agent's
 * workspace without the files that the agent did not commit. Results of the base commit are kept in memory.
 */
export function createTroubles({
  clock,
  outcomes = createKeptOutcomes({ clock }),
}: {
  clock: Clock
  outcomes?: KeptOutcomes
}): Troubles {
  const onBase = (evidence: Evidence | null, grounds: Grounds, base: Lazy<Checkout>): Promise<Outcome> => {
    const { repository, base: commit, setup, isOnHost = false } = grounds
    return outcomes.find({ repository, commit, setup, isOnHost, evidence }, async () =>
      outcomeAt(await base.get(), evidence, grounds),
    )
  }

  return {
    judgeSetup: ({ command, detail, from, output }, grounds) =>
      withPlaces(grounds, async ({ base }) => {
        const name = `\`${shorten(command, 200)}\``
        // The packages of the base may come from a cache: only a new package of the commit needs the registry.
        if (from === 'network' && missesRegistry(output))
          return { fault: 'place', what: `${name} cannot reach a server that it needs`, detail, isDoubtful: true }
        const isBroken = (await onBase(null, grounds, base)).passed
        const how = isBroken
          ? `fails on your commit, but not on ${grounds.branch}`
          : `fails on ${grounds.branch} as well`
        return { fault: isBroken ? 'agent' : 'place', what: `${name} ${how}`, detail }
      }),

    judgeFindings: (findings, grounds) =>
      withPlaces(grounds, async ({ base, copy }) => {
        const explained: Finding[] = []
        // A file that is missing is the agent's to deliver, whatever else fails.
        const mayBePlace = findings.every(({ evidence }) => isProgram(evidence))
        for (const finding of findings) {
          const { evidence } = finding
          const isJudged = mayBePlace && isProgram(evidence)
          if (isJudged && missesProgram(finding) && missesProgram(await onBase(evidence, grounds, base)))
            return { fault: 'place', ...describe(finding, evidence, `cannot run on ${grounds.branch} either`) }
          // The workspace, in the same box, lacks the service too.
          if (isJudged && missesService(finding.output) && failsAlike(finding, await onBase(evidence, grounds, base))) {
            const described = describe(finding, evidence, `fails on ${grounds.branch} as well`)
            return { fault: 'place', ...described, isDoubtful: true }
          }
          const copied = await copy.get()
          if (copied === null || !(await grounds.check(evidence, copied.place)).passed) {
            explained.push(explainOutside(finding, grounds.checkout))
            continue
          }
          const { place, files } = copied
          const { missing, isNamed } = await findMissingFiles(files, grounds.checkout, textsOf(finding), grounds.signal)
          // A file that a check names and that no tool installs is one that the agent did not commit.
          const isUncommitted = isNamed && missing.some((file) => !file.installed)
          if (isJudged && !isUncommitted && failsAlike(finding, await onBase(evidence, grounds, base))) {
            copy.forget()
            if (await holdsWithoutUncommitted(evidence, place, grounds))
              return { fault: 'place', ...describe(finding, evidence, `fails on ${grounds.branch} as well`) }
          }
          const setup = isProgram(evidence) ? await grounds.checkout.setUp() : null
          explained.push(explain(finding, missing, setup))
        }
        return { fault: 'agent', findings: explained }
      }),
  }
}

type Outcome = Pick<Found, 'passed' | 'detail' | 'output'>

async function outcomeAt(place: Checkout, evidence: Evidence | null, grounds: Grounds): Promise<Found> {
  const setup = await place.setUp()
  if (setup?.outcome === 'failed') return seen(false, setup.detail, { output: setup.output })
  return evidence === null ? seen(true, '') : grounds.check(evidence, place)
}

/** Installed packages stay, because a setup can install them in a fresh checkout. The copy is of no use afterwards. */
const holdsWithoutUncommitted = async (evidence: Evidence, copy: Checkout, grounds: Grounds): Promise<boolean> =>
  (await removeUncommittedFiles(copy, grounds.signal)) && (await grounds.check(evidence, copy)).passed

interface Lazy<T> {
  get(): Promise<T>
  /** Makes another one the next time; one of the same name replaces the first on the disk. */
  forget(): void
}

interface Copied {
  readonly place: Checkout
  readonly files: CopiedFiles
}

interface Places {
  readonly base: Lazy<Checkout>
  /** Null if the workspace could not be copied, for lack of disk space for example. */
  readonly copy: Lazy<Copied | null>
}

/** Makes the places that are needed, each once, and removes them at the end. */
async function withPlaces<T>(grounds: Grounds, work: (places: Places) => Promise<T>): Promise<T> {
  const made: Checkout[] = []
  const once = <T>(make: () => Promise<T>): Lazy<T> => {
    let place: Promise<T> | null = null
    return { get: () => (place ??= make()), forget: () => (place = null) }
  }
  const keep = <Place extends Checkout | null>(place: Place): Place => {
    if (place !== null) made.push(place)
    return place
  }
  const copy = async (): Promise<Copied | null> => {
    try {
      const place = keep(await grounds.copyWorkspace())
      return place === null ? null : { place, files: await listCopiedFiles(place, grounds.signal) }
    } catch (error) {
      if (grounds.signal?.aborted === true) throw error
      return null
    }
  }
  try {
    return await work({ base: once(async () => keep(await grounds.checkoutBase())), copy: once(copy) })
  } finally {
    for (const each of made) await each.remove()
  }
}

/** Files are looked at before anything runs; only a program depends on the place. */
const isProgram = (evidence: Evidence): evidence is EvidenceOf<'command' | 'http'> =>
  evidence.kind === 'command' || evidence.kind === 'http'

/** The texts in which a check names what it needs. */
const textsOf = ({ evidence, output }: Finding): { command: string; output: string } => {
  if (evidence.kind === 'command') return { command: evidence.run, output }
  return { command: evidence.kind === 'http' ? evidence.start : '', output }
}

const missesProgram = (found: Outcome): boolean => !found.passed && missingProgram(exitCodeIn(found), found.output)

const failsAlike = (one: Outcome, other: Outcome): boolean =>
  !other.passed && one.detail === other.detail && isSameOutput(one.output, other.output)

const describe = ({ detail, output }: Finding, evidence: EvidenceOf<'command' | 'http'>, how: string) => ({
  what: `\`${shorten(evidence.kind === 'command' ? evidence.run : evidence.start, 200)}\` ${how}`,
  detail: shorten([detail, tellingLine(output)].filter((line) => line !== '').join(': '), 300),
})

/** Returns the line of an output that says most: the first with an error, otherwise the last. */
function tellingLine(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return lines.find((line) => isTelling.test(line)) ?? lines.at(-1) ?? ''
}

const isTelling =
  /\b(?:error|ECONN\w+|ENOTFOUND|cannot|can't|not found|no such|denied|refused|unauthori[sz]ed|E[A-Z]*\d{3})\b/i

/** Names the parts of the agent's own place that no check has, if the output speaks of one. */
function explainOutside(finding: Finding, { home }: Checkout): Finding {
  const { output } = finding
  const isHome = output.includes(home) || /(?:^|[\s'"`(=])(?:\/home\/agent|~)\//m.test(output)
  const isTemporary = /(?:^|[\s'"`(=])\/(?:var\/)?tmp\//m.test(output)
  const isVariable =
    /\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b[^\n]{0,40}\b(?:not set|unset|missing|required|undefined|not defined)/.test(output)
  const reasons = [
    ...(isHome ? ['an empty HOME'] : []),
    ...(isTemporary ? ['an empty /tmp'] : []),
    ...(isVariable ? ['no variables of yours'] : []),
  ]
  if (reasons.length === 0) return finding
  return {
    ...finding,
    detail: `${finding.detail}; a check has ${reasons.join(' and ')}: only files of the commit count`,
  }
}

/** Adds the difference between the two places: its own workspace hides the fault from the agent. */
function explain(finding: Finding, missing: readonly MissingFile[], setup: Setup | null): Finding {
  const installer = setup === null ? 'by a setup' : `by \`${setup.command}\``
  const reasons = missing.map(({ path, installed, isEmpty }) => {
    if (installed) return `${path} is neither committed nor installed ${installer}`
    return isEmpty ? `${path} is a directory without files, which git does not keep` : `${path} is not committed`
  })
  const reason = reasons.length === 0 ? 'a file that it needs is not committed' : reasons.join(', ')
  return {
    ...finding,
    detail: `${finding.detail}; it holds where you worked, but not in a fresh checkout of your commit: ${reason}`,
  }
}
