import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { pause } from '../../../src/kernel/clock.ts'
import { boxHere } from '../../support/box-here.ts'
import { type Answer, type DaemonStage, openDaemonStage, type Puppet } from '../daemon-stage.ts'

interface Inspected {
  readonly status: string
  readonly attempts: readonly { readonly boxed: boolean; readonly status: string }[]
  readonly evidence: readonly { readonly passed: boolean }[]
  readonly briefs: readonly { readonly key: string; readonly evidence: readonly { readonly kind: string }[] }[]
}

/** A daemon with one notifier that a team may name, and a folder for files of strangers. */
export interface TrustStage extends DaemonStage {
  readonly folder: string
  /** The agent whose token tries to trust files. */
  puppetOnce(): Promise<Puppet>
  write(name: string, text: string): string
  /** Starts a plan over the API; the answer has the id of the run, or says why it did not start. */
  runPlan(plan: string, more?: object): Promise<Answer>
  /** Starts a trusted plan and resolves with its run once it has ended. */
  playPlan(plan: string): Promise<Ended>
  ended(answer: Answer): Promise<Ended>
}

export interface Ended extends Inspected {
  /** Returns the text of a file of its workspace, or null. */
  file(name: string): string | null
}

export const isStarted = ({ status }: Answer): boolean => status >= 200 && status < 300

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

export const needsBox = (): string | null => (boxHere.ok ? null : boxHere.reason)

export async function openTrustStage(config = '', environment: Record<string, string> = {}): Promise<TrustStage> {
  const daemon = await openDaemonStage({
    config: `notify: [{adapter: terminal}, {adapter: terminal, name: phone, team_only: true}]\n${config}`,
    environment,
  })
  const folder = realpathSync(mkdtempSync('/var/tmp/agency-strange-'))
  let puppet: Promise<Puppet> | null = null
  const runPlan = (plan: string, more: object = {}): Promise<Answer> =>
    daemon.ask('POST', '/plans/run', { plan, ...more })

  async function ended(answer: Answer): Promise<Ended> {
    if (!isStarted(answer)) throw new Error(`it did not start: ${JSON.stringify(answer.body).slice(0, 2_000)}`)
    const { id } = answer.body as { id: string }
    for (const began = performance.now(); ;) {
      const run = (await daemon.ask('GET', `/runs/${id}/inspect`)).body as Inspected
      const isOver = ['done', 'failed', 'cancelled', 'gated', 'paused', 'accepting'].includes(run.status)
      if (!isOver) {
        if (performance.now() - began > 60_000) throw new Error(`${id} is still ${run.status}`)
        await pause(50)
        continue
      }
      return {
        ...run,
        file: (name) => {
          const found = globSync(`workspaces/${id}/*/${name}`, { cwd: daemon.home })[0]
          return found === undefined ? null : readFileSync(join(daemon.home, found), 'utf8')
        },
      }
    }
  }

  return {
    ...daemon,
    folder,
    puppetOnce: () => (puppet ??= daemon.puppet()),
    write: (name, text) => {
      const path = join(folder, name)
      writeFileSync(path, text)
      return path
    },
    runPlan,
    ended,
    playPlan: async (plan) => ended(await runPlan(plan, { trust: [sha256(plan)] })),
    close: async () => {
      await daemon.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Returns a plan of one brief whose scripted agent plays these steps and then reports. */
export const planOf = (steps: readonly object[], more: object = {}): string =>
  JSON.stringify({
    goal: 'Play a file of a stranger',
    runtime: 'scripted',
    on_limit: 'fail',
    retry_budget: 0,
    verify: 'none',
    briefs: [
      {
        id: 'a',
        objective: 'Play',
        evidence: [],
        runtime_options: { scenario: { steps: [...steps, { report: { status: 'done', summary: 'played' } }] } },
      },
    ],
    ...more,
  })

export const exists = (path: string): boolean => existsSync(path)
