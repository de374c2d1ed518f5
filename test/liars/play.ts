import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { BriefSpec } from '../../src/work/briefs/contract.ts'
import { CreateWorkspace } from '../../src/work/mission-workspaces/contract.ts'
import { CreateMission } from '../../src/work/missions/contract.ts'
import { CreateRun } from '../../src/work/runs/contract.ts'
import type { Db } from '../../src/db/port.ts'
import { operator } from '../support/work.ts'
import type { Played, Scene, Variant, Work } from './contract.ts'
import { put } from './projects.ts'
import { passingVerifier, writePrograms } from './programs.ts'
import { tieredInput } from './tiered.ts'
import { git, type World, writeFiles } from './world.ts'

/** Plays one run to its end; gates are approved, and questions stay unanswered. */
export async function play(world: World, name: string, scene: Scene, work: Work, variant: Variant): Promise<Played> {
  const { agency, db } = world.daemon
  const repo = variant === 'bare' ? undefined : world.makeRepository(name, scene.files)
  const shared = repo === undefined && scene.isShared === true ? await makeShared(world, name, scene.files) : undefined
  const input = inputOf(world, name, based(scene, repo), based(work, repo), variant, repo)
  const run = await agency.runs.createTrusted(
    operator,
    CreateRun.parse({ ...input, ...shared?.input, readable: [join(world.folder, 'programs', name)] }),
  )
  const ended = await withTimeout(
    until(db, async () => {
      const { gates } = await agency.gates.ofRun(run.id)
      const pending = gates.filter(({ status, approver }) => status === 'pending' && approver === 'operator')
      // A team asks the operator through a gate when it does not get any further.
      if (pending.some(({ gate }) => gate === 'escalation')) return 'asked'
      for (const gate of pending) {
        if (gate.gate === 'merge' && repo !== undefined && scene.moved !== undefined) moveMain(repo, scene.moved)
        await agency.gates.approve(operator, { target: gate.id })
      }
      const found = await agency.runs.show(run.id)
      if (found.endedAt !== null) return found.status
      return found.questionsOpen > 0 ? 'asked' : null
    }),
    90_000,
  )
  const seen = await agency.runs.inspect(run.id, 1_000)
  if (ended !== 'done' && seen.run.endedAt === null) await agency.runs.cancel(operator, run.id, 'the case is over')
  const briefOf = new Map(seen.briefs.map((brief) => [brief.id, brief]))
  const judges = seen.attempts.filter(({ briefId }) => briefOf.get(briefId)?.kind === 'verify')
  const works = seen.attempts.filter(({ briefId }) => briefOf.get(briefId)?.kind === 'work')
  const planners = seen.attempts.filter(({ briefId }) => briefOf.get(briefId)?.kind === 'plan')
  return {
    runId: run.id,
    status: ended ?? 'hangs',
    gates: seen.gates.map(({ gate }) => gate),
    anomalies: seen.gates.flatMap(({ summary }) => [...summary.anomalies, ...(summary.amendments ?? [])]),
    verifierPrompts: judges.map(({ id }) => promptOf(world, id)),
    prompts: seen.attempts.map(({ id, briefId }) => ({
      key: briefOf.get(briefId)?.key ?? '',
      text: promptOf(world, id),
    })),
    verdicts: seen.verdicts.map(({ verdict }) => verdict),
    odd: works.flatMap(({ odd }) => odd.map(({ text }) => text)),
    claimed: [...works, ...planners].some(({ report, outcome }) => report !== null || outcome === 'bad_output'),
    reasons: [
      ...works.flatMap(({ outcome, detail }) => (outcome === 'ok' || detail === null ? [] : [`${outcome}: ${detail}`])),
      ...judges.flatMap(({ outcome, detail }) =>
        outcome === 'ok' || detail === null ? [] : [`verifier ${outcome}: ${detail}`],
      ),
      ...seen.briefs.flatMap(({ corrections }) => corrections.map(({ detail }) => `correction: ${detail}`)),
      ...seen.questions.map(({ text }) => `question: ${text}`),
      ...(seen.run.summary === null ? [] : [`run: ${seen.run.summary}`]),
    ],
    delivered: repo ?? shared?.directory ?? bareFolder(world, run.id, works[0]?.briefId),
  }
}

/** Makes a mission whose workspace has files, as earlier steps leave them. */
async function makeShared({ daemon: { agency } }: World, name: string, files: Readonly<Record<string, string>>) {
  const mission = await agency.missions.create(operator, CreateMission.parse({ title: name }))
  const { path: workspace, directory } = await agency.missionWorkspaces.create(
    operator,
    CreateWorkspace.parse({ missionId: mission.id }),
  )
  writeFiles(directory, files)
  return { input: { missionId: mission.id, workspace }, directory }
}

/** Replaces `{base}` by the commit with which the run begins. */
function based<T>(value: T, repo: string | undefined): T {
  return repo === undefined
    ? value
    : (JSON.parse(JSON.stringify(value).replaceAll('{base}', git(repo, 'rev-parse', 'HEAD'))) as T)
}

function inputOf(
  world: World,
  name: string,
  scene: Scene,
  work: Work,
  variant: Variant,
  repo: string | undefined,
): object {
  const briefs = work.briefs ?? []
  // Without a repository, the agent begins by writing the files of the project.
  const begin =
    repo === undefined && scene.isShared !== true
      ? `${Object.entries(scene.files)
          .map(([path, text]) => put(path, text))
          .join('\n')}\n`
      : ''
  const commands = writePrograms(join(world.folder, 'programs', name), {
    verifier: work.verifier ?? passingVerifier,
    ...(work.script === undefined ? {} : { main: begin + work.script }),
    ...Object.fromEntries(briefs.map(({ key, script }) => [key, begin + script])),
    ...work.others,
  })
  const common = {
    goal: `The files of ${name.replaceAll('-', ' ')}`,
    evidence: scene.evidence,
    retryBudget: 0,
    crashRetries: 0,
    verificationLimit: 0,
    onLimit: 'ask',
    ...(repo === undefined ? {} : { repo }),
    ...scene.run,
    ...work.run,
  }
  if (variant === 'tiered') return tieredInput(common, work, commands) as object
  return {
    ...common,
    runtime: 'program',
    // Of several briefs the last one lies: it does the repairs too.
    runtimeOptions: { command: commands['main'] ?? commands[briefs.at(-1)?.key ?? ''] },
    verifierRuntime: 'program',
    verifierOptions: { command: commands['verifier'] },
    briefs: briefs.map(({ key, evidence, after = [], files }) => ({
      key,
      objective: `Do the part ${key}`,
      after,
      ...(evidence === undefined ? {} : { evidence }),
      ...(files === undefined || !('files' in BriefSpec.shape) ? {} : { files }),
      runtimeOptions: { command: commands[key] },
    })),
  }
}

/** The operator commits these files to main while the result waits. */
function moveMain(repo: string, files: Readonly<Record<string, string>>): void {
  if (
    Object.entries(files).every(
      ([path, text]) => existsSync(join(repo, path)) && readFileSync(join(repo, path), 'utf8') === text,
    )
  )
    return
  writeFiles(repo, files)
  git(repo, 'add', '-A')
  git(repo, 'commit', '--quiet', '-m', 'Meanwhile')
}

/** Calls `look` after every commit until it returns a value. */
async function until<T>(db: Db, look: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const committed = Promise.withResolvers<void>()
    const stopListening = db.onCommit(() => committed.resolve())
    try {
      const found = await look()
      if (found !== null) return found
      await committed.promise
    } finally {
      stopListening()
    }
  }
}

function promptOf(world: World, attemptId: string): string {
  const path = join(world.home, 'attempts', attemptId, 'prompt.md')
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

const bareFolder = (world: World, runId: string, briefId: string | undefined): string | null =>
  briefId === undefined ? null : join(world.home, 'workspaces', runId, briefId)

async function withTimeout<T>(waiting: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), ms)))
  try {
    return await Promise.race([waiting, late])
  } finally {
    clearTimeout(timer)
  }
}
