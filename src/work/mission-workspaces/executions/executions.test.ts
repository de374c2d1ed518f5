// @suite process

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

import { operator } from '../../../../test/support/work.ts'
import { type Daemon, startDaemon } from '../../../daemon/start.ts'
import { replayEvents } from '../../../events/replay.ts'
import { eventTables } from '../../../tables.ts'
import { CreateMission } from '../../missions/contract.ts'
import { CreateRun } from '../../runs/contract.ts'
import { Execute, type Execution, Review } from './contract.ts'

let daemon: Daemon
const home = mkdtempSync(join(tmpdir(), 'agency-executions-'))
const env = { AGENCY_HOME: home, PATH: process.env['PATH'], AGENCY_PORT: '0' }
beforeAll(async () => {
  daemon = await startDaemon({ env, web: null })
})
afterAll(async () => {
  await daemon.stop()
  rmSync(home, { recursive: true, force: true })
})

async function aWorkspace() {
  const mission = await daemon.agency.missions.create(operator, CreateMission.parse({ title: 'A web app' }))
  const { directory, path } = await daemon.agency.missionWorkspaces.create(operator, { missionId: mission.id })
  return { missionId: mission.id, directory, path }
}

const begin = (missionId: string, steps: unknown[], more: Partial<Execute> = {}): Promise<Execution> =>
  daemon.agency.executions.execute(
    operator,
    Execute.parse({
      missionId,
      prompt: 'Do it',
      runtime: 'scripted',
      runtimeOptions: { scenario: { steps } },
      ...more,
    }),
  )

async function settled({ runId }: Execution): Promise<Execution> {
  for (;;) {
    const execution = await daemon.agency.executions.execution(runId, 20)
    if (execution.status !== 'queued' && execution.status !== 'running') return execution
  }
}

const exec = async (...args: Parameters<typeof begin>): Promise<Execution> => settled(await begin(...args))

const eventsOf = async (runId: string) =>
  (await daemon.agency.runs.inspect(runId, 1_000)).events.filter(({ kind }) => kind.startsWith('exec_'))

const lastLine = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path, 'utf8').trim().split('\n').at(-1) as string) as Record<string, unknown>

const write = (path: string, text = 'x\n') => ({ write: { path, text } })

describe('one step in a workspace', () => {
  it('reports created and changed files from git, not from the agent’s report', async () => {
    const { missionId, directory } = await aWorkspace()
    await exec(missionId, [write('a.txt'), write('old name ü.txt')])
    const steps = [
      write('a.txt', 'changed\n'),
      write('b/c.txt'),
      { say: 'All done' },
      { usage: { input_tokens: 100, output_tokens: 20 } },
      { report: { status: 'done', summary: 'Made d.txt', outputs: [] } },
    ]
    const execution = await exec(missionId, steps)
    expect(execution).toMatchObject({
      status: 'done',
      kind: 'execute',
      mode: 'yolo',
      filesCreated: ['b/c.txt'],
      filesModified: ['a.txt'],
      filesDeleted: [],
      exitCode: 0,
      tokensUsed: 120,
      cost: 0,
      needsApproval: [],
      budgetExceeded: false,
    })
    expect(execution.stdout).toContain('All done')
    const porcelain = execFileSync('git', [
      '-C',
      directory,
      '-c',
      'core.quotePath=false',
      'status',
      '--porcelain',
      '-uall',
    ])
    expect(String(porcelain).trim().split('\n').sort()).toEqual(['?? "old name ü.txt"', '?? a.txt', '?? b/c.txt'])
    expect((await replayEvents(daemon.db, eventTables)).differences).toEqual([])
  })

  it('counts files that the agent has committed, and leaves its index unchanged', async () => {
    const { missionId, directory } = await aWorkspace()
    const commit = 'git -c user.name=a -c user.email=a@b commit -qm one'
    const execution = await exec(missionId, [
      write('a.txt'),
      { run: `git add a.txt && ${commit}` },
      write('b.txt'),
      { run: 'git add b.txt' },
      write('c.txt'),
    ])
    expect(execution).toMatchObject({ status: 'done', filesCreated: ['a.txt', 'b.txt', 'c.txt'] })
    expect(
      String(execFileSync('git', ['-C', directory, 'status', '--porcelain']))
        .trim()
        .split('\n'),
    ).toEqual(['A  b.txt', '?? c.txt'])
  })

  it('keeps the report in the outbox until its end is recorded', async () => {
    const { missionId, directory } = await aWorkspace()
    await exec(missionId, [write('.agency/outbox/report.json', '{"status":"done","summary":"Done."}')])
    expect(existsSync(join(directory, '.agency/outbox/report.json'))).toBe(true)
  })

  it('logs the end of an agent before its evidence is checked', async () => {
    const { missionId, directory, path } = await aWorkspace()
    const { id } = await daemon.agency.runs.create(
      operator,
      CreateRun.parse({
        goal: 'Do it',
        missionId,
        workspace: path,
        runtime: 'scripted',
        runtimeOptions: { scenario: { steps: [write('a.txt'), { report: { status: 'done', summary: 'Done.' } }] } },
        evidence: [{ kind: 'command', run: 'sleep 600' }],
      }),
    )
    const log = join(directory, '.agency/log.jsonl')
    await vi.waitFor(() => expect(lastLine(log)).toMatchObject({ prompt: 'Do it', exit_code: 0 }), { timeout: 10_000 })
    expect((await daemon.agency.runs.inspect(id, 0)).attempts).toMatchObject([{ status: 'examining' }])
    await daemon.agency.runs.cancel(operator, id, undefined)
  })

  it('writes its facts, a line to its log, and a line for each session', async () => {
    const { missionId, directory, path } = await aWorkspace()
    await exec(missionId, [write('a.txt')], { prompt: 'Write a.txt', mode: 'cautious' })
    const line = lastLine(join(directory, '.agency/log.jsonl'))
    expect(line).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-/),
      prompt: 'Write a.txt',
      tokens_used: 0,
      cost: 0,
      files_changed: ['a.txt'],
      exit_code: 0,
      mode: 'cautious',
      duration_ms: expect.any(Number),
    })
    expect(JSON.parse(readFileSync(join(directory, '.agency/mission.json'), 'utf8'))).toMatchObject({
      mission_id: missionId,
      brief: { objective: 'Write a.txt' },
    })
    expect(JSON.parse(readFileSync(join(directory, '.agency/agent.json'), 'utf8'))).toMatchObject({
      runtime: 'scripted',
      mode: 'cautious',
    })
    const sessions = readFileSync(join(home, 'workspaces/.agency-global/agent-sessions.jsonl'), 'utf8')
      .trim()
      .split('\n')
    const mine = sessions
      .map((each) => JSON.parse(each) as Record<string, unknown>)
      .filter((each) => each['workspace'] === path)
    expect(mine.map(({ event, exit, mission_id }) => [event, exit, mission_id])).toEqual([
      ['start', null, missionId],
      ['end', 0, missionId],
    ])
    expect(Object.keys(mine[1] ?? {})).toEqual([
      'at',
      'agent_id',
      'persona',
      'mission_id',
      'workspace',
      'event',
      'exit',
    ])
  })

  it('records in its events the command, the host and the resource use', async () => {
    const { missionId } = await aWorkspace()
    const { runId } = await exec(missionId, [write('a.txt')])
    const [started, finished] = await eventsOf(runId)
    expect(started).toMatchObject({ kind: 'exec_started', data: { host: 'daemon', mode: 'yolo' } })
    expect(started?.data['argv']).toEqual([process.execPath, expect.stringContaining('scripted')])
    expect(finished).toMatchObject({ kind: 'exec_finished', data: { exit_code: 0, files_created: ['a.txt'] } })
    for (const key of ['peak_memory_mb', 'processes', 'disk_mb', 'duration_ms'])
      expect(finished?.data).toHaveProperty(key)
  })

  it('ends with 124 at its timeout and keeps completed changes', async () => {
    const { missionId, directory } = await aWorkspace()
    const execution = await exec(missionId, [write('half.txt'), { hang: {} }], { timeoutMinutes: 0.03 })
    expect(execution).toMatchObject({
      status: 'failed',
      exitCode: 124,
      outcome: 'timeout',
      filesCreated: ['half.txt'],
    })
    expect(existsSync(join(directory, 'half.txt'))).toBe(true)
  })

  it('fails when its agent fails, with the output of both streams', async () => {
    const { missionId } = await aWorkspace()
    const command = ['sh', '-c', 'echo out; echo err >&2; exit 3']
    const execution = await exec(missionId, [], { runtime: 'program', runtimeOptions: { command } })
    expect(execution).toMatchObject({ status: 'failed', exitCode: 3, stdout: 'out\n', stderr: 'err\n' })
  })

  it('needs no report: a program that exits with 0 is done', async () => {
    const { missionId } = await aWorkspace()
    const command = ['sh', '-c', 'cat > prompt.txt']
    const execution = await exec(missionId, [], { runtime: 'program', runtimeOptions: { command } })
    expect(execution).toMatchObject({ status: 'done', exitCode: 0, filesCreated: ['prompt.txt'] })
  })

  it('stops at its budget and waits for an answer', async () => {
    const { missionId } = await aWorkspace()
    const usage = { usage: { input_tokens: 400, output_tokens: 200 } }
    const execution = await exec(missionId, [write('a.txt'), usage, usage, { hang: {} }], { tokenBudget: 500 })
    expect(execution).toMatchObject({ status: 'waiting', budgetExceeded: true, filesCreated: ['a.txt'] })
    expect(execution.questionId).toMatch(/^qst_/)
    const { briefs } = await daemon.agency.runs.inspect(execution.runId, 0)
    expect(briefs[0]?.status).toBe('blocked')
    await daemon.agency.runs.cancel(operator, execution.runId, undefined)
  })

  it('asks before an irreversible action, and does it once it is allowed', async () => {
    const { missionId, directory } = await aWorkspace()
    const step = { destructive: { rule: 'delete', what: 'rm -rf old' } }
    const asked = await exec(missionId, [step, write('after.txt')], { mode: 'cautious' })
    expect(asked).toMatchObject({
      status: 'waiting',
      mode: 'cautious',
      needsApproval: [{ rule: 'delete', what: 'rm -rf old' }],
      filesCreated: [],
    })
    await daemon.agency.questions.answer(operator, asked.questionId as string, 'allow')
    expect(await settled(asked)).toMatchObject({ status: 'done', needsApproval: [], filesCreated: ['after.txt'] })
    expect(existsSync(join(directory, 'after.txt'))).toBe(true)
  })

  it('is refused with a context file that is not readable from inside', async () => {
    const { missionId } = await aWorkspace()
    await expect(begin(missionId, [], { contextFiles: ['/etc/passwd'] })).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('context_file denied'),
    })
  })

  it('names its context files in the prompt', async () => {
    const { missionId, directory } = await aWorkspace()
    writeFileSync(join(directory, 'notes.md'), 'x')
    const { runId } = await exec(missionId, [write('a.txt')], { contextFiles: ['notes.md'] })
    const { briefs } = await daemon.agency.runs.inspect(runId, 0)
    expect(briefs[0]?.context).toContain('- notes.md')
  })
})

describe('Agency’s own files in a workspace', () => {
  it('replace a link that an agent without a box has put there, and never write to its target', async () => {
    const { missionId, directory } = await aWorkspace()
    const elsewhere = join(home, 'elsewhere.txt')
    writeFileSync(elsewhere, 'untouched')
    const steps = ['log.jsonl', 'mission.json', 'agent.json'].map((name) => ({
      run: `rm -f .agency/${name}; ln -s ${elsewhere} .agency/${name}`,
    }))
    await exec(missionId, steps)
    await exec(missionId, [write('a.txt')])
    expect(lastLine(join(directory, '.agency/log.jsonl'))['files_changed']).toEqual(['a.txt'])
    expect(JSON.parse(readFileSync(join(directory, '.agency/agent.json'), 'utf8'))).toMatchObject({
      runtime: 'scripted',
    })
    expect(readFileSync(elsewhere, 'utf8')).toBe('untouched')
  })
})

describe('a workspace that is a clone of a repository', () => {
  it('starts with the files of the repository, and keeps uncommitted work in the mirror when it is removed', async () => {
    const repository = mkdtempSync(join(tmpdir(), 'agency-origin-'))
    const git = (...args: string[]) =>
      String(execFileSync('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]))
    git('init', '-q', '-b', 'main')
    writeFileSync(join(repository, 'first.txt'), 'one\n')
    git('add', '.')
    git('commit', '-qm', 'one')
    const mission = await daemon.agency.missions.create(operator, CreateMission.parse({ title: 'A clone' }))
    const made = await daemon.agency.missionWorkspaces.create(operator, { missionId: mission.id, repo: repository })
    expect(readFileSync(join(made.directory, 'first.txt'), 'utf8')).toBe('one\n')
    const steps = [write('first.txt', 'two\n'), write('second.txt')]
    expect(await exec(mission.id, steps)).toMatchObject({ filesCreated: ['second.txt'], filesModified: ['first.txt'] })
    const command = ['sh', '-c', 'git log --oneline | cat']
    const seen = await exec(mission.id, [], { runtime: 'program', runtimeOptions: { command } })
    expect(seen.stdout).toMatch(/one\n$/)
    const { snapshot } = await daemon.agency.missionWorkspaces.remove(operator, mission.id)
    expect(snapshot).toBe(`refs/agency/snapshots/${made.id}`)
    const mirror = made.repository?.mirror as string
    expect(String(execFileSync('git', ['-C', mirror, 'show', `${snapshot}:second.txt`]))).toBe('x\n')
    expect(git('status', '--porcelain')).toBe('')
    rmSync(repository, { recursive: true })
  })
})

describe('a plan_only agent', () => {
  it('has all its changes undone', async () => {
    const { missionId, directory } = await aWorkspace()
    await exec(missionId, [write('kept.txt', 'as it was\n')])
    const steps = [write('kept.txt', 'other\n'), write('new.txt'), { run: 'rm -f kept.txt' }]
    const execution = await exec(missionId, steps, { mode: 'plan_only' })
    expect(execution).toMatchObject({
      status: 'done',
      mode: 'plan_only',
      filesCreated: [],
      filesModified: [],
      filesDeleted: [],
    })
    expect(readFileSync(join(directory, 'kept.txt'), 'utf8')).toBe('as it was\n')
    expect(existsSync(join(directory, 'new.txt'))).toBe(false)
    const { events } = await daemon.agency.runs.inspect(execution.runId, 1_000)
    expect(events.find(({ data }) => data['violation'] === 'plan_only')?.data).toMatchObject({ restored: true })
  })

  it('reviews and reports findings', async () => {
    const { missionId } = await aWorkspace()
    const findings = [{ severity: 'high', file: 'a.ts', line: 3, suggestion: 'Check the input.' }]
    const steps = [{ report: { status: 'done', summary: 'Looked.', findings } }]
    const started = await daemon.agency.executions.review(
      operator,
      Review.parse({ missionId, focus: 'security', runtime: 'scripted', runtimeOptions: { scenario: { steps } } }),
    )
    expect(await settled(started)).toMatchObject({ kind: 'review', status: 'done', mode: 'plan_only', findings })
    const { briefs } = await daemon.agency.runs.inspect(started.runId, 0)
    expect(briefs[0]?.objective).toContain('Look above all for this: security')
  })
})

describe('two steps in one workspace', () => {
  it('run one after the other', async () => {
    const { missionId } = await aWorkspace()
    const first = await begin(missionId, [{ wait: { ms: 300 } }, write('a.txt')])
    const second = await begin(missionId, [write('b.txt')])
    expect([first.status, second.status]).toEqual(['running', 'queued'])
    await expect(daemon.agency.missionWorkspaces.remove(operator, missionId)).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await settled(second)).toMatchObject({ status: 'done', filesCreated: ['b.txt'] })
    const finished = (await eventsOf(first.runId)).find(({ kind }) => kind === 'exec_finished')
    const started = (await eventsOf(second.runId)).find(({ kind }) => kind === 'exec_started')
    expect(started?.position).toBeGreaterThan(finished?.position as number)
    expect((await daemon.agency.missions.show(missionId)).status).toBe('in_progress')
  })

  it('stay queued through a restart', async () => {
    const { missionId } = await aWorkspace()
    const first = await begin(missionId, [{ hang: {} }])
    const second = await begin(missionId, [write('b.txt')])
    await daemon.stop()
    daemon = await startDaemon({ env, web: null })
    expect((await daemon.agency.executions.execution(second.runId, 0)).status).toBe('queued')
    await daemon.agency.runs.cancel(operator, first.runId, undefined)
    expect(await settled(second)).toMatchObject({ status: 'done', filesCreated: ['b.txt'] })
  })

  it('are released also when the one before was cancelled', async () => {
    const { missionId } = await aWorkspace()
    const first = await begin(missionId, [{ hang: {} }])
    const second = await begin(missionId, [write('b.txt')])
    await daemon.agency.runs.cancel(operator, first.runId, undefined)
    expect(await settled(second)).toMatchObject({ status: 'done', detail: 'It ended.' })
    expect(await settled(first)).toMatchObject({ status: 'cancelled' })
  })
})
