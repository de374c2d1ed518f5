import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { pause } from '../../../src/kernel/clock.ts'
import type { Attack } from '../contract.ts'
import type { Answer } from '../daemon-stage.ts'
import { burst, isHeldUp, type LoadStage, processorTimeOf } from './stage.ts'

const forms: Readonly<Record<string, string>> = {
  tags: '!a ',
  'nested lists': '- ',
  anchors: '&a ',
  brackets: '[',
  'nested maps': '{a: [',
  'explicit keys': '? ',
  'broken quotes': '"\n',
}

const textOf = (form: string, length: number): string =>
  (forms[form] as string).repeat(length / (forms[form] as string).length)

const harmless = 'organisation: {name: Harmless, purpose: test}\n'

const hostileYaml = `x:\n ${textOf('tags', 60_000)}`

/** Aliases give one scenario of 900 steps to 700 briefs. */
const repeatedScenario = `goal: x
runtime: scripted
runtime_options: &all { scenario: { steps: [${Array.from({ length: 900 }, (_, n) => `{ run: e${n} }`).join(', ')}] } }
briefs:
${Array.from({ length: 700 }, (_, n) => `- { id: b${n}, objective: x, runtime_options: *all }\n`).join('')}`

const planWith = (more: object): object => ({
  plan: JSON.stringify({ goal: 'x', briefs: [{ id: 'a', objective: 'x' }], ...more }),
})

const isValid = ({ body }: Answer): boolean => (body as { valid?: unknown }).valid === true

const validates = async ({ puppet }: LoadStage): Promise<boolean> =>
  (await puppet.ask('POST', '/orgs/validate', { document: harmless })).status === 200

/** Returns the milliseconds that the operator waits for a harmless document. */
async function msToValidate({ daemon }: LoadStage): Promise<number> {
  const began = performance.now()
  await daemon.ask('POST', '/orgs/validate', { document: harmless })
  return performance.now() - began
}

const byAgent: Attack<LoadStage>[] = Object.keys(forms).map((form) => ({
  name: `an agent validates a document of ${form}`,
  control: async ({ daemon }) => (await daemon.ask('POST', '/orgs/validate', { document: harmless })).status === 200,
  attack: async (stage) => {
    const puppet = await stage.fresh()
    const request = { method: 'POST', path: '/orgs/validate', body: { document: textOf(form, 240_000) } }
    return isHeldUp(stage, burst(puppet, [request, request]))
  },
  isLong: true,
}))

const byOperator: Attack<LoadStage>[] = ['tags', 'anchors'].map((form) => ({
  name: `a document of 3.9 MB of ${form} comes from the operator`,
  control: async ({ daemon }) => (await daemon.ask('POST', '/orgs/validate', { document: harmless })).status === 200,
  attack: (stage) => isHeldUp(stage, stage.daemon.ask('POST', '/orgs/validate', { document: textOf(form, 3_900_000) })),
  isLong: true,
}))

export const documentAttacks: readonly Attack<LoadStage>[] = [
  ...byAgent,
  ...byOperator,
  {
    name: 'an agent proposes a hostile document',
    control: validates,
    attack: async (stage) => {
      const puppet = await stage.fresh()
      const body = { document: textOf('anchors', 240_000), reason: 'because' }
      return isHeldUp(stage, burst(puppet, [{ method: 'POST', path: '/orgs/proposals', body }]))
    },
    isLong: true,
  },
  {
    name: 'an agent file of an import keeps the daemon busy',
    control: async ({ daemon }) => {
      const files = [{ path: 'a.md', text: '---\nname: Harmless\n---\nText.\n' }]
      const { body } = await daemon.ask('POST', '/personas/import', { files, preview: true })
      return JSON.stringify(body).includes('"name":"Harmless"')
    },
    attack: (stage) => {
      const files = [{ path: 'a.md', text: `---\n${textOf('anchors', 400_000)}\n---\nText.\n` }]
      return isHeldUp(stage, stage.daemon.ask('POST', '/personas/import', { files, preview: true }))
    },
    isLong: true,
  },
  {
    name: 'a team file keeps the daemon busy',
    control: async ({ daemon }) =>
      (await daemon.ask('POST', '/runs', { goal: 'x', playbook: 'tiered', team: 'nonsense: 1' })).status === 400,
    attack: (stage) =>
      isHeldUp(
        stage,
        stage.daemon.ask('POST', '/runs', { goal: 'x', playbook: 'tiered', team: textOf('tags', 99_999) }),
      ),
    isLong: true,
  },
  {
    name: 'a file keeps the daemon busy while the operator looks at it',
    control: async ({ daemon }) =>
      (await daemon.ask('POST', '/trusted-files/review', { text: 'setup: x' })).status === 200,
    attack: (stage) =>
      isHeldUp(stage, stage.daemon.ask('POST', '/trusted-files/review', { text: textOf('tags', 300_000) })),
    isLong: true,
  },
  {
    name: 'a scenario or a team inside a plan keeps the daemon busy',
    control: async ({ daemon }) => isValid(await daemon.ask('POST', '/plans/check', planWith({ runtime: 'scripted' }))),
    attack: async (stage) => {
      const hostile = [
        planWith({ runtime: 'scripted', runtime_options: { scenario: `x:\n ${textOf('tags', 120_000)}` } }),
        planWith({ playbook: 'tiered', team: textOf('tags', 99_999) }),
        planWith({ playbook: 'tiered', team: JSON.stringify({ runtime: { options: { scenario: hostileYaml } } }) }),
        { plan: repeatedScenario },
      ]
      const waits = []
      for (const plan of hostile) waits.push(await isHeldUp(stage, stage.daemon.ask('POST', '/plans/check', plan)))
      return waits.includes(true)
    },
    isLong: true,
  },
  {
    name: 'the documents of an agent hold up those of the operator',
    isLong: true,
    control: async (stage) => (await msToValidate(stage)) < 5_000,
    attack: async (stage) => {
      const puppet = await stage.fresh()
      const request = { method: 'POST', path: '/orgs/validate', body: { document: textOf('tags', 240_000) } }
      const hostile = burst(
        puppet,
        Array.from({ length: 8 }, () => request),
        8,
      )
      await pause(2_000)
      const ms = await msToValidate(stage)
      await hostile
      return ms > 5_000
    },
  },
  {
    name: 'an agent validates documents without end',
    control: validates,
    attack: async (stage) => {
      const puppet = await stage.fresh()
      const request = { method: 'POST', path: '/orgs/validate', body: { document: harmless } }
      return !(
        await burst(
          puppet,
          Array.from({ length: 30 }, () => request),
        )
      ).includes(429)
    },
  },
  {
    name: 'a talent pool of nested brackets is read again for every list',
    control: async ({ daemon }) => {
      const folder = join(daemon.home, 'talent/agents/hostile')
      mkdirSync(folder, { recursive: true })
      for (let number = 0; number < 1_500; number++)
        writeFileSync(
          join(folder, `p${number}.md`),
          `---\nname: P${number}\nx: ${'['.repeat(240)}${']'.repeat(240)}\n---\nText ${number}.\n`,
        )
      const { body } = await daemon.ask('GET', '/talent')
      return JSON.stringify(body).includes('P1499')
    },
    attack: async ({ daemon, puppet }) => {
      const before = processorTimeOf(daemon)
      for (let times = 0; times < 3; times++) await puppet.ask('GET', '/talent')
      return processorTimeOf(daemon) - before > 6
    },
    isLong: true,
  },
]
