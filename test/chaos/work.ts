import type { Wire } from '../../src/cli/wire.ts'
import { pause } from '../../src/kernel/clock.ts'
import type { Run } from '../../src/work/runs/contract.ts'
import type { AskedRun } from './findings.ts'
import type { Installation } from './installation.ts'
import { repositoryFor } from './repositories.ts'
import type { RunKind } from './runs.ts'

/** Requests a run with the same key until it is answered. */
export async function askFor(installation: Installation, kind: RunKind, key: string): Promise<AskedRun> {
  const repository = kind.inRepository === true ? repositoryFor(installation, key) : null
  const body = {
    ...kind.input,
    ...(repository === null ? {} : { repo: repository }),
    ...(kind.hasLead === true ? { organisation_id: await makeLedOrganisation(installation) } : {}),
  }
  const run = await installation.client.insist<Wire<Run>>('POST', '/runs', { body, key })
  return { kind, key, body, id: run.id, repository }
}

/** Makes an organisation whose lead is an agent, once however often it is asked for. Resolves to its id. */
async function makeLedOrganisation({ client }: Installation): Promise<number> {
  const make = <Answer>(method: string, path: string, body: Record<string, unknown>): Promise<Answer> =>
    client.insist<Answer>(method, path, { body, key: `led ${method} ${path}` })
  const { organisation_id: id } = await make<{ organisation_id: number }>('POST', '/orgs', {
    name: 'Led',
    purpose: 'Work with a lead.',
  })
  const { position_id: seat } = await make<{ position_id: number }>('POST', '/orgs/Led/positions', {
    title: 'Lead',
    role: 'architect',
    level: 1,
  })
  await make('PATCH', '/orgs/Led', { lead_position_id: seat })
  await make('POST', '/personas', { name: 'Robbo', role: 'architect', type: 'agent', subtype: 'internal' })
  await make('POST', `/positions/${seat}/assignment`, { persona: 'robbo' })
  return id
}

/** Approves every pending gate and answers every question that waits for the operator, each with a key of its own. */
export async function decideAll({ client }: Installation): Promise<void> {
  const { gates } = await client.insist<{ gates: { id: string; gate: string }[] }>('GET', '/gates')
  // An approved plan takes effect a second later, so that daemons die between the decision and its effect.
  for (const { id, gate } of gates)
    await client.insist('POST', `/gates/${id}/approve`, {
      key: `approve ${id}`,
      body: gate === 'plan' ? { undo_seconds: 1 } : {},
    })
  const { questions } = await client.insist<{ questions: { id: string; status: string }[] }>('GET', '/questions')
  for (const { id, status } of questions)
    if (status === 'with_operator')
      await client.insist('POST', `/questions/${id}/answer`, { key: `answer ${id}`, body: { answer: 'Blue.' } })
}

export async function decideUntil(installation: Installation, isOver: () => boolean): Promise<void> {
  for (; !isOver(); await pause(150)) await decideAll(installation)
}

/** Waits until every run has ended; resolves with the number of runs that had not ended at the timeout. */
export async function untilEnded(installation: Installation, patienceMs: number): Promise<number> {
  const { client } = installation
  for (let waited = 0; ; waited += 50) {
    await decideAll(installation)
    const { running } = await client.insist<{ running: { runs: number } }>('GET', '/status')
    if (running.runs === 0 || waited >= patienceMs) return running.runs
    await pause(50)
  }
}
