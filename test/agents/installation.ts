import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

import { pause } from '../../src/kernel/clock.ts'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import type { Rule } from '../support/model-server/script.ts'
import { type ModelServer, startModelServer } from '../support/model-server/server.ts'
import { claudeVariable } from './agents.setup.ts'

export interface Installation {
  readonly daemon: TestDaemon
  readonly model: ModelServer
  /** Creates a run of Claude Code, which retries a failed call of the model once; returns the run's id. */
  run(input: RunInput): Promise<string>
  show(runId: string): Promise<Shown>
  /** Resolves when the condition holds for the run. */
  until(runId: string, holds: (shown: Shown) => boolean): Promise<Shown>
  output(attemptId: string): Promise<string>
}

export interface RunInput {
  readonly goal: string
  readonly [field: string]: unknown
}

export interface Shown {
  readonly run: Readonly<Record<string, unknown>> & { readonly status: string }
  readonly briefs: readonly (Readonly<Record<string, unknown>> & { readonly id: string; readonly status: string })[]
  readonly evidence: readonly object[]
  readonly events: readonly object[]
  readonly attempts: readonly (Readonly<Record<string, unknown>> & {
    readonly id: string
    readonly session: string | null
    readonly status: string
    readonly outcome: string | null
    readonly pid: number | null
  })[]
  readonly questions: readonly (Readonly<Record<string, unknown>> & { readonly id: string })[]
}

/** Starts a daemon and a model server with the real program between them: no key, home or network of this machine. */
export async function install(rules: readonly Rule[] = [], settings = '', host?: string): Promise<Installation> {
  const model = await startModelServer(rules, host)
  const daemon = await createTestDaemon(null, {
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'sk-ant-dummy-0000',
  })
  onTestFinished(async () => {
    await daemon.remove()
    await model.stop()
  })
  mkdirSync(daemon.home, { recursive: true })
  writeFileSync(join(daemon.home, 'config.yaml'), `claude:\n  binary: ${process.env[claudeVariable]}\n${settings}`)
  await daemon.start()
  const show = (runId: string) => daemon.ask<Shown>('GET', `/runs/${runId}/inspect`)
  return {
    daemon,
    model,
    run: async (input) => {
      const defaults = { runtime: 'claude-code', runtime_options: { max_retries: 1 }, verify: 'none', on_limit: 'fail' }
      return (await daemon.ask<{ id: string }>('POST', '/runs', { ...defaults, ...input })).id
    },
    show,
    until: async (runId, holds) => {
      for (let looks = 0; looks < 600; looks += 1) {
        const shown = await show(runId)
        if (holds(shown)) return shown
        await pause(100)
      }
      throw new Error(`the run did not reach the expected state: ${JSON.stringify(await show(runId))}`)
    },
    output: async (attemptId) => (await daemon.ask<{ text: string }>('GET', `/attempts/${attemptId}/output`)).text,
  }
}

export const hasEnded = ({ run }: Shown): boolean => ['done', 'failed', 'cancelled'].includes(run.status)
