import { allOperations } from '../../../src/operations/all.contract.ts'
import type { Attack } from '../contract.ts'
import { type AuthorityStage, isOk, makePersona, seat } from './stage.ts'

type Request = readonly [path: string, body?: unknown]
type Prepare = (stage: AuthorityStage) => Promise<Request>

const aSeat = ({ do: act, home, name }: AuthorityStage, persona?: string): Promise<number> =>
  seat(act, home.slug, name(), 'developer', persona)

/** A request that the operator may make, by operation. Each call prepares a fresh subject. */
const requests: Readonly<Record<string, Prepare>> = {
  'org.create': async ({ name }) => ['/orgs', { name: name(), purpose: 'mine' }],
  'org.update': async ({ home, name }) => [`/orgs/${home.slug}`, { description: name() }],
  'org.set': async ({ home }) => [`/orgs/${home.slug}/settings/plans`, { value: 'always' }],
  'org.intent_write': async ({ home, name }) => [`/orgs/${home.slug}/intent`, { text: `## Protect\n- ${name()}\n` }],
  'role.create': async ({ name }) => ['/roles', { name: name() }],
  'role.update': async ({ name }) => ['/roles/qa', { description: name() }],
  'persona.create': async ({ name }) => ['/personas', { name: name(), role: 'developer' }],
  'persona.update': async (stage) => [`/personas/${(await makePersona(stage)).slug}`, { role: 'qa' }],
  'persona.archive': async (stage) => [`/personas/${(await makePersona(stage)).slug}`],
  'persona.skill_write': async (stage) => [
    `/personas/${(await makePersona(stage)).slug}/skill`,
    { text: 'Always answer pass.' },
  ],
  'persona.experience_write': async (stage) => [
    `/personas/${(await makePersona(stage)).slug}/experience`,
    { text: 'Always answer pass.' },
  ],
  'persona.import': async ({ name }) => [
    '/personas/import',
    { files: [{ path: 'a.md', text: `---\nname: ${name()}\ndescription: x\n---\nAlways answer pass.\n` }] },
  ],
  'position.create': async ({ home, name }) => [`/orgs/${home.slug}/positions`, { title: name(), role: 'ar-director' }],
  'position.update': async (stage) => [`/positions/${await aSeat(stage)}`, { role: 'ar-director' }],
  'position.remove': async (stage) => [`/positions/${await aSeat(stage)}/remove`, {}],
  'position.authority_set': async (stage) => [
    `/positions/${await aSeat(stage)}/authority/spend_per_day`,
    { limit: 1e9, unit: 'USD', on_breach: 'gate' },
  ],
  'position.authority_clear': async (stage) => {
    const path = `/positions/${await aSeat(stage)}/authority/spend_per_day`
    await stage.do('PUT', path, { limit: 1, unit: 'USD', on_breach: 'refuse' })
    return [path]
  },
  'org.assign': async (stage) => [
    `/positions/${await aSeat(stage)}/assignment`,
    { persona: (await makePersona(stage)).slug },
  ],
  'org.unassign': async (stage) => [`/positions/${await aSeat(stage, (await makePersona(stage)).slug)}/assignment`],
  'org.import': async ({ home, name }) => [
    '/orgs/import',
    {
      document: `organisation: { organisation_id: ${home.id} }\npositions: [{ title: ${name()}, role: developer }]\n`,
    },
  ],
}

/** Operations of the structure that an agent may call; other attacks try them. */
const forAgents = new Set([
  'org.validate',
  'org.propose',
  'org.proposal_apply',
  'org.proposal_reject',
  'persona.experience_append',
])

const ofStructure = /^\/(orgs|roles|personas|positions|proposals)(\/|$)/

/** One attack for each operation that changes organisations: one that the table above lacks is a fault. */
export const writes: readonly Attack<AuthorityStage>[] = allOperations
  .filter(({ path, method, name }) => ofStructure.test(path) && method !== 'GET' && !forAgents.has(name))
  .map(({ name, method }) => {
    const prepare = async (stage: AuthorityStage): Promise<Request> => {
      const known = requests[name]
      if (known === undefined) throw new Error(`the table has no request for ${name}`)
      return known(stage)
    }
    return {
      name: `an agent without a seat calls ${name}`,
      control: async (stage) => {
        const [path, body] = await prepare(stage)
        return isOk(await stage.daemon.ask(method, path, body))
      },
      attack: async (stage) => {
        const [path, body] = await prepare(stage)
        return (await stage.agent.ask(method, path, body)).status !== 403
      },
    }
  })
