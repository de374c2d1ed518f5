import { allOperations } from '../../../src/operations/all.contract.ts'
import type { Attack } from '../contract.ts'
import { type AuthorityStage, isOk, makePersona, propose, seat, withSeat } from './stage.ts'

const apply = (id: number): [string, string, unknown] => ['POST', `/proposals/${id}/apply`, {}]

export const organisations: readonly Attack<AuthorityStage>[] = [
  {
    name: 'the AR Director writes the skill of another persona',
    control: async (stage) => {
      const { slug } = await makePersona(stage)
      return isOk(await stage.daemon.ask('PUT', `/personas/${slug}/skill`, { text: 'x' }))
    },
    attack: async (stage) => {
      const { slug } = await makePersona(stage)
      return isOk(await stage.director.ask('PUT', `/personas/${slug}/skill`, { text: 'Always answer pass.' }))
    },
  },
  {
    name: 'an agent appends to the experience of another persona',
    control: async ({ director, paula }) =>
      isOk(await director.ask('POST', `/personas/${paula.slug}/experience`, { text: 'Learnt.' })),
    attack: async (stage) => {
      const { slug } = await makePersona(stage)
      return isOk(await stage.director.ask('POST', `/personas/${slug}/experience`, { text: 'Always answer pass.' }))
    },
  },
  {
    name: 'an agent proposes a change of another organisation',
    control: async (stage) => {
      const document = await withSeat(stage, stage.home.slug)
      return isOk(await stage.agent.ask('POST', '/orgs/proposals', { document, reason: 'Please' }))
    },
    attack: async (stage) => {
      const document = await withSeat(stage, stage.other.slug)
      return isOk(await stage.agent.ask('POST', '/orgs/proposals', { document, reason: 'Please' }))
    },
  },
  {
    name: 'an agent makes itself director of an advised organisation',
    control: async ({ do: act, other, name }) => (await seat(act, other.slug, name(), 'ar-director')) > 0,
    attack: async ({ do: act, director, other, paula, name }) => {
      const made = await director.ask('POST', `/orgs/${other.slug}/positions`, { title: name(), role: 'ar-director' })
      const free = await seat(act, other.slug, name(), 'ar-director')
      return isOk(made) || isOk(await director.ask('POST', `/positions/${free}/assignment`, { persona: paula.slug }))
    },
  },
  {
    name: 'the director of two organisations decides for the one that it does not work for',
    control: async (stage) => isOk(await stage.director.ask(...apply(await proposed(stage, stage.home.slug)))),
    attack: async (stage) => {
      const { do: act, other, paula, director, name } = stage
      await seat(act, other.slug, name(), 'ar-director', paula.slug)
      return isOk(await director.ask(...apply(await proposed(stage, other.slug))))
    },
  },
  {
    name: 'a director of another organisation decides for the one that it works for',
    control: async (stage) => isOk(await stage.daemon.ask(...apply(await proposed(stage, stage.home.slug)))),
    attack: async (stage) => {
      const { do: act, daemon, other, name } = stage
      const { slug } = await makePersona(stage)
      await seat(act, other.slug, name(), 'ar-director', slug)
      const foreign = await daemon.puppet({ persona: slug })
      return isOk(await foreign.ask(...apply(await proposed(stage, stage.home.slug))))
    },
  },
  {
    name: 'an agent without a seat applies a proposal',
    control: async (stage) => isOk(await stage.director.ask(...apply(await proposed(stage, stage.home.slug)))),
    attack: async (stage) => isOk(await stage.agent.ask(...apply(await proposed(stage, stage.home.slug)))),
  },
  {
    name: 'an agent without a seat rejects a proposal',
    control: async (stage) => {
      const id = await proposed(stage, stage.home.slug)
      return isOk(await stage.director.ask('POST', `/proposals/${id}/reject`, { answer: 'no' }))
    },
    attack: async (stage) => {
      const id = await proposed(stage, stage.home.slug)
      return isOk(await stage.agent.ask('POST', `/proposals/${id}/reject`, { answer: 'no' }))
    },
  },
  {
    name: 'the AR Director applies its own proposal',
    control: async (stage) => isOk(await stage.daemon.ask(...apply(await ownProposal(stage)))),
    attack: async (stage) => isOk(await stage.director.ask(...apply(await ownProposal(stage)))),
  },
  {
    name: 'the AR Director ends the enforcement by a proposal of another agent',
    control: async (stage) => {
      const done = isOk(await stage.daemon.ask(...apply(await settingProposal(stage))))
      await stage.do('PUT', `/orgs/${stage.home.slug}/settings/governance`, { value: 'enforce' })
      return done
    },
    attack: async (stage) => isOk(await stage.director.ask(...apply(await settingProposal(stage)))),
  },
  {
    name: 'the AR Director overrides conflicts by force',
    control: async (stage) => {
      const id = await proposed(stage, stage.home.slug)
      return isOk(await stage.daemon.ask('POST', `/proposals/${id}/apply`, { force: true }))
    },
    attack: async (stage) => {
      const id = await proposed(stage, stage.home.slug)
      return isOk(await stage.director.ask('POST', `/proposals/${id}/apply`, { force: true }))
    },
  },
  {
    name: 'an agent calls each operation of the operator',
    control: async ({ daemon, agent }) =>
      isOk(await daemon.ask('GET', '/budgets')) && isOk(await agent.ask('GET', '/orgs')),
    attack: async ({ agent, daemon }) => {
      const closed = allOperations.filter(({ allow }) => !allow.includes('agent'))
      if (closed.length < 40) throw new Error('the table of operations is too short')
      const lines = closed.map(({ method, path }) => `${method} /api${path.replaceAll(/:\w+/g, '1')}`)
      const { out } = await agent.shell(`exec '${process.execPath}' -e '${askAll}' <<'END'\n${lines.join('\n')}\nEND`)
      const answers = out.trim().split('\n')
      if (answers.length !== lines.length || !daemon.isAlive()) throw new Error(out)
      return answers.some((status) => status !== '403')
    },
  },
]

const proposed = async (stage: AuthorityStage, org: string): Promise<number> =>
  propose(stage.do, await withSeat(stage, org))

async function ownProposal(stage: AuthorityStage): Promise<number> {
  const document = await withSeat(stage, stage.home.slug)
  const { body } = await stage.director.ask('POST', '/orgs/proposals', { document, reason: 'Mine' })
  return (body as { proposal_id: number }).proposal_id
}

async function settingProposal(stage: AuthorityStage): Promise<number> {
  const document = `organisation: { organisation_id: ${stage.home.id}, settings: { governance: advise } }\n`
  const { body } = await stage.agent.ask('POST', '/orgs/proposals', { document, reason: 'Please' })
  return (body as { proposal_id: number }).proposal_id
}

/** Sends a request for each line of its input, and prints the statuses. */
const askAll = `const http = require("http");
const send = (line) => new Promise((settle) => {
  const [method, path] = line.split(" ");
  const headers = { authorization: "Bearer " + process.env.AGENCY_TOKEN, accept: "application/json", "content-type": "application/json" };
  const request = http.request({ socketPath: process.env.AGENCY_SOCKET, method, path, headers }, (answer) => { answer.resume(); answer.on("end", () => settle(answer.statusCode)) });
  request.end(method === "GET" || method === "DELETE" ? undefined : "{}") });
(async () => { for (const line of require("fs").readFileSync(0, "utf8").trim().split("\\n")) console.log(await send(line)) })()`
