import type { Db, ReadTx } from '../../../db/port.ts'
import { listStreamEvents } from '../../../events/store.ts'
import type { Actor } from '../../../kernel/actor.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { isAgentAtWork } from '../../../kernel/attempt-state.ts'
import { refusal } from '../../../kernel/errors.ts'
import { renderTemplate } from '../../../kernel/template.ts'
import type { Finding } from '../../attempts/contract.ts'
import { listAttempts } from '../../attempts/store.ts'
import type { Brief, Hold } from '../../briefs/contract.ts'
import { isSameHold, workspaceHold } from '../../briefs/holds.ts'
import { listBriefs, listHoldsOfBrief } from '../../briefs/store.ts'
import { listQuestionsOfRun } from '../../questions/store.ts'
import { findRunStep } from '../../run-steps/store.ts'
import { CreateRun, type Run } from '../../runs/contract.ts'
import { requireRun } from '../../runs/find.ts'
import type { Runs } from '../../runs/service.ts'
import { decideAccess } from '../access.ts'
import type { MissionWorkspace } from '../contract.ts'
import type { MissionWorkspaces } from '../service.ts'
import type { WorkspaceTree } from '../tree.ts'
import type { Execute, Execution, Review } from './contract.ts'
import type { PrintedFiles } from './output.ts'
import { until } from './wait.ts'
import { exitCodeOf } from './exit-code.ts'
import { findingsOf } from './findings.ts'

export interface ExecutionDeps {
  db: Db
  clock: Clock
  stopping: AbortSignal
  runs: Runs
  workspaces: MissionWorkspaces
  tree: WorkspaceTree
  printed: PrintedFiles
  /** Runs whose last log lines are still to be written. */
  logging: ReadonlyMap<string, Promise<void>>
  /** The prompt of a reviewer, with {{focus}}. */
  reviewPrompt: () => string
}

export type Executions = ReturnType<typeof createExecutions>

/** Steps in a mission's workspace: each is a run of one brief like any other, with the changes according to git. */
export function createExecutions(deps: ExecutionDeps) {
  const { db } = deps

  async function start(
    by: Actor,
    workspace: MissionWorkspace,
    kind: 'execute' | 'review',
    input: Omit<Review, 'focus'> & Pick<Execute, 'prompt' | 'mode' | 'contextFiles'>,
    goal: string,
  ): Promise<Execution> {
    const minutes = Math.min(input.timeoutMinutes, workspace.policy.limits.maxRuntimeMinutes)
    const { runtime, options } = runtimeOf(input)
    const run = await deps.runs.create(
      by,
      CreateRun.parse({
        goal,
        organisationId: workspace.organisationId,
        missionId: workspace.missionId,
        workspace: workspace.path,
        mode: input.mode,
        ...(runtime === undefined ? {} : { runtime }),
        runtimeOptions: options,
        readable: input.readable,
        briefs: [
          {
            key: 'main',
            title: kind === 'review' ? 'Review the workspace' : undefined,
            objective: input.prompt,
            context: contextOf(input.contextFiles),
            tokenBudget: input.tokenBudget,
            verify: 'none',
          },
        ],
        idleMinutes: null,
        hardMinutes: minutes,
        crashRetries: 0,
        retryBudget: 0,
        verificationLimit: 0,
        verify: 'none',
        acceptance: 'auto',
        onLimit: 'fail',
      }),
      { kind, contextFiles: [...input.contextFiles] },
    )
    return readExecution(run.id)
  }

  async function readExecution(prefix: string): Promise<Execution> {
    const { run, brief, holds, attempts, finished, question, applied } = await db.read((tx) => factsOf(tx, prefix))
    const last = attempts.at(-1)
    const printed = last === undefined ? { stdout: '', stderr: '' } : await deps.printed.read(last.id)
    const { kind: purpose } = run.configuration.purpose as NonNullable<Run['configuration']['purpose']>
    return {
      runId: run.id,
      missionId: run.missionId,
      workspace: run.configuration.workspace ?? '',
      kind: purpose,
      status: statusOf(run, brief, holds),
      mode: (finished?.['mode'] as Execution['mode'] | undefined) ?? run.configuration.mode,
      filesCreated: (finished?.['files_created'] as string[] | null | undefined) ?? null,
      filesModified: (finished?.['files_modified'] as string[] | null | undefined) ?? null,
      filesDeleted: (finished?.['files_deleted'] as string[] | null | undefined) ?? null,
      ...printed,
      exitCode: last === undefined || isAgentAtWork(last) ? null : exitCodeOf(last),
      tokensUsed: attempts.reduce((sum, each) => sum + each.inputTokens + each.outputTokens, 0),
      cost: attempts.reduce((sum, each) => sum + each.costMicros, 0) / 1_000_000,
      outcome: last?.outcome ?? null,
      detail: last?.detail ?? null,
      durationMs: (finished?.['duration_ms'] as number | undefined) ?? null,
      needsApproval: statusOf(run, brief, holds) === 'waiting' ? (last?.denied ?? []) : [],
      questionId: question,
      budgetExceeded: last?.outcome === 'budget' || holds.some(({ kind }) => kind === 'budget'),
      findings: purpose === 'review' ? ((applied as Finding[] | null) ?? findingsOf(last?.report)) : null,
    }
  }

  return {
    async execute(by: Actor, input: Execute): Promise<Execution> {
      const workspace = await deps.workspaces.requireActive(input.missionId)
      await checkContext(deps, workspace, input.contextFiles)
      return start(by, workspace, 'execute', input, input.prompt)
    },

    async review(by: Actor, { focus, ...input }: Review): Promise<Execution> {
      const workspace = await deps.workspaces.requireActive(input.missionId)
      const prompt = renderTemplate(deps.reviewPrompt(), {
        focus: focus === undefined ? '' : `Look above all for this: ${focus}`,
      })
      const goal = focus === undefined ? 'Review the workspace' : `Review the workspace: ${focus}`
      return start(by, workspace, 'review', { ...input, prompt, mode: 'plan_only', contextFiles: [] }, goal)
    },

    async execution(prefix: string, waitSeconds: number): Promise<Execution> {
      if (waitSeconds === 0) return readExecution(prefix)
      const settled = await until(deps, waitSeconds * 1_000, async () => {
        const execution = await readExecution(prefix)
        return execution.status === 'queued' || execution.status === 'running' ? null : execution
      })
      if (settled !== null) await deps.logging.get(settled.runId)
      return settled ?? readExecution(prefix)
    },
  }
}

function runtimeOf({ runtime, runtimeOptions, model }: Pick<Execute, 'runtime' | 'runtimeOptions' | 'model'>) {
  return {
    runtime: runtime === 'claude' ? 'claude-code' : runtime,
    options: model === undefined ? runtimeOptions : { ...runtimeOptions, model },
  }
}

const contextOf = (files: readonly string[]): string | undefined =>
  files.length === 0 ? undefined : `Read these files first:\n\n${files.map((file) => `- ${file}`).join('\n')}`

async function checkContext(
  { tree }: ExecutionDeps,
  { policy, path: workspace }: MissionWorkspace,
  files: readonly string[],
): Promise<void> {
  for (const file of files) {
    const { allowed, rule } = await decideAccess(policy, { root: tree.root, workspace }, 'read', file)
    if (!allowed)
      throw refusal('forbidden', `context_file denied: "${file}" (${rule})`, {
        hint: 'Only files in the workspace or in shared/ are readable from inside.',
        data: { path: file, rule },
      })
  }
}

async function factsOf(tx: ReadTx, prefix: string) {
  const run = await requireRun(tx, prefix)
  if (run.configuration.purpose === undefined)
    throw refusal('invalid_input', `run ${run.id} is not an execution in a workspace`, {
      hint: `Show it with "agency inspect ${run.id}".`,
    })
  const events = await listStreamEvents(tx, `run:${run.id}`, { kind: ['exec_finished'], limit: 1_000 })
  const questions = await listQuestionsOfRun(tx, run.id)
  const brief = (await listBriefs(tx, run.id)).find(({ kind }) => kind === 'work')
  return {
    run,
    brief,
    holds: brief === undefined ? [] : await listHoldsOfBrief(tx, brief),
    attempts: await listAttempts(tx, run.id),
    finished: events.at(-1)?.data,
    applied: brief === undefined ? null : ((await findRunStep(tx, brief.id))?.result ?? null),
    question: questions.find(({ status }) => status !== 'answered' && status !== 'withdrawn')?.id ?? null,
  }
}

function statusOf(run: Run, brief: Brief | undefined, holds: readonly Hold[]): Execution['status'] {
  if (run.status === 'done' || run.status === 'failed' || run.status === 'cancelled') return run.status
  if (holds.some((hold) => isSameHold(hold, workspaceHold))) return 'queued'
  const isStuck = brief?.status === 'blocked' || run.status === 'paused' || run.status === 'gated'
  return isStuck || run.questionsOpen > 0 ? 'waiting' : 'running'
}
