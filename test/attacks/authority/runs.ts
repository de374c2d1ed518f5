import { pause } from '../../../src/kernel/clock.ts'
import type { Attack } from '../contract.ts'
import { type AuthorityStage, isOk, makePersona, seat } from './stage.ts'

interface Inspected {
  readonly run: { readonly status: string; readonly input_tokens: number }
  readonly briefs: readonly { readonly kind: string; readonly status: string }[]
  readonly attempts: readonly { readonly status: string }[]
  readonly gates: readonly { readonly gate: string; readonly status: string }[]
}

export const runs: readonly Attack<AuthorityStage>[] = [
  {
    name: 'a program’s word about its provider holds other programs',
    control: async (stage) => (await holdsOf(stage, await limited(stage, { seconds: 86_400 }))).length === 1,
    attack: async (stage) => {
      await limited(stage, { seconds: 86_400 })
      const honest = await run(stage, 'sleep 60')
      const isHeld = !(await comes(
        () => inspect(stage, honest),
        ({ attempts }) => attempts.length > 0,
        5_000,
      ))
      await stage.do('POST', `/runs/${honest}/cancel`, {})
      return isHeld
    },
  },
  {
    name: 'a program names the provider that it says is limited',
    isLong: true,
    control: async (stage) => (await holdsOf(stage, await limited(stage, { seconds: 60 }))).length === 1,
    attack: async (stage) => {
      await limited(stage, { provider: 'anthropic', seconds: 60 })
      const { provider_holds: holds } = await stage.do<{ provider_holds: { provider: string }[] }>('GET', '/stops')
      return holds.some(({ provider }) => provider === 'anthropic' || provider === 'program')
    },
  },
  {
    name: 'a program holds itself for a day',
    isLong: true,
    control: async (stage) => (await holdsOf(stage, await limited(stage, { seconds: 60 }))).length === 1,
    attack: async (stage) => {
      const [hold] = await holdsOf(stage, await limited(stage, { seconds: 1e12 }))
      return hold === undefined || Date.parse(hold.until) - Date.now() > 600_000
    },
  },
  {
    name: 'a program is launched without a pause, because its provider is limited for moments only',
    control: async (stage) => isLaunchedAgain(stage, await run(stage, 'exit 1')),
    attack: async (stage) => isLaunchedAgain(stage, await limited(stage, { seconds: 0.001 })),
  },
  {
    name: 'invented usage spends the budget of the organisation',
    control: async (stage) => (await tokensOf(stage, await spends(stage))) === 900_000,
    attack: async (stage) => {
      await stage.do('PUT', '/budgets', { organisation: stage.home.slug, tokens: 100_000, usd: 1 })
      await spends(stage)
      const isSpent = await hasSpent(stage, 'organisation')
      await stage.do('PUT', '/budgets', { organisation: stage.home.slug, tokens: null, usd: null })
      return isSpent
    },
  },
  {
    name: 'invented usage of a priced model spends the budget of the persona',
    isLong: true,
    control: async (stage) => {
      const { slug } = await makePersona(stage)
      const id = await spends(stage, slug, 'claude-sonnet-4-5')
      const { models } = await stage.do<{ models: { claimed: boolean }[] }>('GET', `/costs?run_id=${id}`)
      return models.length === 1 && models[0]?.claimed === true
    },
    attack: async (stage) => {
      const { slug } = await makePersona(stage)
      await stage.do('PUT', '/budgets', { persona: slug, tokens: 1_000, usd: 0.5 })
      await spends(stage, slug, 'claude-sonnet-4-5')
      return hasSpent(stage, 'persona')
    },
  },
  {
    name: 'invented usage passes the budget of its own run',
    isLong: true,
    control: async (stage) => (await tokensOf(stage, await spends(stage))) === 900_000,
    attack: async (stage) => {
      const id = await run(stage, `${usage()}; sleep 60`, { token_budget: 1_000, on_limit: 'fail' })
      return !(await comes(
        () => inspect(stage, id),
        ({ run: { status } }) => status === 'failed',
        5_000,
      ))
    },
  },
  {
    name: 'a planner starts 41 briefs without a question',
    control: (stage) => startsPlan(stage, 40),
    attack: (stage) => startsPlan(stage, 41),
  },
  {
    name: 'a planner starts 2,000 briefs without a question',
    isLong: true,
    control: (stage) => startsPlan(stage, 3),
    attack: (stage) => startsPlan(stage, 2_000),
  },
  {
    name: 'a planner casts the AR Director',
    control: async (stage) => castsBy(stage, (await makePersona(stage)).slug),
    attack: (stage) => castsBy(stage, stage.paula.slug),
  },
  {
    name: 'a planner casts a persona of another organisation',
    control: async (stage) => castsBy(stage, await seatedIn(stage, stage.home.slug)),
    attack: async (stage) => castsBy(stage, await seatedIn(stage, stage.other.slug)),
  },
  {
    name: 'a plan of a stranger casts the AR Director before anybody trusts it',
    control: async (stage) => startsCast(stage, { persona: (await makePersona(stage)).slug }),
    attack: async (stage) =>
      (await startsCast(stage, { persona: stage.paula.slug })) || startsCast(stage, { verifier: stage.paula.slug }),
  },
  {
    name: 'an agent approves the gate of its plan',
    control: async (stage) => isOk(await stage.daemon.ask('POST', `/gates/${await gated(stage)}/approve`, {})),
    attack: async (stage) => isOk(await stage.agent.ask('POST', `/gates/${await gated(stage)}/approve`, {})),
  },
  {
    name: 'an agent writes a note into another run',
    control: async ({ agent }) => isOk(await agent.ask('POST', '/notes', { description: 'x', context: 'y' })),
    attack: async ({ agent, director }) =>
      isOk(await agent.ask('POST', '/notes', { description: 'x', context: 'y', run_id: director.runId })),
  },
  {
    name: 'an agent resolves the note of another run',
    isLong: true,
    control: async ({ director }) => isOk(await resolve(director, await noted(director), director.runId)),
    attack: async ({ agent, director }) => isOk(await resolve(agent, await noted(director), director.runId)),
  },
  {
    name: 'an agent answers its own question',
    isLong: true,
    control: async (stage) => isOk(await answer(stage.daemon, await asked(stage))),
    attack: async (stage) => isOk(await answer(stage.agent, await asked(stage))),
  },
  {
    name: 'an agent reads the events of another run',
    control: async ({ agent }) => isOk(await agent.ask('GET', `/runs/${agent.runId}/events`)),
    attack: async ({ agent, director }) => isOk(await agent.ask('GET', `/runs/${director.runId}/events`)),
  },
  {
    name: 'an agent changes a path of another run',
    control: async ({ agent }) => (await amend(agent, agent.runId)).status === 409,
    attack: async ({ agent, director }) => (await amend(agent, director.runId)).status !== 404,
  },
]

type Asks = Pick<AuthorityStage['agent'], 'ask'>

async function run(stage: AuthorityStage, script: string, more: Record<string, unknown> = {}): Promise<string> {
  const { id } = await stage.do<{ id: string }>('POST', '/runs', {
    goal: 'Lie',
    organisation_id: stage.home.id,
    runtime: 'program',
    runtime_options: { command: ['sh', '-c', script] },
    verify: 'none',
    ...more,
  })
  return id
}

const inspect = (stage: AuthorityStage, id: string): Promise<Inspected> =>
  stage.do<Inspected>('GET', `/runs/${id}/inspect`)

/** Resolves to whether a condition holds within the time. */
async function comes<T>(look: () => Promise<T>, isTrue: (seen: T) => boolean, withinMs = 10_000): Promise<boolean> {
  const end = Date.now() + withinMs
  for (;;) {
    if (isTrue(await look())) return true
    if (Date.now() > end) return false
    await pause(50)
  }
}

/** Plays a program that ends because its provider takes no more calls, as it says. */
async function limited(stage: AuthorityStage, says: Record<string, unknown>): Promise<string> {
  const line = JSON.stringify({ type: 'limited', ...says })
  const id = await run(stage, `echo '${line}'; exit 1`)
  if (
    !(await comes(
      () => inspect(stage, id),
      ({ attempts }) => attempts.some(({ status }) => status === 'ended'),
    ))
  )
    throw new Error('the program did not end')
  return id
}

async function isLaunchedAgain(stage: AuthorityStage, id: string): Promise<boolean> {
  const isAgain = await comes(
    () => inspect(stage, id),
    ({ attempts }) => attempts.length > 1,
    5_000,
  )
  await stage.do('POST', `/runs/${id}/cancel`, {})
  return isAgain
}

async function holdsOf(stage: AuthorityStage, runId: string): Promise<{ provider: string; until: string }[]> {
  const { provider_holds: holds } = await stage.do<{ provider_holds: { provider: string; until: string }[] }>(
    'GET',
    '/stops',
  )
  return holds.filter(({ provider }) => provider.includes(runId))
}

const usage = (model = 'any'): string =>
  `echo '${JSON.stringify({ type: 'usage', input_tokens: 900_000, output_tokens: 0, model, provider: 'anthropic' })}'`

/** Plays a program that reports usage which it never had. */
async function spends(stage: AuthorityStage, persona?: string, model?: string): Promise<string> {
  const briefs = persona === undefined ? [] : [{ key: 'main', objective: 'Lie', persona }]
  const id = await run(stage, `${usage(model)}; sleep 60`, { briefs })
  if (
    !(await comes(
      () => tokensOf(stage, id),
      (tokens) => tokens > 0,
    ))
  )
    throw new Error('the usage did not arrive')
  await stage.do('POST', `/runs/${id}/cancel`, {})
  return id
}

const tokensOf = async (stage: AuthorityStage, id: string): Promise<number> =>
  (await inspect(stage, id)).run.input_tokens

async function hasSpent(stage: AuthorityStage, scope: string): Promise<boolean> {
  const { budgets } = await stage.do<{ budgets: { tokens_spent: number; micros_spent: number }[] }>(
    'GET',
    `/budgets?scope=${scope}`,
  )
  if (budgets.length === 0) throw new Error(`no budget of the ${scope}`)
  return budgets.some(({ tokens_spent, micros_spent }) => tokens_spent > 0 || micros_spent > 0)
}

/** Returns whether the briefs of an agent's plan become rows that start. */
async function startsPlan(stage: AuthorityStage, count: number): Promise<boolean> {
  const awk = `awk 'BEGIN { printf "{\\"status\\":\\"done\\",\\"summary\\":\\"planned\\",\\"plan\\":["
for (i = 0; i < ${count}; i++) printf "%s{\\"key\\":\\"b%d\\",\\"objective\\":\\"Wait\\",\\"after\\":[]}", (i ? "," : ""), i; print "]}" }'`
  const id = await run(stage, `${awk} >.agency/outbox/report.json`, { planner: true })
  const isDecided = ({ briefs, gates }: Inspected): boolean => briefs.length > 1 || gates.length > 0
  if (!(await comes(() => inspect(stage, id), isDecided, 20_000))) throw new Error('the planner did not end')
  const { briefs } = await inspect(stage, id)
  await stage.do('POST', `/runs/${id}/cancel`, {})
  return briefs.length > 1
}

async function seatedIn(stage: AuthorityStage, org: string): Promise<string> {
  const { slug } = await makePersona(stage)
  await seat(stage.do, org, stage.name(), 'developer', slug)
  return slug
}

/** Returns whether a brief that a planner gives to the persona is created. */
async function castsBy(stage: AuthorityStage, persona: string): Promise<boolean> {
  const report = { status: 'done', summary: 'planned', plan: [{ key: 'a', objective: 'Wait', persona, after: [] }] }
  const script = `echo '${JSON.stringify(report)}' >.agency/outbox/report.json`
  const id = await run(stage, script, { planner: true, retry_budget: 0, on_limit: 'fail' })
  const isDecided = ({ briefs, run: { status } }: Inspected): boolean => briefs.length > 1 || status === 'failed'
  if (!(await comes(() => inspect(stage, id), isDecided, 20_000))) throw new Error('the planner did not end')
  const { briefs, run: ended } = await inspect(stage, id)
  if (ended.status !== 'failed') await stage.do('POST', `/runs/${id}/cancel`, {})
  return briefs.length > 1
}

/** Returns whether a plan that nobody trusts starts with a brief of this cast. */
async function startsCast({ daemon, do: act }: AuthorityStage, cast: object): Promise<boolean> {
  const plan = JSON.stringify({ goal: 'Wait', runtime: 'scripted', briefs: [{ id: 'a', objective: 'Wait', ...cast }] })
  const answer = await daemon.ask('POST', '/plans/run', { plan })
  if (isOk(answer)) await act('POST', `/runs/${(answer.body as { id: string }).id}/cancel`, {})
  return isOk(answer)
}

/** Returns a run that waits at the gate of its plan. */
const gated = (stage: AuthorityStage): Promise<string> => run(stage, 'sleep 60', { plan_gate: true })

async function noted(by: Asks): Promise<string> {
  const { body } = await by.ask('POST', '/notes', { description: 'x', context: 'y' })
  return (body as { note_id: string }).note_id
}

const resolve = (by: Asks, note: string, runId: string) =>
  by.ask('POST', `/notes/${note}/resolve`, { run_id: runId, resolution: 'fine', category: 'consistency' })

/** Lets the agent escalate a note, and returns the question. */
async function asked({ agent }: AuthorityStage): Promise<string> {
  const { body } = await agent.ask('POST', `/notes/${await noted(agent)}/escalate`, { reason: 'who knows' })
  const id = (body as { question_id?: string }).question_id
  if (id === undefined) throw new Error(JSON.stringify(body))
  return id
}

const answer = (by: Asks, question: string) => by.ask('POST', `/questions/${question}/answer`, { answer: 'yes' })

const amend = (by: Asks, runId: string) =>
  by.ask('POST', `/runs/${runId}/amendments`, { workstream: 'docs', remove_tiers: ['t3'], reason: 'faster' })
