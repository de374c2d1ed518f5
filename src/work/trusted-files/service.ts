import { createHash } from 'node:crypto'

import type { Runtime } from '../../adapters/runtime/port.ts'
import type { Db } from '../../db/port.ts'
import { type Actor, actorName } from '../../kernel/actor.ts'
import { counted } from '../../kernel/amounts.ts'
import { AgencyError, notFound, refusal } from '../../kernel/errors.ts'
import type { Fault } from '../../documents/contract.ts'
import type { ReadTeam } from '../../team/load.ts'
import { smallText } from '../../threads/read-texts.ts'
import type { PlanDocument } from '../plans/contract.ts'
import type { ReadPlan } from '../plans/read.ts'
import { planOf } from '../templates/as-plan.ts'
import { readTemplate } from '../templates/read.ts'
import type { FileKind, FileReview, FileStart, TrustedFile, TrustedFileLine } from './contract.ts'
import { differenceOf } from './difference.ts'
import { directorsIn } from './directors.ts'
import { startsOfPlan, startsOfTeam } from './starts.ts'
import {
  deleteTrustedFile,
  findNewestVersion,
  findTrustedFile,
  insertTrustedFile,
  listTrustedFiles,
  listTrustedNamed,
} from './store.ts'

export interface TrustedFileDeps {
  db: Db
  runtimes: ReadonlyMap<string, Runtime>
  /** Both read a large text in a thread: some texts were written to keep a parser busy. */
  readPlan: (text: string) => Promise<Pick<ReadPlan, 'plan' | 'faults'>>
  readTeam: (text: string) => Promise<Pick<ReadTeam, 'team' | 'faults'>>
}

/** A plan or a team file that came with a request; a plan was read before. */
export type GivenFile = { readonly text: string; readonly name?: string | undefined } & (
  { readonly kind: 'plan'; readonly plan: PlanDocument } | { readonly kind: 'team' }
)

export type TrustedFiles = ReturnType<typeof createTrustedFiles>

/** A larger text is trusted as well, but a later version is not compared with it. */
const maxKeptBytes = 200_000

/**
 * Files that may start programs, because the operator has read what they start. A file is known by the hash of exactly
 * the text that is read, so every edit and every other file under its name asks again.
 */
export function createTrustedFiles({ db, runtimes, readPlan, readTeam }: TrustedFileDeps) {
  async function startsOf(file: GivenFile): Promise<FileStart[]> {
    if (file.kind === 'team') return startsOfTeam((await readTeam(file.text)).team, runtimes)
    const { team, briefs } = file.plan
    const starts = startsOfPlan(file.plan, team === undefined ? null : (await readTeam(team)).team, runtimes)
    return [...starts, ...(await db.read((tx) => directorsIn(tx, briefs)))]
  }

  async function reviewOne(file: GivenFile): Promise<FileReview> {
    const { kind, text, name = null } = file
    const hash = hashOf(text)
    const { trusted, before } = await db.read(async (tx) => {
      const isTrusted = (await findTrustedFile(tx, hash))?.kind === kind
      const version = isTrusted || name === null ? undefined : await findNewestVersion(tx, kind, name)
      return { trusted: isTrusted, before: version?.text ?? null }
    })
    const starts = await startsOf(file)
    if (before === null) return { kind, hash, name, trusted, starts, difference: null }
    const marked = markAdded(starts, await startsBefore(before))
    return { kind, hash, name, trusted, starts: marked, difference: differenceOf(before, text) }
  }

  /** A version that this release no longer accepts had nothing that is still known. */
  async function startsBefore(text: string): Promise<FileStart[]> {
    try {
      return await startsOf(await given(text, undefined))
    } catch (error) {
      if (error instanceof AgencyError && error.code !== 'bug') return []
      throw error
    }
  }

  const record = (by: Actor, files: readonly GivenFile[]): Promise<void> => {
    if (by.kind !== 'operator') throw refusal('forbidden', 'only the operator can trust a file')
    return db.write(['system'], async (tx) => {
      for (const { kind, text, name = null } of files) {
        const hash = hashOf(text)
        if ((await findTrustedFile(tx, hash)) !== undefined) continue
        const kept = Buffer.byteLength(text) <= maxKeptBytes ? text : null
        await insertTrustedFile(tx, { hash, kind, name, text: kept, trustedBy: actorName(by), trustedAt: tx.at })
      }
    })
  }

  /** Without briefs, `setup: make` could be either: then it is a team file, because a plan has a goal of its own. */
  async function given(text: string, name: string | undefined): Promise<GivenFile> {
    const { plan, faults } = await readPlan(text)
    if (plan !== null && plan.briefs.length > 0) return { kind: 'plan', plan, text, name }
    const team = await readTeam(text)
    if (team.team !== null) return { kind: 'team', text, name }
    if (plan !== null) return { kind: 'plan', plan, text, name }
    const { template } = text.length <= smallText ? readTemplate(text) : { template: null }
    if (template !== null) return { kind: 'plan', plan: planOf(template), text, name }
    throw unreadable(name, hasBriefs.test(text) ? faults : team.faults)
  }

  const review = (files: readonly GivenFile[]): Promise<FileReview[]> => Promise.all(files.map(reviewOne))

  return {
    /** Returns the reviews of those files that start anything. */
    reviewAll: async (files: readonly GivenFile[]): Promise<FileReview[]> =>
      (await review(files)).filter(({ starts }) => starts.length > 0),

    /**
     * Refuses files that start anything and that are not trusted. Those whose hash the request contains are trusted
     * from now on.
     */
    async require(by: Actor, files: readonly GivenFile[], accepted: readonly string[] = []): Promise<void> {
      const open = (await review(files)).filter(({ starts, trusted }) => starts.length > 0 && !trusted)
      const refused = open.filter(({ hash }) => !accepted.includes(hash))
      if (refused.length > 0) throw untrusted(refused)
      if (open.length > 0)
        await record(
          by,
          files.filter(({ text }) => open.some(({ hash }) => hash === hashOf(text))),
        )
    },

    review: async (text: string, name?: string): Promise<FileReview> =>
      (await review([await given(text, name)]))[0] as FileReview,

    async trust(by: Actor, { text, hash, name }: { text: string; hash: string; name?: string | undefined }) {
      if (hashOf(text) !== hash)
        throw refusal('conflict', 'the file differs from the one that was reviewed', { hint: 'Review it again.' })
      const file = await given(text, name)
      const [before] = await review([file])
      if (before?.starts.length === 0) return before
      await record(by, [file])
      return { ...(before as FileReview), trusted: true }
    },

    list: async (): Promise<TrustedFileLine[]> => (await db.read(listTrustedFiles)).map(withoutText),

    async revoke(by: Actor, { hash, name }: { hash?: string | undefined; name?: string | undefined }) {
      if ((hash === undefined) === (name === undefined)) throw refusal('invalid_input', 'give either a hash or a name')
      return db.write(['system'], async (tx) => {
        const one = hash === undefined ? undefined : await findTrustedFile(tx, hash)
        const files = name === undefined ? [one].filter((each) => each !== undefined) : await listTrustedNamed(tx, name)
        if (files.length === 0) throw notFound('trusted file', name ?? hash ?? '', '"agency trust --list" lists them.')
        for (const file of files) await deleteTrustedFile(tx, file, actorName(by))
        return files.map(withoutText)
      })
    },
  }
}

/** Marks new entries and puts them first: among thousands of lines that differ, the one that matters is not seen. */
function markAdded(starts: readonly FileStart[], before: readonly FileStart[]): FileStart[] {
  const keyOf = ({ where, text }: FileStart): string => JSON.stringify([where, text])
  const known = new Set(before.map(keyOf))
  const marked = starts.map((start) => (known.has(keyOf(start)) ? start : { ...start, added: true }))
  return [...marked.filter(({ added }) => added === true), ...marked.filter(({ added }) => added !== true)]
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A file with this key was meant to be a plan. */
const hasBriefs = /^[ \t]*["']?briefs["']?\s*:/m

function unreadable(name: string | undefined, faults: readonly Fault[]) {
  const [first] = faults
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  const fault = first === undefined ? '' : `: line ${first.line}, column ${first.column}: ${first.message}${more}`
  return refusal('invalid_input', `${name ?? 'the file'} is neither a plan nor a team file${fault}`, {
    hint: '"agency run --plan FILE --preview" lists the faults of a plan, and "agency doctor --team FILE" those of a team.',
    data: { faults },
  })
}

const withoutText = ({ text: _, ...line }: TrustedFile): TrustedFileLine => line

function untrusted(files: readonly FileReview[]) {
  const one = files[0] as FileReview
  const count = files.reduce((sum, { starts }) => sum + starts.length, 0)
  const names = files.map(({ kind, name }) => name ?? `the ${kind}`).join(' and ')
  return refusal(
    'trust_required',
    `${names} ${files.length === 1 ? 'is' : 'are'} not trusted and would start ${counted(count, 'command')}`,
    {
      hint: `Read what it starts, then trust it with "agency trust ${one.name ?? 'FILE'}", or repeat the command with --trust.`,
      data: { files: files satisfies readonly { kind: FileKind }[] },
    },
  )
}
