import type { AgencyCall } from '../../../src/adapters/runtime/scripted/in-process.ts'
import type { AgentActor } from '../../../src/kernel/actor.ts'
import { AgencyError } from '../../../src/kernel/errors.ts'
import { fromWire } from '../../../src/operations/wire.ts'
import { Report } from '../../../src/work/attempts/contract.ts'
import { findStanding } from '../../../src/work/attempts/store.ts'
import { type NoteCategory, ownCategories } from '../../../src/work/notes/contract.ts'
import { isSimulated, textOf } from '../simulated-errors.ts'
import type { Life, World } from '../world.ts'

/** Answers an agent's request as the server does, without sockets; a dead daemon does not answer. */
export async function answerAgent(
  world: World,
  { path, body, environment }: Parameters<AgencyCall>[0],
): ReturnType<AgencyCall> {
  const life = world.lives.findLast(({ socket }) => socket === environment['AGENCY_SOCKET'])
  if (life === undefined) return { status: 503, body: {} }
  const answer = act(life, path, body, environment['AGENCY_TOKEN'] ?? '').catch((error: unknown) => {
    if (error instanceof AgencyError && error.code !== 'bug') return { status: 409, body: { code: error.code } }
    if (!isSimulated(error)) world.fail('agents are answered', textOf(error))
    return { status: 500, body: {} }
  })
  // An agent whose daemon dies gets no answer and continues after a timeout.
  const gaveUp = new Promise<{ status: number; body: unknown }>((resolve) =>
    world.clock.after(10_000, () => resolve({ status: 503, body: {} })),
  )
  return Promise.race([answer, gaveUp])
}

async function act(life: Life, path: string, body: unknown, token: string): ReturnType<AgencyCall> {
  const [attemptId = '', fence] = token.split('.')
  const by = await actorOf(life, attemptId, Number(fence))
  if (by === null) return { status: 401, body: {} }
  if (path === '/api/events') return { status: 200, body: await note(life, by, (body as { message: string }).message) }
  const report = Report.safeParse(fromWire(Report, body))
  if (!report.success) return { status: 400, body: {} }
  return { status: 200, body: await life.agency.attempts.report(by, report.data) }
}

export async function actorOf(life: Life, attemptId: string, fence: number): Promise<AgentActor | null> {
  const standing = await life.db.read((tx) => findStanding(tx, attemptId))
  if (standing === undefined) return null
  const { runId, briefId, agentId, personaId } = standing
  return { kind: 'agent', personaId, agentId, runId, briefId, attemptId, fence } as AgentActor
}

/** Adds or settles notes. Scenario steps have only two operations, so a log line stands for the note. */
async function note(life: Life, by: AgentActor, message: string): Promise<unknown> {
  const [, verb, category] = /^note (add|settle) ?(\w*)$/.exec(message) ?? []
  const { notes } = life.agency
  if (verb === 'add')
    return notes.add(by, {
      description: `${category} is as usual`,
      context: 'working',
      ...(category === 'none' ? {} : { category: category as NoteCategory }),
      status: 'open',
    })
  const { notes: open } = await notes.list(by, { briefId: by.briefId, status: 'open' })
  for (const { noteId, category } of open)
    if (category !== null && ownCategories.includes(category))
      await notes.resolve(by, { noteId, resolution: 'as usual' })
  return {}
}
