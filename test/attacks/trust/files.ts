import { execFile } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Attack } from '../contract.ts'
import { isStarted, planOf, sha256, type TrustStage } from './stage.ts'

let number = 0
/** Returns a plan that no other attack has trusted. */
const freshPlan = (command = 'true'): string => {
  number += 1
  return planOf([{ run: `${command} # ${number}` }])
}

const trusted = (plan: string): object => ({ trust: [sha256(plan)] })

const listed = async (stage: TrustStage, plan: string): Promise<string> =>
  JSON.stringify(((await stage.ask('POST', '/plans/check', { plan })).body as { files: unknown }).files)

const listsEvil = async (stage: TrustStage, plan: string): Promise<boolean> =>
  (await listed(stage, plan)).includes('evil')

/** Attacks on the question whether a file is trusted. */
export const fileAttacks: readonly Attack<TrustStage>[] = [
  {
    name: 'a plan runs its steps before anybody trusts it',
    control: async (stage) => {
      const plan = freshPlan()
      return isStarted(await stage.runPlan(plan, trusted(plan)))
    },
    attack: async (stage) => isStarted(await stage.runPlan(freshPlan())),
  },
  {
    name: 'an edit of a trusted plan starts another command',
    control: async (stage) => {
      const plan = freshPlan()
      await stage.runPlan(plan, trusted(plan))
      return isStarted(await stage.runPlan(plan))
    },
    attack: async (stage) => {
      const plan = freshPlan()
      await stage.runPlan(plan, trusted(plan))
      return isStarted(await stage.runPlan(plan.replace('true #', 'evil #')))
    },
  },
  {
    name: 'a changed space in a trusted plan goes unnoticed',
    control: async (stage) => (await listed(stage, freshPlan())).includes('true'),
    attack: async (stage) => {
      const plan = freshPlan()
      await stage.runPlan(plan, trusted(plan))
      return isStarted(await stage.runPlan(`${plan} `))
    },
  },
  {
    name: 'another file takes the name of a trusted one',
    isLong: true,
    control: async (stage) => {
      const path = stage.write('named.yaml', freshPlan())
      if ((await stage.cli('trust', path)).code !== 0) return false
      copyFileSync(path, join(stage.folder, 'copy.yaml'))
      return (await stage.cli('run', '--plan', join(stage.folder, 'copy.yaml'))).code === 0
    },
    attack: async (stage) => {
      const path = stage.write('named.yaml', freshPlan('evil'))
      return (await stage.cli('run', '--plan', path)).code === 0
    },
  },
  {
    name: 'the hash of a harmless file trusts another',
    control: async (stage) => {
      const plan = freshPlan()
      return isStarted(await stage.runPlan(plan, trusted(plan)))
    },
    attack: async (stage) => isStarted(await stage.runPlan(freshPlan('evil'), trusted(freshPlan()))),
  },
  {
    name: 'the file is swapped between the review and the trust',
    control: async (stage) => {
      const text = freshPlan()
      return isStarted(await stage.ask('POST', '/trusted-files', { text, hash: sha256(text) }))
    },
    attack: async (stage) =>
      isStarted(await stage.ask('POST', '/trusted-files', { text: freshPlan('evil'), hash: sha256(freshPlan()) })),
  },
  {
    name: 'a file that reads differently the second time starts what was not shown',
    isLong: true,
    control: async (stage) => (await goalFromPipe(stage, 'shown', 'shown')) === 'shown',
    attack: async (stage) => (await goalFromPipe(stage, 'shown', 'hidden')) === 'hidden',
  },
  {
    name: 'a plan trusts itself by a key',
    control: async (stage) => {
      const plan = freshPlan()
      return isStarted(await stage.runPlan(plan, trusted(plan)))
    },
    attack: async (stage) => {
      const plan = freshPlan()
      const own = JSON.stringify({ ...(JSON.parse(plan) as object), trust: [sha256(plan)] })
      return isStarted(await stage.runPlan(own)) || isStarted(await stage.runPlan(own, trusted(own)))
    },
  },
  {
    name: 'a revoked file starts again',
    control: async (stage) => {
      const plan = freshPlan()
      await stage.runPlan(plan, trusted(plan))
      return isStarted(await stage.runPlan(plan))
    },
    attack: async (stage) => {
      const plan = freshPlan()
      await stage.runPlan(plan, trusted(plan))
      await stage.ask('POST', '/trusted-files/revoke', { hash: sha256(plan) })
      return isStarted(await stage.runPlan(plan))
    },
  },
  {
    name: 'an agent trusts a file with its token',
    control: async (stage) => {
      const text = freshPlan()
      return isStarted(await stage.ask('POST', '/trusted-files', { text, hash: sha256(text) }))
    },
    attack: async (stage) => {
      const text = freshPlan()
      const answer = await (await stage.puppetOnce()).ask('POST', '/trusted-files', { text, hash: sha256(text) })
      return isStarted(answer) || isStarted(await stage.runPlan(text))
    },
  },
  {
    name: 'an agent starts a plan and trusts it in one request',
    control: async (stage) => {
      const plan = freshPlan()
      return isStarted(await stage.runPlan(plan, trusted(plan)))
    },
    attack: async (stage) => {
      const plan = freshPlan()
      return isStarted(await (await stage.puppetOnce()).ask('POST', '/plans/run', { plan, ...trusted(plan) }))
    },
  },
  {
    name: 'an agent revokes the trust of the operator',
    control: async (stage) => {
      const plan = freshPlan()
      await stage.runPlan(plan, trusted(plan))
      return isStarted(await stage.ask('POST', '/trusted-files/revoke', { hash: sha256(plan) }))
    },
    attack: async (stage) => {
      const plan = freshPlan()
      await stage.runPlan(plan, trusted(plan))
      const puppet = await stage.puppetOnce()
      return isStarted(await puppet.ask('POST', '/trusted-files/revoke', { hash: sha256(plan) }))
    },
  },
  {
    name: 'anchors and merges of YAML hide a command from the list',
    control: (stage) => listsEvil(stage, freshPlan('evil')),
    attack: async (stage) => {
      const plan = `x: &x { kind: command, run: evil }
goal: A
runtime: scripted
evidence: [*x]
briefs: [{ id: a, objective: A }]`
      const valid = plan
        .replace('x: &x { kind: command, run: evil }\n', '')
        .replace('*x', '&x { kind: command, run: evil }')
      const repeated = valid.replace('objective: A }', 'objective: A, evidence: [*x] }')
      return (
        isStarted(await stage.runPlan(plan)) || !(await listsEvil(stage, valid)) || !(await listsEvil(stage, repeated))
      )
    },
  },
  {
    name: 'a scenario given as text starts without trust',
    control: async (stage) =>
      isStarted(await stage.runPlan(JSON.stringify({ goal: 'Write a haiku into a.txt', ...scriptedBy('default') }))),
    attack: async (stage) =>
      isStarted(await stage.runPlan(JSON.stringify({ goal: 'A', ...scriptedBy('steps:\n- run: evil') }))),
  },
  {
    name: 'options of one runtime become a program by the runtime of the command line',
    control: async (stage) => (await stage.cli('run', 'Typed', '--program', 'true')).code === 0,
    attack: async (stage) => {
      const options = { runtime_options: { command: ['true', 'evil'] } }
      const plan = JSON.stringify({ goal: 'A', ...options, briefs: [{ id: 'a', objective: 'A' }] })
      return (await stage.cli('run', '--plan', stage.write('options.yaml', plan), '--runtime', 'program')).code === 0
    },
  },
  {
    name: 'a team inside a plan hides its commands',
    control: (stage) => listsEvil(stage, freshPlan('evil')),
    attack: async (stage) => {
      const of = (team: object): string =>
        JSON.stringify({ goal: 'A', team: JSON.stringify(team), briefs: [{ id: 'a', objective: 'A' }] })
      const teams = [{ setup: 'evil' }, { tiers: { t5: { options: { command: ['evil'] } } } }]
      const shown = await Promise.all(teams.map((team) => listsEvil(stage, of(team))))
      return shown.includes(false)
    },
  },
  {
    name: 'a verifier, a setup or a server of a plan is not listed',
    control: (stage) => listsEvil(stage, freshPlan('evil')),
    attack: async (stage) => {
      const of = (more: object): string =>
        JSON.stringify({ goal: 'A', briefs: [{ id: 'a', objective: 'A' }], runtime: 'scripted', ...more })
      const url = 'http://127.0.0.1:{port}/'
      const plans = [
        of({ verifier_runtime: 'program', verifier_options: { command: ['true', 'evil'] } }),
        of({ setup: 'evil' }),
        of({ evidence: [{ kind: 'http', start: 'evil', url }] }),
        of({ runtime_options: { scenario: { phases: { t4: { attempts: [[], [{ run: 'evil' }]] } } } } }),
      ]
      const shown = await Promise.all(plans.map((plan) => listsEvil(stage, plan)))
      return shown.includes(false)
    },
  },
  {
    name: 'a plan shows a folder of this machine to its agents',
    control: async (stage) => isStarted(await stage.runPlan(showing({}), { readable: [stage.folder] })),
    attack: async (stage) => {
      const plan = showing({ readable: [stage.folder] })
      return isStarted(await stage.runPlan(plan)) || isStarted(await stage.runPlan(plan, trusted(plan)))
    },
  },
  {
    name: 'a plan raises the number of planned briefs that start without a question',
    control: async (stage) => isStarted(await stage.runPlan(plannedUpTo(10))),
    attack: async (stage) => isStarted(await stage.runPlan(plannedUpTo(10_000))),
  },
  {
    name: 'the preview cuts the end of a long command',
    control: async (stage) => (await preview(stage, 'true; evil')).includes('evil'),
    attack: async (stage) => !(await preview(stage, `true ${'a'.repeat(5_000)}; evil`)).includes('; evil'),
  },
  {
    name: 'control characters erase a command from the preview',
    control: async (stage) => (await preview(stage, 'evil')).includes('evil'),
    attack: async (stage) => {
      const shown = await preview(stage, 'evil \u001b[2K\u001b[1A\u202e\u200b\r true')
      return ['\u001b', '\u202e', '\u200b', '\r'].some((each) => shown.includes(each)) || !shown.includes('\\u{1b}[2K')
    },
  },
]

const scriptedBy = (scenario: string): object => ({
  runtime: 'scripted',
  runtime_options: { scenario },
  briefs: [{ id: 'a', objective: 'Write a haiku into a.txt' }],
})

const showing = (more: object): string =>
  JSON.stringify({ goal: 'A', runtime: 'scripted', briefs: [{ id: 'a', objective: 'A' }], ...more })

const plannedUpTo = (large_plan: number): string =>
  JSON.stringify({ goal: 'A', runtime: 'scripted', planner: true, large_plan, briefs: [{ id: 'a', objective: 'A' }] })

const preview = async (stage: TrustStage, command: string): Promise<string> => {
  const plan = planOf([], { evidence: [{ kind: 'command', run: command }] })
  return (await stage.cli('run', '--plan', stage.write(`preview-${(number += 1)}.yaml`, plan), '--preview')).out
}

/** Starts a plan from a pipe that has one text for its first reader and another for the next; returns the goal. */
async function goalFromPipe(stage: TrustStage, first: string, second: string): Promise<string | null> {
  const path = join(stage.folder, `pipe-${second}`)
  const texts = [first, second].map((goal, at) => stage.write(`pipe-text-${at}`, planOf([{ run: goal }], { goal })))
  const writer = execFile('sh', ['-c', 'mkfifo "$0"; cat "$1" >"$0"; sleep 0.3; cat "$2" >"$0"', path, ...texts])
  await new Promise((settle) => setTimeout(settle, 200))
  const { out } = await stage.cli('run', '--plan', path, '--trust', '--json')
  writer.kill()
  return /"goal_anchor":"(\w+)"/.exec(out)?.[1] ?? null
}
